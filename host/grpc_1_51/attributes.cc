#include "host/grpc_1_51/attributes.h"

#include <string.h>
#include <sys/socket.h>

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

struct Given {
  gxds_ref refs;
  const gxds_config* config;
  gxds_mailbox* mailbox;
};

const grpc_arg_pointer_vtable kGivenVtable = {
    [](void* p) -> void* {
      gxds_ref_inc(&static_cast<Given*>(p)->refs);
      return p;
    },
    [](void* p) {
      auto* given = static_cast<Given*>(p);
      if (!gxds_ref_dec(&given->refs)) return;
      gxds_config_unref(given->config);
      gxds_mailbox_unref(given->mailbox);
      delete given;
    },
    // By pointers: a snapshot is never changed, and comparing two by what they hold would cost more
    // than what the comparison is for.
    [](void* a, void* b) {
      auto* left = static_cast<Given*>(a);
      auto* right = static_cast<Given*>(b);
      int order = QsortCompare(left->config, right->config);
      return order != 0 ? order : QsortCompare(left->mailbox, right->mailbox);
    },
};

// Borrow: as long as args. Null: none.
const Given* GivenIn(const ChannelArgs& args) {
  return static_cast<Given*>(args.GetVoidPointer(kConfigArg));
}

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

  // By name: what a locality's other endpoints are says nothing of this address.
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
  static_assert(sizeof(grpc_resolved_address::addr) == sizeof(sockaddr_storage));
  grpc_resolved_address out;
  out.len = static_cast<socklen_t>(
      gxds_address_to_sockaddr(&address, reinterpret_cast<sockaddr_storage*>(out.addr)));
  return out;
}

}  // namespace

ChannelArgs WithConfig(const ChannelArgs& args, const gxds_config* config, gxds_mailbox* mailbox) {
  if (config == nullptr && mailbox == nullptr) return args;
  auto* given = new Given{};
  gxds_ref_init(&given->refs);
  given->config = config == nullptr ? nullptr : gxds_config_ref(config);
  given->mailbox = mailbox == nullptr ? nullptr : gxds_mailbox_ref(mailbox);
  return args.Set(kConfigArg, ChannelArgs::Pointer(given, &kGivenVtable));
}

const gxds_config* ConfigOf(const ChannelArgs& args) {
  const Given* given = GivenIn(args);
  return given == nullptr ? nullptr : given->config;
}

gxds_mailbox* MailboxOf(const ChannelArgs& args) {
  const Given* given = GivenIn(args);
  return given == nullptr ? nullptr : given->mailbox;
}

ChannelArgs WithoutOurs(const ChannelArgs& args) {
  return args.Contains(kConfigArg) ? args.Remove(kConfigArg) : args;
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

ServerAddress WithoutWeightAndHashKey(const ServerAddress& address) {
  return address.WithAttribute(kHashKeyAttribute, nullptr)
      .WithAttribute(ServerAddressWeightAttribute::kServerAddressWeightAttributeKey, nullptr);
}

ServerAddress AddressOf(const gxds_lb_address& endpoint) {
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
        std::make_unique<HashKeyAttribute>(std::string(ToAbsl(endpoint.hash_key)));
  }
  return ServerAddress(ToResolved(*endpoint.ip), ChannelArgs(), std::move(attributes));
}

absl::Status ToAbsl(const gxds_status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.code), ToAbsl(status.message));
}

}  // namespace grpc_xds
