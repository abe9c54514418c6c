#include "lb_policies/least_request/least_request.h"

#include <stdatomic.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/ref.h"

struct gxds_active_requests {
  gxds_ref refs;
  _Atomic uint64_t count;
};

gxds_active_requests *gxds_active_requests_create(void) {
  gxds_active_requests *a = GXDS_NEW(gxds_active_requests);
  gxds_ref_init(&a->refs);
  return a;
}

gxds_active_requests *gxds_active_requests_ref(gxds_active_requests *a) {
  gxds_ref_inc(&a->refs);
  return a;
}

void gxds_active_requests_unref(gxds_active_requests *a) {
  if (a && gxds_ref_dec(&a->refs)) gxds_free(a);
}

void gxds_active_requests_begin(gxds_active_requests *a) {
  atomic_fetch_add_explicit(&a->count, 1, memory_order_relaxed);
}

void gxds_active_requests_end(gxds_active_requests *a) {
  atomic_fetch_sub_explicit(&a->count, 1, memory_order_relaxed);
}

uint64_t gxds_active_requests_count(const gxds_active_requests *a) {
  return atomic_load_explicit(&a->count, memory_order_relaxed);
}

size_t gxds_least_request_choose(const gxds_active_requests *const *members, size_t count,
                                 uint32_t choices, gxds_random *random) {
  GXDS_CHECK(count > 0 && choices > 0);
  size_t chosen = 0;
  uint64_t fewest = UINT64_MAX;
  for (uint32_t i = 0; i < choices; i++) {
    size_t drawn = (size_t)(gxds_random_next(random) % count);
    uint64_t active = gxds_active_requests_count(members[drawn]);
    if (i > 0 && active >= fewest) continue;
    chosen = drawn;
    fewest = active;
  }
  return chosen;
}
