#include "lb_policies/priority/priority_policy.h"

#include <grpc/impl/codegen/grpc_types.h>
#include <inttypes.h>

#include "base/memory.h"
#include "host/child_errors.h"
#include "host/keyed_children.h"
#include "lb_policies/endpoint_list/endpoint_list.h"
#include "lb_policies/kept_update.h"
#include "lb_policies/priority/priority.h"
#include "lb_policies/priority/priority_config.h"
#include "lb_policies/weighted_locality/weighted_locality_policy.h"
#include "xds_resolver/config.h"

/* The last update of a child. It owns the references. */
typedef struct given {
  gxds_lb_config *config; /* NULL: the child had no config, or the policy's config no longer has the
                             child */
  const gxds_cluster_entry *entry;
  bool from_cluster;
  size_t priority;
  const gxds_args *args;
  gxds_str note;
} given;

typedef struct child {
  gxds_keyed_child keyed; /* first */
  bool ignore_reresolution_requests;
  gxds_status status;  /* the status that the child reported last, with the picker */
  gxds_picker *picker; /* NULL: the child has reported nothing yet */
  given given;
} child;

typedef struct policy {
  gxds_keyed_children children; /* first */
  gxds_priority_lb *machine;
  /* The last update, kept. Its entry is that of the config's cluster; NULL: none. If the config has
   * a cluster, the snapshot and the mailbox are left out. The config of an aggregate cluster has
   * none. */
  gxds_lb_update last;
} policy;

static const gxds_priority_config *config_of(const policy *p) {
  return (const gxds_priority_config *)p->last.config;
}

static child *find(policy *p, uint64_t token) {
  return (child *)gxds_keyed_children_find(&p->children, token);
}

static void forget_given(child *c) {
  gxds_lb_config_unref(c->given.config);
  gxds_cluster_entry_unref(c->given.entry);
  gxds_args_unref(c->given.args);
  gxds_str_free(&c->given.note);
  c->given = (given){0};
}

static void free_child(gxds_keyed_child *keyed) {
  child *c = (child *)keyed;
  forget_given(c);
  gxds_picker_unref(c->picker);
  gxds_status_fini(&c->status);
  gxds_free(c);
}

/* --- Updates of children --- */

static const gxds_priority *localities_of(const gxds_cluster_entry *entry, size_t priority) {
  return entry ? gxds_cluster_entry_priority(entry, priority) : NULL;
}

/* Whether the child's last update was the same. */
static bool has_been_given(const policy *p, const child *c, const gxds_priority_child *wanted) {
  const given *g = &c->given;
  if (!g->config || !gxds_args_equal(g->args, p->last.args)) return false;
  const gxds_priority_share before = {g->config, g->from_cluster,
                                      g->from_cluster ? localities_of(g->entry, g->priority) : NULL,
                                      g->note};
  const gxds_priority_share now = {
      wanted->config, wanted->from_cluster,
      wanted->from_cluster ? localities_of(p->last.entry, wanted->priority) : NULL, p->last.note};
  return gxds_priority_share_same(&before, &now);
}

static void remember_given(const policy *p, child *c, const gxds_priority_child *wanted) {
  const given now = {gxds_lb_config_ref(wanted->config),
                     p->last.entry ? gxds_cluster_entry_ref(p->last.entry) : NULL,
                     wanted->from_cluster,
                     wanted->priority,
                     gxds_args_ref(p->last.args),
                     gxds_str_dup(p->last.note)};
  forget_given(c);
  c->given = now;
}

/* Gives the child the whole update of the policy, but only those addresses whose path has the
 * child's name. */
static gxds_status update_with_all(const policy *p, child *c, const gxds_priority_child *wanted) {
  const gxds_addresses *below = NULL;
  if (p->last.addresses) below = gxds_addresses_below(p->last.addresses, wanted->name);
  if (p->last.addresses && !below) below = gxds_priority_addresses(NULL);
  const gxds_lb_update update = {.config = c->given.config,
                                 .addresses = below,
                                 .addresses_status = p->last.addresses_status,
                                 .args = c->given.args,
                                 .note = c->given.note,
                                 .snapshot = p->last.snapshot,
                                 .mailbox = p->last.mailbox};
  gxds_status status = gxds_lb_child_update(c->keyed.lb, &update);
  gxds_addresses_unref(below);
  return status;
}

/* Updates the child with one priority of the cluster: with its addresses, and weighted_locality
 * with its localities too. */
static gxds_status update_from_cluster(const policy *p, child *c,
                                       const gxds_priority_child *wanted) {
  gxds_lb_config *config = gxds_lb_config_ref(wanted->config);
  if (config->type == &gxds_weighted_locality_policy) {
    gxds_lb_config *child_of = ((gxds_weighted_locality_config *)config)->child;
    gxds_lb_config *with_localities =
        gxds_weighted_locality_config_create(child_of, p->last.entry, wanted->priority);
    gxds_lb_config_unref(config);
    config = with_localities;
  }
  const gxds_addresses *addresses =
      gxds_priority_addresses_for(localities_of(p->last.entry, wanted->priority), c->given.args);
  const gxds_lb_update update = {
      .config = config, .addresses = addresses, .args = c->given.args, .note = c->given.note};
  gxds_status status = gxds_lb_child_update(c->keyed.lb, &update);
  gxds_addresses_unref(addresses);
  gxds_lb_config_unref(config);
  return status;
}

/* The child may report during the call. Afterwards drain() carries out what its reports cause. */
static void update_child(policy *p, const gxds_priority_op *op, gxds_child_errors *errors) {
  const gxds_priority_child *wanted = &config_of(p)->children[op->position];
  child *c = find(p, op->child);
  c->ignore_reresolution_requests = wanted->ignore_reresolution_requests;
  const bool same = has_been_given(p, c, wanted);
  remember_given(p, c, wanted);
  if (same) return;
  gxds_child_errors_add(
      errors, wanted->name,
      wanted->from_cluster ? update_from_cluster(p, c, wanted) : update_with_all(p, c, wanted));
}

/* --- Operations --- */

static void create_child(policy *p, const gxds_priority_op *op) {
  gxds_policy_trace(p->children.base, "child %" PRIu64 " is %.*s: created", op->child,
                    GXDS_STR_ARG(config_of(p)->children[op->position].name));
  gxds_keyed_children_add(&p->children, &GXDS_NEW(child)->keyed, op->child);
}

static void publish(policy *p, const gxds_priority_op *op) {
  gxds_policy_trace(p->children.base, "using child %" PRIu64 ": %s", op->child,
                    gxds_lb_state_name(op->state));
  const child *c = find(p, op->child);
  if (!c->picker) {
    gxds_policy_publish_queue(p->children.base, op->state);
    return;
  }
  gxds_status status = gxds_status_copy(&c->status); /* publishing may end the child */
  gxds_policy_publish(p->children.base, op->state, &status, gxds_picker_ref(c->picker));
  gxds_status_fini(&status);
}

static void publish_empty(policy *p) {
  gxds_status empty = gxds_priority_empty_status(config_of(p)->cluster, p->last.note);
  gxds_policy_publish_empty(p->children.base, &empty);
  gxds_status_fini(&empty);
}

static void trace_end(const policy *p, const gxds_priority_op *op) {
  gxds_policy_trace(p->children.base, "child %" PRIu64 ": ended, %s", op->child,
                    op->crowded ? "since too many are kept that are not in the config"
                                : "since it was not needed for 15 minutes");
}

static void carry_out(policy *p, const gxds_priority_op *op, gxds_child_errors *errors) {
  switch (op->kind) {
    case GXDS_PRIORITY_CREATE:
      create_child(p, op);
      update_child(p, op, errors);
      break;
    case GXDS_PRIORITY_UPDATE:
      update_child(p, op, errors);
      break;
    case GXDS_PRIORITY_PUBLISH:
      publish(p, op);
      break;
    case GXDS_PRIORITY_PUBLISH_EMPTY:
      publish_empty(p);
      break;
    case GXDS_PRIORITY_RETAIN:
      gxds_policy_trace(p->children.base, "child %" PRIu64 ": not in the config, kept", op->child);
      /* The child has its own references to everything that it uses. The rest of the old snapshot
       * must be released. */
      forget_given(find(p, op->child));
      break;
    case GXDS_PRIORITY_REMOVE:
      trace_end(p, op);
      gxds_keyed_children_remove(&p->children, &find(p, op->child)->keyed);
      break;
  }
}

/* Adds to errors the messages of the children that refused their update. errors may be NULL: the
 * messages are then dropped. */
static void drain(policy *p, gxds_child_errors *errors) {
  if (p->children.draining) return; /* a nested call: the outer call carries out the operations */
  p->children.draining = true;
  gxds_priority_op op;
  while (!gxds_policy_ended(p->children.base) &&
         gxds_priority_lb_next(p->machine, gxds_policy_now(p->children.base), &op)) {
    carry_out(p, &op, errors);
  }
  p->children.draining = false;
  gxds_policy_set_deadline(p->children.base, gxds_priority_lb_deadline(p->machine));
}

/* --- Updates --- */

/* The cluster's entry. If the update has an entry, which is for a part of the cluster (E5), that
 * one; otherwise the snapshot's. If the update has neither, the last one. */
static const gxds_cluster_entry *entry_in(const policy *p, const gxds_lb_update *u,
                                          gxds_str cluster) {
  if (gxds_str_empty(cluster)) return NULL;
  if (u->entry) return u->entry;
  return u->snapshot ? gxds_config_cluster(u->snapshot, cluster) : p->last.entry;
}

static void take_update(policy *p, const gxds_lb_update *u) {
  const gxds_str cluster = ((const gxds_priority_config *)u->config)->cluster;
  gxds_lb_update own = *u;
  own.entry = entry_in(p, u, cluster);
  /* Keeps the same object as long as the args are equal, so that policies below compare only
   * pointers. */
  if (gxds_args_equal(p->last.args, u->args)) own.args = p->last.args;
  if (!gxds_str_empty(cluster)) {
    own.snapshot = NULL;
    own.mailbox = NULL;
  }
  const gxds_error *note = own.entry ? own.entry->resolution_note : NULL;
  gxds_str text = gxds_error_text(note);
  if (note) own.note = text;
  gxds_lb_update_keep(&p->last, &own);
  gxds_str_free(&text);
}

static gxds_status update(void *self, const gxds_lb_update *u) {
  policy *p = self;
  take_update(p, u);
  const gxds_priority_config *config = config_of(p);
  gxds_str *names = gxds_calloc(config->count, sizeof *names);
  for (size_t i = 0; i < config->count; i++) names[i] = config->children[i].name;
  gxds_priority_lb_on_update(p->machine, names, config->count, gxds_policy_now(p->children.base));
  gxds_free(names);
  gxds_child_errors errors = {0};
  drain(p, &errors);
  return gxds_child_errors_take(&errors);
}

/* --- The policy --- */

static gxds_duration failover_timeout(const gxds_args *args) {
  int milliseconds;
  if (!gxds_args_get_int(args, GRPC_ARG_PRIORITY_FAILOVER_TIMEOUT_MS, &milliseconds)) {
    return GXDS_PRIORITY_FAILOVER_DEFAULT;
  }
  return milliseconds > 0 ? milliseconds * GXDS_MILLISECOND : 0;
}

static void *create(gxds_policy *base, const gxds_args *args) {
  policy *p = GXDS_NEW(policy);
  p->children.base = base;
  p->children.free_child = free_child;
  p->machine = gxds_priority_lb_create(failover_timeout(args));
  return p;
}

static void child_state(void *self, uint64_t token, grpc_connectivity_state state,
                        const gxds_status *status, gxds_picker *take_picker) {
  policy *p = self;
  child *c = find(p, token);
  gxds_status_set(&c->status, gxds_status_copy(status));
  gxds_picker_unref(c->picker);
  c->picker = take_picker;
  gxds_policy_trace_child(p->children.base, token, state, status);
  gxds_priority_lb_on_child_state(p->machine, token, state, gxds_policy_now(p->children.base));
  drain(p, NULL);
}

/* Ignores the requests of a child if the config no longer has the child, or if the config says
 * so. */
static bool child_reresolve(void *self, uint64_t token) {
  const child *c = find(self, token);
  return c->given.config && !c->ignore_reresolution_requests;
}

static void on_deadline(void *self) {
  policy *p = self;
  gxds_priority_lb_on_deadline(p->machine, gxds_policy_now(p->children.base));
  drain(p, NULL);
}

static void exit_idle(void *self) {
  policy *p = self;
  const child *c = find(p, gxds_priority_lb_current(p->machine));
  if (c) gxds_lb_child_exit_idle(c->keyed.lb);
}

static void destroy(void *self) {
  policy *p = self;
  gxds_lb_update_forget(&p->last);
  gxds_priority_lb_destroy(p->machine);
  gxds_free(p);
}

const gxds_policy_type gxds_priority_policy = {
    .name = "priority_experimental",
    .trace = "priority_lb",
    .log_name = "priority_lb",
    .title = "priority",
    .needs_config = true,
    .parse = gxds_priority_parse,
    .create = create,
    .update = update,
    .exit_idle = exit_idle,
    .reset_backoff = gxds_keyed_children_reset_backoff,
    .end = gxds_keyed_children_end,
    .destroy = destroy,
    .on_deadline = on_deadline,
    .child_state = child_state,
    .child_reresolve = child_reresolve,
};
