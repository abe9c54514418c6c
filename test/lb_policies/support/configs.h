// Configs of policies in C, as values.
#ifndef GRPC_XDS_TEST_LB_POLICIES_SUPPORT_CONFIGS_H_
#define GRPC_XDS_TEST_LB_POLICIES_SUPPORT_CONFIGS_H_

#include <optional>
#include <string>
#include <vector>

#include "lb_policies/cds/cds_policy.h"
#include "lb_policies/cluster_child_config.h"
#include "lb_policies/cluster_impl/cluster_impl_policy.h"
#include "lb_policies/priority/priority_policy.h"
#include "lb_policies/weighted_locality/weighted_locality_policy.h"
#include "test/host/memory_values.h"

namespace memory {

inline Config WeightedLocality(const Config& child, const gxds_cluster_entry* entry = nullptr,
                               size_t priority = 0) {
  return Config(gxds_weighted_locality_config_create(child.get(), entry, priority));
}

struct PriorityChild {
  std::string name;
  Config config;
  bool ignore_reresolution_requests = false;
  std::optional<size_t> priority = std::nullopt;
};

inline Config Priority(const std::string& cluster, const std::vector<PriorityChild>& children) {
  std::vector<gxds_priority_child> in_c;
  for (const auto& c : children) {
    in_c.push_back({View(c.name), c.config.get(), c.ignore_reresolution_requests,
                    c.priority.has_value(), c.priority.value_or(0)});
  }
  return Config(gxds_priority_config_create(View(cluster), in_c.data(), in_c.size()));
}

inline Config ClusterImpl(const std::string& cluster, const Config& child) {
  return Config(gxds_cluster_child_config_create(&gxds_cluster_impl_policy, View(cluster),
                                                 gxds_lb_config_ref(child.get())));
}

inline Config Cds(const std::string& cluster, bool is_dynamic) {
  return Config(gxds_cds_config_create(View(cluster), is_dynamic));
}

}  // namespace memory

#endif
