#include "lb_policies/parent/child_config.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/load_balancing/lb_policy_registry.h"

namespace grpc_xds {

grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config> ParseChildConfig(
    const grpc_core::Json& object, const char* field, grpc_core::ValidationErrors* errors) {
  grpc_core::ValidationErrors::ScopedField at(errors, absl::StrCat(".", field));
  auto it = object.object_value().find(field);
  if (it == object.object_value().end()) {
    errors->AddError("field not present");
    return nullptr;
  }
  auto config =
      grpc_core::CoreConfiguration::Get().lb_policy_registry().ParseLoadBalancingConfig(it->second);
  if (config.ok()) return std::move(*config);
  errors->AddError(config.status().message());
  return nullptr;
}

}  // namespace grpc_xds
