#include "host/grpc_1_51/xds_resolver.h"

#include <grpc/event_engine/event_engine.h>
#include <grpc/support/log.h>
#include <grpc/support/port_platform.h>
#include <inttypes.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/random.h"
#include "bootstrap/bootstrap.h"
#include "host/grpc_1_51/attributes.h"
#include "host/grpc_1_51/child_of_fork.h"
#include "host/grpc_1_51/config_selector.h"
#include "host/grpc_1_51/hand_over.h"
#include "host/grpc_1_51/host.h"
#include "src/core/ext/xds/xds_channel_args.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/channel/channel_trace.h"
#include "src/core/lib/channel/channelz.h"
#include "src/core/lib/debug/trace.h"
#include "src/core/lib/event_engine/default_event_engine.h"
#include "src/core/lib/gprpp/work_serializer.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/lib/iomgr/pollset_set.h"
#include "src/core/lib/resolver/resolver.h"
#include "src/core/lib/resolver/resolver_factory.h"
#include "src/core/lib/service_config/service_config_impl.h"
#include "src/core/lib/slice/slice_internal.h"
#include "src/core/lib/surface/completion_queue.h"
#include "src/core/lib/uri/uri_parser.h"
#include "transport/reactor.h"
#include "xds_resolver/config_change.h"
#include "xds_resolver/resolver.h"

namespace grpc_core {
// The host's: GRPC_TRACE=xds_resolver goes on working.
extern TraceFlag grpc_xds_resolver_trace;
}  // namespace grpc_core

namespace grpc_xds {
namespace {

using grpc_core::ChannelArgs;
using grpc_core::grpc_xds_resolver_trace;
using grpc_core::RefCountedPtr;
using grpc_core::ServiceConfig;
using grpc_core::ServiceConfigImpl;
using grpc_core::URI;
using grpc_event_engine::experimental::EventEngine;

// One text and one object for good: the host compares the text at each update, and parses it at
// each new object. What the policies do is in the snapshot.
constexpr char kServiceConfig[] =
    "{\"loadBalancingConfig\":[{\"xds_cluster_manager_experimental\":{}}]}";

constexpr char kBootstrapArg[] = "grpc.TEST_ONLY_DO_NOT_USE_IN_PROD.xds_bootstrap_config";

absl::string_view Path(const URI& uri) { return absl::StripPrefix(uri.path(), "/"); }

std::string DefaultAuthority(const URI& uri) {
  gxds_str authority = gxds_data_plane_authority(ToGxds(Path(uri)));
  std::string copy(authority.data, authority.size);
  gxds_str_free(&authority);
  return copy;
}

class XdsResolver : public grpc_core::Resolver {
 public:
  explicit XdsResolver(grpc_core::ResolverArgs args)
      : work_serializer_(std::move(args.work_serializer)),
        result_handler_(std::move(args.result_handler)),
        polled_(args.pollset_set),
        args_(WithForkGeneration(std::move(args.args))),
        uri_(std::move(args.uri)),
        channel_id_(gxds_random_seed()) {}

  ~XdsResolver() override { gxds_config_unref(config_); }

  void StartLocked() override;
  void ShutdownLocked() override;
  void RequestReresolutionLocked() override {
    if (resolver_ != nullptr) gxds_resolver_reresolve(resolver_);
  }
  void ResetBackoffLocked() override {
    if (resolver_ != nullptr) gxds_resolver_reset_backoff(resolver_);
  }

 private:
  // What the C side calls us by, until it is gone.
  struct Link {
    RefCountedPtr<XdsResolver> resolver;
    std::shared_ptr<EventEngine> engine;
    ChannelArgs::CPtr client_args;
    const unsigned made_in;             // a generation of the reactor
    grpc_pollset* polled_by = nullptr;  // on the reactor
  };

  static void Poll(void* arg);
  // On the reactor, which must not run the channel's work: the event engine does.
  static void Schedule(void* arg);
  static void Gone(void* arg);

  RefCountedPtr<XdsResolver> Self() {
    return RefCountedPtr<XdsResolver>(static_cast<XdsResolver*>(Ref().release()));
  }
  // What chooses the virtual host, and what RPCs are sent with unless they say otherwise.
  std::string Authority() const {
    return args_.GetOwnedString(GRPC_ARG_DEFAULT_AUTHORITY).value_or(DefaultAuthority(uri_));
  }
  void FillOptions(Link* link, gxds_resolver_options* options);
  void DrainLocked();
  void ReportConfigLocked(const gxds_resolver_update* update);
  void ReportFailureLocked(const gxds_status& failure);
  // For a line of the trace, which is on.
  void TraceSnapshotLocked(const gxds_config* after) const;
  // To channelz, unless the program does without.
  void AddTraceEvent(grpc_core::channelz::ChannelTrace::Severity severity,
                     absl::string_view message) const;
  void TellFaultsLocked(const gxds_config* after);

  const std::shared_ptr<grpc_core::WorkSerializer> work_serializer_;
  const std::unique_ptr<ResultHandler> result_handler_;
  grpc_pollset_set* const polled_;  // the channel's, which result_handler_ keeps
  const ChannelArgs args_;
  const URI uri_;
  const uint64_t channel_id_;

  // Under the serializer.
  gxds_resolver* resolver_ = nullptr;
  const gxds_config* config_ = nullptr;  // the last good one
  uint64_t config_count_ = 0;
  std::string failure_;  // the words that ended the use of a good one; empty: it is in use
  RefCountedPtr<ServiceConfig> service_config_;
  RefCountedPtr<XdsConfigSelector> selector_;
};

void XdsResolver::FillOptions(Link* link, gxds_resolver_options* options) {
  if (auto bootstrap = args_.GetString(kBootstrapArg); bootstrap.has_value()) {
    options->bootstrap_json = bootstrap->data();
  }
  // Without a bootstrap the host has these in a global, which only its tests can set.
  ChannelArgs args = ChannelArgs::FromC(args_.GetPointer<grpc_channel_args>(
      GRPC_ARG_TEST_ONLY_DO_NOT_USE_IN_PROD_XDS_CLIENT_CHANNEL_ARGS));
  link->client_args = args.ToC();
  options->args = link->client_args.get();
  auto timeout = args.GetInt(GRPC_ARG_XDS_RESOURCE_DOES_NOT_EXIST_TIMEOUT_MS);
  if (timeout.has_value()) {
    options->resource_timeout =
        std::max<gxds_duration>(1, std::max(0, *timeout) * GXDS_MILLISECOND);
  }
  options->host = gxds_host_get();
  options->channel_args = &args_;  // the link keeps us
  options->schedule = Schedule;
  options->gone = Gone;
  options->arg = link;
}

void XdsResolver::StartLocked() {
  const absl::string_view path = Path(uri_);
  std::string target = absl::StrCat("xds://", uri_.authority(), "/", path);
  const std::string authority = Authority();
  auto link =
      std::make_unique<Link>(Link{Self(), grpc_event_engine::experimental::GetDefaultEventEngine(),
                                  nullptr, gxds_reactor_generation()});
  gxds_resolver_options options = {};
  options.target = ToGxds(target);
  options.uri_authority = ToGxds(uri_.authority());
  options.uri_path = ToGxds(path);
  options.data_plane_authority = ToGxds(authority);
  FillOptions(link.get(), &options);
  if (GRPC_TRACE_FLAG_ENABLED(grpc_xds_resolver_trace)) {
    gpr_log(GPR_INFO, "[xds_resolver %p] started for %s, data plane authority %s", this,
            target.c_str(), authority.c_str());
  }
  gxds_status status = gxds_resolver_start(&options, &resolver_);
  if (gxds_status_is_ok(&status)) {
    gxds_reactor_post(Poll, link.release());  // which lives until Gone()
  } else {
    ReportFailureLocked(status);
  }
  gxds_status_fini(&status);
}

void XdsResolver::ShutdownLocked() {
  if (GRPC_TRACE_FLAG_ENABLED(grpc_xds_resolver_trace)) {
    gpr_log(GPR_INFO, "[xds_resolver %p] shut down", this);
  }
  RenewHostForChild();  // before the policies close their connections, which are the parent's
  if (resolver_ != nullptr) gxds_resolver_close(resolver_);
  resolver_ = nullptr;
  selector_.reset();
}

// Where the host polls no more than what somebody asks for (GRPC_POLL_STRATEGY=poll), a connection
// that no RPC waits for, while others serve or all fail, is nobody's. So the reactor asks for all
// of the channel's: it then waits inside the host (transport/waiter.h). Elsewhere without effect.
void XdsResolver::Poll(void* arg) {
  auto* link = static_cast<Link*>(arg);
  link->polled_by = grpc_cq_pollset(gxds_reactor_cq());
  grpc_core::ExecCtx exec_ctx;
  grpc_pollset_set_add_pollset(link->resolver->polled_, link->polled_by);
}

void XdsResolver::Schedule(void* arg) {
  auto* link = static_cast<Link*>(arg);
  HandOver(link->engine.get(), [self = link->resolver]() mutable {
    XdsResolver* resolver = self.get();
    resolver->work_serializer_->Run([self = std::move(self)] { self->DrainLocked(); },
                                    DEBUG_LOCATION);
  });
}

void XdsResolver::Gone(void* arg) {
  auto* link = static_cast<Link*>(arg);
  if (link->polled_by != nullptr) {
    grpc_core::ExecCtx exec_ctx;
    grpc_pollset_set_del_pollset(link->resolver->polled_, link->polled_by);
  }
  // In the child of a fork its engine runs nothing, and the end of the process would wait for it.
  if (link->made_in != gxds_reactor_generation()) return;
  std::shared_ptr<EventEngine> engine = link->engine;
  // Perhaps the last reference to the resolver, and to its channel.
  HandOver(engine.get(),
           [link] { delete link; });  // NOLINT(clang-analyzer-core.StackAddressEscape)
}

void XdsResolver::DrainLocked() {
  if (resolver_ == nullptr) return;  // shut down
  gxds_resolver_update* update = gxds_resolver_take(resolver_);
  if (update == nullptr) return;
  if (gxds_status_is_ok(&update->failure)) {
    ReportConfigLocked(update);
  } else {
    ReportFailureLocked(update->failure);
  }
  gxds_resolver_update_destroy(update);
}

void XdsResolver::TraceSnapshotLocked(const gxds_config* after) const {
  gxds_text change = {};
  gxds_config_describe_change(config_, after, &change);
  gpr_log(GPR_INFO, "[xds_resolver %p] snapshot %" PRIu64 " (%p): %s", this, config_count_, after,
          change.data);
  gxds_text_fini(&change);
}

void XdsResolver::AddTraceEvent(grpc_core::channelz::ChannelTrace::Severity severity,
                                absl::string_view message) const {
  auto* node = args_.GetObject<grpc_core::channelz::ChannelNode>();
  if (node == nullptr) return;
  message = message.substr(
      0, gxds_fault_size(gxds_str_of(message.data(), message.size()), GXDS_FAULTS_BYTES_MAX));
  node->AddTraceEvent(severity, grpc_slice_from_cpp_string(absl::StrCat("xDS: ", message)));
}

void XdsResolver::TellFaultsLocked(const gxds_config* after) {
  using grpc_core::channelz::ChannelTrace;
  if (args_.GetObject<grpc_core::channelz::ChannelNode>() == nullptr) return;
  if (!failure_.empty()) {
    AddTraceEvent(ChannelTrace::Info, "listener and routes are well again");
    failure_.clear();
  }
  gxds_text faults = {};
  const gxds_fault worst = gxds_config_describe_faults(config_, after, &faults);
  const absl::string_view words(faults.data, faults.size);
  switch (worst) {
    case GXDS_FAULT_NONE:
      break;
    case GXDS_FAULT_OVER:
      AddTraceEvent(ChannelTrace::Info, words);
      break;
    case GXDS_FAULT_AMBIENT:
      AddTraceEvent(ChannelTrace::Warning, words);
      break;
    case GXDS_FAULT_UNUSABLE:
      AddTraceEvent(ChannelTrace::Error, words);
      break;
  }
  gxds_text_fini(&faults);
}

void XdsResolver::ReportConfigLocked(const gxds_resolver_update* update) {
  ++config_count_;
  if (GRPC_TRACE_FLAG_ENABLED(grpc_xds_resolver_trace)) TraceSnapshotLocked(update->config);
  TellFaultsLocked(update->config);
  gxds_config_unref(config_);
  config_ = gxds_config_ref(update->config);
  if (service_config_ == nullptr) {
    auto service_config = ServiceConfigImpl::Create(args_, kServiceConfig);
    GPR_ASSERT(service_config.ok());
    service_config_ = std::move(*service_config);
  }
  if (selector_ == nullptr ||
      !gxds_selector_fits(selector_->selector(), update->config, update->clusters)) {
    selector_ = grpc_core::MakeRefCounted<XdsConfigSelector>(
        gxds_selector_create(update->config, update->clusters, gxds_host_get()), channel_id_,
        Authority(), args_, selector_.get());
    if (GRPC_TRACE_FLAG_ENABLED(grpc_xds_resolver_trace)) {
      gpr_log(GPR_INFO, "[xds_resolver %p] config selector %p: made of snapshot %" PRIu64, this,
              selector_.get(), config_count_);
    }
  }
  Result result;
  result.addresses.emplace();
  result.service_config = service_config_;
  result.args = WithConfig(args_, config_, gxds_resolver_mailbox(resolver_)).SetObject(selector_);
  result_handler_->ReportResult(std::move(result));
}

void XdsResolver::ReportFailureLocked(const gxds_status& failure) {
  absl::Status status = ToAbsl(failure);
  gxds_text line = {};
  gxds_text_add_printable(&line, ToGxds(status.ToString()));
  gpr_log(GPR_ERROR, "grpc_xds: [channel %s] %s", uri_.ToString().c_str(), line.data);
  gxds_text_fini(&line);
  selector_.reset();
  Result result;
  result.args = args_;
  if (config_ == nullptr) {
    result.addresses = status;
    result.service_config = std::move(status);
  } else {
    // (Before there is anything to lose, the host itself tells the error to channelz.)
    failure_ = std::string(status.message());
    AddTraceEvent(grpc_core::channelz::ChannelTrace::Error, failure_);
    // On an error the channel would go on with what it has. An empty config and no addresses end
    // that: its default policy fails all RPCs, and tells the note.
    result.addresses.emplace();
    result.service_config = ServiceConfigImpl::Create(args_, "{}");
    result.resolution_note = std::string(status.message());
  }
  result_handler_->ReportResult(std::move(result));
}

class XdsResolverFactory : public grpc_core::ResolverFactory {
 public:
  absl::string_view scheme() const override { return "xds"; }

  bool IsValidUri(const URI& uri) const override {
    if (!uri.path().empty() && uri.path().back() != '/') return true;
    gpr_log(GPR_ERROR, "grpc_xds: URI path does not contain valid data plane authority: %s",
            uri.ToString().c_str());
    return false;
  }

  std::string GetDefaultAuthority(const URI& uri) const override { return DefaultAuthority(uri); }

  grpc_core::OrphanablePtr<grpc_core::Resolver> CreateResolver(
      grpc_core::ResolverArgs args) const override {
    if (!IsValidUri(args.uri)) return nullptr;
    return grpc_core::MakeOrphanable<XdsResolver>(std::move(args));
  }
};

}  // namespace

void RegisterXdsResolver(grpc_core::CoreConfiguration::Builder* builder) {
  builder->resolver_registry()->RegisterResolverFactory(std::make_unique<XdsResolverFactory>());
}

}  // namespace grpc_xds
