// Snapshots for tests of policies, from short descriptions.
#ifndef GRPC_XDS_TEST_LB_POLICIES_SUPPORT_FAKE_CLUSTER_H_
#define GRPC_XDS_TEST_LB_POLICIES_SUPPORT_FAKE_CLUSTER_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "xds_resolver/config.h"

namespace grpc_xds {
namespace testing {

// References to C objects that C++ owns. Each takes ownership of the reference it is made from.
struct CUnref {
  void operator()(const gxds_config* c) const { gxds_config_unref(c); }
  void operator()(const gxds_cluster_entry* e) const { gxds_cluster_entry_unref(e); }
  void operator()(const gxds_locality* l) const { gxds_locality_unref(l); }
};
template <typename T>
using CRef = std::unique_ptr<const T, CUnref>;

struct LocalitySpec {
  std::string zone;
  uint32_t weight = 1;
  std::vector<uint16_t> ports = {80};  // endpoints 10.0.0.1:port
  std::vector<uint32_t> weights = {};  // of the first endpoints; the others have 1
};
using PrioritySpec = std::vector<LocalitySpec>;  // in order of zones

inline CRef<gxds_locality> MakeLocality(const LocalitySpec& spec) {
  gxds_locality* out =
      gxds_locality_create(gxds_str_z("r"), gxds_str_of(spec.zone.data(), spec.zone.size()),
                           gxds_str_z(""), spec.weight, spec.ports.size());
  auto* endpoints = const_cast<gxds_endpoint*>(out->list.full);
  for (size_t i = 0; i < spec.ports.size(); i++) {
    const uint8_t ip[4] = {10, 0, 0, 1};
    std::memcpy(endpoints[i].address.ip, ip, 4);
    endpoints[i].address.port = spec.ports[i];
    endpoints[i].weight = i < spec.weights.size() ? spec.weights[i] : 1;
  }
  return CRef<gxds_locality>(out);
}

// A leaf cluster. Like real ones, its snapshots share every locality that did not change.
class FakeCluster {
 public:
  explicit FakeCluster(std::string name) : name_(std::move(name)) {}

  void Set(const std::vector<PrioritySpec>& priorities) {
    std::vector<std::vector<CRef<gxds_locality>>> next;
    for (const auto& priority : priorities) {
      next.emplace_back();
      for (const auto& spec : priority) next.back().push_back(Shared(MakeLocality(spec)));
    }
    priorities_ = std::move(next);
  }
  void SetNote(std::string note) { note_ = std::move(note); }
  void SetNoEndpoints() { priorities_.clear(), no_endpoints_ = true; }

  // A new snapshot, in which everything except the localities is new.
  CRef<gxds_config> Snapshot() const {
    auto* cluster = new Cluster;
    cluster->name = name_;
    cluster->resource.name = gxds_str_of(cluster->name.data(), cluster->name.size());
    const Endpoints* endpoints = no_endpoints_ ? nullptr : MakeEndpoints();
    gxds_text words = {};
    gxds_text_add(&words, gxds_str_of(note_.data(), note_.size()));
    const gxds_str nobody = gxds_str_of(nullptr, 0);
    const gxds_error* note = gxds_error_create(GXDS_UNAVAILABLE, &words, nobody, nobody);
    const gxds_cluster_entry* entry = gxds_cluster_entry_endpoints(
        cluster->resource.name, &cluster->resource,
        endpoints == nullptr ? nullptr : &endpoints->resource, note_.empty() ? nullptr : note);
    gxds_error_unref(note);
    gxds_resource_unref(&cluster->resource.base);
    if (endpoints != nullptr) gxds_resource_unref(&endpoints->resource.base);
    return CRef<gxds_config>(
        gxds_config_create(nullptr, nullptr, nullptr, gxds_cluster_map_put(nullptr, entry),
                           gxds_names_create(nullptr, 0), nullptr, nullptr, {}));
  }

  // The same localities in the same priorities, in new objects.
  void MakeAllNew() {
    for (auto& priority : priorities_) {
      for (auto& locality : priority) {
        gxds_locality* copy =
            gxds_locality_create(locality->region, locality->zone, locality->sub_zone,
                                 locality->weight, locality->endpoint_count);
        for (uint32_t i = 0; i < locality->endpoint_count; i++) {
          const_cast<gxds_endpoint*>(copy->list.full)[i] =
              gxds_locality_endpoint(locality.get(), i);
        }
        locality.reset(copy);
      }
    }
  }

 private:
  struct Cluster {
    gxds_cluster resource = {};
    std::string name;

    Cluster() {
      static const gxds_resource_type type =
          MakeType([](gxds_resource* r) { delete reinterpret_cast<Cluster*>(r); });
      gxds_ref_init(&resource.base.refs);
      resource.base.type = &type;
      resource.kind = GXDS_CLUSTER_EDS;
      resource.max_concurrent_requests = GXDS_CLUSTER_MAX_REQUESTS_DEFAULT;
    }
  };

  struct Endpoints {
    gxds_endpoints resource = {};
    std::vector<std::vector<CRef<gxds_locality>>> held;
    std::vector<std::vector<const gxds_locality*>> localities;
    std::vector<gxds_priority> priorities;

    Endpoints() {
      static const gxds_resource_type type =
          MakeType([](gxds_resource* r) { delete reinterpret_cast<Endpoints*>(r); });
      gxds_ref_init(&resource.base.refs);
      resource.base.type = &type;
    }
  };

  static gxds_resource_type MakeType(void (*destroy)(gxds_resource*)) {
    gxds_resource_type type = {};
    type.destroy = destroy;
    return type;
  }

  const Endpoints* MakeEndpoints() const {
    auto* out = new Endpoints;
    for (const auto& priority : priorities_) {
      out->held.emplace_back();
      out->localities.emplace_back();
      for (const auto& locality : priority) {
        out->held.back().emplace_back(gxds_locality_ref(locality.get()));
        out->localities.back().push_back(locality.get());
      }
    }
    for (const auto& list : out->localities) out->priorities.push_back({list.data(), list.size()});
    out->resource.priorities = out->priorities.data();
    out->resource.priority_count = out->priorities.size();
    return out;
  }

  CRef<gxds_locality> Shared(CRef<gxds_locality> wanted) const {
    for (const auto& priority : priorities_) {
      for (const auto& known : priority) {
        if (gxds_locality_equal(known.get(), wanted.get())) {
          return CRef<gxds_locality>(gxds_locality_ref(known.get()));
        }
      }
    }
    return wanted;
  }

  const std::string name_;
  std::string note_;
  bool no_endpoints_ = false;
  std::vector<std::vector<CRef<gxds_locality>>> priorities_;
};

}  // namespace testing
}  // namespace grpc_xds

#endif
