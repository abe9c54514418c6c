#include "xds_resolver/config_selector.h"

#include <grpc/support/log.h>
#include <grpc/support/port_platform.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <string>

#include "absl/strings/str_format.h"
#include "lb_policies/attributes/attributes.h"
#include "src/core/ext/filters/client_channel/resolver/xds/xds_resolver.h"
#include "src/core/lib/resource_quota/arena.h"
#include "src/core/lib/service_config/service_config_impl.h"
#include "src/core/lib/slice/slice_internal.h"
#include "src/core/lib/transport/metadata_batch.h"

namespace grpc_xds {
namespace {

using grpc_core::ChannelArgs;
using grpc_core::ConfigSelector;
using grpc_core::RefCountedPtr;
using grpc_core::ServiceConfig;

// Holds an RPC's cluster until it is committed. The host calls Commit() from several places, some
// of them under its locks, and never destroys the controller.
class DispatchController : public ConfigSelector::CallDispatchController {
 public:
  explicit DispatchController(gxds_cluster_ref* take_cluster) : cluster_(take_cluster) {}

  bool ShouldRetry() override { return true; }
  void Commit() override {
    gxds_cluster_ref* cluster = cluster_.exchange(nullptr, std::memory_order_acq_rel);
    if (cluster != nullptr) gxds_cluster_ref_release(cluster);
  }

 private:
  std::atomic<gxds_cluster_ref*> cluster_;
};

gxds_random* ThreadRandom() {
  thread_local gxds_random random = [] {
    std::random_device device;
    return gxds_random{(uint64_t{device()} << 32) | device()};
  }();
  return &random;
}

// What the routes may ask of an RPC's metadata.
struct Metadata {
  grpc_metadata_batch* batch;
  std::string buffer;
};

bool GetHeader(void* arg, gxds_str name, gxds_str* value) {
  auto* metadata = static_cast<Metadata*>(arg);
  auto found = metadata->batch->GetStringValue(ToAbsl(name), &metadata->buffer);
  if (!found.has_value()) return false;
  *value = ToGxds(*found);
  return true;
}

RefCountedPtr<ServiceConfig> MakeMethodConfig(const ChannelArgs& args, gxds_duration timeout) {
  std::string json =
      absl::StrFormat("{\"methodConfig\":[{\"name\":[{}],\"timeout\":\"%d.%09ds\"}]}",
                      timeout / GXDS_SECOND, timeout % GXDS_SECOND);
  auto config = grpc_core::ServiceConfigImpl::Create(args, json);
  GPR_ASSERT(config.ok());
  return std::move(*config);
}

}  // namespace

XdsConfigSelector::XdsConfigSelector(const gxds_selector* take_selector, const ChannelArgs& args)
    : selector_(take_selector) {
  size_t count = 0;
  const gxds_duration* timeouts = gxds_selector_timeouts(selector_, &count);
  for (size_t i = 0; i < count; i++) {
    method_configs_.emplace_back(timeouts[i], MakeMethodConfig(args, timeouts[i]));
  }
}

XdsConfigSelector::~XdsConfigSelector() { gxds_selector_unref(selector_); }

RefCountedPtr<ServiceConfig> XdsConfigSelector::MethodConfig(gxds_duration timeout) const {
  auto it = std::lower_bound(
      method_configs_.begin(), method_configs_.end(), timeout,
      [](const auto& config, gxds_duration wanted) { return config.first < wanted; });
  return it->second;
}

ConfigSelector::CallConfig XdsConfigSelector::GetCallConfig(GetCallConfigArgs args) {
  CallConfig result;
  Metadata metadata = {args.initial_metadata, {}};
  gxds_route_request request = {ToGxds(grpc_core::StringViewFromSlice(*args.path)), GetHeader,
                                &metadata, ThreadRandom()};
  gxds_selection selection = gxds_selector_select(selector_, &request);
  if (selection.error != nullptr) {
    result.status = absl::UnavailableError(selection.error);
    return result;
  }
  if (selection.timeout > 0) {
    result.service_config = MethodConfig(selection.timeout);
    result.method_configs = result.service_config->GetMethodParsedConfigVector(grpc_empty_slice());
  }
  result.call_attributes[grpc_core::XdsClusterAttributeTypeName()] =
      ToAbsl(gxds_cluster_ref_name(selection.cluster));
  result.call_dispatch_controller = args.arena->New<DispatchController>(selection.cluster);
  return result;
}

}  // namespace grpc_xds
