/* gxds_call_counter: the requests in flight to one {cluster, EDS service} of the whole process
 * (A32): channels that talk to the same cluster share it, and with it the limit.
 *
 * Any thread. Counted by reference. The first gxds_call_counter_get() makes it. It is freed when it
 * has neither a reference nor an RPC in flight. So RPCs need no references. The count is one
 * atomic, and exact: a sharded count could not be compared with a limit. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CALL_COUNTER_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CALL_COUNTER_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_call_counter { /* private */
  /* The number of references and the number of requests in flight, in one word. So the thread that
   * removes the last reference or request knows that nothing is left. Atomic, any thread. It
   * changes from 0 and to 0 only under the lock. */
  uint64_t uses;
  gxds_str cluster;
  gxds_str eds_service;
  uint64_t hash;
  struct gxds_call_counter *next; /* the next counter in the bucket; under the lock */
} gxds_call_counter;

/* The counter for that key. The caller owns the returned reference. It takes a lock, so it is for
 * updates, not for RPCs. */
gxds_call_counter *gxds_call_counter_get(gxds_str cluster, gxds_str eds_service);
gxds_call_counter *gxds_call_counter_ref(gxds_call_counter *c);
void gxds_call_counter_unref(gxds_call_counter *c); /* NULL is allowed */

/* Requests in flight. */
static inline uint32_t gxds_call_counter_load(const gxds_call_counter *c) {
  return (uint32_t)__atomic_load_n(&c->uses, __ATOMIC_RELAXED);
}
/* Adds a request, or returns false if `limit` or more are in flight. The limit is never exceeded.
 * Somebody must own a reference during the call; then the request keeps the counter until it is
 * removed. */
static inline bool gxds_call_counter_try_add(gxds_call_counter *c, uint32_t limit) {
  uint64_t n = __atomic_load_n(&c->uses, __ATOMIC_RELAXED);
  while ((uint32_t)n < limit) {
    if (__atomic_compare_exchange_n(&c->uses, &n, n + 1, true, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
      return true;
    }
  }
  return false;
}
/* Ends a request that was added. */
void gxds_call_counter_remove(gxds_call_counter *c);

#ifdef __cplusplus
}
#endif

#endif
