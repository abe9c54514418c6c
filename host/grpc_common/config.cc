#include "host/grpc_common/convert.h"

#include <string>
#include <typeinfo>
#include <utility>

namespace grpc_xds {

using grpc_core::Json;
using grpc_core::LoadBalancingPolicy;
using grpc_core::RefCountedPtr;

namespace {

// The config of a policy that is not in C.
struct ConfigOfHost : gxds_lb_config {
  RefCountedPtr<LoadBalancingPolicy::Config> inner;
};

// The config in C inside a config of the host; null if the config is not one in C.
gxds_lb_config* InC(const LoadBalancingPolicy::Config& config) {
  // Compares only the addresses of the type information, because a program's own policy may be
  // compiled without type information.
  if (&typeid(config) != &typeid(ConfigInC)) return nullptr;
  return static_cast<const ConfigInC&>(config).config();
}

}  // namespace

absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> ParseConfig(const gxds_policy_type* type,
                                                                       const Json& json) {
  const std::string text = IsNull(json) ? "" : DumpJson(json);
  gxds_status why;
  gxds_lb_config* config = gxds_lb_config_parse(type, ToGxds(text), ParseList, &why);
  if (config == nullptr) return Take(why);
  return grpc_core::MakeRefCounted<ConfigInC>(config);
}

gxds_lb_config* ToC(RefCountedPtr<LoadBalancingPolicy::Config> config) {
  gxds_lb_config* in_c = InC(*config);
  if (in_c != nullptr) return gxds_lb_config_ref(in_c);
  auto* out = new ConfigOfHost;
  gxds_ref_init(&out->refs);
  out->policy = ToGxds(config->name());
  out->type = nullptr;
  out->destroy = [](gxds_lb_config* c) { delete static_cast<ConfigOfHost*>(c); };
  out->inner = std::move(config);
  return out;
}

RefCountedPtr<LoadBalancingPolicy::Config> ToHost(gxds_lb_config* config) {
  if (config->type == nullptr) return static_cast<ConfigOfHost*>(config)->inner;
  return grpc_core::MakeRefCounted<ConfigInC>(gxds_lb_config_ref(config));
}

gxds_lb_config* ParseList(gxds_str text, gxds_status* why) {
  auto json = ParseJson(ToAbsl(text));
  if (!json.ok()) {
    *why = ToC(json.status());
    return nullptr;
  }
  auto config =
      grpc_core::CoreConfiguration::Get().lb_policy_registry().ParseLoadBalancingConfig(*json);
  if (config.ok()) return ToC(*std::move(config));
  *why = ToC(config.status());
  return nullptr;
}

}  // namespace grpc_xds
