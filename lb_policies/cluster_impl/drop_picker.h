/* gxds_drop_picker: which RPCs of one leaf cluster are dropped before a backend is picked: by the
 * categories of its endpoints resource (A27), then by the limit of requests in flight (A32); and
 * the record of an RPC that was not.
 *
 * A picker is made at an update and never changed, but for the state of its random generator.
 * Counted by reference; any thread, no locks. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_DROP_PICKER_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_DROP_PICKER_H_

#include "lb_policies/cluster_impl/call_counter.h"
#include "lb_policies/cluster_impl/locality_slot.h"
#include "resources/cluster.h"
#include "resources/endpoints.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_drop_picker gxds_drop_picker;

/* endpoints: whose drop categories count; NULL: none. counter and max_requests: the limit. drops:
 * where drops are counted; NULL: nowhere. metrics_of: whose lrs_metrics are counted; NULL: none
 * are. Takes a reference on each. seed: of the random numbers. */
gxds_drop_picker *gxds_drop_picker_create(const gxds_endpoints *endpoints,
                                          gxds_call_counter *counter, uint32_t max_requests,
                                          gxds_drop_load *drops, const gxds_cluster *metrics_of,
                                          uint64_t seed);
gxds_drop_picker *gxds_drop_picker_ref(gxds_drop_picker *p);
void gxds_drop_picker_unref(gxds_drop_picker *p); /* NULL is allowed */

typedef enum gxds_drop_decision {
  GXDS_DROP_NONE,            /* go on: ask the child */
  GXDS_DROP_CATEGORY,        /* dropped and counted: "EDS-configured drop: <category>" */
  GXDS_DROP_CIRCUIT_BREAKER, /* dropped and counted: "circuit breaker drop" */
} gxds_drop_decision;

/* One RPC. *category: of GXDS_DROP_CATEGORY; borrowed: valid as long as p. */
gxds_drop_decision gxds_drop_picker_pick(gxds_drop_picker *p, gxds_str *category);

/* One RPC attempt, from the moment that the child picked a backend. Lives in the caller's struct;
 * one thread at a time. It holds no reference, so that threads share no line for it but the
 * counter's: as long as it counts as in flight, the counter stays, and from when it started, so do
 * the counters of load. */
typedef struct gxds_cluster_call {
  gxds_call_counter *counter;
  gxds_locality_load *load;       /* NULL: not counted */
  const gxds_cluster *metrics_of; /* NULL: nobody asks what the backend reports */
  bool in_progress;
} gxds_cluster_call;

/* Takes a place among the requests in flight; its load will be counted where slot says (NULL:
 * nowhere). False when there is no place: the RPC is dropped by the circuit breaker and counted,
 * and call is zero. The caller keeps slot until the call started or ended. */
GXDS_MUST_USE bool gxds_cluster_call_init(gxds_cluster_call *call, gxds_drop_picker *p,
                                          const gxds_locality_slot *slot);
/* It is sent to the backend: from here it counts in load reports. */
void gxds_cluster_call_started(gxds_cluster_call *call);
/* Whether the backend's load report is of interest. */
static inline bool gxds_cluster_call_wants_report(const gxds_cluster_call *call) {
  return call->metrics_of != NULL;
}
/* It is about to end, with that load report in the answer (gxds_reported_metrics_count()). */
void gxds_cluster_call_reported(gxds_cluster_call *call, gxds_str report);
/* It is over, and gives back its place. Once more: nothing. */
void gxds_cluster_call_end(gxds_cluster_call *call, bool failed);

#ifdef __cplusplus
}
#endif

#endif
