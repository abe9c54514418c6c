#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "host/grpc_common/addresses.h"
#include "host/grpc_common/convert.h"
#include "host/grpc_common/http_proxy.h"
#include "host/grpc_common/policy.h"
#include "lb_policies/endpoint_list/endpoint_list.h"
#include "src/core/ext/filters/client_channel/lb_policy/address_filtering.h"

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::LoadBalancingPolicy;
using grpc_core::RefCountedPtr;
using grpc_core::ServerAddress;
using grpc_core::ServerAddressList;
using grpc_core::ServerAddressWeightAttribute;
using grpc_core::SubchannelInterface;

namespace {

constexpr char kLocalityAttribute[] = "grpc_xds.locality";

class LocalityAttribute : public ServerAddress::AttributeInterface {
 public:
  explicit LocalityAttribute(const gxds_locality* locality)
      : locality_(gxds_locality_ref(locality)) {}
  ~LocalityAttribute() override { gxds_locality_unref(locality_); }

  const gxds_locality* locality() const { return locality_; }

  std::unique_ptr<AttributeInterface> Copy() const override {
    return std::make_unique<LocalityAttribute>(locality_);
  }

  // Compares the names of the localities, because other endpoints of a locality do not matter for
  // this address.
  int Cmp(const AttributeInterface* other) const override {
    return gxds_locality_compare_name(locality_,
                                      static_cast<const LocalityAttribute*>(other)->locality_);
  }

  std::string ToString() const override {
    gxds_text text = {};
    gxds_locality_render_name(locality_, &text);
    std::string out(ToAbsl(gxds_text_str(&text)));
    gxds_text_fini(&text);
    return out;
  }

 private:
  const gxds_locality* const locality_;
};

constexpr char kHashKeyAttribute[] = "grpc_xds.hash_key";
constexpr char kHostnameAttribute[] = "grpc_xds.hostname";

class TextAttribute : public ServerAddress::AttributeInterface {
 public:
  explicit TextAttribute(std::string text) : text_(std::move(text)) {}

  const std::string& text() const { return text_; }

  std::unique_ptr<AttributeInterface> Copy() const override {
    return std::make_unique<TextAttribute>(text_);
  }
  int Cmp(const AttributeInterface* other) const override {
    return text_.compare(static_cast<const TextAttribute*>(other)->text_);
  }
  std::string ToString() const override { return text_; }

 private:
  const std::string text_;
};

constexpr char kAddressesAttribute[] = "grpc_xds.addresses";

// A61: all addresses of an endpoint that has several. The host's policies see only one of these
// addresses.
class AddressesAttribute : public ServerAddress::AttributeInterface {
 public:
  explicit AddressesAttribute(std::vector<gxds_address> addresses)
      : addresses_(std::move(addresses)) {}

  const std::vector<gxds_address>& addresses() const { return addresses_; }

  std::unique_ptr<AttributeInterface> Copy() const override {
    return std::make_unique<AddressesAttribute>(addresses_);
  }
  // The order of the addresses does not matter.
  int Cmp(const AttributeInterface* other) const override {
    return ToString().compare(static_cast<const AddressesAttribute*>(other)->ToString());
  }
  std::string ToString() const override {
    gxds_lb_address address = {};
    Set(&address);
    gxds_text text = {};
    gxds_lb_address_render_set(&address, &text);
    std::string out(ToAbsl(gxds_text_str(&text)));
    gxds_text_fini(&text);
    return out;
  }

  void Set(gxds_lb_address* out) const {
    out->ip = addresses_[0];
    out->has_ip = true;
    out->more = &addresses_[1];
    out->more_count = static_cast<uint32_t>(addresses_.size() - 1);
  }

 private:
  const std::vector<gxds_address> addresses_;  // at least two addresses
};

absl::string_view TextOf(const ServerAddress& address, const char* key) {
  const auto* attribute = static_cast<const TextAttribute*>(address.GetAttribute(key));
  return attribute == nullptr ? absl::string_view() : attribute->text();
}

struct AddressesOf151 : Addresses {
  using Addresses::Addresses;

  void AddSeveral(size_t index, gxds_lb_address* out) const override {
    const auto* several =
        static_cast<const AddressesAttribute*>(list[index].GetAttribute(kAddressesAttribute));
    if (several != nullptr) several->Set(out);
  }
  const gxds_addresses* Below(gxds_str name) const override {
    auto map = grpc_core::MakeHierarchicalAddressMap(list);
    return ToC(map.ok() ? std::move((*map)[std::string(ToAbsl(name))]) : ServerAddressList());
  }
};

}  // namespace

const gxds_locality* LocalityOf(const ServerAddress& address) {
  const auto* attribute =
      static_cast<const LocalityAttribute*>(address.GetAttribute(kLocalityAttribute));
  return attribute == nullptr ? nullptr : attribute->locality();
}

// The weight is in the host's own attribute, so that the host's policies find it.
uint32_t WeightOf(const ServerAddress& address) {
  const auto* attribute = static_cast<const ServerAddressWeightAttribute*>(
      address.GetAttribute(ServerAddressWeightAttribute::kServerAddressWeightAttributeKey));
  return attribute == nullptr ? 1 : attribute->weight();
}

absl::string_view HashKeyOf(const ServerAddress& address) {
  return TextOf(address, kHashKeyAttribute);
}

absl::string_view HostnameOf(const ServerAddress& address) {
  return TextOf(address, kHostnameAttribute);
}

ServerAddress WithoutWeightAndHashKey(const ServerAddress& address) {
  return address.WithAttribute(kHashKeyAttribute, nullptr)
      .WithAttribute(ServerAddressWeightAttribute::kServerAddressWeightAttributeKey, nullptr);
}

const gxds_addresses* ToC(ServerAddressList addresses) {
  return new AddressesOf151(std::move(addresses));
}

ServerAddress ToHost(const gxds_lb_address& endpoint) {
  if (endpoint.native != nullptr) return *static_cast<const ServerAddress*>(endpoint.native);
  std::map<const char*, std::unique_ptr<ServerAddress::AttributeInterface>> attributes;
  if (endpoint.locality != nullptr) {
    attributes[kLocalityAttribute] = std::make_unique<LocalityAttribute>(endpoint.locality);
  }
  if (endpoint.weight != 1) {
    attributes[ServerAddressWeightAttribute::kServerAddressWeightAttributeKey] =
        std::make_unique<ServerAddressWeightAttribute>(endpoint.weight);
  }
  if (endpoint.hash_key.size > 0) {
    attributes[kHashKeyAttribute] =
        std::make_unique<TextAttribute>(std::string(ToAbsl(endpoint.hash_key)));
  }
  if (endpoint.hostname.size > 0) {
    attributes[kHostnameAttribute] =
        std::make_unique<TextAttribute>(std::string(ToAbsl(endpoint.hostname)));
  }
  if (endpoint.more_count > 0) {
    std::vector<gxds_address> addresses(endpoint.more, endpoint.more + endpoint.more_count);
    addresses.insert(addresses.begin(), endpoint.ip);
    attributes[kAddressesAttribute] = std::make_unique<AddressesAttribute>(std::move(addresses));
  }
  ChannelArgs args;
  if (endpoint.proxy.size > 0) args = args.Set(kHttpProxyArg, ToAbsl(endpoint.proxy));
  return ServerAddress(ToResolved(endpoint.ip), args, std::move(attributes));
}

ServerAddressList ToHost(const gxds_addresses* addresses) {
  if (const Addresses* of_host = OfHost(addresses)) return of_host->list;
  ServerAddressList out;
  out.reserve(addresses->count);
  for (size_t i = 0; i < addresses->count; ++i) {
    out.push_back(ToHost(gxds_addresses_at(addresses, i)));
  }
  return out;
}

RefCountedPtr<SubchannelInterface> MakeSubchannel(LoadBalancingPolicy::ChannelControlHelper* helper,
                                                  const gxds_lb_address& address,
                                                  const ChannelArgs& args) {
  return helper->CreateSubchannel(ToHost(address), args);
}

}  // namespace grpc_xds
