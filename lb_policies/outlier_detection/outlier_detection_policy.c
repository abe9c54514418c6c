#include "lb_policies/outlier_detection/outlier_detection_policy.h"

#include "base/memory.h"
#include "host/only_child.h"
#include "lb_policies/endpoint_list/endpoint_list.h"
#include "lb_policies/outlier_detection/ejectable.h"
#include "lb_policies/outlier_detection/outlier_detection_config.h"
#include "xds_resolver/config.h"

/* --- Picks --- */

/* The tracker of one attempt. It is in the memory of the call. */
typedef struct tracker {
  gxds_tracker base;
  gxds_tracker *childs; /* the child's tracker; NULL: the child made none */
  gxds_call_results *results;
} tracker;

static void started(gxds_tracker *base) {
  const tracker *t = (const tracker *)base;
  if (t->childs) gxds_tracker_started(t->childs);
}

static void finished(gxds_tracker *base, const gxds_finish *f) {
  const tracker *t = (const tracker *)base;
  if (t->childs) gxds_tracker_finished(t->childs, f);
  gxds_call_results_add(t->results, f->code == GXDS_OK);
}

static void destroy_tracker(gxds_tracker *base) {
  const tracker *t = (const tracker *)base;
  gxds_tracker_destroy(t->childs);
  gxds_call_results_unref(t->results);
}

/* Also unwraps the subchannel while RPCs are not counted: a parent may expect its own wrapper. */
typedef struct picker {
  gxds_picker base;
  gxds_picker *child;
  bool counting;
} picker;

static void pick(gxds_picker *base, const gxds_pick *call, gxds_picked *out) {
  static const gxds_tracker_ops ops = {started, finished, destroy_tracker};
  const picker *p = (const picker *)base;
  gxds_picker_pick(p->child, call, out);
  if (out->kind != GXDS_PICKED_COMPLETE) return;
  gxds_subchannel *picked = out->subchannel;
  if (p->counting) {
    tracker *t = gxds_pick_alloc(call, sizeof *t);
    *t = (tracker){
        {.ops = &ops}, out->tracker, gxds_call_results_ref(gxds_ejectable_results(picked))};
    out->tracker = &t->base;
  }
  out->subchannel = gxds_subchannel_ref(picked->wrapped);
  gxds_subchannel_unref(picked);
}

static void destroy_picker(gxds_picker *base) {
  picker *p = (picker *)base;
  gxds_picker_unref(p->child);
  gxds_free(p);
}

static gxds_picker *create_picker(gxds_picker *child, bool counting) {
  static const gxds_picker_ops ops = {pick, destroy_picker};
  picker *p = GXDS_NEW(picker);
  gxds_picker_init(&p->base, &ops);
  p->child = gxds_picker_ref(child);
  p->counting = counting;
  return &p->base;
}

/* --- The policy --- */

typedef struct policy {
  gxds_only_child only; /* first */
  /* Borrowed: valid until the process ends. NULL: RPCs were not counted yet. */
  gxds_policy_counts *counts;
  gxds_ejectables *subchannels;
  gxds_outliers *machine; /* borrowed from subchannels */
  bool settling;
} policy;

static void publish(policy *p) {
  gxds_policy_publish(p->only.base, p->only.state, &p->only.status,
                      create_picker(p->only.picker, gxds_outliers_counting(p->machine)));
}

/* Ejects subchannels, or ends their ejection, and sets the timer. */
static void settle(policy *p) {
  if (p->settling) return; /* a nested call: the outer call does the work */
  p->settling = true;
  uint64_t address;
  while (!gxds_policy_ended(p->only.base) && gxds_outliers_next(p->machine, &address)) {
    const bool ejected = gxds_outliers_ejected(p->machine, address);
    gxds_policy_trace(p->only.base, "address %llu %s", (unsigned long long)address,
                      ejected ? "ejected" : "un-ejected");
    gxds_ejectables_set_ejected(p->subchannels, address, ejected);
  }
  p->settling = false;
  gxds_policy_set_deadline(p->only.base, gxds_outliers_deadline(p->machine));
}

static size_t count_addresses(gxds_str cluster, const gxds_lb_update *given) {
  if (gxds_str_empty(cluster)) return given->addresses ? given->addresses->count : 0;
  const gxds_cluster_entry *entry =
      given->snapshot ? gxds_config_cluster(given->snapshot, cluster) : NULL;
  return entry ? gxds_endpoints_count(entry->endpoints) : 0;
}

static gxds_status update(void *self, const gxds_lb_update *given) {
  policy *p = self;
  const gxds_outlier_detection_config *config =
      (const gxds_outlier_detection_config *)given->config;
  const bool was_counting = gxds_outliers_counting(p->machine);
  gxds_outliers_on_config(p->machine, &config->settings, count_addresses(config->of.cluster, given),
                          gxds_policy_now(p->only.base));
  const bool counting = gxds_outliers_counting(p->machine);
  if (counting && !p->counts) {
    p->counts = gxds_policy_counts_for(p->only.base, GXDS_COUNTING_OUTLIER_DETECTION);
  }
  settle(p);
  if (counting != was_counting && p->only.picker) publish(p);
  if (gxds_policy_ended(p->only.base)) return gxds_status_ok();
  return gxds_only_child_update_with(&p->only, given, config->of.child, given->addresses);
}

static void *create(gxds_policy *base, const gxds_args *args) {
  (void)args;
  policy *p = GXDS_NEW(policy);
  p->only.base = base;
  p->subchannels = gxds_ejectables_create(gxds_policy_channel(base), gxds_policy_random_seed(base));
  p->machine = p->subchannels->machine;
  return p;
}

static void child_state(void *self, uint64_t child, grpc_connectivity_state state,
                        const gxds_status *status, gxds_picker *take_picker) {
  (void)child;
  policy *p = self;
  gxds_only_child_keep(&p->only, state, status, take_picker);
  publish(p);
}

/* A50: the addresses alone identify an endpoint, without attributes. A61: all its addresses do. */
static gxds_subchannel *child_subchannel(void *self, uint64_t child, const gxds_lb_address *address,
                                         const gxds_args *args) {
  (void)child;
  policy *p = self;
  gxds_subchannel *subchannel = gxds_policy_subchannel(p->only.base, address, args);
  if (!subchannel) return NULL;
  gxds_text key = {0};
  if (address->endpoint.size > 0) {
    gxds_text_add(&key, address->endpoint);
  } else {
    gxds_lb_address_render_set(address, &key);
  }
  const uint64_t token = gxds_outliers_add(p->machine, gxds_text_str(&key));
  gxds_policy_trace(p->only.base, "a subchannel to address %llu: %.*s", (unsigned long long)token,
                    GXDS_STR_ARG(gxds_text_str(&key)));
  gxds_text_fini(&key);
  return gxds_ejectable_create(p->subchannels, subchannel, token);
}

static void on_deadline(void *self) {
  policy *p = self;
  gxds_outliers_on_deadline(p->machine, gxds_policy_now(p->only.base));
  const gxds_outliers_found found = gxds_outliers_take_found(p->machine);
  for (unsigned i = 0; i < GXDS_COUNT_OUTLIERS; i++) {
    gxds_policy_counts_add(p->counts, i, found.counts[i]);
  }
  settle(p);
}

static void destroy(void *self) {
  policy *p = self;
  gxds_ejectables_unref(p->subchannels);
  gxds_only_child_fini(&p->only);
  gxds_free(p);
}

const gxds_policy_type gxds_outlier_detection_policy = {
    .name = "outlier_detection_experimental",
    .trace = "outlier_detection_lb",
    .log_name = "outlier_detection_lb",
    .title = "outlier_detection",
    .needs_config = true,
    .parse = gxds_outlier_detection_parse,
    .create = create,
    .update = update,
    GXDS_ONLY_CHILD,
    .destroy = destroy,
    .on_deadline = on_deadline,
    .child_state = child_state,
    .child_subchannel = child_subchannel,
};
