#include "lb_policies/attributes/attributes.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "src/core/lib/gpr/useful.h"

namespace grpc_xds {

using grpc_core::ChannelArgs;
using grpc_core::QsortCompare;
using grpc_core::ServerAddress;
using grpc_core::ServerAddressList;
using grpc_core::ServerAddressWeightAttribute;

namespace {

// By pointer: a snapshot is never changed, and comparing two by what they hold would cost more than
// what the comparison is for.
int ComparePointers(void* a, void* b) { return QsortCompare(a, b); }

const grpc_arg_pointer_vtable kConfigVtable = {
    [](void* p) -> void* {
      return const_cast<gxds_config*>(gxds_config_ref(static_cast<const gxds_config*>(p)));
    },
    [](void* p) { gxds_config_unref(static_cast<const gxds_config*>(p)); },
    ComparePointers,
};

const grpc_arg_pointer_vtable kMailboxVtable = {
    [](void* p) -> void* { return gxds_mailbox_ref(static_cast<gxds_mailbox*>(p)); },
    [](void* p) { gxds_mailbox_unref(static_cast<gxds_mailbox*>(p)); },
    ComparePointers,
};

constexpr char kLocalityAttribute[] = "grpc_xds.locality";

class LocalityAttribute : public ServerAddress::AttributeInterface {
 public:
  explicit LocalityAttribute(const gxds_locality* locality)
      : locality_(gxds_locality_ref(locality)) {}

  const gxds_locality* locality() const { return locality_.get(); }

  std::unique_ptr<AttributeInterface> Copy() const override {
    return std::make_unique<LocalityAttribute>(locality_.get());
  }

  // By name: what a locality's other endpoints are says nothing of this address.
  int Cmp(const AttributeInterface* other) const override {
    return gxds_locality_compare_name(
        locality_.get(), static_cast<const LocalityAttribute*>(other)->locality_.get());
  }

  std::string ToString() const override {
    gxds_text text = {};
    gxds_locality_render_name(locality_.get(), &text);
    std::string out(ToAbsl(gxds_text_str(&text)));
    gxds_text_fini(&text);
    return out;
  }

 private:
  CRef<gxds_locality> locality_;
};

constexpr char kHashKeyAttribute[] = "grpc_xds.hash_key";

class HashKeyAttribute : public ServerAddress::AttributeInterface {
 public:
  explicit HashKeyAttribute(std::string key) : key_(std::move(key)) {}

  const std::string& key() const { return key_; }

  std::unique_ptr<AttributeInterface> Copy() const override {
    return std::make_unique<HashKeyAttribute>(key_);
  }
  int Cmp(const AttributeInterface* other) const override {
    return key_.compare(static_cast<const HashKeyAttribute*>(other)->key_);
  }
  std::string ToString() const override { return key_; }

 private:
  const std::string key_;
};

grpc_resolved_address ToResolved(const gxds_address& address) {
  grpc_resolved_address out;
  memset(&out, 0, sizeof(out));
  if (address.is_ipv6) {
    auto* in6 = reinterpret_cast<sockaddr_in6*>(out.addr);
    in6->sin6_family = AF_INET6;
    in6->sin6_port = htons(address.port);
    memcpy(&in6->sin6_addr, address.ip, 16);
    out.len = sizeof(sockaddr_in6);
  } else {
    auto* in4 = reinterpret_cast<sockaddr_in*>(out.addr);
    in4->sin_family = AF_INET;
    in4->sin_port = htons(address.port);
    memcpy(&in4->sin_addr, address.ip, 4);
    out.len = sizeof(sockaddr_in);
  }
  return out;
}

}  // namespace

absl::string_view ClusterAttribute(void* memory, absl::string_view cluster,
                                   const RoutedCall& call) {
  char* name = reinterpret_cast<char*>(new (memory) RoutedCall(call) + 1);
  memcpy(name, cluster.data(), cluster.size());
  return absl::string_view(name, cluster.size());
}

ChannelArgs WithConfig(const ChannelArgs& args, const gxds_config* config, gxds_mailbox* mailbox) {
  ChannelArgs out = args;
  if (config != nullptr) {
    void* reference = kConfigVtable.copy(const_cast<gxds_config*>(config));
    out = out.Set(kConfigArg, ChannelArgs::Pointer(reference, &kConfigVtable));
  }
  if (mailbox != nullptr) {
    void* reference = kMailboxVtable.copy(mailbox);
    out = out.Set(kMailboxArg, ChannelArgs::Pointer(reference, &kMailboxVtable));
  }
  return out;
}

const gxds_config* ConfigOf(const ChannelArgs& args) {
  return static_cast<const gxds_config*>(args.GetVoidPointer(kConfigArg));
}

gxds_mailbox* MailboxOf(const ChannelArgs& args) {
  return static_cast<gxds_mailbox*>(args.GetVoidPointer(kMailboxArg));
}

ChannelArgs WithoutOurs(const ChannelArgs& args) {
  ChannelArgs out = args;
  for (const char* name : {kConfigArg, kMailboxArg}) {
    if (out.Contains(name)) out = out.Remove(name);
  }
  return out;
}

const gxds_locality* LocalityOf(const ServerAddress& address) {
  const auto* attribute =
      static_cast<const LocalityAttribute*>(address.GetAttribute(kLocalityAttribute));
  return attribute == nullptr ? nullptr : attribute->locality();
}

// The weight is the host's own attribute, so that the host's policies find it.
uint32_t WeightOf(const ServerAddress& address) {
  const auto* attribute = static_cast<const ServerAddressWeightAttribute*>(
      address.GetAttribute(ServerAddressWeightAttribute::kServerAddressWeightAttributeKey));
  return attribute == nullptr ? 1 : attribute->weight();
}

absl::string_view HashKeyOf(const ServerAddress& address) {
  const auto* attribute =
      static_cast<const HashKeyAttribute*>(address.GetAttribute(kHashKeyAttribute));
  return attribute == nullptr ? absl::string_view() : attribute->key();
}

ServerAddress AddressOf(const gxds_locality* locality, uint32_t index) {
  const gxds_endpoint& endpoint = locality->endpoints[index];
  std::map<const char*, std::unique_ptr<ServerAddress::AttributeInterface>> attributes;
  attributes[kLocalityAttribute] = std::make_unique<LocalityAttribute>(locality);
  if (endpoint.weight != 1) {
    attributes[ServerAddressWeightAttribute::kServerAddressWeightAttributeKey] =
        std::make_unique<ServerAddressWeightAttribute>(endpoint.weight);
  }
  const gxds_str key = gxds_locality_hash_key(locality, index);
  if (key.size > 0) {
    attributes[kHashKeyAttribute] = std::make_unique<HashKeyAttribute>(std::string(ToAbsl(key)));
  }
  return ServerAddress(ToResolved(endpoint.address), ChannelArgs(), std::move(attributes));
}

void AppendAddresses(const gxds_locality* locality, ServerAddressList* out) {
  // Not reserve() alone: called once per locality it would copy the list each time.
  size_t wanted = out->size() + locality->endpoint_count;
  if (out->capacity() < wanted) out->reserve(std::max(wanted, 2 * out->capacity()));
  for (uint32_t i = 0; i < locality->endpoint_count; ++i) {
    out->push_back(AddressOf(locality, i));
  }
}

ServerAddressList AddressesOf(const gxds_priority* priority) {
  ServerAddressList out;
  if (priority == nullptr) return out;
  for (size_t i = 0; i < priority->locality_count; ++i) {
    AppendAddresses(priority->localities[i], &out);
  }
  return out;
}

absl::Status ToAbsl(const gxds_status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.code), ToAbsl(status.message));
}

}  // namespace grpc_xds
