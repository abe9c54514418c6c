// ConfigSelectors in C, as the host has them: one class carries them all out.
#ifndef GRPC_XDS_HOST_GRPC_1_51_CONFIG_SELECTOR_H_
#define GRPC_XDS_HOST_GRPC_1_51_CONFIG_SELECTOR_H_

#include <grpc/support/port_platform.h>

#include <vector>

#include "host/config_selector.h"
#include "src/core/ext/filters/client_channel/config_selector.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/service_config/service_config.h"

namespace grpc_xds {

class ConfigSelectorInC : public grpc_core::ConfigSelector {
 public:
  // selector: a reference is taken. args: for the parsers of method configs. before: the one that
  // this follows; null: none.
  ConfigSelectorInC(gxds_config_selector* selector, const grpc_core::ChannelArgs& args,
                    const ConfigSelectorInC* before);
  ~ConfigSelectorInC() override { gxds_config_selector_unref(selector_); }

  const char* name() const override { return "grpc_xds.XdsConfigSelector"; }
  bool Equals(const grpc_core::ConfigSelector* other) const override {
    return selector_ == static_cast<const ConfigSelectorInC*>(other)->selector_;
  }
  CallConfig GetCallConfig(GetCallConfigArgs args) override;
  std::vector<const grpc_channel_filter*> GetFilters() override;

  const gxds_config_selector* selector() const { return selector_; }

 private:
  gxds_config_selector* const selector_;
  const size_t client_channel_parser_;
  // By their numbers; null: refused.
  std::vector<grpc_core::RefCountedPtr<grpc_core::ServiceConfig>> method_configs_;
};

}  // namespace grpc_xds

#endif
