#include <map>
#include <string>
#include <utility>
#include <vector>

#include "host/grpc_common/addresses.h"
#include "host/grpc_common/convert.h"
#include "host/grpc_common/http_proxy.h"
#include "host/grpc_common/policy.h"
#include "src/core/load_balancing/address_filtering.h"
#include "src/core/load_balancing/ring_hash/ring_hash.h"

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::EndpointAddresses;
using grpc_core::EndpointAddressesIterator;
using grpc_core::LoadBalancingPolicy;
using grpc_core::RefCountedPtr;
using grpc_core::SubchannelInterface;

namespace {

// Arguments with this prefix are not part of a subchannel's identity.
constexpr char kLocalityArg[] = GRPC_ARG_NO_SUBCHANNEL_PREFIX "grpc_xds.locality";

// Compares the names of the localities, because other endpoints of a locality do not matter for
// this address.
const grpc_arg_pointer_vtable kLocalityVtable = {
    [](void* p) -> void* {
      return const_cast<gxds_locality*>(gxds_locality_ref(static_cast<gxds_locality*>(p)));
    },
    [](void* p) { gxds_locality_unref(static_cast<gxds_locality*>(p)); },
    [](void* a, void* b) {
      return gxds_locality_compare_name(static_cast<gxds_locality*>(a),
                                        static_cast<gxds_locality*>(b));
    },
};

HostsAddresses NoAddresses() {
  return std::make_shared<grpc_core::EndpointAddressesListIterator>(
      grpc_core::EndpointAddressesList());
}

std::vector<EndpointAddresses> ListOf(const HostsAddresses& addresses) {
  std::vector<EndpointAddresses> out;
  addresses->ForEach([&out](const EndpointAddresses& address) { out.push_back(address); });
  return out;
}

// The IP addresses of an endpoint; empty if any of its addresses is not an IP address.
std::vector<gxds_address> IpsOf(const EndpointAddresses& endpoint) {
  std::vector<gxds_address> out;
  for (const auto& address : endpoint.addresses()) {
    out.emplace_back();
    if (!gxds_address_of_sockaddr(address.addr, &out.back())) return {};
  }
  return out;
}

struct AddressesOf183 : Addresses {
  explicit AddressesOf183(HostsAddresses addresses)
      : Addresses(ListOf(addresses)), of_host(std::move(addresses)) {
    for (size_t i = 0; i < count; ++i) {
      if (list[i].addresses().size() == 1) continue;
      auto ips = IpsOf(list[i]);
      if (ips.size() > 1) several[i] = std::move(ips);
    }
  }

  void AddSeveral(size_t index, gxds_lb_address* out) const override {
    const auto found = several.find(index);
    if (found == several.end()) return;
    out->ip = found->second[0];
    out->has_ip = true;
    out->more = &found->second[1];
    out->more_count = static_cast<uint32_t>(found->second.size() - 1);
  }
  const gxds_addresses* Below(gxds_str name) const override {
    auto map = grpc_core::MakeHierarchicalAddressMap(of_host);
    const auto below = map.ok() ? map->find(grpc_core::RefCountedStringValue(ToAbsl(name)))
                                : grpc_core::HierarchicalAddressMap::iterator();
    return ToC(!map.ok() || below == map->end() ? NoAddresses() : below->second);
  }

  const HostsAddresses of_host;
  // All addresses of endpoints that have several, by index.
  std::map<size_t, std::vector<gxds_address>> several;
};

// Addresses in C, for policies that are not in C.
class IteratorInC : public EndpointAddressesIterator {
 public:
  explicit IteratorInC(const gxds_addresses* addresses)
      : addresses_(gxds_addresses_ref(addresses)) {}
  ~IteratorInC() override { gxds_addresses_unref(addresses_); }

  void ForEach(absl::FunctionRef<void(const EndpointAddresses&)> callback) const override {
    for (size_t i = 0; i < addresses_->count; ++i) {
      callback(ToHost(gxds_addresses_at(addresses_, i)));
    }
  }

 private:
  const gxds_addresses* const addresses_;
};

}  // namespace

const gxds_locality* LocalityOf(const EndpointAddresses& address) {
  return static_cast<gxds_locality*>(address.args().GetVoidPointer(kLocalityArg));
}

uint32_t WeightOf(const EndpointAddresses& address) {
  return static_cast<uint32_t>(address.args().GetInt(GRPC_ARG_ADDRESS_WEIGHT).value_or(1));
}

absl::string_view HashKeyOf(const EndpointAddresses& address) {
  return address.args().GetString(GRPC_ARG_RING_HASH_ENDPOINT_HASH_KEY).value_or("");
}

// Reads the host's own argument, which the host's policies and credentials use too.
absl::string_view HostnameOf(const EndpointAddresses& address) {
  return address.args().GetString(GRPC_ARG_ADDRESS_NAME).value_or("");
}

EndpointAddresses WithoutWeightAndHashKey(const EndpointAddresses& address) {
  return EndpointAddresses(
      address.addresses(),
      address.args().Remove(GRPC_ARG_RING_HASH_ENDPOINT_HASH_KEY).Remove(GRPC_ARG_ADDRESS_WEIGHT));
}

// addresses may be null, which stands for none.
const gxds_addresses* ToC(HostsAddresses addresses) {
  return new AddressesOf183(addresses == nullptr ? NoAddresses() : std::move(addresses));
}

EndpointAddresses ToHost(const gxds_lb_address& endpoint) {
  if (endpoint.native != nullptr) return *static_cast<const EndpointAddresses*>(endpoint.native);
  ChannelArgs args;
  if (endpoint.locality != nullptr) {
    args = args.Set(
        kLocalityArg,
        ChannelArgs::Pointer(const_cast<gxds_locality*>(gxds_locality_ref(endpoint.locality)),
                             &kLocalityVtable));
  }
  if (endpoint.weight != 1) {
    args = args.Set(GRPC_ARG_ADDRESS_WEIGHT, static_cast<int>(endpoint.weight));
  }
  if (endpoint.hash_key.size > 0) {
    args = args.Set(GRPC_ARG_RING_HASH_ENDPOINT_HASH_KEY, ToAbsl(endpoint.hash_key));
  }
  if (endpoint.hostname.size > 0) {
    args = args.Set(GRPC_ARG_ADDRESS_NAME, ToAbsl(endpoint.hostname));
  }
  if (endpoint.proxy.size > 0) args = args.Set(kHttpProxyArg, ToAbsl(endpoint.proxy));
  std::vector<grpc_resolved_address> addresses = {ToResolved(endpoint.ip)};
  for (uint32_t i = 0; i < endpoint.more_count; ++i) {
    addresses.push_back(ToResolved(endpoint.more[i]));
  }
  return EndpointAddresses(std::move(addresses), args);
}

HostsAddresses ToHost(const gxds_addresses* addresses) {
  if (const Addresses* of_host = OfHost(addresses)) {
    return static_cast<const AddressesOf183*>(of_host)->of_host;
  }
  return std::make_shared<IteratorInC>(addresses);
}

RefCountedPtr<SubchannelInterface> MakeSubchannel(LoadBalancingPolicy::ChannelControlHelper* helper,
                                                  const gxds_lb_address& address,
                                                  const ChannelArgs& args) {
  const EndpointAddresses endpoint = ToHost(address);
  return helper->CreateSubchannel(endpoint.address(), endpoint.args(), args);
}

}  // namespace grpc_xds
