#include "lb_policies/round_robin/address_list_policy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "absl/strings/str_cat.h"
#include "lb_policies/attributes/attributes.h"
#include "src/core/lib/address_utils/sockaddr_utils.h"

namespace grpc_xds {

using grpc_core::ServerAddress;
using grpc_core::ServerAddressList;
using grpc_core::ServerAddressWeightAttribute;

namespace {

std::string Key(const ServerAddress& address) {
  return grpc_sockaddr_to_string(&address.address(), false).value_or("");
}

// Whether a subchannel that was made for one of them is one for the other: not so if one is another
// balancer's, another locality's (its load is), or has other args. A weight is no part of it.
bool IsSame(const ServerAddress& a, const ServerAddress& b) {
  auto bare = [](const ServerAddress& address) {
    return address.WithAttribute(ServerAddressWeightAttribute::kServerAddressWeightAttributeKey,
                                 nullptr);
  };
  return a == b || bare(a) == bare(b);
}

// As round_robin.h knows addresses: none but IP addresses, and these without the scope.
gxds_endpoint ToEndpoint(const ServerAddress& address) {
  gxds_endpoint out = {};
  const auto* any = reinterpret_cast<const sockaddr*>(address.address().addr);
  out.weight = WeightOf(address);
  if (any->sa_family == AF_INET) {
    const auto* in4 = reinterpret_cast<const sockaddr_in*>(any);
    memcpy(out.address.ip, &in4->sin_addr, 4);
    out.address.port = ntohs(in4->sin_port);
  } else if (any->sa_family == AF_INET6) {
    const auto* in6 = reinterpret_cast<const sockaddr_in6*>(any);
    out.address.is_ipv6 = 1;
    memcpy(out.address.ip, &in6->sin6_addr, 16);
    out.address.port = ntohs(in6->sin6_port);
  }
  return out;
}

std::string Known(const gxds_address& address) {
  return std::string(reinterpret_cast<const char*>(address.ip), sizeof address.ip) +
         absl::StrCat(address.is_ipv6, ":", address.port);
}

}  // namespace

bool AddressListPolicy::IsOther(const ServerAddressList& list, const Places& places) const {
  for (const auto& p : places) {
    auto before = places_.find(p.first);
    if (before == places_.end()) continue;
    if (before->second.size() != p.second.size()) return true;
    for (size_t i = 0; i < p.second.size(); ++i) {
      if (!IsSame(addresses_[before->second[i]], list[p.second[i]])) return true;
    }
  }
  return false;
}

absl::Status AddressListPolicy::UpdateAddresses(UpdateArgs update) {
  if (!update.addresses.ok()) {
    // What is known goes on being used.
    if (addresses_.empty()) Fail(update.addresses.status());
    return update.addresses.status();
  }
  bool renew = updated() && args() != update.args;
  ServerAddressList list;
  std::set<std::string> keys;
  Places places;
  std::vector<gxds_endpoint> endpoints;
  for (ServerAddress& address : *update.addresses) {
    if (!keys.insert(Key(address)).second) continue;
    endpoints.push_back(ToEndpoint(address));
    places[Known(endpoints.back().address)].push_back(list.size());
    list.push_back(std::move(address));
  }
  renew = renew || IsOther(list, places);
  addresses_ = std::move(list);
  keys_ = std::move(keys);
  places_ = std::move(places);
  return UpdateEndpoints(endpoints.data(), static_cast<uint32_t>(endpoints.size()), renew,
                         std::move(update.args), std::move(update.resolution_note));
}

std::string AddressListPolicy::KeyAt(uint32_t position) const { return Key(addresses_[position]); }

}  // namespace grpc_xds
