#include "host/grpc_1_51/config_selector.h"

#include <grpc/support/port_platform.h>

#include <atomic>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "base/random.h"
#include "host/grpc_1_51/attributes.h"
#include "resources/http_filters.h"
#include "src/core/ext/filters/client_channel/client_channel_service_config.h"
#include "src/core/ext/xds/xds_http_fault_filter.h"
#include "src/core/lib/gprpp/no_destruct.h"
#include "src/core/lib/gprpp/time.h"
#include "src/core/lib/resource_quota/arena.h"
#include "src/core/lib/service_config/service_config_impl.h"
#include "src/core/lib/slice/slice_internal.h"
#include "src/core/lib/transport/metadata_batch.h"

namespace grpc_xds {
namespace {

using grpc_core::ChannelArgs;
using grpc_core::ConfigSelector;
using grpc_core::Duration;
using grpc_core::RefCountedPtr;
using grpc_core::ServiceConfig;
using grpc_core::internal::ClientChannelMethodParsedConfig;
using grpc_core::internal::ClientChannelServiceConfigParser;

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

// Zero is "not seeded yet": an initialiser would have a guard, which every RPC would look up as
// well.
gxds_random* ThreadRandom() {
  thread_local gxds_random random = {0};
  if (random.state == 0) random.state = gxds_random_seed();
  return &random;
}

// What the routes may ask of an RPC's metadata.
struct Metadata {
  grpc_metadata_batch* batch;
  absl::optional<std::string> buffer;  // made when it is first needed
};

bool GetHeader(void* arg, gxds_str name, gxds_str* value) {
  auto* metadata = static_cast<Metadata*>(arg);
  if (!metadata->buffer.has_value()) metadata->buffer.emplace();
  auto found = metadata->batch->GetStringValue(ToAbsl(name), &*metadata->buffer);
  if (!found.has_value()) return false;
  *value = ToGxds(*found);
  return true;
}

const grpc_core::XdsHttpFilterImpl& FaultFilter() {
  static const grpc_core::NoDestruct<grpc_core::XdsHttpFaultFilter> filter;
  return *filter;
}

// A33: the percentage of aborts has a header whose name is another where there is no plugin.
// Programs that use that name go on: the fault filter reads one header, so it is given the value
// under both.
void TakeHostsNameOfAbortPercentage(grpc_metadata_batch* batch) {
  std::string buffer;
  if (batch->GetStringValue(GXDS_ABORT_PERCENTAGE_HEADER, &buffer).has_value()) return;
  auto found = batch->GetStringValue("x-envoy-fault-abort-percentage", &buffer);
  if (!found.has_value()) return;
  const std::string value(*found);  // it moves when another is added
  batch->Append(GXDS_ABORT_PERCENTAGE_HEADER, grpc_core::Slice::FromCopiedString(value),
                [](absl::string_view, const grpc_core::Slice&) {});
}

// Sets the timeout of a method config for the RPC that is being routed. The channel reads it at
// once, under the lock that it routes with, and nobody else does: so each RPC has one of its own,
// and nothing is parsed again.
void SetTimeout(ClientChannelMethodParsedConfig* config, Duration timeout);

// The host has no way to set it; an explicit instantiation may name what is private.
template <Duration ClientChannelMethodParsedConfig::*kTimeout>
struct TimeoutSetter {
  friend void SetTimeout(ClientChannelMethodParsedConfig* config, Duration timeout) {
    __atomic_store(&(config->*kTimeout), &timeout, __ATOMIC_RELAXED);
  }
};
template struct TimeoutSetter<&ClientChannelMethodParsedConfig::timeout_>;

}  // namespace

XdsConfigSelector::XdsConfigSelector(const gxds_selector* take_selector, uint64_t channel_id,
                                     std::string authority, const ChannelArgs& args,
                                     const XdsConfigSelector* before)
    : selector_(take_selector),
      authority_(std::move(authority)),
      channel_{channel_id, ToGxds(authority_)},
      client_channel_parser_(ClientChannelServiceConfigParser::ParserIndex()) {
  const gxds_method_configs* texts = gxds_selector_method_configs(selector_);
  const gxds_method_configs* old_texts =
      before == nullptr ? nullptr : gxds_selector_method_configs(before->selector_);
  const ChannelArgs parser_args = FaultFilter().ModifyChannelArgs(args);
  for (size_t i = 0; i < gxds_method_configs_count(texts); ++i) {
    gxds_str text = gxds_method_configs_text(texts, i);
    size_t old =
        old_texts == nullptr ? GXDS_NO_METHOD_CONFIG : gxds_method_configs_find(old_texts, text);
    method_configs_.push_back(old == GXDS_NO_METHOD_CONFIG
                                  ? grpc_core::ServiceConfigImpl::Create(parser_args, ToAbsl(text))
                                  : before->method_configs_[old]);
  }
  has_faults_ = !XdsConfigSelector::GetFilters().empty();
}

XdsConfigSelector::~XdsConfigSelector() { gxds_selector_destroy(selector_); }

std::vector<const grpc_channel_filter*> XdsConfigSelector::GetFilters() {
  std::vector<const grpc_channel_filter*> filters;
  size_t count = 0;
  const gxds_http_filter* configured = gxds_selector_filters(selector_, &count);
  for (size_t i = 0; i < count; ++i) {
    if (configured[i].kind == GXDS_HTTP_FILTER_FAULT) {
      filters.push_back(FaultFilter().channel_filter());
    }
  }
  return filters;
}

ConfigSelector::CallConfig XdsConfigSelector::GetCallConfig(GetCallConfigArgs args) {
  CallConfig result;
  Metadata metadata = {args.initial_metadata, absl::nullopt};
  gxds_route_request request = {ToGxds(grpc_core::StringViewFromSlice(*args.path)), GetHeader,
                                &metadata, ThreadRandom, &channel_};
  gxds_selection selection = gxds_selector_select(selector_, &request);
  if (selection.error.size > 0) {
    result.status = absl::UnavailableError(ToAbsl(selection.error));
    return result;
  }
  if (has_faults_) TakeHostsNameOfAbortPercentage(args.initial_metadata);
  if (selection.method_config != GXDS_NO_METHOD_CONFIG) {
    const MethodConfig& config = method_configs_[selection.method_config];
    if (!config.ok()) {
      gxds_cluster_ref_release(selection.cluster);
      result.status = absl::UnavailableError(
          absl::StrCat("the route's method config: ", config.status().message()));
      return result;
    }
    result.service_config = *config;
    result.method_configs = result.service_config->GetMethodParsedConfigVector(grpc_empty_slice());
    if (selection.timeout != 0) {
      SetTimeout(static_cast<ClientChannelMethodParsedConfig*>(
                     (*result.method_configs)[client_channel_parser_].get()),
                 Duration::Milliseconds(selection.timeout / GXDS_MILLISECOND));
    }
  }
  absl::string_view cluster = ToAbsl(gxds_cluster_ref_name(selection.cluster));
  char* memory = static_cast<char*>(
      args.arena->Alloc(sizeof(DispatchController) + ClusterAttributeSize(cluster)));
  result.call_dispatch_controller = new (memory) DispatchController(selection.cluster);
  RoutedCall call = {gxds_cluster_ref_id(selection.cluster), selection.has_hash, selection.hash};
  result.call_attributes.emplace(
      ClusterAttributeName(), ClusterAttribute(memory + sizeof(DispatchController), cluster, call));
  return result;
}

}  // namespace grpc_xds
