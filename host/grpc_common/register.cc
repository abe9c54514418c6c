// The functions that an implementation exports (plugin/impl.h), and the part of its registration
// that is the same for all versions of gRPC.
#include "host/grpc_common/register.h"

#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpc/support/port_platform.h>
#include <string.h>

#include <algorithm>
#include <atomic>
#include <iterator>

#include "host/grpc_common/core_register.h"
#include "host/grpc_common/http_proxy.h"
#include "host/grpc_common/policy.h"
#include "host/grpc_common/resolver.h"
#include "lb_policies/all_policies.h"
#include "lb_policies/registered/registered_types.h"
#include "plugin/host_state.h"
#include "plugin/impl.h"
#include "xds_resolver/xds_resolver.h"

namespace grpc_xds {
namespace {

std::atomic<bool> g_registered{false};
std::atomic<bool> g_logged{false};

// Logs once, as soon as the host can log. Before its first initialisation, the host prints nothing.
void LogRegistered() {
  if (!gpr_should_log(GPR_LOG_SEVERITY_INFO) || g_logged.exchange(true)) return;
  gpr_log(GPR_INFO, "grpc_xds: %s registered with gRPC core %s", GRPC_XDS_VERSION,
          grpc_version_string());
}

// The host's own policies that stay registered. The registry cannot be asked for them before they
// are registered.
constexpr const char* kHostsPolicies[] = {
    "grpclb", "pick_first", "rls_experimental", "round_robin", "weighted_target_experimental",
};

// Whether the name is taken: registering a name twice aborts the program.
bool IsTaken(const char* name) {
  return gxds_all_policies_has(name) ||
         std::any_of(std::begin(kHostsPolicies), std::end(kHostsPolicies),
                     [name](const char* other) { return strcmp(name, other) == 0; });
}

void Build(Builder* builder) {
  BuildConfiguration(builder);
  LogRegistered();
}

}  // namespace

void RegisterPolicies(Builder* builder) {
  for (size_t i = 0; gxds_all_policies[i] != nullptr; ++i) {
    RegisterPolicyInC(builder, gxds_all_policies[i]);
  }
  const size_t count = gxds_registered_types_close();
  for (size_t i = 0; i < count; ++i) RegisterPolicyInC(builder, gxds_registered_types_at(i));
  grpc_core::RegisterWeightedTargetLbPolicy(builder);
  grpc_core::RegisterPickFirstLbPolicy(builder);
  grpc_core::RegisterRoundRobinLbPolicy(builder);
}

void RegisterExtraFilters(Builder* builder) {
  grpc_core::RbacFilterRegister(builder);
  grpc_core::RegisterXdsChannelStackModifier(builder);
  grpc_core::RegisterChannelDefaultCreds(builder);
  RegisterResolverInC(builder, &gxds_xds_resolver);
  grpc_core::RegisterCloud2ProdResolver(builder);
  grpc_core::RegisterFileWatcherCertificateProvider(builder);
  RegisterEndpointProxies(builder);
}

}  // namespace grpc_xds

extern "C" __attribute__((visibility("default"))) const char* grpc_xds_impl_version(void) {
  return GRPC_XDS_VERSION;
}

extern "C" __attribute__((visibility("default"))) grpc_xds_result grpc_xds_impl_register(void) {
  using grpc_xds::g_registered;
  if (g_registered.load()) return GRPC_XDS_OK;
  // Another thread may have registered and initialised gRPC between these two checks; then it is
  // not too late.
  if (gxds_host_is_initialized()) {
    return g_registered.load() ? GRPC_XDS_OK : GRPC_XDS_ERROR_TOO_LATE;
  }
  grpc_core::CoreConfiguration::SetDefaultBuilder(grpc_xds::Build);
  g_registered.store(true);
  grpc_xds::LogRegistered();
  return GRPC_XDS_OK;
}

extern "C" __attribute__((visibility("default"))) grpc_xds_result grpc_xds_impl_register_policy(
    const grpc_xds_policy_type* type) {
  if (gxds_host_is_initialized()) return GRPC_XDS_ERROR_TOO_LATE;
  return gxds_registered_types_add(type, grpc_xds::IsTaken);
}
