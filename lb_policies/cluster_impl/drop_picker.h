/* gxds_drop_picker decides which RPCs of one leaf cluster are dropped before a backend is picked:
 * first by the drop categories of its ClusterLoadAssignment (A27), then by the limit of requests in
 * flight (A32). gxds_cluster_call is the record of an RPC that was not dropped. A picker is made at
 * an update. Only the state of its random generator ever changes. Counted by reference; any thread,
 * no locks. */
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

/* endpoints has the drop categories; NULL: there are none. counter and max_requests are the limit.
 * Drops are counted in `drops`; NULL: nowhere. metrics_of is the cluster whose lrs_metrics are
 * counted; NULL: none are. Takes a reference to each. seed is for the random numbers. */
gxds_drop_picker *gxds_drop_picker_create(const gxds_endpoints *endpoints,
                                          gxds_call_counter *counter, uint32_t max_requests,
                                          gxds_drop_load *drops, const gxds_cluster *metrics_of,
                                          uint64_t seed);
gxds_drop_picker *gxds_drop_picker_ref(gxds_drop_picker *p);
void gxds_drop_picker_unref(gxds_drop_picker *p); /* NULL is allowed */

typedef enum gxds_drop_decision {
  GXDS_DROP_NONE,            /* the child picks */
  GXDS_DROP_CATEGORY,        /* dropped and counted: "EDS-configured drop: <category>" */
  GXDS_DROP_CIRCUIT_BREAKER, /* dropped and counted: "circuit breaker drop" */
} gxds_drop_decision;

/* Decides for one RPC. For GXDS_DROP_CATEGORY sets *category, which is borrowed: valid as long as
 * p. */
gxds_drop_decision gxds_drop_picker_pick(gxds_drop_picker *p, gxds_str *category);

/* One RPC attempt, from the moment when the child picked a backend. Lives in the caller's struct;
 * one thread at a time. It holds no references, so the call counter is the only memory that RPCs on
 * several threads write to. The counter stays as long as the attempt is in flight. The load
 * counters stay from the attempt's start to its end. */
typedef struct gxds_cluster_call {
  gxds_call_counter *counter;     /* NULL: dropped, or ended */
  gxds_locality_load *load;       /* NULL: not counted */
  const gxds_cluster *metrics_of; /* NULL if the backend's load report is not needed */
  bool in_progress;
} gxds_cluster_call;

/* Counts the attempt as in flight. Its load will be counted in slot (NULL: not at all). If the
 * limit is reached, the circuit breaker drops the RPC, counts the drop, zeroes *call and returns
 * false. The caller keeps slot until the call has started or ended. */
GXDS_MUST_USE bool gxds_cluster_call_init(gxds_cluster_call *call, gxds_drop_picker *p,
                                          const gxds_locality_slot *slot);
/* The attempt is sent to the backend: from now on it counts in load reports. */
void gxds_cluster_call_started(gxds_cluster_call *call);
/* Whether the backend's load report is needed. */
static inline bool gxds_cluster_call_wants_report(const gxds_cluster_call *call) {
  return call->metrics_of != NULL;
}
/* The attempt is about to end, and the response has this load report
 * (gxds_reported_metrics_count()). */
void gxds_cluster_call_reported(gxds_cluster_call *call, gxds_str report);
/* The attempt ended: releases its place in the limit. Further calls have no effect. */
void gxds_cluster_call_end(gxds_cluster_call *call, bool failed);

#ifdef __cplusplus
}
#endif

#endif
