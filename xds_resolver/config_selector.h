// The ConfigSelector of an xds: channel: routes each RPC by a gxds_selector.
#ifndef GRPC_XDS_XDS_RESOLVER_CONFIG_SELECTOR_H_
#define GRPC_XDS_XDS_RESOLVER_CONFIG_SELECTOR_H_

#include <grpc/support/port_platform.h>

#include <utility>
#include <vector>

#include "src/core/ext/filters/client_channel/config_selector.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/service_config/service_config.h"
#include "xds_resolver/selector.h"

namespace grpc_xds {

class XdsConfigSelector : public grpc_core::ConfigSelector {
 public:
  // Takes the reference. args: for the parsers of method configs.
  XdsConfigSelector(const gxds_selector* take_selector, const grpc_core::ChannelArgs& args);
  ~XdsConfigSelector() override;

  const char* name() const override { return "grpc_xds.XdsConfigSelector"; }
  // The resolver makes a new C object only when it would choose differently.
  bool Equals(const grpc_core::ConfigSelector* other) const override {
    return selector_ == static_cast<const XdsConfigSelector*>(other)->selector_;
  }
  CallConfig GetCallConfig(GetCallConfigArgs args) override;

  const gxds_selector* selector() const { return selector_; }

 private:
  grpc_core::RefCountedPtr<grpc_core::ServiceConfig> MethodConfig(gxds_duration timeout) const;

  const gxds_selector* const selector_;
  // A method config for each timeout that a route has, ascending.
  std::vector<std::pair<gxds_duration, grpc_core::RefCountedPtr<grpc_core::ServiceConfig>>>
      method_configs_;
};

}  // namespace grpc_xds

#endif
