#include "lb_policies/weighted_locality/locality_picker.h"

#include "base/memory.h"

/* Immutable except for the count of turns, which is atomic. The next picker continues the count. */
typedef struct locality_picker {
  gxds_picker base;
  gxds_picker **pickers; /* references */
  size_t count;
  gxds_wheel *wheel;
  gxds_turns *turns;
} locality_picker;

static void pick(gxds_picker *base, const gxds_pick *call, gxds_picked *out) {
  const locality_picker *p = (const locality_picker *)base;
  gxds_picker_pick(p->pickers[gxds_wheel_pick(p->wheel, gxds_turns_next(p->turns))], call, out);
}

static void destroy(gxds_picker *base) {
  locality_picker *p = (locality_picker *)base;
  for (size_t i = 0; i < p->count; i++) gxds_picker_unref(p->pickers[i]);
  gxds_free(p->pickers);
  gxds_wheel_destroy(p->wheel);
  gxds_turns_unref(p->turns);
  gxds_free(p);
}

gxds_picker *gxds_locality_picker_create(gxds_picker **take_pickers, const uint32_t *weights,
                                         size_t count, gxds_turns *turns) {
  static const gxds_picker_ops ops = {pick, destroy};
  locality_picker *p = GXDS_NEW(locality_picker);
  gxds_picker_init(&p->base, &ops);
  p->pickers = take_pickers;
  p->count = count;
  p->wheel = gxds_wheel_create(weights, count);
  p->turns = gxds_turns_ref(turns);
  return &p->base;
}
