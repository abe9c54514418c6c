#include "lb_policies/cluster_impl/cluster_impl_policy.h"

#include "base/memory.h"
#include "host/channel.h"
#include "host/only_child.h"
#include "json/json.h"
#include "lb_policies/cluster_child_config.h"
#include "lb_policies/cluster_impl/cluster_impl.h"
#include "lb_policies/cluster_impl/cluster_picker.h"
#include "lb_policies/happy_eyeballs/endpoint_subchannel.h"
#include "xds_resolver/config.h"

typedef struct policy {
  gxds_only_child only; /* first */
  gxds_cluster_impl *machine;
  gxds_cluster_child_config *config; /* a reference; NULL before the first update */
  gxds_cluster_security *security;   /* NULL: the cluster has no TLS configuration */
  const gxds_args *args;             /* the args of the last update; NULL: child_args must be made
                                        again */
  const gxds_args *child_args;       /* the args that the child got in place of `args` */
  bool http_connect;                 /* A86: GXDS_HTTP_CONNECT_ARG is in child_args */
  gxds_subchannel_maker *maker;      /* NULL until an endpoint has several addresses */
} policy;

static const gxds_lb_root_ops *root_ops(const policy *p) {
  return gxds_policy_root(p->only.base)->ops;
}

static void trace_state(const policy *p, grpc_connectivity_state state, const gxds_status *status) {
  gxds_text text = {0};
  gxds_status_render(status, &text);
  gxds_policy_trace(p->only.base, "%.*s: state=%s (%.*s)", GXDS_STR_ARG(p->config->cluster),
                    gxds_lb_state_name(state), GXDS_STR_ARG(gxds_text_str(&text)));
  gxds_text_fini(&text);
}

static void publish(policy *p) {
  const grpc_connectivity_state state = gxds_cluster_impl_state(p->machine);
  gxds_status status = gxds_cluster_impl_state_is_childs(p->machine)
                           ? gxds_status_copy(&p->only.status)
                           : gxds_status_ok();
  if (gxds_policy_traces(p->only.base)) trace_state(p, state, &status);
  gxds_policy_publish(
      p->only.base, state, &status,
      gxds_cluster_picker_create(gxds_cluster_impl_picker(p->machine),
                                 gxds_cluster_impl_entry(p->machine), p->only.picker));
  gxds_status_fini(&status);
}

static void forget_args(policy *p) {
  gxds_args_unref(p->args);
  gxds_args_unref(p->child_args);
  p->args = NULL;
  p->child_args = NULL;
}

static void set_security(policy *p, gxds_cluster_security *take_security) {
  forget_args(p); /* child_args contain the old object */
  gxds_cluster_security *before = p->security;
  p->security = take_security;
  if (before) before->ops->destroy(before);
}

static void drop_child(policy *p) {
  gxds_only_child_end(&p->only);
  set_security(p, NULL);
}

/* A29 */
static gxds_status update_security(policy *p, const gxds_cluster_impl_todo *todo) {
  switch (todo->tls_change) {
    case GXDS_TLS_KEEP:
      return gxds_status_ok();
    case GXDS_TLS_NONE:
      set_security(p, NULL);
      return gxds_status_ok();
    case GXDS_TLS_RENEW:
      /* The object is in the args of subchannels, so a new object leads to new connections. */
      set_security(
          p, root_ops(p)->security_create(gxds_policy_root(p->only.base), p->config->cluster));
      break;
    case GXDS_TLS_UPDATE:
      forget_args(p); /* some hosts have another object in the args for each configuration */
      break;
  }
  return p->security->ops->update(p->security, todo->tls);
}

/* A cluster whose TLS configuration can't be applied fails. It never gets the channel's fallback
 * credentials, which are for clusters without TLS configuration. */
static void fail_unsecured(policy *p, const gxds_status *why) {
  gxds_cluster_impl_forget_tls(p->machine);
  drop_child(p);
  gxds_policy_fail(p->only.base,
                   gxds_status_make(GXDS_UNAVAILABLE, "cluster \"%.*s\": %.*s",
                                    GXDS_STR_ARG(p->config->cluster), GXDS_STR_ARG(why->message)));
}

/* A86: puts into the args whether the cluster uses HTTP proxies. So endpoints get new subchannels
 * if that changes. */
static void add_http_connect(policy *p) {
  if (!p->http_connect) return;
  const gxds_args *without = p->child_args;
  p->child_args = gxds_args_with_int(without, GXDS_HTTP_CONNECT_ARG, 1);
  gxds_args_unref(without);
}

/* Returns the same object as long as the args are equal, so few updates make a new one. */
static const gxds_args *args_of_child(policy *p, const gxds_args *args) {
  const bool http_connect = gxds_cluster_impl_entry(p->machine)->cluster->http_connect;
  if (p->args == args && p->http_connect == http_connect) return p->child_args;
  forget_args(p);
  p->args = gxds_args_ref(args);
  p->child_args = root_ops(p)->args_of_cluster(args, p->config->cluster, p->security);
  p->http_connect = http_connect;
  add_http_connect(p);
  return p->child_args;
}

static gxds_status update_child(policy *p, const gxds_lb_update *given) {
  gxds_lb_update pass = *given;
  pass.config = p->config->child;
  pass.args = args_of_child(p, given->args);
  return gxds_only_child_update(&p->only, &pass);
}

static gxds_cluster_impl_todo update_machine(policy *p, const gxds_lb_update *given) {
  gxds_cluster_child_config *config =
      (gxds_cluster_child_config *)gxds_lb_config_ref(given->config);
  const gxds_cluster_impl_todo todo = gxds_cluster_impl_on_update(
      p->machine, gxds_config_cluster(given->snapshot, config->cluster),
      given->snapshot->load_store, config->child, root_ops(p)->has_xds_credentials(given->args));
  if (p->config && !gxds_str_equal(p->config->cluster, config->cluster)) forget_args(p);
  /* The previous config lives until the machine has compared it with the new one. */
  if (p->config) gxds_lb_config_unref(&p->config->base);
  p->config = config;
  return todo;
}

static gxds_status update(void *self, const gxds_lb_update *given) {
  policy *p = self;
  if (!given->snapshot) return gxds_status_ok(); /* the last snapshot stays in use */
  const gxds_cluster_impl_todo todo = update_machine(p, given);
  if (todo.fail) {
    gxds_policy_fail(
        p->only.base,
        gxds_status_make(GXDS_UNAVAILABLE, "cluster \"%.*s\" is no leaf of the xDS configuration",
                         GXDS_STR_ARG(p->config->cluster)));
  }
  gxds_status secured = update_security(p, &todo);
  if (!gxds_status_is_ok(&secured)) {
    fail_unsecured(p, &secured);
    return secured;
  }
  if (todo.publish) publish(p);
  if (gxds_policy_ended(p->only.base) || !todo.update_child) return gxds_status_ok();
  return update_child(p, given);
}

static void *create(gxds_policy *base, const gxds_args *args) {
  (void)args;
  policy *p = GXDS_NEW(policy);
  p->only.base = base;
  p->machine = gxds_cluster_impl_create(gxds_policy_random_seed(base));
  return p;
}

static void child_state(void *self, uint64_t child, grpc_connectivity_state state,
                        const gxds_status *status, gxds_picker *take_picker) {
  (void)child;
  policy *p = self;
  gxds_only_child_keep(&p->only, state, status, take_picker);
  if (gxds_cluster_impl_on_child_state(p->machine, state)) publish(p);
}

/* A101: the args with the server name for the endpoint's TLS handshakes, if it has one. The caller
 * owns the returned reference. */
static const gxds_args *args_of_endpoint(const policy *p, const gxds_lb_address *address,
                                         const gxds_args *args) {
  const gxds_tls *tls = gxds_cluster_impl_tls(p->machine);
  if (!tls || !root_ops(p)->args_of_server) return gxds_args_ref(args);
  const gxds_str name = gxds_tls_server_name(tls, address->hostname);
  return name.size ? root_ops(p)->args_of_server(args, name) : gxds_args_ref(args);
}

/* A94: the counters for the connections of a locality. */
static gxds_policy_counts *counts_of(const policy *p, const gxds_locality *l) {
  gxds_text name = {0};
  if (l) gxds_metric_locality(l->region, l->zone, l->sub_zone, &name);
  gxds_policy_counts *counts =
      gxds_policy_counts_in(p->only.base, GXDS_COUNTING_SUBCHANNEL, gxds_text_str(&name));
  gxds_text_fini(&name);
  return counts;
}

static gxds_subchannel *make_around(policy *p, gxds_subchannel *take_subchannel,
                                    const gxds_lb_address *address, const gxds_args *args) {
  const gxds_locality *l = address->locality;
  const gxds_str none = {NULL, 0};
  return gxds_counted_subchannel_create(
      gxds_policy_channel(p->only.base), take_subchannel, address, args,
      gxds_cluster_impl_slot(p->machine, l ? l->region : none, l ? l->zone : none,
                             l ? l->sub_zone : none),
      counts_of(p, l));
}

/* Makes the subchannel of one address. */
static gxds_subchannel *make_counted(void *self, const gxds_lb_address *address,
                                     const gxds_args *given) {
  policy *p = self;
  const gxds_args *args = args_of_endpoint(p, address, given);
  gxds_subchannel *subchannel = gxds_policy_subchannel(p->only.base, address, args);
  gxds_subchannel *counted = subchannel ? make_around(p, subchannel, address, args) : NULL;
  gxds_args_unref(args);
  return counted;
}

/* A61: for all policies below, an endpoint is one subchannel. If it has several addresses, this
 * subchannel is made of a counted subchannel for each address, as load is counted by address. */
static gxds_subchannel *child_subchannel(void *self, uint64_t child, const gxds_lb_address *address,
                                         const gxds_args *args) {
  (void)child;
  policy *p = self;
  if (address->more_count == 0) return make_counted(p, address, args);
  if (gxds_policy_ended(p->only.base)) return NULL;
  if (!p->maker) p->maker = gxds_subchannel_maker_create(p, make_counted);
  return gxds_endpoint_subchannel_create(gxds_policy_channel(p->only.base), p->maker, address,
                                         args);
}

static void end(void *self) {
  policy *p = self;
  drop_child(p);
  if (p->maker) gxds_subchannel_maker_end(p->maker);
  p->maker = NULL;
}

static void destroy(void *self) {
  policy *p = self;
  forget_args(p);
  gxds_cluster_impl_destroy(p->machine);
  gxds_only_child_fini(&p->only);
  if (p->config) gxds_lb_config_unref(&p->config->base);
  gxds_free(p);
}

/* --- The config --- */

static gxds_str read_cluster(const json_t *json, gxds_errors *errors) {
  const gxds_path *field = GXDS_FIELD(NULL, "clusterName");
  const json_t *value = json_object_get(json, "clusterName");
  if (!value) value = json_object_get(json, "cluster");
  if (!value) gxds_errors_add(errors, field, "field not present");
  if (value && !json_is_string(value)) gxds_errors_add(errors, field, "is not a string");
  return gxds_json_text(value);
}

/* For configs in service configs, or from control planes. Only the cluster's name and the child are
 * read, because everything else comes from the snapshot (A74). */
static gxds_lb_config *parse(const json_t *json, gxds_lb_parse_list *parse_list,
                             gxds_errors *errors) {
  if (!gxds_json_is_object(json, NULL, errors)) return NULL;
  const gxds_str cluster = read_cluster(json, errors);
  gxds_lb_config *child = gxds_lb_parse_child(json, "childPolicy", NULL, parse_list, errors);
  if (errors->count == 0) {
    return gxds_cluster_child_config_create(&gxds_cluster_impl_policy, cluster, child);
  }
  gxds_lb_config_unref(child);
  return NULL;
}

const gxds_policy_type gxds_cluster_impl_policy = {
    .name = "xds_cluster_impl_experimental",
    .trace = "xds_cluster_impl_lb",
    .log_name = "xds_cluster_impl_lb",
    .title = "xds_cluster_impl",
    .needs_config = true,
    .parse = parse,
    .create = create,
    .update = update,
    .exit_idle = gxds_only_child_exit_idle,
    .reset_backoff = gxds_only_child_reset_backoff,
    .end = end,
    .destroy = destroy,
    .child_state = child_state,
    .child_subchannel = child_subchannel,
};
