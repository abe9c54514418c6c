/* The RPCs of each locality as metrics: everything that load stores have counted so far, reported
 * or not. This only reads the counters that load reports need anyway. */
#ifndef GRPC_XDS_LRS_LOAD_METRICS_H_
#define GRPC_XDS_LRS_LOAD_METRICS_H_

#include "base/text.h"
#include "lrs/load_store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A store (not a view of one), and the data-plane target for the labels of its metrics. Values that
 * were counted through a view have the view's target instead. Both are borrowed. */
typedef struct gxds_load_source {
  gxds_load_store *store;
  gxds_str target;
} gxds_load_source;

/* Adds grpc_xds_client_locality_rpcs_started_total, …_succeeded_total and …_failed_total to out.
 * Any thread; takes the lock of one store after the other. */
void gxds_load_metrics_render(const gxds_load_source *sources, size_t count, gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
