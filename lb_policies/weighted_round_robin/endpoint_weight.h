/* gxds_endpoint_weight: the weight of one endpoint, computed from the load that it reports (A58).
 * It is unknown until the endpoint has reported for a while, and again when the reports stop.
 * Counted by reference, since RPCs may outlive the policy. Any thread, no locks. If a report and a
 * read coincide, the read may miss that report. */
#ifndef GRPC_XDS_LB_POLICIES_WEIGHTED_ROUND_ROBIN_ENDPOINT_WEIGHT_H_
#define GRPC_XDS_LB_POLICIES_WEIGHTED_ROUND_ROBIN_ENDPOINT_WEIGHT_H_

#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_endpoint_weight gxds_endpoint_weight;

/* Starts without a report. The caller owns the returned reference. */
gxds_endpoint_weight *gxds_endpoint_weight_create(void);
gxds_endpoint_weight *gxds_endpoint_weight_ref(gxds_endpoint_weight *w);
void gxds_endpoint_weight_unref(gxds_endpoint_weight *w); /* NULL is allowed */

/* Takes the weight from a report of the endpoint. A weight of 0 is ignored. */
void gxds_endpoint_weight_on_report(gxds_endpoint_weight *w, double weight, gxds_time now);
/* The endpoint connected: the blackout starts again with its next report. It may also be called
 * when the old connection breaks. */
void gxds_endpoint_weight_on_ready(gxds_endpoint_weight *w);
/* Whether the weight can be used, and why not (A78). */
typedef enum gxds_weight_state {
  GXDS_WEIGHT_USABLE,
  GXDS_WEIGHT_NOT_YET_USABLE, /* there is no report yet, or the first one is newer than
                                 `blackout` */
  GXDS_WEIGHT_STALE,          /* the last report is older than `expiration` */
} gxds_weight_state;
/* Sets *weight, which is 0 unless the weight is usable. */
gxds_weight_state gxds_endpoint_weight_get(gxds_endpoint_weight *w, gxds_duration blackout,
                                           gxds_duration expiration, gxds_time now, double *weight);

#ifdef __cplusplus
}
#endif

#endif
