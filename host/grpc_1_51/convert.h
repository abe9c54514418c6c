// What crosses the line between the host and C, either way: ToC() gives what policies, resolvers
// and ConfigSelectors in C see of a value of the host's, ToHost() the other way round; what C
// passes on untouched comes back as it was. References that they give are the caller's. Any thread,
// but for what says otherwise.
#ifndef GRPC_XDS_HOST_GRPC_1_51_CONVERT_H_
#define GRPC_XDS_HOST_GRPC_1_51_CONVERT_H_

#include <grpc/support/port_platform.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "host/addresses.h"
#include "host/args.h"
#include "host/grpc_common/args.h"
#include "host/pick.h"
#include "host/policy.h"
#include "host/subchannel.h"
#include "resources/endpoints.h"
#include "src/core/ext/filters/client_channel/resolver/xds/xds_resolver.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/gprpp/unique_type_name.h"
#include "src/core/lib/json/json.h"
#include "src/core/lib/load_balancing/lb_policy.h"
#include "src/core/lib/load_balancing/subchannel_interface.h"
#include "src/core/lib/resolver/server_address.h"
#include "xds_resolver/config.h"
#include "xds_resolver/mailbox.h"

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

// The call attribute in which the ConfigSelector leaves the cluster of an RPC: the host's own (one
// in the process), so that other policies find it.
inline grpc_core::UniqueTypeName ClusterAttributeName() {
  static const grpc_core::UniqueTypeName name = grpc_core::XdsClusterAttributeTypeName();
  return name;
}
// What is before the name that is its value, out of its sight: an attribute of its own would cost
// every RPC a node of a map. Borrow: as long as the call. Pickers may write to it: they run under
// the channel's data-plane mutex.
inline gxds_routed_call& RoutedCallOf(absl::string_view cluster) {
  return reinterpret_cast<gxds_routed_call*>(const_cast<char*>(cluster.data()))[-1];
}

// ---- addresses ----

const gxds_addresses* ToC(grpc_core::ServerAddressList addresses);
// With locality, weight, hash key and hostname as attributes; one of the host's as it was.
grpc_core::ServerAddress ToHost(const gxds_lb_address& address);
grpc_core::ServerAddressList ToHost(const gxds_addresses* addresses);

// The locality of an address, for load reports: an address attribute, which is no part of a
// subchannel's identity. Borrow: as long as address. Null: none.
const gxds_locality* LocalityOf(const grpc_core::ServerAddress& address);
// The endpoint's weight (load_balancing_weight); 1 when the address says nothing.
uint32_t WeightOf(const grpc_core::ServerAddress& address);

// By what an endpoint is put on a ring in place of its address (A76); empty: by its address.
// Borrow: as long as address.
absl::string_view HashKeyOf(const grpc_core::ServerAddress& address);

// What RPCs to the endpoint may be told as :authority (A81); empty: it has no hostname. Borrow: as
// long as address.
absl::string_view HostnameOf(const grpc_core::ServerAddress& address);

// What a subchannel to the address is made of.
grpc_core::ServerAddress WithoutWeightAndHashKey(const grpc_core::ServerAddress& address);

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

std::unique_ptr<grpc_core::LoadBalancingPolicy::SubchannelPicker> ToHost(gxds_picker* take_picker);

// Of a policy that is not in C and whose subchannels ForHostsPolicy() made.
gxds_picker* ToC(std::unique_ptr<grpc_core::LoadBalancingPolicy::SubchannelPicker> picker);

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
