#include "lb_policies/outlier_detection/call_results.h"

#include <stdatomic.h>

#include "base/memory.h"
#include "base/ref.h"

struct gxds_call_results {
  gxds_ref refs;
  _Atomic uint64_t successes;
  _Atomic uint64_t failures;
};

gxds_call_results *gxds_call_results_create(void) {
  gxds_call_results *r = GXDS_NEW(gxds_call_results);
  gxds_ref_init(&r->refs);
  return r;
}

gxds_call_results *gxds_call_results_ref(gxds_call_results *r) {
  gxds_ref_inc(&r->refs);
  return r;
}

void gxds_call_results_unref(gxds_call_results *r) {
  if (r && gxds_ref_dec(&r->refs)) gxds_free(r);
}

void gxds_call_results_add(gxds_call_results *r, bool ok) {
  atomic_fetch_add_explicit(ok ? &r->successes : &r->failures, 1, memory_order_relaxed);
}

/* A50 swaps two pairs of numbers. Here there is one pair, whose values are taken and set to 0. This
 * counts each RPC exactly once too. */
void gxds_call_results_turn(gxds_call_results *r, uint64_t *successes, uint64_t *failures) {
  *successes = atomic_exchange_explicit(&r->successes, 0, memory_order_relaxed);
  *failures = atomic_exchange_explicit(&r->failures, 0, memory_order_relaxed);
}
