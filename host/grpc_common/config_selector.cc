#include "host/grpc_common/config_selector.h"

#include <grpc/slice.h>

#include <utility>

namespace grpc_xds {
namespace {

// If the host cannot read the text, returns a config without service_config, and sets *why to the
// reason.
MethodConfig Parse(const grpc_core::ChannelArgs& args, gxds_str text, std::string* why) {
  MethodConfig out;
  auto config = grpc_core::ServiceConfigImpl::Create(args, ToAbsl(text));
  if (!config.ok()) {
    *why = std::string(config.status().message());
    return out;
  }
  out.service_config = *std::move(config);
  out.parsed = out.service_config->GetMethodParsedConfigVector(grpc_empty_slice());
  const size_t index = grpc_core::internal::ClientChannelServiceConfigParser::ParserIndex();
  out.of_channel = static_cast<ConfigOfChannel*>((*out.parsed)[index].get());
  PrepareMethodConfig(out.of_channel);
  return out;
}

}  // namespace

ConfigSelectorInC::ConfigSelectorInC(gxds_config_selector* selector,
                                     const grpc_core::ChannelArgs& args,
                                     const grpc_core::ConfigSelector* before)
    : selector_(gxds_config_selector_ref(selector)) {
  const auto* old = static_cast<const ConfigSelectorInC*>(before);
  for (size_t i = 0; i < selector_->method_config_count; ++i) {
    const gxds_str text = selector_->method_configs[i];
    const size_t found = old == nullptr ? GXDS_CALL_NO_METHOD_CONFIG
                                        : old->selector_->ops->find(old->selector_, text);
    if (found != GXDS_CALL_NO_METHOD_CONFIG &&
        old->method_configs_[found].service_config != nullptr) {
      method_configs_.push_back(old->method_configs_[found]);
      continue;
    }
    std::string why;
    method_configs_.push_back(Parse(args, text, &why));
    if (method_configs_[i].service_config == nullptr) {
      selector_->ops->refuse(selector_, i, ToGxds(why));
    }
  }
}

}  // namespace grpc_xds
