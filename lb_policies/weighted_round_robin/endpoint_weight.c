#include "lb_policies/weighted_round_robin/endpoint_weight.h"

#include <stdatomic.h>

#include "base/memory.h"
#include "base/ref.h"

struct gxds_endpoint_weight {
  gxds_ref refs;
  _Atomic double weight; /* 0: no report */
  _Atomic gxds_time last_updated;
  _Atomic gxds_time non_empty_since; /* GXDS_TIME_NEVER: no report since the endpoint connected, or
                                        since the weight expired */
};

gxds_endpoint_weight *gxds_endpoint_weight_create(void) {
  gxds_endpoint_weight *w = GXDS_NEW(gxds_endpoint_weight);
  gxds_ref_init(&w->refs);
  atomic_init(&w->weight, 0);
  atomic_init(&w->last_updated, 0);
  atomic_init(&w->non_empty_since, GXDS_TIME_NEVER);
  return w;
}

gxds_endpoint_weight *gxds_endpoint_weight_ref(gxds_endpoint_weight *w) {
  gxds_ref_inc(&w->refs);
  return w;
}

void gxds_endpoint_weight_unref(gxds_endpoint_weight *w) {
  if (w && gxds_ref_dec(&w->refs)) gxds_free(w);
}

void gxds_endpoint_weight_on_report(gxds_endpoint_weight *w, double weight, gxds_time now) {
  if (weight <= 0) return;
  gxds_time never = GXDS_TIME_NEVER;
  atomic_compare_exchange_strong(&w->non_empty_since, &never, now);
  atomic_store(&w->last_updated, now);
  atomic_store(&w->weight, weight);
}

void gxds_endpoint_weight_on_ready(gxds_endpoint_weight *w) {
  atomic_store(&w->non_empty_since, GXDS_TIME_NEVER);
}

gxds_weight_state gxds_endpoint_weight_get(gxds_endpoint_weight *w, gxds_duration blackout,
                                           gxds_duration expiration, gxds_time now,
                                           double *weight) {
  *weight = 0;
  const double reported = atomic_load(&w->weight);
  if (reported <= 0) return GXDS_WEIGHT_NOT_YET_USABLE;
  if (now - atomic_load(&w->last_updated) >= expiration) {
    atomic_store(&w->non_empty_since, GXDS_TIME_NEVER);
    return GXDS_WEIGHT_STALE;
  }
  if (blackout > 0) {
    const gxds_time since = atomic_load(&w->non_empty_since);
    if (since == GXDS_TIME_NEVER || now - since < blackout) return GXDS_WEIGHT_NOT_YET_USABLE;
  }
  *weight = reported;
  return GXDS_WEIGHT_USABLE;
}
