#include "host/grpc_common/addresses.h"

#include <sys/socket.h>

#include <utility>

#include "base/text.h"
#include "host/grpc_common/convert.h"
#include "host/grpc_common/http_proxy.h"

namespace grpc_xds {
namespace {

const HostsAddress& At(const gxds_addresses* addresses, size_t index) {
  return static_cast<const Addresses*>(addresses)->list[index];
}

void Fill(const gxds_addresses* addresses, size_t index, gxds_lb_address* out) {
  const HostsAddress& address = At(addresses, index);
  out->native = &address;
  out->weight = WeightOf(address);
  out->hash_key = ToGxds(HashKeyOf(address));
  out->hostname = ToGxds(HostnameOf(address));
  const auto proxy = address.args().GetString(kHttpProxyArg);
  if (proxy.has_value()) out->proxy = ToGxds(*proxy);
  out->locality = LocalityOf(address);
  static_cast<const Addresses*>(addresses)->AddSeveral(index, out);
}

void RenderKey(const gxds_addresses* addresses, size_t index, gxds_text* out) {
  auto key = grpc_sockaddr_to_string(&At(addresses, index).address(), false);
  if (key.ok()) gxds_text_add(out, ToGxds(*key));
}

// Adds all that the host knows of the endpoint (a balancer's token, its locality, its hostname, in
// 1.83 its other addresses), but not its weight and hash key.
void RenderDetail(const gxds_addresses* addresses, size_t index, gxds_text* out) {
  gxds_text_add(out, ToGxds(WithoutWeightAndHashKey(At(addresses, index)).ToString()));
}

const gxds_addresses_ops kOps = {
    [](gxds_addresses* addresses) { delete static_cast<Addresses*>(addresses); },
    Fill,
    RenderKey,
    RenderDetail,
    [](const gxds_addresses* addresses, gxds_str name) {
      return static_cast<const Addresses*>(addresses)->Below(name);
    },
};

}  // namespace

Addresses::Addresses(std::vector<HostsAddress> addresses)
    : gxds_addresses(), list(std::move(addresses)) {
  gxds_ref_init(&refs);
  ops = &kOps;
  count = list.size();
}

const Addresses* OfHost(const gxds_addresses* addresses) {
  return addresses->ops == &kOps ? static_cast<const Addresses*>(addresses) : nullptr;
}

grpc_resolved_address ToResolved(const gxds_address& address) {
  static_assert(sizeof(grpc_resolved_address::addr) == sizeof(sockaddr_storage));
  grpc_resolved_address out;
  out.len = static_cast<socklen_t>(
      gxds_address_to_sockaddr(&address, reinterpret_cast<sockaddr_storage*>(out.addr)));
  return out;
}

}  // namespace grpc_xds
