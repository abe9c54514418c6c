#include "lb_policies/cds/cds_policy.h"

#include <grpc/impl/codegen/grpc_types.h>

#include "base/memory.h"
#include "host/only_child.h"
#include "json/json.h"
#include "lb_policies/cds/cds.h"
#include "lb_policies/cluster_child_config.h"
#include "lb_policies/cluster_impl/cluster_impl_policy.h"
#include "lb_policies/endpoint_list/endpoint_list.h"
#include "lb_policies/outlier_detection/outlier_detection_policy.h"
#include "lb_policies/override_host/override_host_policy.h"
#include "lb_policies/priority/priority.h"
#include "lb_policies/priority/priority_policy.h"
#include "lb_policies/subset/subset_policy.h"

_Static_assert(GXDS_CHILD_NUMBERS_LEFT_MAX == GXDS_PRIORITY_RETAINED_MAX,
               "cds remembers the children that priority keeps");

typedef struct policy {
  gxds_only_child only; /* first */
  gxds_cds *machine;
  gxds_str cluster;
  gxds_lb_config *leaf_policy;  /* the parsed policy_json of the cluster; NULL: not parsed yet */
  gxds_lb_config *child_config; /* the child's config; with outlier detection, the config of the
                                   outlier_detection policy's child; NULL: none */
  bool detects_outliers;        /* the cluster has had outlier detection */
  const gxds_args *args;        /* the args of the last update */
  const gxds_args *child_args;  /* the args that the child got in place of `args` */
} policy;

/* Replaces the config in *to by `take`. */
static void set_config(gxds_lb_config **to, gxds_lb_config *take) {
  gxds_lb_config *before = *to;
  *to = take;
  gxds_lb_config_unref(before);
}

/* --- Failures --- */

/* Drops every RPC, including wait-for-ready RPCs. */
typedef struct drop_picker {
  gxds_picker base;
  gxds_status status;
} drop_picker;

static void drop(gxds_picker *base, const gxds_pick *call, gxds_picked *out) {
  (void)call;
  gxds_picked_drop(out, gxds_status_copy(&((drop_picker *)base)->status));
}

static void destroy_drop_picker(gxds_picker *base) {
  drop_picker *p = (drop_picker *)base;
  gxds_status_fini(&p->status);
  gxds_free(p);
}

static gxds_picker *create_drop_picker(const gxds_status *status) {
  static const gxds_picker_ops ops = {drop, destroy_drop_picker};
  drop_picker *p = GXDS_NEW(drop_picker);
  gxds_picker_init(&p->base, &ops);
  p->status = gxds_status_copy(status);
  return &p->base;
}

/* Ends the child and publishes TRANSIENT_FAILURE. drops: wait-for-ready RPCs fail too. */
static void fail(policy *p, const gxds_status *why, bool drops) {
  gxds_text text = {0};
  gxds_status_render(why, &text);
  gxds_policy_log_error(p->only.base, "%.*s", GXDS_STR_ARG(gxds_text_str(&text)));
  gxds_text_fini(&text);
  gxds_only_child_end(&p->only);
  set_config(&p->child_config, NULL);
  gxds_policy_publish(p->only.base, GRPC_CHANNEL_TRANSIENT_FAILURE, why,
                      drops ? create_drop_picker(why) : gxds_picker_fail(why));
}

/* --- The child's update --- */

/* A leaf cluster: cluster_impl over priority, which has one child with the cluster's own policy for
 * each priority. Between cluster_impl and priority come override_host, if RPCs may have sessions,
 * and subset, if the cluster has subsets. */
static gxds_lb_config *leaf_config(const policy *p, const gxds_cds_step *step) {
  const size_t count = step->numbers->count;
  gxds_priority_child *children = gxds_calloc(count, sizeof *children);
  for (size_t i = 0; i < count; i++) {
    gxds_text name = {0};
    gxds_child_number_render(p->cluster, step->numbers->numbers[i], &name);
    children[i] = (gxds_priority_child){gxds_text_take(&name), p->leaf_policy,
                                        step->ignore_reresolution, true, i};
  }
  gxds_lb_config *config = gxds_priority_config_create(p->cluster, children, count);
  if (gxds_cluster_subsets(step->entry->cluster)) { /* E5 */
    config = gxds_cluster_child_config_create(&gxds_subset_policy, p->cluster, config);
  }
  if (step->has_sessions) { /* A75 */
    config = gxds_cluster_child_config_create(&gxds_override_host_policy, p->cluster, config);
  }
  config = gxds_cluster_child_config_create(&gxds_cluster_impl_policy, p->cluster, config);
  for (size_t i = 0; i < count; i++) gxds_str_free(&children[i].name);
  gxds_free(children);
  return config;
}

/* An aggregate cluster: priority over one cds for each leaf cluster (A75). */
static gxds_lb_config *aggregate_config(const gxds_cds_step *step) {
  const size_t count = step->entry->leaf_cluster_count;
  gxds_priority_child *children = gxds_calloc(count, sizeof *children);
  for (size_t i = 0; i < count; i++) {
    children[i].name = step->entry->leaf_clusters[i];
    children[i].config = gxds_cds_config_create(children[i].name, false);
  }
  gxds_lb_config *config = gxds_priority_config_create(gxds_str_of(NULL, 0), children, count);
  for (size_t i = 0; i < count; i++) gxds_lb_config_unref(children[i].config);
  gxds_free(children);
  return config;
}

static gxds_status parse_leaf_policy(policy *p, const gxds_cds_step *step) {
  if (!step->policy_changed && p->leaf_policy) return gxds_status_ok();
  gxds_status why = gxds_status_ok();
  gxds_lb_config *config = gxds_policy_parse_list(p->only.base, step->policy_json, &why);
  if (config) set_config(&p->leaf_policy, config);
  return why;
}

/* Makes a new child_config, unless the current one still fits. */
static gxds_status renew_child_config(policy *p, const gxds_cds_step *step) {
  if (step->same_children && p->child_config) return gxds_status_ok();
  if (step->kind == GXDS_CDS_AGGREGATE) {
    set_config(&p->child_config, aggregate_config(step));
    return gxds_status_ok();
  }
  gxds_status status = parse_leaf_policy(p, step);
  if (gxds_status_is_ok(&status)) set_config(&p->child_config, leaf_config(p, step));
  return status;
}

/* A50: outlier_detection is above the whole tree of a leaf cluster. When the cluster no longer has
 * outlier detection, the policy stays, so that the tree and its connections stay too. A cluster
 * that never had it goes without, because the policy makes each update cost more. The caller owns
 * the returned reference. */
static gxds_lb_config *config_of_child(policy *p, const gxds_cds_step *step) {
  static const gxds_outlier_detection off = {0};
  gxds_lb_config *child = gxds_lb_config_ref(p->child_config);
  if (step->outlier_detection) p->detects_outliers = true;
  if (!p->detects_outliers || step->kind == GXDS_CDS_AGGREGATE) return child;
  const gxds_outlier_detection *settings = step->outlier_detection ? step->outlier_detection : &off;
  return gxds_outlier_detection_config_create(p->cluster, settings, child);
}

/* Turns off the client's own health checks, because the control plane checks health. Returns the
 * same object as long as the args are equal, so few updates make a new one. */
static const gxds_args *args_of_child(policy *p, const gxds_args *args) {
  if (p->args == args) return p->child_args;
  gxds_args_unref(p->args);
  gxds_args_unref(p->child_args);
  p->args = gxds_args_ref(args);
  p->child_args = gxds_args_with_int(args, GRPC_ARG_INHIBIT_HEALTH_CHECKING, 1);
  return p->child_args;
}

static gxds_status pass_to_child(policy *p, const gxds_cds_step *step,
                                 const gxds_lb_update *given) {
  gxds_lb_update pass = *given;
  pass.config = config_of_child(p, step);
  pass.addresses = gxds_priority_addresses(NULL); /* the addresses are in the snapshot */
  gxds_str note = gxds_error_text(step->entry->resolution_note);
  pass.note = note;
  pass.args = args_of_child(p, given->args);
  gxds_policy_trace(p->only.base, "%.*s: updating child %.*s", GXDS_STR_ARG(p->cluster),
                    GXDS_STR_ARG(pass.config->policy));
  gxds_status status = gxds_only_child_update(&p->only, &pass);
  gxds_str_free(&note);
  gxds_addresses_unref(pass.addresses);
  gxds_lb_config_unref(pass.config);
  return status;
}

static gxds_status update_child(policy *p, const gxds_cds_step *step, const gxds_lb_update *given) {
  gxds_status unusable = renew_child_config(p, step);
  if (gxds_status_is_ok(&unusable)) return pass_to_child(p, step, given);
  gxds_cds_forget(p->machine);
  gxds_status why = gxds_status_make(GXDS_UNAVAILABLE, "%.*s: %.*s", GXDS_STR_ARG(p->cluster),
                                     GXDS_STR_ARG(unusable.message));
  fail(p, &why, false);
  gxds_status_fini(&why);
  return unusable;
}

/* --- The policy --- */

static gxds_status update(void *self, const gxds_lb_update *given) {
  policy *p = self;
  const gxds_cds_config *config = (const gxds_cds_config *)given->config;
  gxds_str_set(&p->cluster, config->cluster);
  const gxds_cds_step *step = gxds_cds_on_update(p->machine, given->snapshot, given->mailbox,
                                                 p->cluster, config->is_dynamic);
  switch (step->kind) {
    case GXDS_CDS_NOTHING:
      break;
    case GXDS_CDS_FAIL:
      fail(p, &step->error, step->drop);
      break;
    case GXDS_CDS_LEAF:
    case GXDS_CDS_AGGREGATE:
      return update_child(p, step, given);
  }
  return gxds_status_ok();
}

static void *create(gxds_policy *base, const gxds_args *args) {
  (void)args;
  policy *p = GXDS_NEW(policy);
  p->only.base = base;
  p->machine = gxds_cds_create();
  return p;
}

/* A89: the label is the leaf cluster. Below an aggregate, the cds of each leaf cluster replaces the
 * label that the aggregate's cds set. */
static void child_label(void *self, uint64_t child, gxds_metric_labels *out) {
  (void)child;
  out->backend_service = ((policy *)self)->cluster;
}

static void destroy(void *self) {
  policy *p = self;
  /* This also ends the subscription. end() does not destroy the machine, because update() may still
   * be using the machine's step then. */
  gxds_cds_destroy(p->machine);
  gxds_lb_config_unref(p->leaf_policy);
  gxds_lb_config_unref(p->child_config);
  gxds_args_unref(p->args);
  gxds_args_unref(p->child_args);
  gxds_str_free(&p->cluster);
  gxds_free(p);
}

/* --- The config --- */

static void destroy_config(gxds_lb_config *c) {
  gxds_cds_config *config = (gxds_cds_config *)c;
  gxds_str_free(&config->cluster);
  gxds_free(config);
}

gxds_lb_config *gxds_cds_config_create(gxds_str cluster, bool is_dynamic) {
  gxds_cds_config *config = GXDS_NEW(gxds_cds_config);
  gxds_lb_config_init(&config->base, &gxds_cds_policy, destroy_config);
  config->cluster = gxds_str_dup(cluster);
  config->is_dynamic = is_dynamic;
  return &config->base;
}

/* For configs that cluster specifier plugins write. */
static gxds_lb_config *parse(const json_t *json, gxds_lb_parse_list *parse_list,
                             gxds_errors *errors) {
  (void)parse_list;
  if (!gxds_json_is_object(json, NULL, errors)) return NULL;
  gxds_str cluster = {NULL, 0};
  bool is_dynamic = false;
  gxds_json_str(json, "cluster", GXDS_JSON_REQUIRED, NULL, errors, &cluster);
  gxds_json_bool(json, "isDynamic", GXDS_JSON_OPTIONAL, NULL, errors, &is_dynamic);
  return errors->count > 0 ? NULL : gxds_cds_config_create(cluster, is_dynamic);
}

const gxds_policy_type gxds_cds_policy = {
    .name = "cds_experimental",
    .trace = "cds_lb",
    .log_name = "cdslb",
    .title = "cds",
    .needs_config = true,
    .parse = parse,
    .create = create,
    .update = update,
    GXDS_ONLY_CHILD,
    .destroy = destroy,
    .child_state = gxds_only_child_pass_on,
    .child_label = child_label,
};
