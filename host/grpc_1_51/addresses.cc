#include "host/grpc_1_51/addresses.h"

#include <string>
#include <utility>

#include "host/grpc_1_51/attributes.h"
#include "src/core/ext/filters/client_channel/lb_policy/address_filtering.h"
#include "src/core/lib/address_utils/sockaddr_utils.h"

namespace grpc_xds {

using grpc_core::ServerAddress;
using grpc_core::ServerAddressList;

namespace {

struct Addresses : gxds_addresses {
  ServerAddressList list;
};

const ServerAddress& At(const gxds_addresses* addresses, size_t index) {
  return static_cast<const Addresses*>(addresses)->list[index];
}

void Fill(const gxds_addresses* addresses, size_t index, gxds_lb_address* out) {
  const ServerAddress& address = At(addresses, index);
  out->native = &address;
  out->weight = WeightOf(address);
  out->hash_key = ToGxds(HashKeyOf(address));
  out->locality = LocalityOf(address);
}

void RenderKey(const gxds_addresses* addresses, size_t index, gxds_text* out) {
  auto key = grpc_sockaddr_to_string(&At(addresses, index).address(), false);
  if (key.ok()) gxds_text_add(out, ToGxds(*key));
}

// Its args and its attributes (a balancer's token, its locality), but no weight and no place on a
// ring.
void RenderDetail(const gxds_addresses* addresses, size_t index, gxds_text* out) {
  gxds_text_add(out, ToGxds(WithoutWeightAndHashKey(At(addresses, index)).ToString()));
}

const gxds_addresses* Below(const gxds_addresses* addresses, gxds_str name) {
  auto map = grpc_core::MakeHierarchicalAddressMap(static_cast<const Addresses*>(addresses)->list);
  return ToC(map.ok() ? std::move((*map)[std::string(ToAbsl(name))]) : ServerAddressList());
}

const gxds_addresses_ops kOps = {
    [](gxds_addresses* addresses) { delete static_cast<Addresses*>(addresses); },
    Fill,
    RenderKey,
    RenderDetail,
    Below,
};

}  // namespace

const gxds_addresses* ToC(ServerAddressList addresses) {
  auto* out = new Addresses;
  gxds_ref_init(&out->refs);
  out->ops = &kOps;
  out->count = addresses.size();
  out->list = std::move(addresses);
  return out;
}

ServerAddress ToHost(const gxds_lb_address& address) {
  if (address.native == nullptr) return AddressOf(address);
  return *static_cast<const ServerAddress*>(address.native);
}

ServerAddressList ToHost(const gxds_addresses* addresses) {
  if (addresses->ops == &kOps) return static_cast<const Addresses*>(addresses)->list;
  ServerAddressList out;
  out.reserve(addresses->count);
  for (size_t i = 0; i < addresses->count; ++i) {
    out.push_back(ToHost(gxds_addresses_at(addresses, i)));
  }
  return out;
}

}  // namespace grpc_xds
