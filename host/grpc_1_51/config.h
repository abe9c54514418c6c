// Configs of policies in C, as the host passes them on. Any thread.
#ifndef GRPC_XDS_HOST_GRPC_1_51_CONFIG_H_
#define GRPC_XDS_HOST_GRPC_1_51_CONFIG_H_

#include <grpc/support/port_platform.h>

#include "absl/status/statusor.h"
#include "host/policy.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/json/json.h"
#include "src/core/lib/load_balancing/lb_policy.h"

namespace grpc_xds {

class ConfigInC : public grpc_core::LoadBalancingPolicy::Config {
 public:
  explicit ConfigInC(gxds_lb_config* take_config) : config_(take_config) {}
  ~ConfigInC() override { gxds_lb_config_unref(config_); }

  absl::string_view name() const override {
    return absl::string_view(config_->policy.data, config_->policy.size);
  }
  // Borrow: as long as this.
  gxds_lb_config* config() const { return config_; }

 private:
  gxds_lb_config* const config_;
};

// The config that the type makes of its JSON form.
absl::StatusOr<grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config>> ParseConfig(
    const gxds_policy_type* type, const grpc_core::Json& json);

// A config as policies in C pass it on. One reference, the caller's.
gxds_lb_config* ToC(grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config> config);
// The other way round. config: borrow.
grpc_core::RefCountedPtr<grpc_core::LoadBalancingPolicy::Config> ToHost(gxds_lb_config* config);

// Of the policies that the host has registered, those in C among them.
gxds_lb_config* ParseList(gxds_str json, gxds_status* why);

}  // namespace grpc_xds

#endif
