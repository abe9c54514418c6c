// Snapshots for tests of policies, built by hand: clusters, endpoints, entries, configs.
#ifndef GRPC_XDS_TEST_LB_POLICIES_CLUSTER_IMPL_SNAPSHOT_BUILDER_H_
#define GRPC_XDS_TEST_LB_POLICIES_CLUSTER_IMPL_SNAPSHOT_BUILDER_H_

#include <deque>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "xds_resolver/config.h"

namespace snapshot {

inline std::string Text(gxds_str s) { return std::string(s.data ? s.data : "", s.size); }

struct Unref {
  void operator()(const gxds_cluster* c) const { gxds_resource_unref(&c->base); }
  void operator()(const gxds_endpoints* e) const { gxds_resource_unref(&e->base); }
  void operator()(const gxds_cluster_entry* e) const { gxds_cluster_entry_unref(e); }
  void operator()(const gxds_config* c) const { gxds_config_unref(c); }
  void operator()(gxds_load_store* s) const { gxds_load_store_unref(s); }
};
using Cluster = std::unique_ptr<const gxds_cluster, Unref>;
using Endpoints = std::unique_ptr<const gxds_endpoints, Unref>;
using Entry = std::unique_ptr<const gxds_cluster_entry, Unref>;
using Config = std::unique_ptr<const gxds_config, Unref>;
using LoadStore = std::unique_ptr<gxds_load_store, Unref>;

// A resource that contains all its parts.
template <typename T>
struct Fake : T {
  Fake() : T() {
    gxds_ref_init(&this->base.refs);
    this->base.type = &kType;
  }
  gxds_str Keep(const std::string& s) {
    strings.push_back(s);
    return gxds_str_of(strings.back().data(), strings.back().size());
  }
  std::deque<std::string> strings;
  std::vector<gxds_str> names;
  std::vector<gxds_drop_category> drop_list;
  std::deque<std::vector<const gxds_locality*>> localities;
  std::vector<gxds_priority> priority_list;
  gxds_cluster_rare rare_fields = {};
  gxds_tls tls_context = {};
  gxds_outlier_detection outliers = {};

  ~Fake() {
    for (auto& list : localities) {
      for (const gxds_locality* l : list) gxds_locality_unref(l);
    }
  }
  static void Destroy(gxds_resource* r) { delete reinterpret_cast<Fake*>(r); }
  static const gxds_resource_type kType;
};
template <typename T>
const gxds_resource_type Fake<T>::kType = [] {
  gxds_resource_type type = {};
  type.destroy = &Fake<T>::Destroy;
  return type;
}();

struct ClusterOptions {
  std::string eds_service;
  const gxds_bootstrap_server* lrs = nullptr;
  uint32_t max_requests = 1024;
  std::string lb_policy = R"([{"round_robin":{}}])";
  gxds_cluster_kind kind = GXDS_CLUSTER_EDS;
  bool tls = false;
  bool identity = false;      // with tls: the client has a certificate too
  bool system_roots = false;  // with tls: used instead of a provider's roots
  std::string sni;            // this and the next two: with tls
  bool auto_host_sni = false;
  bool auto_sni_san_validation = false;
  // If set, the percentage of failures from which outlier detection ejects.
  int failure_threshold = -1;
  uint32_t enforcement = 100;  // the percentage of outliers to eject
  const gxds_lrs_metrics* lrs_metrics = nullptr;
  bool http_connect = false;
};

inline Cluster MakeCluster(const std::string& name, ClusterOptions options = {}) {
  auto* c = new Fake<gxds_cluster>;
  c->name = c->Keep(name);
  c->kind = options.kind;
  c->eds_service_name = c->Keep(options.eds_service);
  c->lb_policy_json = c->Keep(options.lb_policy);
  c->lrs_server = options.lrs;
  c->rare = &c->rare_fields;
  c->rare_fields.lrs_metrics = options.lrs_metrics;
  c->max_concurrent_requests = options.max_requests;
  c->http_connect = options.http_connect;
  if (options.tls) c->rare_fields.tls = &c->tls_context;
  static const gxds_bootstrap_certificate_provider provider = {};
  c->tls_context.system_roots = options.system_roots;
  c->tls_context.sni = c->Keep(options.sni);
  c->tls_context.auto_host_sni = options.auto_host_sni;
  c->tls_context.auto_sni_san_validation = options.auto_sni_san_validation;
  if (!options.system_roots) c->tls_context.ca.provider = &provider;
  if (options.identity) c->tls_context.identity.provider = &provider;
  if (options.failure_threshold >= 0) {
    c->outliers = {GXDS_SECOND, 30 * GXDS_SECOND, 300 * GXDS_SECOND, 50, {}, {}};
    c->outliers.failure_percentage = {options.enforcement, uint32_t(options.failure_threshold), 1,
                                      1};
    c->rare_fields.outlier_detection = &c->outliers;
  }
  return Cluster(c);
}

// priorities: the zones of each. Each zone has one endpoint: 127.0.0.1:<first byte of its name>.
inline Endpoints MakeEndpoints(const std::vector<std::vector<std::string>>& priorities,
                               const std::vector<std::pair<std::string, uint32_t>>& drops = {}) {
  auto* e = new Fake<gxds_endpoints>;
  for (const auto& zones : priorities) {
    e->localities.emplace_back();
    for (const std::string& zone : zones) {
      gxds_locality* l =
          gxds_locality_create(gxds_str_z("r"), gxds_str_z(zone.c_str()), gxds_str_z(""), 1, 1);
      auto* endpoint = const_cast<gxds_endpoint*>(l->list.full);
      endpoint->address.ip[0] = 127;
      endpoint->address.ip[3] = 1;
      endpoint->address.port = uint16_t(zone[0]);
      endpoint->weight = 1;
      e->localities.back().push_back(l);
    }
    e->priority_list.push_back({e->localities.back().data(), zones.size()});
  }
  e->priorities = e->priority_list.data();
  e->priority_count = e->priority_list.size();
  for (const auto& p : drops) {
    e->drop_list.push_back({e->Keep(p.first), p.second});
    if (p.second == 1000000) e->drop_all = true;
  }
  e->drops = e->drop_list.data();
  e->drop_count = e->drop_list.size();
  return Endpoints(e);
}

// An error without a server.
inline std::unique_ptr<const gxds_error, void (*)(const gxds_error*)> MakeError(
    const char* message, const char* node_id = "", gxds_code code = GXDS_UNAVAILABLE) {
  gxds_text text = {};
  gxds_text_add_z(&text, message);
  return {gxds_error_create(code, &text, gxds_str_z(""), gxds_str_z(node_id)), gxds_error_unref};
}
// note: the error in the resolution note; "": no error, so the note contains only node_id; nullptr:
// no note.
inline Entry Leaf(const Cluster& cluster, const Endpoints& endpoints, const char* note = nullptr,
                  const char* node_id = "") {
  if (note == nullptr) {
    return Entry(
        gxds_cluster_entry_endpoints(cluster.get()->name, cluster.get(), endpoints.get(), nullptr));
  }
  const auto error = MakeError(note, node_id, *note ? GXDS_UNAVAILABLE : GXDS_OK);
  return Entry(gxds_cluster_entry_endpoints(cluster.get()->name, cluster.get(), endpoints.get(),
                                            error.get()));
}
inline Entry Leaf(const std::string& name, ClusterOptions options = {},
                  const Endpoints& endpoints = MakeEndpoints({{"a"}})) {
  return Leaf(MakeCluster(name, options), endpoints);
}
inline Entry Aggregate(const std::string& name, const std::vector<std::string>& leaves) {
  ClusterOptions options;
  options.kind = GXDS_CLUSTER_AGGREGATE;
  Cluster cluster = MakeCluster(name, options);
  std::vector<gxds_str> names;
  for (const std::string& l : leaves) names.push_back(gxds_str_of(l.data(), l.size()));
  return Entry(gxds_cluster_entry_aggregate(cluster.get()->name, cluster.get(), names.data(),
                                            names.size(), MakeError("", "n", GXDS_OK).get()));
}
inline Entry Error(const std::string& name, const char* words) {
  gxds_status status = gxds_status_make(GXDS_UNAVAILABLE, "%s", words);
  Entry e(gxds_cluster_entry_error(gxds_str_of(name.data(), name.size()), &status));
  gxds_status_fini(&status);
  return e;
}

// A snapshot of the entries. roots: the children of cluster_manager. Parts that are the same in
// `before` are shared with it.
inline Config MakeConfig(const std::vector<const gxds_cluster_entry*>& entries,
                         const std::vector<std::string>& roots, gxds_load_store* store = nullptr,
                         const gxds_config* before = nullptr) {
  const gxds_cluster_map* map = before ? gxds_name_map_ref(before->clusters) : nullptr;
  for (const gxds_cluster_entry* e : entries) {
    const gxds_cluster_map* next = gxds_cluster_map_put(map, gxds_cluster_entry_ref(e));
    gxds_name_map_unref(map);
    map = next;
  }
  std::vector<gxds_str> names;
  for (const std::string& r : roots) names.push_back(gxds_str_of(r.data(), r.size()));
  const gxds_names* set = gxds_names_create(names.data(), names.size());
  if (before && gxds_names_equal(before->roots, set)) {
    gxds_names_unref(set);
    set = gxds_names_ref(before->roots);
  }
  auto* listener = new Fake<gxds_listener>;
  auto* routes = new Fake<gxds_route_config>;
  static const gxds_virtual_host kVirtualHost = {};
  return Config(gxds_config_create(listener, routes, &kVirtualHost, map, set, nullptr,
                                   store ? gxds_load_store_ref(store) : nullptr, {}));
}

}  // namespace snapshot

#endif
