#include "lb_policies/cluster_impl/cluster_picker.h"

#include "base/memory.h"
#include "lb_policies/cluster_impl/connections.h"
#include "lb_policies/happy_eyeballs/endpoint_subchannel.h"
#include "lb_policies/orca/orca_report.h"

/* For functions that few RPCs need: keeps their code out of the code that every RPC runs. */
#define RARE __attribute__((noinline, cold))

/* --- Subchannels --- */

typedef struct counted_subchannel {
  gxds_subchannel base;
  gxds_locality_slot *slot; /* a use */
  gxds_str hostname;        /* owned; empty: the endpoint has no hostname */
  gxds_connection_hold hold;
  gxds_lb_channel *channel; /* a reference */
} counted_subchannel;

/* Under the serializer. */
static void bury_subchannel(void *arg) {
  counted_subchannel *s = arg;
  gxds_lb_channel *channel = s->channel;
  gxds_connection_let_go(&s->hold);
  gxds_locality_slot_end_use(s->slot);
  gxds_str_free(&s->hostname);
  gxds_subchannel_unref(s->base.wrapped);
  gxds_free(s);
  gxds_lb_channel_unref(channel);
}

static void destroy_subchannel(gxds_subchannel *base) {
  counted_subchannel *s = (counted_subchannel *)base;
  s->channel->ops->post(s->channel, bury_subchannel, s);
}

gxds_subchannel *gxds_counted_subchannel_create(
    gxds_lb_channel *channel, gxds_subchannel *take_subchannel, const gxds_lb_address *address,
    const gxds_args *args, gxds_locality_slot *take_slot, gxds_policy_counts *counts) {
  static const gxds_subchannel_ops ops = {.destroy = destroy_subchannel};
  counted_subchannel *s = GXDS_NEW(counted_subchannel);
  gxds_ref_init(&s->base.refs);
  s->base.ops = &ops;
  s->base.wrapped = take_subchannel;
  s->slot = take_slot;
  if (address->hostname.size > 0) s->hostname = gxds_str_dup(address->hostname);
  s->channel = gxds_lb_channel_ref(channel);
  gxds_connection_take_hold(&s->hold, channel, take_subchannel, address, args, counts);
  return &s->base;
}

/* --- Attempts --- */

/* The tracker of one attempt. The host reports when the attempt goes to the backend and when it
 * ends, but may destroy the tracker before either. It is in the memory of the call, which outlives
 * it. */
typedef struct tracker {
  gxds_tracker base;
  gxds_tracker *childs; /* the child's tracker; NULL: the child made none */
  /* A reference, which keeps the slot until the attempt starts, even if a leaf policy of the
   * program releases the subchannel after its picker returned it. NULL after the start: from then
   * on the attempt itself keeps its counters. */
  gxds_subchannel *subchannel;
  gxds_cluster_call call;
} tracker;

static void started(gxds_tracker *base) {
  tracker *t = (tracker *)base;
  gxds_cluster_call_started(&t->call);
  gxds_subchannel_unref(t->subchannel);
  t->subchannel = NULL;
  if (t->childs) gxds_tracker_started(t->childs);
}

static RARE void report(tracker *t, const gxds_finish *f) {
  gxds_str bytes;
  if (gxds_finish_trailer(f, gxds_str_z(GXDS_ORCA_METADATA_KEY), &bytes)) {
    gxds_cluster_call_reported(&t->call, bytes);
  }
}

static void finished(gxds_tracker *base, const gxds_finish *f) {
  tracker *t = (tracker *)base;
  if (t->childs) gxds_tracker_finished(t->childs, f);
  if (gxds_cluster_call_wants_report(&t->call)) report(t, f);
  gxds_cluster_call_end(&t->call, f->code != GXDS_OK);
}

/* An attempt that started but never finished counts as failed. */
static void destroy_tracker(gxds_tracker *base) {
  tracker *t = (tracker *)base;
  gxds_cluster_call_end(&t->call, true);
  gxds_subchannel_unref(t->subchannel);
  gxds_tracker_destroy(t->childs);
}

/* --- Picks --- */

typedef struct cluster_picker {
  gxds_picker base;
  gxds_drop_picker *drops;         /* a reference */
  const gxds_cluster_entry *entry; /* a reference */
  gxds_picker *child;              /* a reference; NULL: see gxds_cluster_picker_create() */
} cluster_picker;

/* A status with the message, and what is known about the cluster. */
static gxds_status explained(const cluster_picker *p, gxds_code code, gxds_str message) {
  gxds_text text = {0};
  gxds_text_add(&text, message);
  gxds_cluster_entry_explain(p->entry, &text);
  gxds_status status = gxds_status_make(code, "%.*s", GXDS_STR_ARG(gxds_text_str(&text)));
  gxds_text_fini(&text);
  return status;
}

static RARE void explain(const cluster_picker *p, gxds_picked *out) {
  gxds_status_set(&out->status, explained(p, out->status.code, out->status.message));
}

static RARE void drop(const cluster_picker *p, gxds_drop_decision decision, gxds_str category,
                      gxds_picked *out) {
  gxds_text text = {0};
  if (decision == GXDS_DROP_CATEGORY) {
    gxds_text_addf(&text, "EDS-configured drop: %.*s", GXDS_STR_ARG(category));
  } else {
    gxds_text_add_z(&text, "circuit breaker drop");
  }
  gxds_picked_drop(out, explained(p, GXDS_UNAVAILABLE, gxds_text_str(&text)));
  gxds_text_fini(&text);
}

/* A81: the hostname is borrowed from the subchannel, which the tracker holds until the attempt
 * starts. */
static RARE void name_authority(const counted_subchannel *s, const gxds_pick *call,
                                gxds_picked *out) {
  gxds_str cluster;
  const gxds_routed_call *route = gxds_pick_route(call, &cluster);
  if (route && route->auto_host_rewrite) out->authority = s->hostname;
}

/* A61: the child picked an endpoint of several addresses. Replaces out->subchannel by the counted
 * subchannel of the connected address. If the endpoint has just lost its connection, makes the RPC
 * wait, and returns false. */
static RARE bool find_connected(gxds_picked *out) {
  gxds_subchannel *endpoint = out->subchannel;
  out->subchannel = gxds_endpoint_subchannel_connected(endpoint);
  gxds_subchannel_unref(endpoint);
  if (out->subchannel) return true;
  if (out->tracker) gxds_tracker_destroy(out->tracker);
  out->tracker = NULL;
  gxds_picked_queue(out);
  return false;
}

/* Makes the tracker, or drops the RPC if the circuit breaker's limit is reached. The tracker takes
 * over the child's reference to the subchannel, so it needs no further one. */
static void count(const cluster_picker *p, const gxds_pick *call, gxds_picked *out) {
  static const gxds_tracker_ops ops = {started, finished, destroy_tracker};
  const counted_subchannel *s = (const counted_subchannel *)out->subchannel;
  tracker *t = gxds_pick_alloc(call, sizeof *t);
  t->base.ops = &ops;
  t->childs = out->tracker;
  t->subchannel = out->subchannel;
  if (!gxds_cluster_call_init(&t->call, p->drops, s->slot)) {
    destroy_tracker(&t->base);
    drop(p, GXDS_DROP_CIRCUIT_BREAKER, gxds_str_of(NULL, 0), out);
    return;
  }
  out->subchannel = gxds_subchannel_ref(s->base.wrapped);
  out->tracker = &t->base;
  if (s->hostname.size > 0) name_authority(s, call, out);
}

static void pick(gxds_picker *base, const gxds_pick *call, gxds_picked *out) {
  const cluster_picker *p = (const cluster_picker *)base;
  gxds_str category = {NULL, 0};
  const gxds_drop_decision decision = gxds_drop_picker_pick(p->drops, &category);
  if (decision != GXDS_DROP_NONE) {
    drop(p, decision, category, out);
    return;
  }
  if (!p->child) {
    gxds_picked_queue(out);
    return;
  }
  gxds_picker_pick(p->child, call, out);
  if (out->kind == GXDS_PICKED_COMPLETE) {
    if (out->subchannel->wrapped || find_connected(out)) count(p, call, out);
  } else if (out->kind == GXDS_PICKED_FAIL && !out->has_note) {
    explain(p, out);
  }
}

static void destroy(gxds_picker *base) {
  cluster_picker *p = (cluster_picker *)base;
  gxds_drop_picker_unref(p->drops);
  gxds_cluster_entry_unref(p->entry);
  gxds_picker_unref(p->child);
  gxds_free(p);
}

gxds_picker *gxds_cluster_picker_create(gxds_drop_picker *drops, const gxds_cluster_entry *entry,
                                        gxds_picker *child) {
  static const gxds_picker_ops ops = {pick, destroy};
  cluster_picker *p = GXDS_NEW(cluster_picker);
  gxds_picker_init(&p->base, &ops);
  p->drops = gxds_drop_picker_ref(drops);
  p->entry = gxds_cluster_entry_ref(entry);
  p->child = child ? gxds_picker_ref(child) : NULL;
  return &p->base;
}
