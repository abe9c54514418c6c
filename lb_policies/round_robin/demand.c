#include "lb_policies/round_robin/demand.h"

#include <stdatomic.h>

#include "base/memory.h"

struct gxds_demand {
  gxds_ref refs;
  gxds_poker *poker; /* a reference */
  _Atomic uint64_t picks;
  atomic_bool poked;
};

gxds_demand *gxds_demand_create(gxds_poker *poker) {
  gxds_demand *d = GXDS_NEW(gxds_demand);
  gxds_ref_init(&d->refs);
  d->poker = gxds_poker_ref(poker);
  return d;
}

void gxds_demand_unref(gxds_demand *d) {
  if (!d || !gxds_ref_dec(&d->refs)) return;
  gxds_poker_unref(d->poker);
  gxds_free(d);
}

void gxds_demand_restart(gxds_demand *d) {
  atomic_store_explicit(&d->picks, 0, memory_order_relaxed);
  atomic_store_explicit(&d->poked, false, memory_order_relaxed);
}

typedef struct demand_picker {
  gxds_picker base;
  gxds_picker *child;  /* a reference */
  gxds_demand *demand; /* a reference */
  size_t enough;
} demand_picker;

/* Not inlined, because most picks do not need this function. */
__attribute__((noinline)) static void poke(gxds_demand *d) {
  if (atomic_exchange_explicit(&d->poked, true, memory_order_relaxed)) return;
  gxds_poker_poke(d->poker, 0, gxds_str_of(NULL, 0));
}

static void pick(gxds_picker *base, const gxds_pick *call, gxds_picked *out) {
  const demand_picker *p = (const demand_picker *)base;
  gxds_demand *d = p->demand;
  /* After the poke, picks only read until the policy has grown. */
  if (!atomic_load_explicit(&d->poked, memory_order_relaxed) &&
      atomic_fetch_add_explicit(&d->picks, 1, memory_order_relaxed) + 1 >= p->enough) {
    poke(d);
  }
  gxds_picker_pick(p->child, call, out);
}

static void destroy(gxds_picker *base) {
  demand_picker *p = (demand_picker *)base;
  gxds_picker_unref(p->child);
  gxds_demand_unref(p->demand);
  gxds_free(p);
}

gxds_picker *gxds_demand_picker_create(gxds_demand *d, gxds_picker *take_child, size_t enough) {
  static const gxds_picker_ops ops = {pick, destroy};
  demand_picker *p = GXDS_NEW(demand_picker);
  gxds_picker_init(&p->base, &ops);
  p->child = take_child;
  gxds_ref_inc(&d->refs);
  p->demand = d;
  p->enough = enough;
  return &p->base;
}
