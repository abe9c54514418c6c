#include "lb_policies/least_request/least_request.h"

#include <math.h>
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

struct gxds_draws {
  gxds_ref refs;
  size_t count;
  _Atomic uint32_t chances[]; /* for each endpoint, the probability that a draw of it counts, as a
                                 part of CERTAIN */
};

#define CERTAIN (UINT32_C(1) << 16)

gxds_draws *gxds_draws_create(size_t count) {
  gxds_draws *d = gxds_calloc(1, sizeof *d + count * sizeof d->chances[0]);
  gxds_ref_init(&d->refs);
  d->count = count;
  for (size_t i = 0; i < count; i++) atomic_init(&d->chances[i], CERTAIN);
  return d;
}

gxds_draws *gxds_draws_ref(gxds_draws *d) {
  gxds_ref_inc(&d->refs);
  return d;
}

void gxds_draws_unref(gxds_draws *d) {
  if (d && gxds_ref_dec(&d->refs)) gxds_free(d);
}

void gxds_draws_set(gxds_draws *d, const double *shares) {
  double greatest = 0;
  for (size_t i = 0; i < d->count; i++) greatest = fmax(greatest, shares[i]);
  for (size_t i = 0; i < d->count; i++) {
    const double chance = fmax(shares[i] / greatest * CERTAIN, 1);
    atomic_store_explicit(&d->chances[i], (uint32_t)chance, memory_order_relaxed);
  }
}

/* A draw that does not count is repeated. That could take long if nearly all endpoints are new. So
 * after this many draws the last one counts, and a new endpoint may get a few RPCs too many. */
enum { DRAWS_MAX = 100 };

static size_t draw(const gxds_draws *d, size_t count, gxds_random *random) {
  size_t drawn = 0;
  for (int i = 0; i < DRAWS_MAX; i++) {
    drawn = (size_t)(gxds_random_next(random) % count);
    if (!d) break;
    const uint32_t chance = atomic_load_explicit(&d->chances[drawn], memory_order_relaxed);
    if (chance == CERTAIN || gxds_random_next(random) % CERTAIN < chance) break;
  }
  return drawn;
}

size_t gxds_least_request_choose(const gxds_active_requests *const *members, size_t count,
                                 const gxds_draws *draws, uint32_t choices, gxds_random *random) {
  GXDS_CHECK(count > 0 && choices > 0);
  size_t chosen = 0;
  uint64_t fewest = UINT64_MAX;
  for (uint32_t i = 0; i < choices; i++) {
    size_t drawn = draw(draws, count, random);
    uint64_t active = gxds_active_requests_count(members[drawn]);
    if (i > 0 && active >= fewest) continue;
    chosen = drawn;
    fewest = active;
  }
  return chosen;
}
