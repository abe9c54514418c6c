#include "lb_policies/weighted_locality/weighted_locality_policy.h"

#include "base/check.h"
#include "base/memory.h"
#include "host/child_errors.h"
#include "host/keyed_children.h"
#include "lb_policies/endpoint_list/endpoint_list.h"
#include "lb_policies/round_robin/round_robin_policy.h"
#include "lb_policies/slow_start/slow_start_policy.h"
#include "lb_policies/weighted_locality/locality_picker.h"
#include "lb_policies/weighted_locality/weighted_locality.h"

/* Our own round_robin replaces this policy. */
#define HOSTS_ROUND_ROBIN "round_robin"

typedef struct leaf {
  gxds_keyed_child keyed; /* first */
  gxds_picker *picker;    /* reported last; a reference; NULL: it reported nothing yet */
  gxds_status last_failure;
  gxds_str label; /* A78: the label of the locality; owned */
} leaf;

typedef struct policy {
  gxds_keyed_children leaves; /* first */
  gxds_weighted_locality *machine;
  gxds_turns *turns;

  /* From the last update. The policy owns these references. */
  gxds_weighted_locality_config *config;
  const gxds_args *args;
  gxds_str note;
} policy;

static leaf *find(policy *p, uint64_t token) {
  return (leaf *)gxds_keyed_children_find(&p->leaves, token);
}

static void add_leaf(policy *p, uint64_t token, const gxds_locality *locality) {
  GXDS_CHECK(locality != NULL);
  leaf *l = GXDS_NEW(leaf);
  gxds_text label = {0};
  gxds_metric_locality(locality->region, locality->zone, locality->sub_zone, &label);
  l->label = gxds_text_take(&label);
  gxds_keyed_children_add(&p->leaves, &l->keyed, token);
}

static void free_leaf(gxds_keyed_child *keyed) {
  leaf *l = (leaf *)keyed;
  gxds_picker_unref(l->picker);
  gxds_status_fini(&l->last_failure);
  gxds_str_free(&l->label);
  gxds_free(l);
}

/* The config of a leaf. If the cluster uses round_robin, or endpoint weights without slow start,
 * the leaf is our own round_robin, which takes the locality as it is. The caller owns the returned
 * reference. */
static gxds_lb_config *config_of_leaf(const policy *p, const gxds_locality *locality) {
  gxds_lb_config *child = p->config->child;
  const bool by_weight = gxds_lb_config_is_endpoint_weights_alone(child);
  if (!by_weight && !gxds_str_equal(child->policy, gxds_str_z(HOSTS_ROUND_ROBIN))) {
    return gxds_lb_config_ref(child);
  }
  return gxds_round_robin_config_create(locality, by_weight);
}

/* During the call the leaf may report, and may end. */
static void update_leaf(policy *p, uint64_t token, const gxds_locality *locality,
                        gxds_child_errors *errors) {
  gxds_lb_config *config = config_of_leaf(p, locality);
  const gxds_addresses *addresses = gxds_locality_addresses_for(locality, p->args);
  const gxds_args *args = gxds_args_ref(p->args);
  gxds_str note = gxds_str_dup(p->note);
  const gxds_lb_update update = {
      .config = config, .addresses = addresses, .args = args, .note = note};
  gxds_text name = {0};
  gxds_locality_render_name(locality, &name);
  gxds_child_errors_add(errors, gxds_text_str(&name),
                        gxds_lb_child_update(find(p, token)->keyed.lb, &update));
  gxds_text_fini(&name);
  gxds_str_free(&note);
  gxds_args_unref(args);
  gxds_addresses_unref(addresses);
  gxds_lb_config_unref(config);
}

static gxds_picker *picker_of(policy *p, const gxds_weighted_locality_op *op) {
  if (op->member_count == 1) return gxds_picker_ref(find(p, op->members[0])->picker);
  gxds_picker **pickers = gxds_calloc(op->member_count, sizeof(gxds_picker *));
  for (size_t i = 0; i < op->member_count; i++) {
    pickers[i] = gxds_picker_ref(find(p, op->members[i])->picker);
  }
  return gxds_locality_picker_create(pickers, op->weights, op->member_count, p->turns);
}

static void publish(policy *p, const gxds_weighted_locality_op *op) {
  gxds_policy_trace(p->leaves.base, "state=%s, %zu localities in the picks",
                    gxds_lb_state_name(op->state), op->member_count);
  if (op->member_count == 0) {
    gxds_policy_publish_queue(p->leaves.base, op->state);
    return;
  }
  gxds_status status = gxds_status_ok();
  if (op->state == GRPC_CHANNEL_TRANSIENT_FAILURE) {
    status = gxds_status_copy(&find(p, op->failed)->last_failure);
  }
  gxds_policy_publish(p->leaves.base, op->state, &status, picker_of(p, op));
  gxds_status_fini(&status);
}

static void publish_empty(policy *p) {
  gxds_status empty = gxds_weighted_locality_empty_status(p->config->cluster, p->note);
  gxds_policy_publish_empty(p->leaves.base, &empty);
  gxds_status_fini(&empty);
}

static void carry_out(policy *p, const gxds_weighted_locality_op *op, gxds_child_errors *errors) {
  switch (op->kind) {
    case GXDS_WEIGHTED_LOCALITY_CREATE:
      add_leaf(p, op->child, op->locality);
      update_leaf(p, op->child, op->locality, errors);
      break;
    case GXDS_WEIGHTED_LOCALITY_UPDATE:
      update_leaf(p, op->child, op->locality, errors);
      break;
    case GXDS_WEIGHTED_LOCALITY_EXIT_IDLE:
      gxds_lb_child_exit_idle(find(p, op->child)->keyed.lb);
      break;
    case GXDS_WEIGHTED_LOCALITY_PUBLISH:
      publish(p, op);
      break;
    case GXDS_WEIGHTED_LOCALITY_PUBLISH_EMPTY:
      publish_empty(p);
      break;
    case GXDS_WEIGHTED_LOCALITY_REMOVE:
      gxds_keyed_children_remove(&p->leaves, &find(p, op->child)->keyed);
      break;
  }
}

/* Adds to errors the messages of the leaves that refused their update. errors may be NULL: the
 * messages are then dropped. */
static void drain(policy *p, gxds_child_errors *errors) {
  if (p->leaves.draining) return; /* a nested call: the outer call carries out the operations */
  p->leaves.draining = true;
  gxds_weighted_locality_op op;
  while (!gxds_policy_ended(p->leaves.base) && gxds_weighted_locality_next(p->machine, &op)) {
    const gxds_locality *held = op.locality ? gxds_locality_ref(op.locality) : NULL;
    carry_out(p, &op, errors);
    if (held) gxds_locality_unref(held);
  }
  p->leaves.draining = false;
  gxds_policy_set_deadline(p->leaves.base, gxds_weighted_locality_deadline(p->machine));
}

static void *create(gxds_policy *base, const gxds_args *args) {
  (void)args;
  policy *p = GXDS_NEW(policy);
  p->leaves.base = base;
  p->leaves.free_child = free_leaf;
  p->machine = gxds_weighted_locality_create();
  p->turns = gxds_turns_create(gxds_policy_random_seed(base));
  return p;
}

static void take_update(policy *p, const gxds_lb_update *given) {
  gxds_weighted_locality_config *before = p->config;
  const gxds_args *args = p->args;
  p->config = (gxds_weighted_locality_config *)gxds_lb_config_ref(given->config);
  p->args = gxds_args_ref(given->args);
  const gxds_weighted_locality_update update = {
      .priority = &p->config->localities,
      .leaf_changed =
          !before || before->child != p->config->child || !gxds_args_equal(args, p->args),
      .note_changed = !gxds_str_equal(p->note, given->note),
  };
  gxds_str_set(&p->note, given->note);
  gxds_weighted_locality_on_update(p->machine, &update, gxds_policy_now(p->leaves.base));
  if (before) gxds_lb_config_unref(&before->base);
  gxds_args_unref(args);
}

static gxds_status update(void *self, const gxds_lb_update *given) {
  policy *p = self;
  if (!((const gxds_weighted_locality_config *)given->config)->has_localities) {
    gxds_status status = gxds_status_make(
        GXDS_UNAVAILABLE,
        "%s policy works only below the priority policy of an xDS cluster: its config holds no "
        "localities",
        gxds_weighted_locality_policy.name);
    gxds_policy_publish_failure(p->leaves.base, &status);
    return status;
  }
  take_update(p, given);
  gxds_child_errors errors = {0};
  drain(p, &errors);
  return gxds_child_errors_take(&errors);
}

static void child_state(void *self, uint64_t token, grpc_connectivity_state state,
                        const gxds_status *status, gxds_picker *take_picker) {
  policy *p = self;
  leaf *l = find(p, token);
  gxds_picker_unref(l->picker);
  l->picker = take_picker;
  if (state == GRPC_CHANNEL_TRANSIENT_FAILURE) {
    gxds_status_set(&l->last_failure, gxds_status_copy(status));
  }
  gxds_policy_trace_child(p->leaves.base, token, state, status);
  gxds_weighted_locality_on_child_state(p->machine, token, state);
  drain(p, NULL);
}

static void child_label(void *self, uint64_t child, gxds_metric_labels *out) {
  out->locality = find(self, child)->label;
}

static void on_deadline(void *self) {
  policy *p = self;
  gxds_weighted_locality_on_deadline(p->machine, gxds_policy_now(p->leaves.base));
  drain(p, NULL);
}

static void exit_idle(void *self) {
  policy *p = self;
  gxds_keyed_children_exit_idle(&p->leaves);
  drain(p, NULL);
}

static void destroy(void *self) {
  policy *p = self;
  gxds_weighted_locality_destroy(p->machine);
  gxds_turns_unref(p->turns);
  if (p->config) gxds_lb_config_unref(&p->config->base);
  gxds_args_unref(p->args);
  gxds_str_free(&p->note);
  gxds_free(p);
}

const gxds_policy_type gxds_weighted_locality_policy = {
    .name = "xds_wrr_locality_experimental",
    .trace = "xds_wrr_locality_lb",
    .log_name = "xds_wrr_locality_lb",
    .title = "xds_wrr_locality",
    .needs_config = true,
    .parse = gxds_weighted_locality_parse,
    .create = create,
    .update = update,
    .exit_idle = exit_idle,
    .reset_backoff = gxds_keyed_children_reset_backoff,
    .end = gxds_keyed_children_end,
    .destroy = destroy,
    .on_deadline = on_deadline,
    .child_state = child_state,
    .child_label = child_label,
};
