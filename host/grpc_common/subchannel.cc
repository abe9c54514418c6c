#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/grpc_common/convert.h"
#include "host/grpc_common/policy.h"

namespace grpc_xds {

using grpc_core::LoadBalancingPolicy;
using grpc_core::RefCountedPtr;
using grpc_core::SubchannelInterface;

namespace {

class Watcher : public SubchannelInterface::ConnectivityStateWatcherInterface {
 public:
  Watcher(gxds_watch* watch, RefCountedPtr<LoadBalancingPolicy> policy)
      : watch_(watch), policy_(std::move(policy)) {}

  // State changes that the host has already scheduled still arrive, and are ignored.
  void Forget() { watch_ = nullptr; }

  // The call of the watch may destroy this watcher.
  void OnConnectivityStateChange(grpc_connectivity_state state, absl::Status status) override {
    if (watch_ == nullptr) return;
    const gxds_status view = View(status);
    watch_->on_state(watch_, state, &view);
  }
  grpc_pollset_set* interested_parties() override { return policy_->interested_parties(); }

 private:
  gxds_watch* watch_;
  const RefCountedPtr<LoadBalancingPolicy> policy_;
};

struct Subchannel : gxds_subchannel {
  RefCountedPtr<SubchannelInterface> inner;
  RefCountedPtr<LoadBalancingPolicy> policy;
};

Subchannel* Of(gxds_subchannel* subchannel) { return static_cast<Subchannel*>(subchannel); }

void Watch(gxds_subchannel* subchannel, gxds_watch* watch) {
  auto* s = Of(subchannel);
  auto watcher = std::make_unique<Watcher>(watch, s->policy);
  watch->subchannels = watcher.get();
  s->inner->WatchConnectivityState(std::move(watcher));
}

void Unwatch(gxds_subchannel* subchannel, gxds_watch* watch) {
  auto* watcher = static_cast<Watcher*>(watch->subchannels);
  watcher->Forget();
  Of(subchannel)->inner->CancelConnectivityStateWatch(watcher);
}

const gxds_subchannel_ops kOps = {
    [](gxds_subchannel* s) { delete Of(s); },
    Watch,
    Unwatch,
    [](gxds_subchannel* s) { Of(s)->inner->RequestConnection(); },
    [](gxds_subchannel* s) { Of(s)->inner->ResetBackoff(); },
    [](gxds_subchannel* s, gxds_load_listener* listener, gxds_duration interval) {
      ReportLoad(Of(s)->inner.get(), listener, interval);
    },
    nullptr,
};

class SubchannelInC : public SubchannelInterface {
 public:
  explicit SubchannelInC(gxds_subchannel* take_subchannel) : inner_(take_subchannel) {}
  // A policy may release a subchannel without cancelling its watches.
  ~SubchannelInC() override {
    for (const auto& watch : watches_) gxds_subchannel_unwatch(inner_, watch.get());
    gxds_subchannel_unref(inner_);
  }

  void WatchConnectivityState(std::unique_ptr<ConnectivityStateWatcherInterface> watcher) override {
    watches_.push_back(std::make_unique<WatchOfHost>(std::move(watcher)));
    gxds_subchannel_watch(inner_, watches_.back().get());
  }
  void CancelConnectivityStateWatch(ConnectivityStateWatcherInterface* watcher) override {
    for (auto it = watches_.begin(); it != watches_.end(); ++it) {
      if ((*it)->watcher.get() != watcher) continue;
      auto watch = std::move(*it);
      watches_.erase(it);
      gxds_subchannel_unwatch(inner_, watch.get());
      return;
    }
  }
  void RequestConnection() override { gxds_subchannel_connect(inner_); }
  void ResetBackoff() override { gxds_subchannel_reset_backoff(inner_); }
  // The subchannel of an endpoint with several addresses has no data of its own.
  void AddDataWatcher(std::unique_ptr<DataWatcherInterface> watcher) override {
    if (gxds_subchannel_innermost(inner_)->ops != &kOps) return;
    ToHost(inner_)->AddDataWatcher(std::move(watcher));
  }
#ifdef GXDS_GRPC_1_83
  void CancelDataWatcher(DataWatcherInterface* watcher) override {
    ToHost(inner_)->CancelDataWatcher(watcher);
  }
  std::string address() const override { return ToHost(inner_)->address(); }
#endif

  gxds_subchannel* inner() const { return inner_; }

 private:
  struct WatchOfHost : gxds_watch {
    explicit WatchOfHost(std::unique_ptr<ConnectivityStateWatcherInterface> w)
        : gxds_watch{OnState, nullptr, false}, watcher(std::move(w)) {}

    const std::shared_ptr<ConnectivityStateWatcherInterface> watcher;

   private:
    static void OnState(gxds_watch* watch, grpc_connectivity_state state,
                        const gxds_status* status) {
      auto watcher = static_cast<WatchOfHost*>(watch)->watcher;  // the call may end the watch
      watcher->OnConnectivityStateChange(state, ToAbsl(*status));
    }
  };

  gxds_subchannel* const inner_;
  std::vector<std::unique_ptr<WatchOfHost>> watches_;  // under the serializer
};

}  // namespace

gxds_subchannel* ToC(RefCountedPtr<SubchannelInterface> subchannel,
                     RefCountedPtr<LoadBalancingPolicy> policy) {
  auto* out = new Subchannel{};
  gxds_ref_init(&out->refs);
  out->ops = &kOps;
  out->inner = std::move(subchannel);
  out->policy = std::move(policy);
  return out;
}

RefCountedPtr<SubchannelInterface> ToHost(gxds_subchannel* subchannel) {
  return Of(gxds_subchannel_innermost(subchannel))->inner;
}

RefCountedPtr<SubchannelInterface> ForHostsPolicy(gxds_subchannel* take_subchannel) {
  return grpc_core::MakeRefCounted<SubchannelInC>(take_subchannel);
}

gxds_subchannel* OfHostsPolicy(const SubchannelInterface& subchannel) {
  return gxds_subchannel_ref(static_cast<const SubchannelInC&>(subchannel).inner());
}

}  // namespace grpc_xds
