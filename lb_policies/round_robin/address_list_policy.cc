#include "lb_policies/round_robin/address_list_policy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "lb_policies/attributes/attributes.h"
#include "src/core/lib/address_utils/sockaddr_utils.h"

namespace grpc_xds {

using grpc_core::ServerAddress;
using grpc_core::ServerAddressList;

namespace {

std::string Key(const ServerAddress& address) {
  return grpc_sockaddr_to_string(&address.address(), false).value_or("");
}

// Its load is its locality's.
std::string Detail(const ServerAddress& address) {
  std::string detail = address.args().ToString();
  const gxds_locality* locality = LocalityOf(address);
  if (locality == nullptr) return detail;
  gxds_text name = {};
  gxds_locality_render_name(locality, &name);
  absl::StrAppend(&detail, ToAbsl(gxds_text_str(&name)));
  gxds_text_fini(&name);
  return detail;
}

// False: it is no IP address, and the endpoint is like any other such.
bool ToEndpoint(const ServerAddress& address, gxds_endpoint* out) {
  const auto* any = reinterpret_cast<const sockaddr*>(address.address().addr);
  out->weight = WeightOf(address);
  if (any->sa_family == AF_INET) {
    const auto* in4 = reinterpret_cast<const sockaddr_in*>(any);
    memcpy(out->address.ip, &in4->sin_addr, 4);
    out->address.port = ntohs(in4->sin_port);
    return true;
  }
  if (any->sa_family == AF_INET6) {
    const auto* in6 = reinterpret_cast<const sockaddr_in6*>(any);
    out->address.is_ipv6 = 1;
    memcpy(out->address.ip, &in6->sin6_addr, 16);
    out->address.port = ntohs(in6->sin6_port);
    return true;
  }
  return false;
}

}  // namespace

absl::Status AddressListPolicy::UpdateAddresses(UpdateArgs update) {
  if (!update.addresses.ok()) {
    // What is known goes on being used.
    if (addresses_.empty()) Fail(update.addresses.status());
    return update.addresses.status();
  }
  bool renew = updated() && args() != update.args;
  ServerAddressList list;
  std::map<std::string, std::string> details;
  std::vector<gxds_endpoint> endpoints;
  for (ServerAddress& address : *update.addresses) {
    std::string key = Key(address);
    std::string detail = Detail(address);
    auto before = details_.find(key);
    if (before != details_.end() && before->second != detail) renew = true;
    if (!details.emplace(std::move(key), std::move(detail)).second) continue;
    gxds_endpoint endpoint = {};
    if (!ToEndpoint(address, &endpoint)) renew = true;
    endpoints.push_back(endpoint);
    list.push_back(std::move(address));
  }
  addresses_ = std::move(list);
  details_ = std::move(details);
  return UpdateEndpoints(endpoints.data(), static_cast<uint32_t>(endpoints.size()), renew,
                         std::move(update.args), std::move(update.resolution_note));
}

std::string AddressListPolicy::KeyAt(uint32_t position) const { return Key(addresses_[position]); }

}  // namespace grpc_xds
