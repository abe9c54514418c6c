#include "lb_policies/weighted_round_robin/weight_picker.h"

#include <stdatomic.h>

#include "base/memory.h"
#include "lb_policies/orca/orca_report.h"

/* --- The rating --- */

/* A rating that was set. It is kept until the gxds_current_rating ends, because RPCs may still use
 * it. Each rating is kept only once. There are few ratings, because there are few configs. */
typedef struct gxds_rating_kept {
  gxds_rating *rating; /* a reference */
  struct gxds_rating_kept *next;
} kept_rating;

gxds_current_rating *gxds_current_rating_create(void) {
  gxds_current_rating *c = GXDS_NEW(gxds_current_rating);
  gxds_ref_init(&c->refs);
  atomic_init(&c->now, NULL);
  return c;
}

void gxds_current_rating_unref(gxds_current_rating *c) {
  if (!c || !gxds_ref_dec(&c->refs)) return;
  while (c->kept) {
    kept_rating *k = c->kept;
    c->kept = k->next;
    gxds_rating_unref(k->rating);
    gxds_free(k);
  }
  gxds_free(c);
}

void gxds_current_rating_set(gxds_current_rating *c, gxds_rating *rating) {
  kept_rating *k = c->kept;
  while (k && !gxds_rating_equal(k->rating, rating)) k = k->next;
  if (!k) {
    k = GXDS_NEW(kept_rating);
    gxds_ref_inc(&rating->refs);
    *k = (kept_rating){rating, c->kept};
    c->kept = k;
  }
  atomic_store_explicit(&c->now, k->rating, memory_order_release);
}

/* --- What is reported --- */

static void connection_changed(gxds_load_listener *l) {
  gxds_endpoint_weight_on_ready(((gxds_rater *)l)->weight);
}

static void reported(gxds_load_listener *l, const gxds_orca_report *report) {
  gxds_rater *r = (gxds_rater *)l;
  const gxds_rating *rating = atomic_load_explicit(&r->rating->now, memory_order_acquire);
  gxds_endpoint_weight_on_report(r->weight, gxds_report_weight(report, rating),
                                 r->channel->ops->now(r->channel));
}

static void destroy_rater(gxds_load_listener *l) {
  gxds_rater *r = (gxds_rater *)l;
  gxds_endpoint_weight_unref(r->weight);
  gxds_current_rating_unref(r->rating);
  gxds_lb_channel_unref(r->channel);
  gxds_free(r);
}

gxds_rater *gxds_rater_create(gxds_endpoint_weight *weight, gxds_current_rating *rating,
                              gxds_lb_channel *channel) {
  static const gxds_load_listener_ops ops = {connection_changed, reported, destroy_rater};
  gxds_rater *r = GXDS_NEW(gxds_rater);
  gxds_ref_init(&r->base.refs);
  r->base.ops = &ops;
  r->weight = gxds_endpoint_weight_ref(weight);
  gxds_ref_inc(&rating->refs);
  r->rating = rating;
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
    if (m->raters[i]) gxds_load_listener_unref(&m->raters[i]->base);
  }
  gxds_stride_destroy(m->stride);
  gxds_free(m->subchannels);
  gxds_free(m->raters);
  gxds_free(m);
}

/* --- Picks --- */

/* The tracker of one attempt. It is in the memory of the call. */
typedef struct tracker {
  gxds_tracker base;
  gxds_rater *rater; /* a reference */
} tracker;

static void started(gxds_tracker *t) { (void)t; }

/* Reads the serialized report, because the BackendMetricData of gRPC 1.51 lacks most of the needed
 * fields, such as qps and eps. */
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
  *t = (tracker){{.ops = &ops}, rater};
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
