#include "lb_policies/subset/subset_policy.h"

#include <inttypes.h>
#include <uthash.h>

#include "base/check.h"
#include "base/memory.h"
#include "host/child_errors.h"
#include "lb_policies/cluster_child_config.h"
#include "lb_policies/endpoint_list/endpoint_list.h"
#include "lb_policies/kept_update.h"
#include "lb_policies/subset/subset_endpoints.h"
#include "lb_policies/subset/subset_fallback.h"
#include "lb_policies/subset/subset_picker.h"
#include "xds_resolver/config.h"

/* Some endpoints, with the policy that balances over them. */
typedef struct subset {
  uint64_t token;
  gxds_str wanted; /* the metadata of the endpoints; empty: the subset has all endpoints */
  gxds_subset_endpoints endpoints;
  gxds_lb_child *child;
  bool is_new;             /* the child had no update yet */
  bool is_used;            /* a mark; only for sweep() */
  gxds_picker *picker;     /* a reference; NULL: the child reported nothing yet */
  UT_hash_handle hh;       /* in the table by `wanted`; not used by the subset of all endpoints */
  UT_hash_handle hh_token; /* by token */
} subset;

/* A route's metadata match, and the subset to which it leads. */
typedef struct match {
  gxds_metadata_match own; /* an owned text */
  const subset *to;        /* NULL: there is no subset for it, so its RPCs fail */
  UT_hash_handle hh;       /* in the table by text; the oldest first */
} match;

typedef struct policy {
  gxds_policy *base;
  bool busy;    /* reports of children are published only afterwards */
  bool changed; /* what was published is out of date */
  uint64_t last_token;
  subset *all;       /* the subset of all endpoints; NULL before the first update */
  subset *by_wanted; /* the others */
  subset *by_token;
  match *matches;
  const subset *otherwise;       /* the subset for RPCs without a match; NULL: they fail */
  grpc_connectivity_state state; /* the state of the subset of all endpoints */
  gxds_status status;
  gxds_lb_update last; /* the config, args, note and entry of the last update; kept */
} policy;

static const gxds_lb_subsets *rules_of(const policy *p) {
  return gxds_cluster_subsets(p->last.entry->cluster);
}

/* --- Subsets --- */

static subset *find_wanted(const policy *p, gxds_str wanted) {
  if (wanted.size == 0) return p->all;
  subset *s;
  HASH_FIND(hh, p->by_wanted, wanted.data, wanted.size, s);
  return s;
}

static subset *add_subset(policy *p, gxds_str wanted) {
  subset *s = GXDS_NEW(subset);
  s->token = ++p->last_token;
  s->wanted = gxds_str_dup(wanted);
  s->child = gxds_lb_child_create(p->base, s->token);
  s->is_new = true;
  if (wanted.size > 0) HASH_ADD_KEYPTR(hh, p->by_wanted, s->wanted.data, s->wanted.size, s);
  HASH_ADD(hh_token, p->by_token, token, sizeof s->token, s);
  gxds_policy_trace(p->base, "subset %" PRIu64 " is %.*s", s->token, GXDS_STR_ARG(wanted));
  return s;
}

static void remove_subset(policy *p, subset *s) {
  if (s->wanted.size > 0) HASH_DELETE(hh, p->by_wanted, s);
  HASH_DELETE(hh_token, p->by_token, s);
  gxds_lb_child_end(s->child);
  gxds_picker_unref(s->picker);
  gxds_subset_endpoints_fini(&s->endpoints);
  gxds_str_free(&s->wanted);
  gxds_free(s);
}

/* Updates the endpoints of all subsets. before: the cluster's endpoints in the last update, which
 * still exist; NULL: none. */
static void take_endpoints(policy *p, const gxds_endpoints *before) {
  const gxds_endpoints *after = p->last.entry->endpoints;
  gxds_subset_changes *changes = before != after ? gxds_subset_changes_create(before, after) : NULL;
  for (subset *s = p->by_token; s; s = s->hh_token.next) {
    gxds_subset_endpoints_update(&s->endpoints, after, s->wanted, rules_of(p), changes);
  }
  gxds_subset_changes_destroy(changes);
}

/* The subset of the endpoints that have that metadata. Makes it if there is none. NULL if no
 * endpoint has the metadata. */
static const void *subset_with(void *arg, gxds_str wanted) {
  policy *p = arg;
  subset *s = find_wanted(p, wanted);
  if (s) return s == p->all || s->endpoints.count > 0 ? s : NULL;
  if (!gxds_subset_exists(p->last.entry->endpoints, wanted, rules_of(p))) return NULL;
  s = add_subset(p, wanted);
  gxds_subset_endpoints_update(&s->endpoints, p->last.entry->endpoints, wanted, rules_of(p), NULL);
  return s;
}

/* Sets *to to the subset for RPCs with that match; empty: for RPCs without a match. */
static void resolve(policy *p, gxds_str match_text, const subset **to) {
  const subset *before = *to;
  *to = gxds_subset_resolve(rules_of(p), match_text, subset_with, p);
  if (*to != before) p->changed = true;
}

static void resolve_all(policy *p) {
  resolve(p, gxds_str_of(NULL, 0), &p->otherwise);
  for (match *m = p->matches; m; m = m->hh.next) resolve(p, m->own.text, &m->to);
}

/* Ends the subsets to which no match leads. */
static void sweep(policy *p) {
  for (subset *s = p->by_token; s; s = s->hh_token.next) s->is_used = s == p->all;
  if (p->otherwise) ((subset *)p->otherwise)->is_used = true;
  for (match *m = p->matches; m; m = m->hh.next) {
    if (m->to) ((subset *)m->to)->is_used = true;
  }
  subset *s;
  subset *next;
  HASH_ITER(hh_token, p->by_token, s, next) {
    if (!s->is_used) remove_subset(p, s);
  }
}

/* --- Children --- */

static gxds_status update_child(const policy *p, subset *s) {
  const gxds_cluster_entry *e = p->last.entry;
  const gxds_cluster_entry *part =
      gxds_cluster_entry_endpoints(e->name, e->cluster, s->endpoints.part, e->resolution_note);
  const gxds_lb_update update = {
      .config = ((const gxds_cluster_child_config *)p->last.config)->child,
      .addresses = gxds_priority_addresses(NULL), /* `entry` has them */
      .args = p->last.args,
      .note = p->last.note,
      .entry = part};
  s->is_new = false;
  gxds_status status = gxds_lb_child_update(s->child, &update);
  gxds_addresses_unref(update.addresses);
  gxds_cluster_entry_unref(part);
  return status;
}

/* Updates all children, or those that are new. The caller publishes what they report meanwhile. */
static gxds_status update_children(policy *p, bool only_new) {
  gxds_child_errors errors = {0};
  p->busy = true;
  for (subset *s = p->by_token; s && !gxds_policy_ended(p->base); s = s->hh_token.next) {
    if (only_new && !s->is_new) continue;
    gxds_child_errors_add(&errors, s->wanted.size ? s->wanted : gxds_str_z("all endpoints"),
                          update_child(p, s));
  }
  p->busy = false;
  return gxds_child_errors_take(&errors);
}

static gxds_subset_pick pick_of(const subset *to) {
  if (!to) return (gxds_subset_pick){GXDS_SUBSET_PICK_FAIL, NULL};
  if (!to->picker) return (gxds_subset_pick){GXDS_SUBSET_PICK_WAIT, NULL};
  return (gxds_subset_pick){GXDS_SUBSET_PICK_BY, to->picker};
}

static void publish(policy *p) {
  if (gxds_policy_ended(p->base) || !p->changed || !p->all->picker) return;
  p->changed = false;
  const gxds_subset_pick otherwise = pick_of(p->otherwise);
  gxds_subset_picker *picker = gxds_subset_picker_create(
      p->last.entry->name, &otherwise, HASH_COUNT(p->matches), gxds_policy_poker(p->base));
  for (match *m = p->matches; m; m = m->hh.next) {
    const gxds_subset_pick pick = pick_of(m->to);
    gxds_subset_picker_add(picker, &m->own, &pick);
  }
  gxds_status status = gxds_status_copy(&p->status);
  gxds_policy_publish(p->base, p->state, &status, gxds_subset_picker_base(picker));
  gxds_status_fini(&status);
}

static void child_state(void *self, uint64_t token, grpc_connectivity_state state,
                        const gxds_status *status, gxds_picker *take_picker) {
  policy *p = self;
  subset *s;
  HASH_FIND(hh_token, p->by_token, &token, sizeof token, s);
  GXDS_CHECK(s != NULL);
  gxds_picker_unref(s->picker);
  s->picker = take_picker;
  p->changed = true;
  if (s == p->all) {
    p->state = state;
    gxds_status_set(&p->status, gxds_status_copy(status));
  }
  if (!p->busy) publish(p);
}

/* --- Matches --- */

static void remove_match(policy *p, match *m) {
  HASH_DEL(p->matches, m);
  gxds_str_free(&m->own.text);
  gxds_free(m);
}

static void poked(void *self, uint64_t number, gxds_str text) {
  (void)number;
  policy *p = self;
  match *m;
  HASH_FIND(hh, p->matches, text.data, text.size, m);
  if (m || !p->last.entry) return; /* m is set: another RPC has asked for this match before */
  if (HASH_COUNT(p->matches) >= GXDS_SUBSET_MATCHES_MAX) remove_match(p, p->matches);
  m = GXDS_NEW(match);
  m->own = (gxds_metadata_match){gxds_str_dup(text), gxds_metadata_hash(text)};
  HASH_ADD_KEYPTR(hh, p->matches, m->own.text.data, m->own.text.size, m);
  resolve(p, text, &m->to);
  p->changed = true;
  gxds_status unheard = update_children(p, true); /* ignored: a child that refuses its update fails
                                                     its RPCs by itself */
  gxds_status_fini(&unheard);
  if (gxds_policy_ended(p->base)) return;
  sweep(p);
  publish(p);
}

/* --- The policy --- */

/* The cluster's entry in the snapshot; without a snapshot, the last one. NULL if it has no subsets.
 */
static const gxds_cluster_entry *entry_in(const policy *p, const gxds_lb_update *given) {
  const gxds_cluster_child_config *config = (const gxds_cluster_child_config *)given->config;
  const gxds_cluster_entry *e =
      given->snapshot ? gxds_config_cluster(given->snapshot, config->cluster) : p->last.entry;
  return e && e->kind == GXDS_ENTRY_ENDPOINTS && gxds_cluster_subsets(e->cluster) ? e : NULL;
}

static gxds_status update(void *self, const gxds_lb_update *given) {
  policy *p = self;
  const gxds_cluster_entry *entry = entry_in(p, given);
  if (!entry) { /* cds always gives an entry */
    gxds_status status =
        gxds_status_make(GXDS_UNAVAILABLE, "%s: no such cluster with subsets in the snapshot",
                         gxds_subset_policy.name);
    gxds_policy_publish_failure(p->base, &status);
    return status;
  }
  const gxds_cluster_entry *before = p->last.entry ? gxds_cluster_entry_ref(p->last.entry) : NULL;
  const gxds_lb_update own = {
      .config = given->config, .args = given->args, .note = given->note, .entry = entry};
  gxds_lb_update_keep(&p->last, &own);
  if (!p->all) p->all = add_subset(p, gxds_str_of(NULL, 0));
  take_endpoints(p, before ? before->endpoints : NULL);
  gxds_cluster_entry_unref(before);
  resolve_all(p);
  sweep(p);
  gxds_status status = update_children(p, false);
  publish(p);
  return status;
}

static void *create(gxds_policy *base, const gxds_args *args) {
  (void)args;
  policy *p = GXDS_NEW(policy);
  p->base = base;
  return p;
}

static void exit_idle(void *self) {
  policy *p = self;
  const bool busy = p->busy;
  p->busy = true; /* so that one picker is published for all reports of children */
  for (subset *s = p->by_token; s; s = s->hh_token.next) gxds_lb_child_exit_idle(s->child);
  p->busy = busy;
  if (!busy) publish(p);
}

static void reset_backoff(void *self) {
  policy *p = self;
  for (subset *s = p->by_token; s; s = s->hh_token.next) gxds_lb_child_reset_backoff(s->child);
}

static void end(void *self) {
  policy *p = self;
  for (subset *s = p->by_token; s; s = s->hh_token.next) {
    gxds_lb_child_end(s->child);
    s->child = NULL;
  }
}

static void destroy(void *self) {
  policy *p = self;
  subset *s;
  subset *next;
  HASH_ITER(hh_token, p->by_token, s, next) remove_subset(p, s);
  while (p->matches) remove_match(p, p->matches);
  gxds_lb_update_forget(&p->last);
  gxds_status_fini(&p->status);
  gxds_free(p);
}

const gxds_policy_type gxds_subset_policy = {
    .name = "grpc_xds_subset",
    .trace = "priority_lb", /* its children are priority policies, so it has the same flag */
    .needs_config = true,
    .unconfigurable = "it is what a Cluster with lb_subset_config has above its priorities",
    .create = create,
    .update = update,
    .exit_idle = exit_idle,
    .reset_backoff = reset_backoff,
    .end = end,
    .destroy = destroy,
    .child_state = child_state,
    .poked = poked,
};
