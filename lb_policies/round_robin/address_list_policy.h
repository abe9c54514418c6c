// An EndpointsPolicy over a list of addresses, which any parent can give it: xDS or not.
#ifndef GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ADDRESS_LIST_POLICY_H_
#define GRPC_XDS_LB_POLICIES_ROUND_ROBIN_ADDRESS_LIST_POLICY_H_

#include <grpc/support/port_platform.h>

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
  // From the last update.
  grpc_core::ServerAddressList addresses_;
  std::vector<gxds_endpoint> endpoints_;  // the same; what each is by, is no address
  std::set<std::string> keys_;
};

}  // namespace grpc_xds

#endif
