#include "lb_policies/cluster_impl/drop_picker.h"

#include <stdatomic.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/ref.h"
#include "lb_policies/cluster_impl/reported_metrics.h"

struct gxds_drop_picker {
  gxds_ref refs;
  const gxds_endpoints *endpoints;
  const gxds_cluster *metrics_of;
  gxds_call_counter *counter;
  uint32_t max_requests;
  gxds_drop_load *drops;
  size_t *categories; /* for each category of endpoints->drops, its number in `drops` */
  _Atomic uint64_t random;
};

static const gxds_cluster *ref_cluster(const gxds_cluster *c) {
  if (c) gxds_resource_ref(&c->base);
  return c;
}

static void unref_cluster(const gxds_cluster *c) {
  if (c) gxds_resource_unref(&c->base);
}

gxds_drop_picker *gxds_drop_picker_create(const gxds_endpoints *endpoints,
                                          gxds_call_counter *counter, uint32_t max_requests,
                                          gxds_drop_load *drops, const gxds_cluster *metrics_of,
                                          uint64_t seed) {
  gxds_drop_picker *p = GXDS_NEW(gxds_drop_picker);
  gxds_ref_init(&p->refs);
  if (endpoints && endpoints->drop_count > 0) {
    gxds_resource_ref(&endpoints->base);
    p->endpoints = endpoints;
  }
  p->metrics_of = ref_cluster(metrics_of);
  p->counter = gxds_call_counter_ref(counter);
  p->max_requests = max_requests;
  p->drops = drops ? gxds_drop_load_ref(drops) : NULL;
  if (p->drops && p->endpoints) {
    p->categories = gxds_calloc(p->endpoints->drop_count, sizeof *p->categories);
    for (size_t i = 0; i < p->endpoints->drop_count; i++) {
      p->categories[i] = gxds_drop_load_category(drops, p->endpoints->drops[i].name);
    }
  }
  atomic_init(&p->random, seed);
  return p;
}

gxds_drop_picker *gxds_drop_picker_ref(gxds_drop_picker *p) {
  gxds_ref_inc(&p->refs);
  return p;
}

void gxds_drop_picker_unref(gxds_drop_picker *p) {
  if (!p || !gxds_ref_dec(&p->refs)) return;
  if (p->endpoints) gxds_resource_unref(&p->endpoints->base);
  unref_cluster(p->metrics_of);
  gxds_call_counter_unref(p->counter);
  gxds_drop_load_unref(p->drops);
  gxds_free(p->categories);
  gxds_free(p);
}

/* Uniform in 0 … 999,999. The state of splitmix64 only grows by a constant, so an atomic add gives
 * each call its own state. */
static uint32_t draw_per_million(gxds_drop_picker *p) {
  const uint64_t step = 0x9e3779b97f4a7c15u;
  gxds_random mine = {atomic_fetch_add_explicit(&p->random, step, memory_order_relaxed)};
  return (uint32_t)(((gxds_random_next(&mine) >> 32) * 1000000u) >> 32);
}

/* A27: a random number is drawn for each category, in the order of the resource. Not inlined, since
 * most clusters have no categories. */
__attribute__((noinline)) static bool dropped_by_category(gxds_drop_picker *p, gxds_str *category) {
  for (size_t i = 0; i < p->endpoints->drop_count; i++) {
    const gxds_drop_category *c = &p->endpoints->drops[i];
    if (draw_per_million(p) >= c->per_million) continue;
    if (p->drops) gxds_drop_load_add(p->drops, p->categories[i]);
    *category = c->name;
    return true;
  }
  return false;
}

gxds_drop_decision gxds_drop_picker_pick(gxds_drop_picker *p, gxds_str *category) {
  if (p->endpoints && dropped_by_category(p, category)) return GXDS_DROP_CATEGORY;
  if (gxds_call_counter_load(p->counter) < p->max_requests) return GXDS_DROP_NONE;
  if (p->drops) gxds_drop_load_add_uncategorized(p->drops);
  return GXDS_DROP_CIRCUIT_BREAKER;
}

bool gxds_cluster_call_init(gxds_cluster_call *call, gxds_drop_picker *p,
                            const gxds_locality_slot *slot) {
  /* Another channel may have taken the last place since gxds_drop_picker_pick() looked. */
  if (!gxds_call_counter_try_add(p->counter, p->max_requests)) {
    *call = (gxds_cluster_call){0};
    if (p->drops) gxds_drop_load_add_uncategorized(p->drops);
    return false;
  }
  gxds_locality_load *load = slot ? gxds_locality_slot_load(slot) : NULL;
  *call = (gxds_cluster_call){
      .counter = p->counter, .load = load, .metrics_of = load ? ref_cluster(p->metrics_of) : NULL};
  return true;
}

void gxds_cluster_call_started(gxds_cluster_call *call) {
  if (call->in_progress) return;
  call->in_progress = true;
  if (call->load) gxds_locality_load_started(call->load);
}

void gxds_cluster_call_reported(gxds_cluster_call *call, gxds_str report) {
  if (!call->in_progress || !call->metrics_of) return;
  gxds_reported_metrics_count(gxds_cluster_lrs_metrics(call->metrics_of), report, call->load);
}

void gxds_cluster_call_end(gxds_cluster_call *call, bool failed) {
  if (!call->counter) return;
  if (call->in_progress && call->load) gxds_locality_load_finished(call->load, failed);
  gxds_call_counter_remove(call->counter);
  unref_cluster(call->metrics_of);
  *call = (gxds_cluster_call){0};
}
