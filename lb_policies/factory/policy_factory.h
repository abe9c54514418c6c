// How our policies are made for the host's registry.
#ifndef GRPC_XDS_LB_POLICIES_FACTORY_POLICY_FACTORY_H_
#define GRPC_XDS_LB_POLICIES_FACTORY_POLICY_FACTORY_H_

#include <grpc/support/port_platform.h>

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/gprpp/orphanable.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/json/json.h"
#include "src/core/lib/load_balancing/lb_policy.h"
#include "src/core/lib/load_balancing/lb_policy_factory.h"
#include "src/core/lib/load_balancing/lb_policy_registry.h"

namespace grpc_xds {

template <typename Policy>
class PolicyFactory : public grpc_core::LoadBalancingPolicyFactory {
 public:
  using Config = grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config>;
  // The config in its JSON form.
  using Parse = absl::StatusOr<Config> (*)(const grpc_core::Json&);

  // name: borrow, for good.
  PolicyFactory(absl::string_view name, Parse parse) : name_(name), parse_(parse) {}

  grpc_core::OrphanablePtr<grpc_core::LoadBalancingPolicy> CreateLoadBalancingPolicy(
      grpc_core::LoadBalancingPolicy::Args args) const override {
    return grpc_core::MakeOrphanable<Policy>(std::move(args));
  }
  absl::string_view name() const override { return name_; }
  absl::StatusOr<Config> ParseLoadBalancingConfig(const grpc_core::Json& json) const override {
    return parse_(json);
  }

 private:
  const absl::string_view name_;
  const Parse parse_;
};

template <typename Policy>
void RegisterPolicy(grpc_core::CoreConfiguration::Builder* builder, absl::string_view name,
                    typename PolicyFactory<Policy>::Parse parse) {
  builder->lb_policy_registry()->RegisterLoadBalancingPolicyFactory(
      std::make_unique<PolicyFactory<Policy>>(name, parse));
}

// For the null that the host gives in place of a config where a service config only names the
// policy, when that cannot do without one.
inline absl::Status MissingConfig(absl::string_view policy) {
  return absl::InvalidArgumentError(
      absl::StrCat("field:loadBalancingPolicy error:", policy,
                   " policy requires configuration. Please use loadBalancingConfig field of "
                   "service config instead."));
}

}  // namespace grpc_xds

#endif
