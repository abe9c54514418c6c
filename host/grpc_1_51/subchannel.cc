#include "host/grpc_1_51/subchannel.h"

#include <memory>
#include <utility>

#include "host/grpc_1_51/status.h"

namespace grpc_xds {

using grpc_core::LoadBalancingPolicy;
using grpc_core::RefCountedPtr;
using grpc_core::SubchannelInterface;

namespace {

class Watcher : public SubchannelInterface::ConnectivityStateWatcherInterface {
 public:
  Watcher(gxds_watch* watch, RefCountedPtr<LoadBalancingPolicy> policy)
      : watch_(watch), policy_(std::move(policy)) {}

  // What the host had on its way still comes.
  void Forget() { watch_ = nullptr; }

  // The call may end us.
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
  Watcher* watcher;  // the inner one's; null: there is no watch
};

Subchannel* Of(gxds_subchannel* subchannel) { return static_cast<Subchannel*>(subchannel); }

void Watch(gxds_subchannel* subchannel, gxds_watch* watch) {
  auto* s = Of(subchannel);
  auto watcher = std::make_unique<Watcher>(watch, s->policy);
  s->watcher = watcher.get();
  s->inner->WatchConnectivityState(std::move(watcher));
}

void Unwatch(gxds_subchannel* subchannel) {
  auto* s = Of(subchannel);
  if (s->watcher == nullptr) return;
  Watcher* watcher = std::exchange(s->watcher, nullptr);
  watcher->Forget();
  s->inner->CancelConnectivityStateWatch(watcher);
}

const gxds_subchannel_ops kOps = {
    [](gxds_subchannel* s) { delete Of(s); },
    Watch,
    Unwatch,
    [](gxds_subchannel* s) { Of(s)->inner->RequestConnection(); },
    [](gxds_subchannel* s) { Of(s)->inner->ResetBackoff(); },
};

}  // namespace

gxds_subchannel* ToC(RefCountedPtr<SubchannelInterface> subchannel,
                     RefCountedPtr<LoadBalancingPolicy> policy) {
  auto* out = new Subchannel;
  gxds_ref_init(&out->refs);
  out->ops = &kOps;
  out->inner = std::move(subchannel);
  out->policy = std::move(policy);
  out->watcher = nullptr;
  return out;
}

RefCountedPtr<SubchannelInterface> ToHost(gxds_subchannel* subchannel) {
  return Of(subchannel)->inner;
}

}  // namespace grpc_xds
