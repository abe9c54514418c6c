#include "lb_policies/round_robin/address_list_policy.h"

#include <string.h>
#include <xxhash.h>

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

// As round_robin.h tells addresses apart, which knows IP addresses alone: by a hash of all that a
// subchannel is made of, as text. That is the address (with the link of one of IPv6), its args and
// its attributes (a balancer's token, its locality, which its load is of), but no weight. The hash
// is long enough that no two are ever the same.
gxds_address IdentityOf(const ServerAddress& address) {
  const std::string key =
      address.WithAttribute(ServerAddressWeightAttribute::kServerAddressWeightAttributeKey, nullptr)
          .ToString();
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  gxds_address out = {};
  static_assert(sizeof hash == sizeof out.ip, "an IPv6 address");
  out.is_ipv6 = 1;
  memcpy(out.ip, &hash, sizeof hash);
  return out;
}

}  // namespace

absl::Status AddressListPolicy::UpdateAddresses(UpdateArgs update) {
  if (!update.addresses.ok()) {
    // What is known goes on being used.
    if (addresses_.empty()) Fail(update.addresses.status());
    return update.addresses.status();
  }
  const bool renew = updated() && args() != update.args;
  ServerAddressList list;
  std::set<std::string> keys;
  std::vector<gxds_endpoint> endpoints;
  for (ServerAddress& address : *update.addresses) {
    if (!keys.insert(Key(address)).second) continue;
    const size_t i = list.size();
    const bool same = i < addresses_.size() && addresses_[i] == address;  // as most are
    gxds_endpoint endpoint = {};
    endpoint.address = same ? endpoints_[i].address : IdentityOf(address);
    endpoint.weight = WeightOf(address);
    endpoints.push_back(endpoint);
    list.push_back(std::move(address));
  }
  addresses_ = std::move(list);
  keys_ = std::move(keys);
  endpoints_ = std::move(endpoints);
  return UpdateEndpoints(endpoints_.data(), static_cast<uint32_t>(endpoints_.size()), renew,
                         std::move(update.args), std::move(update.resolution_note));
}

std::string AddressListPolicy::KeyAt(uint32_t position) const { return Key(addresses_[position]); }

}  // namespace grpc_xds
