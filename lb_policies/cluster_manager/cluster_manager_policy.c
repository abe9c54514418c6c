#include "lb_policies/cluster_manager/cluster_manager_policy.h"

#include <inttypes.h>

#include "base/memory.h"
#include "host/child_errors.h"
#include "host/keyed_children.h"
#include "lb_policies/cds/cds_policy.h"
#include "lb_policies/cluster_manager/cluster_manager.h"
#include "lb_policies/cluster_manager/other_children.h"
#include "lb_policies/cluster_manager/route_picker.h"
#include "lb_policies/kept_update.h"
#include "lb_policies/pace/limits.h"

typedef struct policy {
  gxds_keyed_children children; /* first */
  gxds_cluster_manager *machine;
  bool turn_is_due;
  const gxds_plugins *plugins; /* the plugins whose configs are in `others`; a reference */
  gxds_other_children others;

  gxds_lb_update last; /* the last update, which each child gets when its turn comes; kept */
} policy;

static void free_child(gxds_keyed_child *c) { gxds_free(c); }

/* --- Updates --- */

/* The config of the plugin's child. Reuses the last one if the plugin's JSON is still the same. The
 * caller owns the returned reference. If the JSON cannot be used, adds to errors and returns
 * NULL. */
static gxds_lb_config *config_of_plugin(const policy *p, const gxds_plugin *plugin,
                                        gxds_child_errors *errors) {
  gxds_lb_config *before = gxds_other_children_find(&p->others, plugin->name);
  const gxds_plugin *same = gxds_plugins_find(p->plugins, plugin->name);
  if (before && same && gxds_str_equal(same->lb_json, plugin->lb_json)) {
    return gxds_lb_config_ref(before);
  }
  gxds_status why = gxds_status_ok();
  gxds_lb_config *config = gxds_policy_parse_list(p->children.base, plugin->lb_json, &why);
  gxds_child_errors_add(errors, plugin->name, why);
  return config;
}

/* Updates the list of children that are not clusters of the snapshot: those of the policy's config,
 * and those of the snapshot's cluster specifier plugins. */
static void renew_others(policy *p, const gxds_lb_update *u, gxds_child_errors *errors) {
  const gxds_other_children *configured =
      &((const gxds_cluster_manager_config *)u->config)->children;
  const gxds_plugins *plugins = u->snapshot ? u->snapshot->plugins : p->plugins;
  gxds_other_children others = {0};
  for (size_t i = 0; i < configured->count; i++) {
    gxds_other_children_put(&others, configured->names[i],
                            gxds_lb_config_ref(configured->configs[i]));
  }
  for (size_t i = 0; plugins && i < plugins->count; i++) {
    gxds_lb_config *config = config_of_plugin(p, &plugins->items[i], errors);
    if (config) gxds_other_children_put(&others, plugins->items[i].name, config);
  }
  gxds_other_children_fini(&p->others);
  p->others = others;
  const gxds_plugins *before = p->plugins;
  p->plugins = gxds_plugins_ref(plugins);
  gxds_plugins_unref(before);
}

/* --- Operations --- */

static void create_child(policy *p, const gxds_cluster_manager_op *op) {
  gxds_policy_trace(p->children.base, "child %" PRIu64 " is %.*s: created", op->child,
                    GXDS_STR_ARG(op->name));
  gxds_keyed_children_add(&p->children, GXDS_NEW(gxds_keyed_child), op->child);
}

static void update_child(policy *p, const gxds_cluster_manager_op *op, gxds_child_errors *errors) {
  gxds_lb_config *other = gxds_other_children_find(&p->others, op->name);
  gxds_lb_config *config =
      other ? gxds_lb_config_ref(other) : gxds_cds_config_create(op->name, false);
  gxds_lb_update update = p->last;
  update.config = config;
  gxds_str name = gxds_str_dup(op->name); /* op->name is valid until the next event only */
  gxds_child_errors_add(
      errors, name,
      gxds_lb_child_update(gxds_keyed_children_find(&p->children, op->child)->lb, &update));
  gxds_str_free(&name);
  gxds_lb_config_unref(config);
}

static void publish(policy *p) {
  const grpc_connectivity_state state = gxds_cluster_manager_state(p->machine);
  gxds_policy_trace(p->children.base, "connectivity changed to %s", gxds_lb_state_name(state));
  gxds_status status = gxds_status_ok();
  if (state == GRPC_CHANNEL_TRANSIENT_FAILURE) {
    status = gxds_status_make(GXDS_UNAVAILABLE, "TRANSIENT_FAILURE from XdsClusterManagerLb");
  }
  gxds_policy_publish(p->children.base, state, &status,
                      gxds_route_picker_create(gxds_cluster_manager_pickers(p->machine),
                                               gxds_policy_poker(p->children.base)));
  gxds_status_fini(&status);
}

static void carry_out(policy *p, const gxds_cluster_manager_op *op, gxds_child_errors *errors) {
  switch (op->kind) {
    case GXDS_CLUSTER_MANAGER_CREATE:
      create_child(p, op);
      update_child(p, op, errors);
      break;
    case GXDS_CLUSTER_MANAGER_UPDATE:
      update_child(p, op, errors);
      break;
    case GXDS_CLUSTER_MANAGER_REMOVE:
      gxds_policy_trace(p->children.base, "child %" PRIu64 ": removed", op->child);
      gxds_keyed_child *c = gxds_keyed_children_find(&p->children, op->child);
      if (c) gxds_keyed_children_remove(&p->children, c);
      break;
    case GXDS_CLUSTER_MANAGER_PUBLISH:
      publish(p);
      break;
  }
}

/* Adds to errors the messages of the children that refused their update. errors may be NULL: the
 * messages are then dropped. */
static void drain(policy *p, gxds_child_errors *errors) {
  if (p->children.draining) return; /* a nested call: the outer call carries out the operations */
  p->children.draining = true;
  gxds_cluster_manager_op op;
  while (!gxds_policy_ended(p->children.base) && gxds_cluster_manager_next(p->machine, &op)) {
    carry_out(p, &op, errors);
  }
  p->children.draining = false;
  if (p->turn_is_due || gxds_policy_ended(p->children.base)) return;
  if (!gxds_cluster_manager_wants_turn(p->machine)) return;
  /* A timer that fires at once begins the next turn. So the thread does its other work first. */
  p->turn_is_due = true;
  gxds_policy_set_deadline(p->children.base, gxds_policy_now(p->children.base));
}

/* --- The policy --- */

static void *create(gxds_policy *base, const gxds_args *args) {
  (void)args;
  policy *p = GXDS_NEW(policy);
  p->children.base = base;
  p->children.free_child = free_child;
  p->machine = gxds_cluster_manager_create(gxds_connect_limits_of(gxds_policy_channel(base)).eager);
  return p;
}

static gxds_status update(void *self, const gxds_lb_update *given) {
  policy *p = self;
  gxds_child_errors errors = {0};
  renew_others(p, given, &errors);
  gxds_cluster_manager_on_update(p->machine, given->snapshot, p->others.names, p->others.count);
  gxds_lb_update_keep(&p->last, given);
  drain(p, &errors);
  return gxds_child_errors_take(&errors);
}

static void child_state(void *self, uint64_t token, grpc_connectivity_state state,
                        const gxds_status *status, gxds_picker *take_picker) {
  policy *p = self;
  gxds_policy_trace_child(p->children.base, token, state, status);
  gxds_cluster_manager_on_child_state(p->machine, token, state, take_picker);
  drain(p, NULL);
}

/* A pick waits for the child of that cluster, which has no picker yet. */
static void poked(void *self, uint64_t number, gxds_str cluster) {
  (void)number;
  policy *p = self;
  gxds_cluster_manager_on_pick(p->machine, cluster);
  drain(p, NULL);
}

static void on_deadline(void *self) {
  policy *p = self;
  p->turn_is_due = false;
  gxds_cluster_manager_on_turn(p->machine);
  drain(p, NULL);
}

static void exit_idle(void *self) {
  policy *p = self;
  gxds_keyed_children_exit_idle(&p->children);
  gxds_cluster_manager_on_exit_idle(p->machine);
  drain(p, NULL);
}

static void destroy(void *self) {
  policy *p = self;
  gxds_cluster_manager_destroy(p->machine);
  gxds_other_children_fini(&p->others);
  gxds_plugins_unref(p->plugins);
  gxds_lb_update_forget(&p->last);
  gxds_free(p);
}

const gxds_policy_type gxds_cluster_manager_policy = {
    .name = "xds_cluster_manager_experimental",
    .trace = "xds_cluster_manager_lb",
    .log_name = "xds_cluster_manager_lb",
    .title = "xds_cluster_manager",
    .needs_config = true,
    .parse = gxds_cluster_manager_parse,
    .create = create,
    .update = update,
    .exit_idle = exit_idle,
    .reset_backoff = gxds_keyed_children_reset_backoff,
    .end = gxds_keyed_children_end,
    .destroy = destroy,
    .on_deadline = on_deadline,
    .poked = poked,
    .child_state = child_state,
};
