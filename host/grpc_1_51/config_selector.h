// The ConfigSelector of an xds: channel: routes each RPC by a gxds_selector.
#ifndef GRPC_XDS_HOST_GRPC_1_51_CONFIG_SELECTOR_H_
#define GRPC_XDS_HOST_GRPC_1_51_CONFIG_SELECTOR_H_

#include <grpc/support/port_platform.h>
#include <stdint.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "src/core/ext/filters/client_channel/config_selector.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/service_config/service_config.h"
#include "xds_resolver/selector.h"

namespace grpc_xds {

class XdsConfigSelector : public grpc_core::ConfigSelector {
 public:
  // Takes the reference. channel_id: a random number of the channel's. authority: the channel's.
  // args: for the parsers of method configs. before: the selector that this one follows, whose
  // method configs it goes on with where they say the same; null: none.
  XdsConfigSelector(const gxds_selector* take_selector, uint64_t channel_id, std::string authority,
                    const grpc_core::ChannelArgs& args, const XdsConfigSelector* before);
  ~XdsConfigSelector() override;

  const char* name() const override { return "grpc_xds.XdsConfigSelector"; }
  // The resolver makes a new C object only when it would choose differently.
  bool Equals(const grpc_core::ConfigSelector* other) const override {
    return selector_ == static_cast<const XdsConfigSelector*>(other)->selector_;
  }
  CallConfig GetCallConfig(GetCallConfigArgs args) override;
  std::vector<const grpc_channel_filter*> GetFilters() override;

  const gxds_selector* selector() const { return selector_; }

 private:
  using MethodConfig = absl::StatusOr<grpc_core::RefCountedPtr<grpc_core::ServiceConfig>>;

  const gxds_selector* const selector_;
  const std::string authority_;
  const gxds_route_channel channel_;
  const size_t client_channel_parser_;
  std::vector<MethodConfig> method_configs_;  // by their numbers
  bool has_faults_ = false;                   // the listener has a fault filter
};

}  // namespace grpc_xds

#endif
