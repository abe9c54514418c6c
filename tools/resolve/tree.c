#include "tools/resolve/tree.h"

#include "resources/resources.h"
#include "tools/resolve/session.h"
#include "tools/resolve/tree_cluster.h"

void gxds_tree_add_resource_state(gxds_view *v, const gxds_fetched_resource *r) {
  static const char *const states[] = {
      [GXDS_RESOURCE_REQUESTED] = "REQUESTED",
      [GXDS_RESOURCE_ACKED] = "ACKED",
      [GXDS_RESOURCE_NACKED] = "NACKED",
      [GXDS_RESOURCE_DOES_NOT_EXIST] = "DOES_NOT_EXIST",
      [GXDS_RESOURCE_RECEIVED_ERROR] = "RECEIVED_ERROR",
      [GXDS_RESOURCE_TIMEOUT] = "TIMEOUT",
  };
  gxds_view_text(v, "version", r->version);
  gxds_view_attribute(v, "state", "%s", states[r->state]);
  gxds_view_text(v, "rejected_version", r->failed_version);
  if (r->error.size) gxds_view_error(v, r->error);
}

static void add_duration(gxds_view *v, const char *key, gxds_duration d) {
  if (d >= 0) gxds_view_attribute(v, key, "%g s", (double)d / (double)GXDS_SECOND);
}

static void add_host_rewrite(gxds_view *v, const gxds_host_rewrite *rewrite) {
  if (!rewrite) return;
  if (rewrite->kind == GXDS_HOST_REWRITE_AUTO) {
    gxds_view_attribute(v, "authority", "the endpoint's hostname");
  } else {
    gxds_view_text(v, "authority", rewrite->literal);
  }
}

static void add_metadata_match(gxds_view *v, const gxds_metadata_match *match) {
  if (match) gxds_view_text(v, "metadata_match", match->text);
}

/* A55: config is a cookie, or {} if there are no sessions. */
static void add_session(gxds_view *v, gxds_str config) {
  if (gxds_str_equal(config, gxds_str_z("{}"))) config = gxds_str_z("none");
  gxds_view_text(v, "session", config);
}

static void add_session_overrides(gxds_view *v, const gxds_http_filter_overrides *overrides) {
  for (size_t i = 0; i < overrides->count; i++) {
    if (overrides->items[i].kind != GXDS_HTTP_FILTER_STATEFUL_SESSION) continue;
    add_session(v, overrides->items[i].config_json);
  }
}

static void add_options(gxds_view *v, const gxds_route *route) {
  add_duration(v, "max_stream_duration", route->max_stream_duration);
  if (route->retry_policy) {
    gxds_text json = {0};
    gxds_retry_policy_render_json(route->retry_policy, &json);
    gxds_view_attribute(v, "retry", "%s", json.data);
    gxds_text_fini(&json);
  }
  add_host_rewrite(v, route->rare->host_rewrite);
  add_metadata_match(v, route->rare->metadata_match);
  add_session_overrides(v, &route->rare->filter_overrides);
  for (size_t i = 0; i < route->hash_policy_count; i++) {
    const gxds_hash_policy *h = &route->hash_policies[i];
    if (h->kind == GXDS_HASH_HEADER) {
      gxds_view_attribute(v, "hash", "of header %.*s", GXDS_STR_ARG(h->header));
    } else {
      gxds_view_attribute(v, "hash", "of the channel");
    }
  }
}

typedef struct routes {
  gxds_tree_clusters clusters;
  const gxds_rpc *rpc; /* may be NULL */
  gxds_str authority;  /* the channel's */
  const gxds_host *host;
  const gxds_listener *listener; /* the listener that has the routes */
  bool decided;                  /* a route takes the RPC, so the routes after it do not matter */
  bool perhaps;                  /* a route takes the RPC sometimes */
  bool usable;
} routes;

/* A55: adds the endpoint that the RPC's cookie names. */
static void add_wanted_endpoint(const routes *r, gxds_view *v, const gxds_virtual_host *host,
                                const gxds_route *route, size_t cluster) {
  gxds_text text = {0};
  gxds_explain_session(r->listener, host, route, cluster, r->rpc, r->clusters.fetched->config,
                       &text);
  gxds_view_text(v, "session_endpoint", gxds_text_str(&text));
  gxds_text_fini(&text);
}

/* Whether the route leads to endpoints. */
static bool add_clusters(routes *r, gxds_view *v, const gxds_virtual_host *host,
                         const gxds_route *route) {
  bool usable = false;
  for (size_t i = 0; i < route->cluster_count; i++) {
    const gxds_route_cluster *rc = &route->clusters[i];
    gxds_view *cluster = gxds_view_add(v, "cluster", rc->name);
    if (route->cluster_count > 1) {
      gxds_view_attribute(cluster, "share", "%.4g %%",
                          100 * (double)rc->weight / (double)route->total_weight);
    }
    add_host_rewrite(cluster, rc->rare->host_rewrite);
    add_metadata_match(cluster, rc->rare->metadata_match);
    add_session_overrides(cluster, &rc->rare->filter_overrides);
    if (r->rpc) add_wanted_endpoint(r, cluster, host, route, i);
    usable |= gxds_tree_add_cluster(&r->clusters, cluster, rc->name);
  }
  return usable;
}

static bool add_action(routes *r, gxds_view *v, const gxds_virtual_host *host,
                       const gxds_route *route) {
  switch (route->action) {
    case GXDS_ROUTE_CLUSTERS:
      return add_clusters(r, v, host, route);
    case GXDS_ROUTE_PLUGIN: {
      gxds_view *plugin = gxds_view_add(v, "plugin", route->rare->plugin->name);
      gxds_view_text(plugin, "policy", route->rare->plugin->lb_json);
      return true;
    }
    case GXDS_ROUTE_NON_FORWARDING:
      gxds_view_error(v, gxds_str_z("the action is for servers: RPCs that match it fail"));
      return false;
    case GXDS_ROUTE_UNSUPPORTED:
      gxds_view_error(v, gxds_str_z("gRPC does not know the action: RPCs that match it fail"));
      return false;
  }
  return false;
}

/* Adds whether the route matches the RPC. True if the RPC takes the route, always or sometimes. */
static bool add_verdict(routes *r, gxds_view *v, const gxds_route *route) {
  if (r->decided) {
    gxds_view_attribute(v, "matches", "not tried: an earlier route matched");
    return false;
  }
  gxds_text why = {0};
  gxds_explained e = gxds_explain(route, r->rpc, r->authority, r->host, &why);
  if (e == GXDS_EXPLAINED_YES) {
    gxds_view_attribute(v, "matches", "yes");
    r->decided = true;
  } else {
    gxds_view_attribute(v, "matches", "%s: %s", e == GXDS_EXPLAINED_NO ? "no" : "sometimes",
                        why.data);
    r->perhaps |= e != GXDS_EXPLAINED_NO;
  }
  gxds_text_fini(&why);
  return e != GXDS_EXPLAINED_NO;
}

static void add_virtual_host(routes *r, gxds_view *up, const gxds_virtual_host *host) {
  gxds_text domains = {0};
  for (size_t i = 0; i < host->domain_count; i++) {
    gxds_text_addf(&domains, "%s%.*s", i ? ", " : "", GXDS_STR_ARG(host->domains[i]));
  }
  gxds_view *v = gxds_view_add(up, "virtual_host", gxds_text_str(&domains));
  gxds_text_fini(&domains);
  add_session_overrides(v, &host->filter_overrides);
  for (size_t i = 0; i < host->route_count; i++) {
    const gxds_route *route = &host->routes[i];
    gxds_text match = {0};
    gxds_explain_match(route, &match);
    gxds_view *child = gxds_view_add(v, "route", gxds_text_str(&match));
    gxds_text_fini(&match);
    if (r->rpc && !add_verdict(r, child, route)) continue;
    add_options(child, route);
    r->usable |= add_action(r, child, host, route);
  }
  if (r->rpc && !r->decided) {
    gxds_view_error(
        v, gxds_str_z(r->perhaps ? "no route is sure to take the RPC" : "no route takes the RPC"));
  }
}

static void add_route_config(routes *r, gxds_view *up, const gxds_route_config *rc,
                             gxds_str authority) {
  const gxds_virtual_host *host = gxds_route_config_find_virtual_host(rc, authority);
  gxds_view_attribute(up, "virtual_hosts", "%zu", rc->virtual_host_count);
  if (host) {
    add_virtual_host(r, up, host);
    return;
  }
  gxds_text text = {0};
  gxds_text_addf(&text, "no virtual host has a domain that matches \"%.*s\"; there are:",
                 GXDS_STR_ARG(authority));
  for (size_t i = 0; i < rc->virtual_host_count; i++) {
    for (size_t k = 0; k < rc->virtual_hosts[i].domain_count; k++) {
      gxds_text_addf(&text, " %.*s", GXDS_STR_ARG(rc->virtual_hosts[i].domains[k]));
    }
  }
  gxds_view_error(up, gxds_text_str(&text));
  gxds_text_fini(&text);
}

static void add_listener(routes *r, gxds_view *up, const gxds_fetched *f, gxds_str authority) {
  const gxds_fetched_resource *lds = gxds_fetched_find(f, &gxds_listener_type, f->listener_name);
  gxds_view *v = gxds_view_add(up, "listener", f->listener_name);
  if (!lds) return;
  gxds_tree_add_resource_state(v, lds);
  const gxds_listener *l = (const gxds_listener *)lds->resource;
  if (!l) return;
  r->listener = l;
  add_duration(v, "max_stream_duration", l->max_stream_duration);
  for (size_t i = 0; i + 1 < l->filter_count; i++) { /* the last filter is the router */
    gxds_view_text(v, "filter", l->filters[i].name);
    if (l->filters[i].kind == GXDS_HTTP_FILTER_STATEFUL_SESSION) {
      add_session(v, l->filters[i].config_json);
    }
  }
  if (l->kind == GXDS_LISTENER_SOCKET) {
    gxds_view_error(v, gxds_str_z("it is a server's listener: it has no api_listener"));
  } else if (l->route_config) {
    gxds_str name = l->route_config->name;
    if (name.size == 0) name = gxds_str_z("(in the listener)");
    gxds_view *inline_ = gxds_view_add(v, "route_config", name);
    add_route_config(r, inline_, l->route_config, authority);
  } else {
    gxds_view *rds_view = gxds_view_add(v, "route_config", l->rds_name);
    const gxds_fetched_resource *rds = gxds_fetched_find(f, &gxds_route_config_type, l->rds_name);
    if (!rds) return;
    gxds_tree_add_resource_state(rds_view, rds);
    if (!rds->resource) return;
    add_route_config(r, rds_view, (const gxds_route_config *)rds->resource, authority);
  }
}

gxds_tree gxds_tree_build(const gxds_fetched *f, const gxds_fetch_target *target,
                          const gxds_rpc *rpc, const gxds_host *host) {
  routes r = {.clusters = {.fetched = f},
              .rpc = rpc,
              .authority = target->data_plane_authority,
              .host = host};
  gxds_view *root = gxds_view_add(NULL, "target", target->uri);
  gxds_view_text(root, "servers", f->servers);
  if (!f->settled) {
    gxds_view_error(root, gxds_str_z("not all of the configuration is there yet"));
  } else if (!gxds_status_is_ok(&f->failure)) {
    gxds_view_error(root, f->failure.message);
  }
  if (f->listener_name.size) add_listener(&r, root, f, target->data_plane_authority);
  gxds_tree_clusters_fini(&r.clusters);
  return (gxds_tree){root, f->config && r.usable && (!rpc || r.decided)};
}

void gxds_tree_fini(gxds_tree *t) { gxds_view_destroy(t->view); }
