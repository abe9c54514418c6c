// Common names for the classes of policies and their parts that each version of gRPC has, but under
// different paths and names.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_CORE_POLICY_H_
#define GRPC_XDS_HOST_GRPC_COMMON_CORE_POLICY_H_

#include <grpc/support/port_platform.h>

#include <memory>

#include "absl/strings/string_view.h"
#include "host/grpc_common/core_version.h"

#ifndef GXDS_GRPC_1_83
#include "absl/types/variant.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/gprpp/debug_location.h"
#include "src/core/lib/gprpp/orphanable.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/gprpp/work_serializer.h"
#include "src/core/lib/load_balancing/lb_policy.h"
#include "src/core/lib/load_balancing/lb_policy_factory.h"
#include "src/core/lib/load_balancing/lb_policy_registry.h"
#include "src/core/lib/load_balancing/subchannel_interface.h"
#include "src/core/lib/resolver/server_address.h"

namespace grpc_xds {

using HostsAddress = grpc_core::ServerAddress;
using HostsAddresses = grpc_core::ServerAddressList;
using HostsPicker = std::unique_ptr<grpc_core::LoadBalancingPolicy::SubchannelPicker>;

template <typename Picker, typename Arg>
HostsPicker MakePicker(Arg arg) {
  return std::make_unique<Picker>(arg);
}

template <typename T, typename Variant>
T* GetIf(Variant* variant) {
  return absl::get_if<T>(variant);
}

inline void AddTrace(grpc_core::LoadBalancingPolicy::ChannelControlHelper* helper, bool error,
                     absl::string_view text) {
  using Helper = grpc_core::LoadBalancingPolicy::ChannelControlHelper;
  helper->AddTraceEvent(error ? Helper::TRACE_ERROR : Helper::TRACE_INFO, text);
}

// Whether the constructor of a policy may call its helper.
constexpr bool kHelperServesConstructors = true;

}  // namespace grpc_xds
#else
#include <variant>

#include "src/core/config/core_configuration.h"
#include "src/core/load_balancing/lb_policy.h"
#include "src/core/load_balancing/lb_policy_factory.h"
#include "src/core/load_balancing/lb_policy_registry.h"
#include "src/core/load_balancing/subchannel_interface.h"
#include "src/core/resolver/endpoint_addresses.h"
#include "src/core/util/debug_location.h"
#include "src/core/util/orphanable.h"
#include "src/core/util/ref_counted_ptr.h"
#include "src/core/util/work_serializer.h"

namespace grpc_xds {

using HostsAddress = grpc_core::EndpointAddresses;
using HostsAddresses = std::shared_ptr<grpc_core::EndpointAddressesIterator>;
using HostsPicker = grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::SubchannelPicker>;

template <typename Picker, typename Arg>
HostsPicker MakePicker(Arg arg) {
  return grpc_core::MakeRefCounted<Picker>(arg);
}

template <typename T, typename Variant>
T* GetIf(Variant* variant) {
  return std::get_if<T>(variant);
}

// 1.83's traces have no severity.
inline void AddTrace(grpc_core::LoadBalancingPolicy::ChannelControlHelper* helper, bool /*error*/,
                     absl::string_view text) {
  helper->AddTraceEvent(text);
}

constexpr bool kHelperServesConstructors = false;

}  // namespace grpc_xds
#endif

#endif
