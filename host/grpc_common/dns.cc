#include "host/grpc_common/services.h"

#include <grpc/support/port_platform.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "host/grpc_common/core.h"
#include "resources/endpoints.h"
#include "src/core/lib/iomgr/pollset_set.h"
#include "src/core/lib/surface/completion_queue.h"
#include "transport/reactor.h"

using grpc_core::ChannelArgs;
using grpc_core::ExecCtx;
using grpc_core::RefCountedPtr;
using grpc_core::Resolver;

// A DNS resolver of the host, with what it usually gets from a channel: a serializer, and a thread
// that polls its sockets. Here the reactor polls the sockets, through the completion queue that it
// waits on anyway.
//
// References are held by the caller that started it, until it is stopped; by the resolver's result
// handler, and so until the last query is over; and by results on their way to the reactor.
struct gxds_dns final : public grpc_core::RefCounted<gxds_dns> {
 public:
  gxds_dns(gxds_str name, ChannelArgs args, gxds_dns_result_fn on_result, void* arg)
      : name_(name.data, name.size), on_result_(on_result), arg_(arg), args_(std::move(args)) {
    gxds_reactor_acquire();
    grpc_pollset_set_add_pollset(pollset_set_, pollset_);
  }
  ~gxds_dns() override {
    ExecCtx exec_ctx;
    grpc_pollset_set_del_pollset(pollset_set_, pollset_);
    grpc_pollset_set_destroy(pollset_set_);
    gxds_reactor_release();
  }

  void Start() { InSerializer(&gxds_dns::StartLocked); }
  void Reresolve() { InSerializer(&gxds_dns::ReresolveLocked); }
  void Stop() {
    on_result_ = nullptr;
    InSerializer(&gxds_dns::StopLocked);
    Unref();
  }
  // Any thread.
  void Post(absl::Status status, std::vector<gxds_address> addresses) {
    gxds_reactor_post(Deliver, new Result{Ref(), std::move(status), std::move(addresses)});
  }

 private:
  struct Result {
    RefCountedPtr<gxds_dns> dns;
    absl::Status status;
    std::vector<gxds_address> addresses;
  };
  class ResultHandler;

  // Work that the resolver does at once runs here, on the reactor. It only sends queries.
  void InSerializer(void (gxds_dns::*what)()) {
    grpc_xds::CallbackExecCtx callback_exec_ctx;
    ExecCtx exec_ctx;
    serializer_->Run([self = Ref(), what] { (self.get()->*what)(); }, DEBUG_LOCATION);
  }
  void StartLocked();
  void ReresolveLocked() {
    if (resolver_ != nullptr) resolver_->RequestReresolutionLocked();
  }
  void StopLocked() { resolver_.reset(); }

  static void Deliver(void* result) {
    std::unique_ptr<Result> a(static_cast<Result*>(result));
    if (a->dns->on_result_ == nullptr) return;
    gxds_status status =
        a->status.ok()
            ? gxds_status_ok()
            : gxds_status_make(GXDS_UNAVAILABLE, "%s", std::string(a->status.message()).c_str());
    a->dns->on_result_(a->dns->arg_, a->addresses.data(), a->addresses.size(), &status);
    gxds_status_fini(&status);
  }

  const std::string name_;
  grpc_pollset* const pollset_ = grpc_cq_pollset(gxds_reactor_cq());
  grpc_pollset_set* const pollset_set_ = grpc_pollset_set_create();
  const std::shared_ptr<grpc_core::WorkSerializer> serializer_ = grpc_xds::MakeSerializer();
  // Confined to the reactor:
  gxds_dns_result_fn on_result_;  // null: stopped
  void* const arg_;
  // Confined to the serializer:
  ChannelArgs args_;
  grpc_core::OrphanablePtr<Resolver> resolver_;
};

class gxds_dns::ResultHandler : public Resolver::ResultHandler {
 public:
  explicit ResultHandler(RefCountedPtr<gxds_dns> dns) : dns_(std::move(dns)) {}

  // Reports whether the result could be used, as the LB policy does in a channel. After a failure,
  // or a result without addresses, the resolver tries again after a while.
  void ReportResult(Resolver::Result result) override {
    absl::Status health = result.addresses.status();
    if (health.ok()) {
      std::vector<gxds_address> addresses;
      for (const auto& address : *result.addresses) {
        gxds_address converted;
        if (gxds_address_of_sockaddr(address.address().addr, &converted)) {
          addresses.push_back(converted);
        }
      }
      if (addresses.empty()) health = absl::UnavailableError("empty address list");
      dns_->Post(absl::OkStatus(), std::move(addresses));
    } else {
      dns_->Post(health, {});
    }
    if (result.result_health_callback != nullptr) result.result_health_callback(health);
  }

 private:
  const RefCountedPtr<gxds_dns> dns_;
};

void gxds_dns::StartLocked() {
  std::string scheme = "dns";
  auto* fake = args_.GetPointer<grpc_core::FakeResolverResponseGenerator>(
      GRPC_ARG_XDS_LOGICAL_DNS_CLUSTER_FAKE_RESOLVER_RESPONSE_GENERATOR);
  if (fake != nullptr) {
    scheme = "fake";
    args_ = args_.SetObject(fake->Ref());
  }
  // A37: only addresses are needed.
  args_ = args_.Set(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, true)
              .Set(GRPC_ARG_DNS_ENABLE_SRV_QUERIES, false);
  resolver_ = grpc_core::CoreConfiguration::Get().resolver_registry().CreateResolver(
      absl::StrCat(scheme, ":///", grpc_core::URI::PercentEncodePath(name_)), args_, pollset_set_,
      serializer_, std::make_unique<ResultHandler>(Ref()));
  if (resolver_ != nullptr) return resolver_->StartLocked();
  Post(absl::UnavailableError(absl::StrCat("error creating DNS resolver for ", name_)), {});
}

namespace grpc_xds {

gxds_dns* DnsStart(gxds_str name, const void* args, gxds_dns_result_fn on_result, void* arg) {
  const auto* channel_args = static_cast<const ChannelArgs*>(args);
  auto* dns =
      new gxds_dns(name, channel_args != nullptr ? *channel_args : ChannelArgs(), on_result, arg);
  dns->Start();
  return dns;
}

void DnsReresolve(gxds_dns* dns) { dns->Reresolve(); }

void DnsStop(gxds_dns* dns) { dns->Stop(); }

}  // namespace grpc_xds
