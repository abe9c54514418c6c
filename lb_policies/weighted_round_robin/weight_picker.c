#include "lb_policies/weighted_round_robin/weight_picker.h"

#include <stdatomic.h>

#include "base/memory.h"
#include "lb_policies/orca/orca_report.h"
#include "lb_policies/weighted_round_robin/report_weight.h"

gxds_penalty *gxds_penalty_create(double value) {
  gxds_penalty *p = GXDS_NEW(gxds_penalty);
  gxds_ref_init(&p->refs);
  atomic_init(&p->value, value);
  return p;
}

void gxds_penalty_unref(gxds_penalty *p) {
  if (p && gxds_ref_dec(&p->refs)) gxds_free(p);
}

/* --- What is reported --- */

static void connection_changed(gxds_load_listener *l) {
  gxds_endpoint_weight_on_ready(((gxds_rater *)l)->weight);
}

static void reported(gxds_load_listener *l, const gxds_orca_report *report) {
  gxds_rater *r = (gxds_rater *)l;
  const double penalty = atomic_load_explicit(&r->penalty->value, memory_order_relaxed);
  gxds_endpoint_weight_on_report(r->weight, gxds_report_weight(report, penalty),
                                 r->channel->ops->now(r->channel));
}

static void destroy_rater(gxds_load_listener *l) {
  gxds_rater *r = (gxds_rater *)l;
  gxds_endpoint_weight_unref(r->weight);
  gxds_penalty_unref(r->penalty);
  gxds_lb_channel_unref(r->channel);
  gxds_free(r);
}

gxds_rater *gxds_rater_create(gxds_endpoint_weight *weight, gxds_penalty *penalty,
                              gxds_lb_channel *channel) {
  static const gxds_load_listener_ops ops = {connection_changed, reported, destroy_rater};
  gxds_rater *r = GXDS_NEW(gxds_rater);
  gxds_ref_init(&r->base.refs);
  r->base.ops = &ops;
  r->weight = gxds_endpoint_weight_ref(weight);
  gxds_ref_inc(&penalty->refs);
  r->penalty = penalty;
  r->channel = gxds_lb_channel_ref(channel);
  return r;
}

/* --- The members --- */

gxds_weighted_members *gxds_weighted_members_create(size_t count) {
  gxds_weighted_members *m = GXDS_NEW(gxds_weighted_members);
  gxds_ref_init(&m->refs);
  m->stride = gxds_stride_create(count);
  m->count = count;
  m->subchannels = gxds_calloc(count, sizeof(gxds_subchannel *));
  m->raters = gxds_calloc(count, sizeof(gxds_rater *));
  return m;
}

void gxds_weighted_members_unref(gxds_weighted_members *m) {
  if (!m || !gxds_ref_dec(&m->refs)) return;
  for (size_t i = 0; i < m->count; i++) {
    gxds_subchannel_unref(m->subchannels[i]);
    gxds_load_listener_unref(&m->raters[i]->base);
  }
  gxds_stride_destroy(m->stride);
  gxds_free(m->subchannels);
  gxds_free(m->raters);
  gxds_free(m);
}

/* --- Picks --- */

/* Of one RPC, in the memory of its call. */
typedef struct tracker {
  gxds_tracker base;
  gxds_rater *rater; /* a reference */
} tracker;

static void started(gxds_tracker *t) { (void)t; }

/* Not by the host's BackendMetricData, which lacks all but the CPU's. */
static void finished(gxds_tracker *t, const gxds_finish *f) {
  gxds_str bytes;
  if (!gxds_finish_trailer(f, gxds_str_z(GXDS_ORCA_METADATA_KEY), &bytes)) return;
  gxds_orca_report report;
  if (gxds_orca_report_decode(bytes, &report)) reported(&((tracker *)t)->rater->base, &report);
}

static void destroy_tracker(gxds_tracker *t) {
  gxds_load_listener_unref(&((tracker *)t)->rater->base);
}

static gxds_tracker *track(const gxds_pick *call, gxds_rater *rater) {
  static const gxds_tracker_ops ops = {started, finished, destroy_tracker};
  tracker *t = gxds_pick_alloc(call, sizeof *t);
  gxds_load_listener_ref(&rater->base);
  *t = (tracker){{&ops}, rater};
  return &t->base;
}

typedef struct weight_picker {
  gxds_picker base;
  gxds_weighted_members *members;
  gxds_turns *turns;
  bool takes_reports;
} weight_picker;

static void pick(gxds_picker *base, const gxds_pick *call, gxds_picked *out) {
  const weight_picker *p = (const weight_picker *)base;
  const gxds_weighted_members *m = p->members;
  const size_t chosen = gxds_stride_pick(m->stride, p->turns);
  gxds_picked_complete(out, gxds_subchannel_ref(m->subchannels[chosen]),
                       p->takes_reports ? track(call, m->raters[chosen]) : NULL);
}

static void destroy_picker(gxds_picker *base) {
  weight_picker *p = (weight_picker *)base;
  gxds_weighted_members_unref(p->members);
  gxds_turns_unref(p->turns);
  gxds_free(p);
}

gxds_picker *gxds_weight_picker_create(gxds_weighted_members *members, gxds_turns *turns,
                                       bool takes_reports) {
  static const gxds_picker_ops ops = {pick, destroy_picker};
  weight_picker *p = GXDS_NEW(weight_picker);
  gxds_picker_init(&p->base, &ops);
  gxds_ref_inc(&members->refs);
  p->members = members;
  p->turns = gxds_turns_ref(turns);
  p->takes_reports = takes_reports;
  return &p->base;
}
