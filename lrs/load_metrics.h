/* The RPCs of each locality as metrics: what load stores have counted so far, whether it was
 * reported or not. It only reads the counters that load reports need anyway. */
#ifndef GRPC_XDS_LRS_LOAD_METRICS_H_
#define GRPC_XDS_LRS_LOAD_METRICS_H_

#include "base/text.h"
#include "lrs/load_store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A store, no view of one, and what its values are labelled with: the data-plane target, unless it
 * was a view that counted. Both borrowed. */
typedef struct gxds_load_source {
  gxds_load_store *store;
  gxds_str target;
} gxds_load_source;

/* Adds grpc_xds_client_locality_rpcs_started_total, …_succeeded_total and …_failed_total. Any
 * thread; takes the stores' locks in turn. */
void gxds_load_metrics_render(const gxds_load_source *sources, size_t count, gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
