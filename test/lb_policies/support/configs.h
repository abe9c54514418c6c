// Configs of policies in C, as values.
#ifndef GRPC_XDS_TEST_LB_POLICIES_SUPPORT_CONFIGS_H_
#define GRPC_XDS_TEST_LB_POLICIES_SUPPORT_CONFIGS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "host/grpc_1_51/attributes.h"
#include "host/grpc_1_51/config.h"
#include "lb_policies/cds/cds_policy.h"
#include "lb_policies/cluster_impl/cluster_impl_policy.h"
#include "lb_policies/priority/priority_policy.h"
#include "lb_policies/weighted_locality/weighted_locality_policy.h"

namespace grpc_xds {
namespace testing {

// A reference of a config, which becomes the host's where that is asked for.
class Config {
 public:
  using OfHost = grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config>;

  Config() = default;
  explicit Config(gxds_lb_config* take_config) : config_(take_config) {}
  template <typename T>
  Config(grpc_core::RefCountedPtr<T> config) : config_(ToC(std::move(config))) {}  // NOLINT
  Config(const Config& other)
      : config_(other.config_ == nullptr ? nullptr : gxds_lb_config_ref(other.config_)) {}
  Config& operator=(Config other) {
    std::swap(config_, other.config_);
    return *this;
  }
  ~Config() { gxds_lb_config_unref(config_); }

  // Borrow.
  gxds_lb_config* get() const { return config_; }
  template <typename T>
  const T& as() const {
    return *reinterpret_cast<const T*>(config_);
  }
  std::string name() const { return std::string(ToAbsl(config_->policy)); }
  operator OfHost() const { return ToHost(config_); }  // NOLINT

 private:
  gxds_lb_config* config_ = nullptr;
};

inline Config WeightedLocality(const Config& child, const gxds_cluster_entry* entry = nullptr,
                               size_t priority = 0) {
  return Config(gxds_weighted_locality_config_create(child.get(), entry, priority));
}

struct PriorityChild {
  std::string name;
  Config config;
  bool ignore_reresolution_requests = false;
  absl::optional<size_t> priority;
};

inline Config Priority(const std::string& cluster, const std::vector<PriorityChild>& children) {
  std::vector<gxds_priority_child> in_c;
  for (const auto& c : children) {
    in_c.push_back({ToGxds(c.name), c.config.get(), c.ignore_reresolution_requests,
                    c.priority.has_value(), c.priority.value_or(0)});
  }
  return Config(gxds_priority_config_create(ToGxds(cluster), in_c.data(), in_c.size()));
}

inline Config ClusterImpl(const std::string& cluster, const Config& child) {
  return Config(gxds_cluster_impl_config_create(ToGxds(cluster), child.get()));
}

inline Config Cds(const std::string& cluster, bool is_dynamic) {
  return Config(gxds_cds_config_create(ToGxds(cluster), is_dynamic));
}

}  // namespace testing
}  // namespace grpc_xds

#endif
