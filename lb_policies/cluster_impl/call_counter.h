/* gxds_call_counter: the requests in flight to one {cluster, EDS service} of the whole process
 * (A32): channels that talk to the same cluster share it, and with it the limit.
 *
 * Any thread. Counted by reference: made when first asked for, gone with its last reference and its
 * last request, which so need no reference of their own. Counting is one atomic, exact on purpose:
 * a sharded count could not be compared with a limit. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CALL_COUNTER_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CALL_COUNTER_H_

#include <stdint.h>

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_call_counter gxds_call_counter;

/* The counter of that key; one reference, the caller's. Takes a lock: for updates. */
gxds_call_counter *gxds_call_counter_get(gxds_str cluster, gxds_str eds_service);
gxds_call_counter *gxds_call_counter_ref(gxds_call_counter *c);
void gxds_call_counter_unref(gxds_call_counter *c); /* NULL is allowed */

/* Requests in flight. */
uint32_t gxds_call_counter_load(const gxds_call_counter *c);
/* Adds one, unless limit or more are in flight: then false. Never exceeds the limit. The caller or
 * somebody else has a reference; the request keeps the counter until it is removed. */
bool gxds_call_counter_try_add(gxds_call_counter *c, uint32_t limit);
/* Ends one that was added. */
void gxds_call_counter_remove(gxds_call_counter *c);

#ifdef __cplusplus
}
#endif

#endif
