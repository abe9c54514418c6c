// What crosses the line between the host and C, either way, as it is on each gRPC; a host's own
// convert.h has the rest. ToC() gives what policies, resolvers and ConfigSelectors in C see of a
// value of the host's, ToHost() the other way round; what C passes on untouched comes back as it
// was. References that they give are the caller's. Any thread, but for what says otherwise.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_CONVERT_H_
#define GRPC_XDS_HOST_GRPC_COMMON_CONVERT_H_

#include <grpc/support/port_platform.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "host/addresses.h"
#include "host/grpc_common/args.h"
#include "host/grpc_common/core_json.h"
#include "host/grpc_common/core_policy.h"
#include "host/pick.h"
#include "host/policy.h"
#include "host/subchannel.h"

namespace grpc_xds {

// ---- texts and statuses ----

inline absl::string_view ToAbsl(gxds_str s) { return absl::string_view(s.data, s.size); }
inline gxds_str ToGxds(absl::string_view s) { return gxds_str_of(s.data(), s.size()); }

inline absl::Status ToAbsl(const gxds_status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.code), ToAbsl(status.message));
}
// A view: it lives as long as status, and is not to be ended.
inline gxds_status View(const absl::Status& status) {
  return {static_cast<gxds_code>(status.code()),
          gxds_str_of(status.message().data(), status.message().size())};
}
// The caller's.
inline gxds_status ToC(const absl::Status& status) {
  const gxds_status view = View(status);
  return gxds_status_copy(&view);
}
// Ends status.
inline absl::Status Take(gxds_status status) {
  absl::Status out = ToAbsl(status);
  gxds_status_fini(&status);
  return out;
}

// ---- RPCs ----

// What is before the name of the cluster in the call's attribute, in which the ConfigSelector
// leaves it. Borrow: as long as the call. Pickers may write to it: an RPC has one pick at a time.
inline gxds_routed_call& RoutedCallOf(absl::string_view cluster) {
  return reinterpret_cast<gxds_routed_call*>(const_cast<char*>(cluster.data()))[-1];
}

// ---- addresses ----

const gxds_addresses* ToC(HostsAddresses addresses);
HostsAddresses ToHost(const gxds_addresses* addresses);

// ---- configs of policies ----

class ConfigInC : public grpc_core::LoadBalancingPolicy::Config {
 public:
  explicit ConfigInC(gxds_lb_config* take_config) : config_(take_config) {}
  ~ConfigInC() override { gxds_lb_config_unref(config_); }

  absl::string_view name() const override {
    return absl::string_view(config_->policy.data, config_->policy.size);
  }
  // Borrow: as long as this.
  gxds_lb_config* config() const { return config_; }

 private:
  gxds_lb_config* const config_;
};

// The config that the type makes of its JSON form.
absl::StatusOr<grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config>> ParseConfig(
    const gxds_policy_type* type, const grpc_core::Json& json);

gxds_lb_config* ToC(grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config> config);
// config: borrow.
grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config> ToHost(gxds_lb_config* config);

// Of the policies that the host has registered, those in C among them.
gxds_lb_config* ParseList(gxds_str json, gxds_status* why);

// ---- pickers ----

HostsPicker ToHost(gxds_picker* take_picker);

// Of a policy that is not in C and whose subchannels ForHostsPolicy() made.
gxds_picker* ToC(HostsPicker picker);

// ---- subchannels ----

// policy: whose pollers a watch has.
gxds_subchannel* ToC(grpc_core::RefCountedPtr<grpc_core::SubchannelInterface> subchannel,
                     grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy> policy);
// The host's own that is behind one in C, whatever policies made around it.
grpc_core::RefCountedPtr<grpc_core::SubchannelInterface> ToHost(gxds_subchannel* subchannel);

// A subchannel in C, as policies of the host's see it.
grpc_core::RefCountedPtr<grpc_core::SubchannelInterface> ForHostsPolicy(
    gxds_subchannel* take_subchannel);
// What is behind one that ForHostsPolicy() made.
gxds_subchannel* OfHostsPolicy(const grpc_core::SubchannelInterface& subchannel);

}  // namespace grpc_xds

#endif
