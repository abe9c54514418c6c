// An EndpointsPolicy over a list of addresses, which any parent can give it: xDS or not.
#ifndef GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ADDRESS_LIST_POLICY_H_
#define GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ADDRESS_LIST_POLICY_H_

#include <grpc/support/port_platform.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lb_policies/round_robin/endpoints_policy.h"

namespace grpc_xds {

class AddressListPolicy : public EndpointsPolicy {
 protected:
  using EndpointsPolicy::EndpointsPolicy;

  // Takes the addresses, args and note of an update; each address once, where it comes first (A48,
  // A58).
  absl::Status UpdateAddresses(UpdateArgs update);
  // The address at that place of the list, as text.
  std::string KeyAt(uint32_t position) const;
  // Whether the list has that address.
  bool HasKey(const std::string& key) const { return keys_.count(key) > 0; }

  grpc_core::ServerAddress AddressAt(uint32_t position) override { return addresses_[position]; }

 private:
  // By what round_robin.h knows of an address, where those are of which it knows no more.
  using Places = std::map<std::string, std::vector<size_t>>;

  // Whether subchannels would be kept that are for other addresses than those of this list.
  bool IsOther(const grpc_core::ServerAddressList& list, const Places& places) const;

  // From the last update.
  grpc_core::ServerAddressList addresses_;
  std::set<std::string> keys_;
  Places places_;
};

}  // namespace grpc_xds

#endif
