#include "lb_policies/weighted_round_robin/stride.h"

#include <math.h>
#include <stdatomic.h>

#include "base/check.h"
#include "base/memory.h"

enum { WEIGHT_MAX = UINT16_MAX };

struct gxds_stride {
  size_t count;
  _Atomic uint16_t weights[]; /* from 1 to WEIGHT_MAX, the weight of the heaviest member */
};

gxds_stride *gxds_stride_create(size_t count) {
  GXDS_CHECK(count > 0);
  gxds_stride *s = gxds_calloc(1, sizeof *s + count * sizeof s->weights[0]);
  s->count = count;
  for (size_t i = 0; i < count; i++) atomic_init(&s->weights[i], WEIGHT_MAX);
  return s;
}

void gxds_stride_destroy(gxds_stride *s) { gxds_free(s); }

static void set(gxds_stride *s, size_t i, double weight) {
  long rounded = lround(weight);
  uint16_t bounded = rounded < 1 ? 1 : rounded > WEIGHT_MAX ? WEIGHT_MAX : (uint16_t)rounded;
  atomic_store_explicit(&s->weights[i], bounded, memory_order_relaxed);
}

bool gxds_stride_set(gxds_stride *s, const double *weights) {
  size_t known = 0;
  double sum = 0;
  double heaviest = 0;
  for (size_t i = 0; i < s->count; i++) {
    if (weights[i] <= 0) continue;
    known++;
    sum += weights[i];
    heaviest = fmax(heaviest, weights[i]);
  }
  if (known < 2 || !isfinite(sum)) {
    for (size_t i = 0; i < s->count; i++) set(s, i, WEIGHT_MAX);
    return false;
  }
  double mean = sum / (double)known;
  double most = fmin(heaviest, mean * GXDS_STRIDE_ABOVE_MEAN_MAX);
  double least = mean / GXDS_STRIDE_BELOW_MEAN_MAX;
  for (size_t i = 0; i < s->count; i++) {
    double weight = weights[i] > 0 ? fmin(fmax(weights[i], least), most) : mean;
    set(s, i, weight / most * WEIGHT_MAX);
  }
  return true;
}

void gxds_stride_set_shares(gxds_stride *s, const double *shares) {
  double greatest = 0;
  for (size_t i = 0; i < s->count; i++) greatest = fmax(greatest, shares[i]);
  for (size_t i = 0; i < s->count; i++) set(s, i, shares[i] / greatest * WEIGHT_MAX);
}

/* A member takes as many of every WEIGHT_MAX rounds as its weight: those in which a multiple of the
 * weight passes a multiple of WEIGHT_MAX. Each member has another offset, so that not all of them
 * take the same rounds. */
size_t gxds_stride_pick(const gxds_stride *s, gxds_turns *turns) {
  for (;;) {
    uint64_t turn = gxds_turns_next(turns);
    size_t member = (size_t)(turn % s->count);
    uint64_t round = turn / s->count % WEIGHT_MAX;
    uint64_t weight = atomic_load_explicit(&s->weights[member], memory_order_relaxed);
    uint64_t offset = (uint64_t)member % WEIGHT_MAX * (WEIGHT_MAX / 2);
    if ((weight * round + offset) % WEIGHT_MAX >= WEIGHT_MAX - weight) return member;
  }
}
