#include "test/host/memory_subchannel.h"

#include <algorithm>
#include <utility>

#include "test/host/memory_host.h"

namespace memory {

Subchannel::Subchannel(Host* of, const gxds_lb_address& at, Args with)
    : gxds_subchannel{},
      host(of),
      number(of->subchannels_made++),
      address(AddressText(at)),
      args(std::move(with)) {
  gxds_ref_init(&refs);
  ops = &kOps;
}

void Subchannel::Destroy(gxds_subchannel* s) {
  Subchannel* self = Of(s);
  if (self->host != nullptr) self->host->subchannels_.erase(self->number);
  gxds_load_listener_unref(self->listener);
  delete self;
}

// Queues the notification, as gRPC does, with the state at the time of this call.
void Subchannel::Notify(const std::shared_ptr<Watcher>& watcher) {
  if (host == nullptr) return;
  host->queue_.push_back([watcher, to = state, why = status] {
    if (watcher->watch == nullptr) return;
    gxds_status in_c = why.ToC();
    watcher->watch->on_state(watcher->watch, to, &in_c);
    gxds_status_fini(&in_c);
  });
}

void Subchannel::Set(grpc_connectivity_state to, const Status& why) {
  state = to;
  status = why;
  for (const auto& watcher : watchers_) Notify(watcher);
}

void Subchannel::Watch(gxds_subchannel* s, gxds_watch* watch) {
  Subchannel* self = Of(s);
  self->watchers_.push_back(std::make_shared<Watcher>(Watcher{watch}));
  watch->subchannels = self->watchers_.back().get();
  self->Notify(self->watchers_.back());
}

void Subchannel::Unwatch(gxds_subchannel* s, gxds_watch* watch) {
  auto& watchers = Of(s)->watchers_;
  auto it = std::find_if(watchers.begin(), watchers.end(),
                         [watch](const auto& w) { return w->watch == watch; });
  GXDS_CHECK(it != watchers.end());
  (*it)->watch = nullptr;
  watchers.erase(it);
}

void Subchannel::Connect(gxds_subchannel* s) {
  Subchannel* self = Of(s);
  self->connects++;
  if (self->state != GRPC_CHANNEL_IDLE || self->host == nullptr) return;
  self->Set(GRPC_CHANNEL_CONNECTING, Status());
  if (self->host->on_connect) self->host->on_connect(self);
}

void Subchannel::ReportLoad(gxds_subchannel* s, gxds_load_listener* l, gxds_duration interval) {
  Subchannel* self = Of(s);
  if (self->listener == nullptr && interval == GXDS_TIME_NEVER) return;
  if (self->listener == nullptr) self->listener = gxds_load_listener_ref(l);
  GXDS_CHECK(self->listener == l);
  self->report_interval = interval;
}

const gxds_subchannel_ops Subchannel::kOps = {
    Destroy,    Watch,  Unwatch, Connect, [](gxds_subchannel* s) { Of(s)->resets++; },
    ReportLoad, nullptr};

}  // namespace memory
