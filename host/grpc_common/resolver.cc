#include "host/grpc_common/resolver.h"

#include <grpc/event_engine/event_engine.h>
#include <grpc/support/log.h>
#include <grpc/support/port_platform.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/check.h"
#include "host/grpc_common/convert.h"
#include "host/grpc_common/core_resolver.h"
#include "host/grpc_common/hand_over.h"
#include "host/host_get.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/event_engine/default_event_engine.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/lib/iomgr/pollset_set.h"
#include "src/core/lib/surface/completion_queue.h"
#include "transport/reactor.h"

namespace grpc_xds {
namespace {

using grpc_core::ChannelArgs;
using grpc_core::RefCountedPtr;
using grpc_core::ServiceConfig;
using grpc_core::ServiceConfigImpl;
using grpc_core::URI;
using grpc_core::channelz::ChannelNode;
using grpc_event_engine::experimental::EventEngine;

constexpr char kBootstrapArg[] = "grpc.TEST_ONLY_DO_NOT_USE_IN_PROD.xds_bootstrap_config";

void Log(gxds_resolver_severity severity, gxds_str line) {
  gpr_log(__FILE__, __LINE__,
          severity == GXDS_RESOLVER_ERROR ? GPR_LOG_SEVERITY_ERROR : GPR_LOG_SEVERITY_INFO, "%.*s",
          GXDS_STR_ARG(line));
}

// The string argument of that name; null if there is none. Borrowed: valid as long as args.
const char* StringIn(const ChannelArgs& args, const char* name) {
  const auto value = args.GetString(name);
  return value.has_value() ? value->data() : nullptr;
}

class ResolverInC : public grpc_core::Resolver {
 public:
  ResolverInC(const gxds_resolver_type* type, grpc_core::ResolverArgs args)
      : type_(type),
        work_serializer_(std::move(args.work_serializer)),
        result_handler_(std::move(args.result_handler)),
        polled_(args.pollset_set),
        args_(ArgsOfResolver(std::move(args.args))),
        uri_(std::move(args.uri)),
        uri_text_(uri_.ToString()),
        authority_(uri_.authority()) {
    static const gxds_resolver_channel_ops kOps = {Report, HasTrace, AddEvent, Log, TracesResolver};
    channel_.ops = &kOps;
    channel_.resolver_id = channel_.resolver = this;
    gxds_resolver_target target = {};
    target.uri = ToGxds(uri_text_);
    target.authority = ToGxds(authority_);
    target.path = ToGxds(uri_.path());
    target.data_plane_authority = StringIn(args_, GRPC_ARG_DEFAULT_AUTHORITY);
    target.bootstrap_json = StringIn(args_, kBootstrapArg);
    target.args = &args_;
    target.services = gxds_host_get();
    self_ = type_->create(&channel_, &target);
  }
  ~ResolverInC() override { type_->destroy(self_); }

  void StartLocked() override;
  void ShutdownLocked() override {
    BeforeShutdown();
    type_->shutdown(self_);
    selector_.reset();
    given_.TakeBack();
  }
  void RequestReresolutionLocked() override { type_->reresolve(self_); }
  void ResetBackoffLocked() override { type_->reset_backoff(self_); }

 private:
  struct Channel : gxds_resolver_channel {
    ResolverInC* resolver;
  };
  // Keeps the resolver for the reactor.
  struct Link : gxds_resolver_link {
    RefCountedPtr<ResolverInC> resolver;
    std::shared_ptr<EventEngine> engine;
    ChannelArgs::CPtr args;
    unsigned made_in;                   // the reactor's generation when the link was made
    grpc_pollset* polled_by = nullptr;  // only on the reactor
  };

  static ResolverInC* Of(gxds_resolver_channel* channel) {
    return static_cast<Channel*>(channel)->resolver;
  }
  static void Report(gxds_resolver_channel* channel, const gxds_resolution* resolution);
  static bool HasTrace(gxds_resolver_channel* channel) {
    return Of(channel)->args_.GetObject<ChannelNode>() != nullptr;
  }
  static void AddEvent(gxds_resolver_channel* channel, gxds_resolver_severity severity,
                       gxds_str line) {
    grpc_xds::AddEvent(Of(channel)->args_.GetObject<ChannelNode>(), severity, line);
  }

  static void Poll(void* arg);
  static void Schedule(gxds_resolver_link* link);
  static void Gone(gxds_resolver_link* link);

  const gxds_resolver_type* const type_;
  const std::shared_ptr<grpc_core::WorkSerializer> work_serializer_;
  const std::unique_ptr<ResultHandler> result_handler_;
  grpc_pollset_set* const polled_;  // the channel's set; result_handler_ keeps it alive
  const ChannelArgs args_;
  const URI uri_;
  const std::string uri_text_;
  const std::string authority_;
  Channel channel_ = {};
  void* self_;

  // Under the serializer: what the resolver reported last.
  const char* service_config_text_ = nullptr;
  RefCountedPtr<ServiceConfig> service_config_;
  const gxds_config_selector* selector_in_c_ = nullptr;
  RefCountedPtr<grpc_core::ConfigSelector> selector_;
  GivenConfig given_;
};

void ResolverInC::StartLocked() {
  BeforeStart();
  auto link = std::make_unique<Link>();
  link->schedule = Schedule;
  link->gone = Gone;
  link->resolver.reset(static_cast<ResolverInC*>(Ref().release()));
  link->engine = grpc_event_engine::experimental::GetDefaultEventEngine();
  // If the args have no bootstrap, the host reads these arguments from a global, which only its
  // tests set.
  link->args =
      ChannelArgs::FromC(args_.GetPointer<grpc_channel_args>(
                             GRPC_ARG_TEST_ONLY_DO_NOT_USE_IN_PROD_XDS_CLIENT_CHANNEL_ARGS))
          .ToC();
  link->client_args = link->args.get();
  link->made_in = gxds_reactor_generation();
  if (!type_->start(self_, link.get())) return;
  Link* left = link.release();  // the link lives until Gone()
  if (kReactorPolls) gxds_reactor_post(Poll, left);
}

// With GRPC_POLL_STRATEGY=poll, a thread that waits in the host polls only the sockets that are
// registered for it. Without this, a connection that no RPC waits for, because other connections
// serve or all RPCs fail, would not be polled. So the channel's sockets are registered for the
// reactor, which then waits inside the host (transport/waiter.h). With other strategies this has no
// effect.
void ResolverInC::Poll(void* arg) {
  auto* link = static_cast<Link*>(arg);
  link->polled_by = grpc_cq_pollset(gxds_reactor_cq());
  grpc_core::ExecCtx exec_ctx;
  grpc_pollset_set_add_pollset(link->resolver->polled_, link->polled_by);
}

// The reactor must not run the channel's work, so a thread of the event engine runs it.
void ResolverInC::Schedule(gxds_resolver_link* base) {
  auto* link = static_cast<Link*>(base);
  HandOver(link->engine.get(), [self = link->resolver]() mutable {
    ResolverInC* resolver = self.get();
    resolver->work_serializer_->Run([self = std::move(self)] { self->type_->drain(self->self_); },
                                    DEBUG_LOCATION);
  });
}

void ResolverInC::Gone(gxds_resolver_link* base) {
  auto* link = static_cast<Link*>(base);
  if (link->polled_by != nullptr) {
    grpc_core::ExecCtx exec_ctx;
    grpc_pollset_set_del_pollset(link->resolver->polled_, link->polled_by);
  }
  // In the child of a fork the link's engine runs nothing, and the exit of the process would wait
  // for the work.
  if (link->made_in != gxds_reactor_generation()) return;
  std::shared_ptr<EventEngine> engine = link->engine;
  // The link may hold the last reference to the resolver, and so to its channel.
  HandOver(engine.get(),
           [link] { delete link; });  // NOLINT(clang-analyzer-core.StackAddressEscape)
}

void ResolverInC::Report(gxds_resolver_channel* channel, const gxds_resolution* resolution) {
  ResolverInC* self = Of(channel);
  Result result;
  if (resolution->failure.code != GXDS_OK) {
    result.addresses = ToAbsl(resolution->failure);
    result.service_config = ToAbsl(resolution->failure);
  } else {
    result.addresses.emplace();
    if (self->service_config_text_ != resolution->service_config) {
      auto config = ServiceConfigImpl::Create(self->args_, resolution->service_config);
      GXDS_CHECK(config.ok());
      self->service_config_ = *std::move(config);
      self->service_config_text_ = resolution->service_config;
    }
    result.service_config = self->service_config_;
    result.resolution_note = std::string(ToAbsl(resolution->note));
  }
  result.args = self->given_.Give(self->args_, resolution->snapshot, resolution->mailbox);
  if (resolution->selector == nullptr) {
    self->selector_.reset();
  } else if (self->selector_ == nullptr || self->selector_in_c_ != resolution->selector) {
    self->selector_ = ToHost(resolution->selector, self->args_, self->selector_.get());
  }
  self->selector_in_c_ = resolution->selector;
  if (self->selector_ != nullptr) result.args = result.args.SetObject(self->selector_);
  self->result_handler_->ReportResult(std::move(result));
}

class FactoryInC : public grpc_core::ResolverFactory {
 public:
  explicit FactoryInC(const gxds_resolver_type* type) : type_(type) {}

  absl::string_view scheme() const override { return type_->scheme; }

  bool IsValidUri(const URI& uri) const override {
    const char* why = type_->check(ToGxds(uri.path()));
    if (why != nullptr) gpr_log(GPR_ERROR, "grpc_xds: %s: %s", why, uri.ToString().c_str());
    return why == nullptr;
  }

  std::string GetDefaultAuthority(const URI& uri) const override {
    gxds_str authority = type_->default_authority(ToGxds(uri.path()));
    std::string copy(ToAbsl(authority));
    gxds_str_free(&authority);
    return copy;
  }

  grpc_core::OrphanablePtr<grpc_core::Resolver> CreateResolver(
      grpc_core::ResolverArgs args) const override {
    if (!IsValidUri(args.uri)) return nullptr;
    return grpc_core::MakeOrphanable<ResolverInC>(type_, std::move(args));
  }

 private:
  const gxds_resolver_type* const type_;
};

}  // namespace

void RegisterResolverInC(grpc_core::CoreConfiguration::Builder* builder,
                         const gxds_resolver_type* type) {
  builder->resolver_registry()->RegisterResolverFactory(std::make_unique<FactoryInC>(type));
}

}  // namespace grpc_xds
