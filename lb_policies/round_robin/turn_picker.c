#include "lb_policies/round_robin/turn_picker.h"

#include <math.h>

#include "base/memory.h"

/* Immutable except for the count of turns, which is atomic. */
typedef struct turn_picker {
  gxds_picker base;
  gxds_turns *turns;
  gxds_wheel *wheel; /* NULL: all weights are equal */
  size_t count;
  gxds_subchannel *subchannels[];
} turn_picker;

static void pick(gxds_picker *base, const gxds_pick *call, gxds_picked *out) {
  (void)call;
  const turn_picker *p = (const turn_picker *)base;
  gxds_subchannel *picked = p->subchannels[gxds_turns_next(p->turns) % p->count];
  gxds_picked_complete(out, gxds_subchannel_ref(picked), NULL);
}

static void pick_by_weight(gxds_picker *base, const gxds_pick *call, gxds_picked *out) {
  (void)call;
  const turn_picker *p = (const turn_picker *)base;
  gxds_subchannel *picked = p->subchannels[gxds_wheel_pick(p->wheel, gxds_turns_next(p->turns))];
  gxds_picked_complete(out, gxds_subchannel_ref(picked), NULL);
}

static void destroy(gxds_picker *base) {
  turn_picker *p = (turn_picker *)base;
  for (size_t i = 0; i < p->count; i++) gxds_subchannel_unref(p->subchannels[i]);
  gxds_wheel_destroy(p->wheel);
  gxds_turns_unref(p->turns);
  gxds_free(p);
}

/* take_wheel is NULL if all weights are equal. */
static gxds_picker *create(const gxds_endpoints_policy *e, const uint64_t *tokens, size_t count,
                           gxds_turns *turns, gxds_wheel *take_wheel) {
  static const gxds_picker_ops in_turn = {pick, destroy};
  static const gxds_picker_ops weighted = {pick_by_weight, destroy};
  turn_picker *p = gxds_calloc(1, sizeof *p + count * sizeof *p->subchannels);
  gxds_picker_init(&p->base, take_wheel ? &weighted : &in_turn);
  p->turns = gxds_turns_ref(turns);
  p->wheel = take_wheel;
  p->count = count;
  for (size_t i = 0; i < count; i++) {
    p->subchannels[i] =
        gxds_subchannel_ref(gxds_endpoints_policy_subchannel(e, (uint32_t)tokens[i]));
  }
  return &p->base;
}

gxds_picker *gxds_turn_picker_create(const gxds_endpoints_policy *e, const uint64_t *tokens,
                                     size_t count, gxds_turns *turns) {
  return create(e, tokens, count, turns, NULL);
}

/* Multiplies the weights by the shares, and scales the products so that the greatest is UINT32_MAX.
 * So rounding to uint32_t loses as little as possible. */
static void multiply(uint32_t *weights, const double *shares, size_t count) {
  double greatest = 0;
  for (size_t i = 0; i < count; i++) greatest = fmax(greatest, weights[i] * shares[i]);
  for (size_t i = 0; i < count; i++) {
    weights[i] = (uint32_t)fmax(weights[i] * shares[i] / greatest * UINT32_MAX, 1);
  }
}

gxds_picker *gxds_turn_picker_create_by_weight(const gxds_endpoints_policy *e,
                                               const uint64_t *tokens, size_t count,
                                               gxds_turns *turns, const double *shares) {
  uint32_t *weights = gxds_calloc(count, sizeof *weights);
  for (size_t i = 0; i < count; i++) weights[i] = gxds_endpoints_policy_weight(e, tokens[i]);
  if (shares) multiply(weights, shares, count);
  bool alike = true;
  for (size_t i = 1; i < count && alike; i++) alike = weights[i] == weights[0];
  gxds_picker *picker =
      create(e, tokens, count, turns, alike ? NULL : gxds_wheel_create(weights, count));
  gxds_free(weights);
  return picker;
}
