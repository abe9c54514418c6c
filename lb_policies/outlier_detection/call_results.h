/* gxds_call_results: how the RPCs to one address ended in the current interval (A50's call
 * counter). Counted by reference. gxds_call_results_add(): any thread, no locks.
 * gxds_call_results_turn(): under the owner's serializer. */
#ifndef GRPC_XDS_LB_POLICIES_OUTLIER_DETECTION_CALL_RESULTS_H_
#define GRPC_XDS_LB_POLICIES_OUTLIER_DETECTION_CALL_RESULTS_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_call_results gxds_call_results;

gxds_call_results *gxds_call_results_create(void);
gxds_call_results *gxds_call_results_ref(gxds_call_results *r);
void gxds_call_results_unref(gxds_call_results *r); /* NULL is allowed */

/* Counts an RPC that has ended. */
void gxds_call_results_add(gxds_call_results *r, bool ok);
/* Ends the interval, and returns what was counted in it. */
void gxds_call_results_turn(gxds_call_results *r, uint64_t *successes, uint64_t *failures);

#ifdef __cplusplus
}
#endif

#endif
