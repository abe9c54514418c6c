// Makes ConfigSelectors in C usable as ConfigSelectors of the host: the parts that are the same in
// each version of gRPC.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_CONFIG_SELECTOR_H_
#define GRPC_XDS_HOST_GRPC_COMMON_CONFIG_SELECTOR_H_

#include <grpc/support/port_platform.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "host/config_selector.h"
#include "host/grpc_common/convert.h"
#include "host/grpc_common/core_resolver.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/resource_quota/arena.h"

namespace grpc_xds {

// An RPC while it is routed. It lives on the stack. In the RPC's memory, a Front lies right before
// the part of the C code.
template <typename Front>
class RoutedCall : public gxds_call {
 public:
  using Args = grpc_core::ConfigSelector::GetCallConfigArgs;

  // Both arguments are borrowed: they must stay valid as long as this object.
  RoutedCall(const Args& args, absl::string_view path_of_call) : gxds_call(), args_(args) {
    ops = &kOps;
    path = ToGxds(path_of_call);
  }

  // The memory for a Front. Valid once the RPC has been routed.
  void* front() { return front_; }

 private:
  static constexpr size_t kFrontSize =
      (sizeof(Front) + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);

  static RoutedCall& Of(gxds_call* call) { return *static_cast<RoutedCall*>(call); }
  static bool Header(gxds_call* call, gxds_str name, gxds_str* value) {
    RoutedCall& c = Of(call);
    if (!c.buffer_.has_value()) c.buffer_.emplace();
    auto found = c.args_.initial_metadata->GetStringValue(ToAbsl(name), &*c.buffer_);
    if (found.has_value()) *value = ToGxds(*found);
    return found.has_value();
  }
  static void AddHeader(gxds_call* call, gxds_str name, gxds_str value) {
    grpc_xds::AddHeader(Of(call).args_.initial_metadata, name, value);
  }
  static void* Alloc(gxds_call* call, size_t size) {
    RoutedCall& c = Of(call);
    c.front_ = c.args_.arena->Alloc(kFrontSize + size);
    return static_cast<char*>(c.front_) + kFrontSize;
  }

  static constexpr gxds_call_ops kOps = {Header, AddHeader, Alloc};

  const Args& args_;
  void* front_ = nullptr;
  Optional<std::string> buffer_;  // made when it is first needed
};

using ConfigOfChannel = grpc_core::internal::ClientChannelMethodParsedConfig;

struct MethodConfig {
  grpc_core::RefCountedPtr<grpc_core::ServiceConfig> service_config;  // null: refused
  const grpc_core::ServiceConfigParser::ParsedConfigVector* parsed = nullptr;
  ConfigOfChannel* of_channel = nullptr;  // a part of `parsed`
};

// The base of the selector of each version of gRPC.
class ConfigSelectorInC : public grpc_core::ConfigSelector {
 public:
  // The arguments are those of ToHost() in resolver.h. If `before` has an equal method config, that
  // one is used again.
  ConfigSelectorInC(gxds_config_selector* selector, const grpc_core::ChannelArgs& args,
                    const grpc_core::ConfigSelector* before);
  ~ConfigSelectorInC() override { gxds_config_selector_unref(selector_); }

  bool Equals(const ConfigSelector* other) const override {
    return selector_ == static_cast<const ConfigSelectorInC*>(other)->selector_;
  }

 protected:
  gxds_config_selector* const selector_;
  std::vector<MethodConfig> method_configs_;  // indexed by their numbers
};

// Prepares a method config that no RPC uses yet. Each version of gRPC has its own function.
void PrepareMethodConfig(ConfigOfChannel* config);

}  // namespace grpc_xds

#endif
