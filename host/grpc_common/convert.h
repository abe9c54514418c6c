// Conversions between the host and C, in both directions. ToC() converts a value of the host to
// what policies, resolvers and ConfigSelectors in C see, and ToHost() does the opposite. A value
// that C passes on unchanged comes back as it was. The caller owns the references that they return.
// Any thread, except where a comment says otherwise.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_CONVERT_H_
#define GRPC_XDS_HOST_GRPC_COMMON_CONVERT_H_

#include <grpc/support/port_platform.h>

#include <cstdint>

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
#include "resources/endpoints.h"
#include "src/core/lib/slice/slice.h"

namespace grpc_xds {

// ---- texts and statuses ----

inline absl::string_view ToAbsl(gxds_str s) { return absl::string_view(s.data, s.size); }
inline gxds_str ToGxds(absl::string_view s) { return gxds_str_of(s.data(), s.size()); }

inline absl::Status ToAbsl(const gxds_status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.code), ToAbsl(status.message));
}
// A view of status: borrowed, valid as long as status. Don't end it.
inline gxds_status View(const absl::Status& status) {
  return {static_cast<gxds_code>(status.code()),
          gxds_str_of(status.message().data(), status.message().size())};
}
// The caller ends the result.
inline gxds_status ToC(const absl::Status& status) {
  const gxds_status view = View(status);
  return gxds_status_copy(&view);
}
// Converts status and ends it.
inline absl::Status Take(gxds_status status) {
  absl::Status out = ToAbsl(status);
  gxds_status_fini(&status);
  return out;
}

// ---- RPCs ----

// The gxds_routed_call of an RPC, which lies right before the cluster's name that ClusterOf()
// returns. Borrowed: valid as long as the call. Pickers may write to it, because an RPC has one
// pick at a time.
inline gxds_routed_call& RoutedCallOf(absl::string_view cluster) {
  return reinterpret_cast<gxds_routed_call*>(const_cast<char*>(cluster.data()))[-1];
}

// Metadata is the host's class of headers.
template <typename Metadata>
void AddHeader(Metadata* headers, gxds_str name, gxds_str value) {
  headers->Append(ToAbsl(name), grpc_core::Slice::FromCopiedBuffer(value.data, value.size),
                  [](absl::string_view, const grpc_core::Slice&) {});
}
// Tells the session that a response with these headers has begun.
template <typename Metadata>
void Respond(gxds_session* session, Metadata* headers) {
  struct Response : gxds_response {
    Metadata* headers;
  };
  Response response = {};
  response.add_header = [](gxds_response* r, gxds_str name, gxds_str value) {
    AddHeader(static_cast<Response*>(r)->headers, name, value);
  };
  response.headers = headers;
  session->responded(session, &response);
}

// ---- addresses ----

const gxds_addresses* ToC(HostsAddresses addresses);
HostsAddresses ToHost(const gxds_addresses* addresses);

// Makes an address with locality, weight, hash key and hostname as attributes (in 1.83, as
// arguments). An address that came from the host is returned as it was.
HostsAddress ToHost(const gxds_lb_address& address);

// The locality of an address, for load reports; null if there is none. It is not part of a
// subchannel's identity. Borrowed: valid as long as address.
const gxds_locality* LocalityOf(const HostsAddress& address);
// The endpoint's weight (load_balancing_weight); 1 if the address has no weight.
uint32_t WeightOf(const HostsAddress& address);

// The key of an endpoint's place on a ring, in place of its address (A76); empty: its address is
// the key. Borrowed: valid as long as address.
absl::string_view HashKeyOf(const HostsAddress& address);

// The hostname that RPCs to the endpoint may get as :authority (A81); empty: it has none. Borrowed:
// valid as long as address.
absl::string_view HostnameOf(const HostsAddress& address);

// The address without its weight and hash key, on which a subchannel does not depend.
HostsAddress WithoutWeightAndHashKey(const HostsAddress& address);

// ---- configs of policies ----

class ConfigInC : public grpc_core::LoadBalancingPolicy::Config {
 public:
  explicit ConfigInC(gxds_lb_config* take_config) : config_(take_config) {}
  ~ConfigInC() override { gxds_lb_config_unref(config_); }

  absl::string_view name() const override {
    return absl::string_view(config_->policy.data, config_->policy.size);
  }
  // Borrowed: valid as long as this.
  gxds_lb_config* config() const { return config_; }

 private:
  gxds_lb_config* const config_;
};

// Parses the JSON form of a config of that type.
absl::StatusOr<grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config>> ParseConfig(
    const gxds_policy_type* type, const grpc_core::Json& json);

gxds_lb_config* ToC(grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config> config);
// config is borrowed.
grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config> ToHost(gxds_lb_config* config);

// Parses a list of policies, with all that the host has registered, including those in C. On
// failure returns null, and *why says why.
gxds_lb_config* ParseList(gxds_str json, gxds_status* why);

// ---- pickers ----

HostsPicker ToHost(gxds_picker* take_picker);

// picker must be of a policy that is not in C, and whose subchannels ForHostsPolicy() made.
gxds_picker* ToC(HostsPicker picker);

// ---- subchannels ----

// A watch uses the pollers of policy.
gxds_subchannel* ToC(grpc_core::RefCountedPtr<grpc_core::SubchannelInterface> subchannel,
                     grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy> policy);
// The host's subchannel inside one in C, without the wrappers of policies.
grpc_core::RefCountedPtr<grpc_core::SubchannelInterface> ToHost(gxds_subchannel* subchannel);

// Wraps a subchannel in C for policies of the host.
grpc_core::RefCountedPtr<grpc_core::SubchannelInterface> ForHostsPolicy(
    gxds_subchannel* take_subchannel);
// The subchannel in C inside a subchannel that ForHostsPolicy() made.
gxds_subchannel* OfHostsPolicy(const grpc_core::SubchannelInterface& subchannel);

}  // namespace grpc_xds

#endif
