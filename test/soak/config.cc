#include "test/soak/config.h"

#include <algorithm>

#include "test/support/mesh.h"

namespace gxds_soak {

using gxds_test::Cluster;
using gxds_test::Locality;
using gxds_test::Mesh;

const char* const kSpoilNames[kSpoils] = {
    "nothing",           "a file cut in half", "a bad listener",     "bad routes",
    "a bad cluster",     "bad endpoints",      "a listener deleted", "a cluster deleted",
    "endpoints deleted", "no endpoints left"};

namespace {

constexpr int kSplit = 4;  // clusters c0 to c3
constexpr char kRouter[] =
    R"({"name":"router","typed_config":{"@type":)"
    R"("type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}},)";

std::string Zone(int i) { return "z" + std::to_string(i); }

Cluster Whole(const std::string& name, const Ports& ports) {
  Cluster cluster;
  cluster.name = name;
  for (int z = 0; z < kBackends / 2; ++z) {
    cluster.localities.push_back({Zone(z), 1, 0, {ports[2 * z], ports[2 * z + 1]}});
  }
  return cluster;
}

// Random endpoints in random localities of one or two priorities. One of them contains the anchor.
Cluster Some(const std::string& name, const Ports& ports, int anchor, Random* random) {
  Cluster cluster = Whole(name, ports);
  auto& localities = cluster.localities;
  for (Locality& l : localities) {
    l.weight = static_cast<unsigned>(1 + random->Below(3));
    l.priority = static_cast<unsigned>(random->Below(2));
    l.ports.erase(std::remove_if(l.ports.begin(), l.ports.end(),
                                 [&](int p) { return p != ports[anchor] && random->OneIn(3); }),
                  l.ports.end());
  }
  localities.erase(std::remove_if(localities.begin(), localities.end(),
                                  [](const Locality& l) { return l.ports.empty(); }),
                   localities.end());
  const bool have_first = std::any_of(localities.begin(), localities.end(),
                                      [](const Locality& l) { return l.priority == 0; });
  if (!have_first) {
    for (Locality& l : localities) l.priority = 0;
  }
  if (random->OneIn(3)) cluster.more = R"("lb_policy":"LEAST_REQUEST")";
  if (random->OneIn(3)) {
    cluster.outlier_detection =
        R"({"interval":"1s","base_ejection_time":"2s","failure_percentage_minimum_hosts":3,)"
        R"("failure_percentage_request_volume":20,"enforcing_failure_percentage":100})";
  }
  return cluster;
}

// The mesh, with a listener for each thread of the client instead of its own.
std::string WithListeners(const Mesh& mesh) {
  std::string json = mesh.Json();
  const std::string listener = json.substr(1, json.find(",\n") + 1);  // the first resource
  const std::string name = R"("name":")" + mesh.service;
  std::string listeners;
  for (int i = 0; i < kWorkers; ++i) {
    listeners += listener;
    listeners.insert(listeners.rfind(name) + name.size(), "-" + std::to_string(i));
  }
  return json.replace(1, listener.size(), listeners);
}

// The same, with an additional aggregate cluster "agg".
std::string WithAggregate(const Mesh& mesh) {
  std::string json = WithListeners(mesh);
  json.erase(json.rfind(']'));
  return json + R"(,{"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"agg",)"
                R"("cluster_type":{"name":"envoy.clusters.aggregate","typed_config":{"@type":)"
                R"("type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig",)"
                R"("clusters":["agg-1","agg-2"]}}}])"
                "\n";
}

// Routes, of which "/agg/" leads to `aggregated`.
Mesh WithRoutes(const std::string& aggregated, const std::string& split_action) {
  Mesh mesh;
  mesh.service = kService;
  mesh.routes = {{"/a/", "a"}, {"/b/", "b"}, {"/agg/", aggregated}, {"", "", split_action}};
  return mesh;
}

Cluster* Find(Mesh* mesh, const std::string& name) {
  return &*std::find_if(mesh->clusters.begin(), mesh->clusters.end(),
                        [&](const Cluster& c) { return c.name == name; });
}

void Apply(Spoil spoil, Mesh* mesh) {
  switch (spoil) {
    case Spoil::kNone:
    case Spoil::kFile:
      return;
    case Spoil::kBadListener:
      mesh->filters = kRouter;
      return;
    case Spoil::kBadRoutes:
      mesh->virtual_host_fields = R"(,"retry_policy":{"retry_on":"cancelled","num_retries":0})";
      return;
    case Spoil::kBadCluster:
      Find(mesh, "a")->more = R"("lb_policy":"MAGLEV")";
      return;
    case Spoil::kBadEndpoints:
      for (Locality& l : Find(mesh, "b")->localities) l.priority += 1;
      return;
    case Spoil::kNoListener:
      mesh->service = "other.example";
      return;
    case Spoil::kNoCluster:
      mesh->clusters.erase(mesh->clusters.begin() + (Find(mesh, "b") - mesh->clusters.data()));
      return;
    case Spoil::kNoEndpoints:
      Find(mesh, "a")->with_endpoints = false;
      return;
    case Spoil::kEmptyEndpoints:
      Find(mesh, "agg-1")->localities.clear();
      return;
  }
}

}  // namespace

std::string RecoveredConfig(const Ports& ports, const std::string& probe) {
  // Does not use the aggregate cluster, because the result must not depend on which of its clusters
  // were in use and are therefore kept for 15 minutes.
  Mesh mesh = WithRoutes("agg-1", R"({"cluster":"c0"})");
  mesh.routes.insert(mesh.routes.end() - 1, {probe, "c0"});
  for (const char* name : {"a", "b", "agg-1"}) mesh.clusters.push_back(Whole(name, ports));
  for (int i = 0; i < kSplit; ++i) {
    mesh.clusters.push_back(Whole("c" + std::to_string(i), ports));
  }
  return WithListeners(mesh);
}

std::string ChaosConfig(const Ports& ports, int anchor, uint64_t seed, Spoil spoil) {
  Random random(seed, 0);
  std::string split;
  for (int i = 0; i < kSplit; ++i) {
    if (i > 0 && random.OneIn(2)) continue;
    split += (split.empty() ? "" : ",") + std::string(R"({"name":"c)") + std::to_string(i) +
             R"(","weight":)" + std::to_string(1 + random.Below(9)) + "}";
  }
  Mesh mesh = WithRoutes("agg", R"({"weighted_clusters":{"clusters":[)" + split + "]}}");
  for (const char* name : {"a", "b", "agg-1", "agg-2"}) {
    mesh.clusters.push_back(Some(name, ports, anchor, &random));
  }
  for (int i = 0; i < kSplit; ++i) {
    mesh.clusters.push_back(Some("c" + std::to_string(i), ports, anchor, &random));
  }
  Apply(spoil, &mesh);
  const std::string json = WithAggregate(mesh);
  return spoil == Spoil::kFile ? json.substr(0, json.size() / 2) : json;
}

Spoil SpoilOf(uint64_t seed) { return static_cast<Spoil>(1 + Random(seed, 1).Below(kSpoils - 1)); }

}  // namespace gxds_soak
