// Route configurations and listeners made by hand.
#ifndef GRPC_XDS_TEST_XDS_RESOLVER_MADE_UP_ROUTES_H_
#define GRPC_XDS_TEST_XDS_RESOLVER_MADE_UP_ROUTES_H_

#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "test/xds_resolver/made_up.h"

namespace made_up {

struct Header {
  gxds_header_match_kind kind = GXDS_HEADER_EXACT;
  std::string name;
  std::string text;
  bool case_sensitive = true;
  bool invert = false;
  bool present = true;
  int64_t range_start = 0;
  int64_t range_end = 0;
  bool missing_is_empty = false;
};

struct Route {
  gxds_path_match_kind kind = GXDS_PATH_PREFIX;
  std::string text;
  std::vector<std::pair<std::string, uint32_t>> clusters;
  bool case_sensitive = true;
  std::vector<Header> headers = {};
  int32_t fraction_per_million = -1;
  gxds_duration max_stream_duration = -1;
  gxds_route_action_kind action = GXDS_ROUTE_CLUSTERS;
  const gxds_retry_policy *retry_policy = nullptr;
  gxds_http_filter_overrides filter_overrides = {};
  gxds_http_filter_overrides cluster_filter_overrides = {};  // for each of `clusters`
  std::string plugin = {};                                   // GXDS_ROUTE_PLUGIN
  std::string plugin_server = {};
  std::string plugin_lb_json = {};
  std::optional<gxds_host_rewrite> host_rewrite = {};
  std::optional<gxds_host_rewrite> first_cluster_host_rewrite = {};  // for the first of `clusters`
  const gxds_metadata_match *metadata_match = nullptr;
  const gxds_metadata_match *first_cluster_metadata_match = nullptr;  // as above
};

struct VirtualHost {
  std::vector<std::string> domains;
  std::vector<Route> routes;
  gxds_http_filter_overrides filter_overrides = {};
};

// Owns everything that the views in it point to.
struct RouteConfig {
  gxds_route_config rc{};
  std::string name;
  std::vector<VirtualHost> hosts;
  std::deque<std::vector<gxds_str>> domain_views;
  std::deque<std::vector<gxds_route>> route_views;
  std::deque<std::vector<gxds_header_match>> header_views;
  std::deque<std::vector<gxds_route_cluster>> cluster_views;
  std::deque<gxds_route_plugin> plugin_views;
  std::deque<gxds_route_rare> rare_views;
  std::vector<gxds_virtual_host> host_views;
};

inline void DestroyRouteConfig(gxds_resource *r) {
  g_alive--;
  delete reinterpret_cast<RouteConfig *>(r);
}

inline const gxds_resource_type kRouteConfig = {"route_config", nullptr, "RDS",
                                                false,          nullptr, DestroyRouteConfig};

inline const gxds_host_rewrite *View(const std::optional<gxds_host_rewrite> &rewrite) {
  return rewrite ? &*rewrite : nullptr;
}

inline gxds_route RouteView(RouteConfig *owner, const Route &in) {
  auto &headers = owner->header_views.emplace_back();
  for (const Header &h : in.headers) {
    gxds_header_match match{};
    match.kind = h.kind;
    match.name = S(h.name);
    match.text = S(h.text);
    match.case_sensitive = h.case_sensitive;
    match.invert = h.invert;
    match.missing_is_empty = h.missing_is_empty;
    match.present = h.present;
    match.range_start = h.range_start;
    match.range_end = h.range_end;
    headers.push_back(match);
  }
  auto &clusters = owner->cluster_views.emplace_back();
  gxds_route out{};
  for (const auto &[name, weight] : in.clusters) {
    gxds_route_cluster cluster{};
    cluster.name = S(name);
    cluster.weight = weight;
    gxds_route_rare &rare = owner->rare_views.emplace_back();
    rare.filter_overrides = in.cluster_filter_overrides;
    if (clusters.empty()) rare.host_rewrite = View(in.first_cluster_host_rewrite);
    if (clusters.empty()) rare.metadata_match = in.first_cluster_metadata_match;
    cluster.rare = &rare;
    clusters.push_back(cluster);
    out.total_weight += weight;
  }
  out.path.kind = in.kind;
  out.path.text = S(in.text);
  out.path.case_sensitive = in.case_sensitive;
  out.headers = headers.data();
  out.header_count = headers.size();
  out.fraction_per_million = in.fraction_per_million;
  out.action = in.action;
  out.clusters = clusters.data();
  out.cluster_count = clusters.size();
  out.max_stream_duration = in.max_stream_duration;
  out.retry_policy = in.retry_policy;
  gxds_route_rare &rare = owner->rare_views.emplace_back();
  rare.filter_overrides = in.filter_overrides;
  if (in.action == GXDS_ROUTE_PLUGIN) {
    rare.plugin = &owner->plugin_views.emplace_back(
        gxds_route_plugin{S(in.plugin), S(in.plugin_server), S(in.plugin_lb_json)});
  }
  rare.host_rewrite = View(in.host_rewrite);
  rare.metadata_match = in.metadata_match;
  out.rare = &rare;
  return out;
}

inline const gxds_route_config *NewRouteConfig(const std::string &name,
                                               std::vector<VirtualHost> hosts) {
  g_alive++;
  auto *r = new RouteConfig;
  gxds_ref_init(&r->rc.base.refs);
  r->rc.base.type = &kRouteConfig;
  r->name = name;
  r->rc.name = S(r->name);
  r->hosts = std::move(hosts);
  for (const VirtualHost &host : r->hosts) {
    auto &domains = r->domain_views.emplace_back();
    for (const auto &d : host.domains) domains.push_back(S(d));
    auto &routes = r->route_views.emplace_back();
    for (const auto &route : host.routes) routes.push_back(RouteView(r, route));
    gxds_virtual_host view{};
    view.domains = domains.data();
    view.domain_count = domains.size();
    view.routes = routes.data();
    view.route_count = routes.size();
    view.filter_overrides = host.filter_overrides;
    r->host_views.push_back(view);
  }
  r->rc.virtual_hosts = r->host_views.data();
  r->rc.virtual_host_count = r->host_views.size();
  return &r->rc;
}

inline Route PluginRoute(const std::string &prefix, const std::string &plugin,
                         const std::string &lb_json, const std::string &server = "s") {
  Route r = {GXDS_PATH_PREFIX, prefix, {}};
  r.action = GXDS_ROUTE_PLUGIN;
  r.plugin = plugin;
  r.plugin_server = server;
  r.plugin_lb_json = lb_json;
  return r;
}

// One virtual host, "*", with a route by prefix to each cluster.
inline const gxds_route_config *RoutesTo(const std::vector<std::string> &clusters,
                                         const std::string &name = "routes",
                                         const std::string &domain = "*") {
  VirtualHost host{{domain}, {}};
  for (const auto &c : clusters) host.routes.push_back({GXDS_PATH_PREFIX, "/" + c, {{c, 1}}});
  return NewRouteConfig(name, {host});
}

struct Listener {
  gxds_listener l{};
  std::string name;
  std::string rds_name;
};

inline void DestroyListener(gxds_resource *r) {
  g_alive--;
  Listener *l = reinterpret_cast<Listener *>(r);
  if (l->l.route_config) gxds_resource_unref(&l->l.route_config->base);
  delete l;
}

inline const gxds_resource_type kListener = {"listener", nullptr, "LDS",
                                             true,       nullptr, DestroyListener};

inline Listener *NewListener(const std::string &name) {
  g_alive++;
  auto *l = new Listener;
  gxds_ref_init(&l->l.base.refs);
  l->l.base.type = &kListener;
  l->name = name;
  l->l.name = S(l->name);
  l->l.max_stream_duration = -1;
  return l;
}

inline const gxds_listener *RdsListener(const std::string &rds_name,
                                        gxds_duration max_stream_duration = -1) {
  Listener *l = NewListener("listener");
  l->rds_name = rds_name;
  l->l.rds_name = S(l->rds_name);
  l->l.max_stream_duration = max_stream_duration;
  return &l->l;
}

// Takes ownership of the reference.
inline const gxds_listener *InlineListener(const gxds_route_config *rc) {
  Listener *l = NewListener("listener");
  l->l.route_config = rc;
  return &l->l;
}

inline const gxds_listener *SocketListener() {
  Listener *l = NewListener("listener");
  l->l.kind = GXDS_LISTENER_SOCKET;
  return &l->l;
}

inline void Unref(const gxds_route_config *rc) { gxds_resource_unref(&rc->base); }
inline void Unref(const gxds_listener *l) { gxds_resource_unref(&l->base); }

}  // namespace made_up

#endif
