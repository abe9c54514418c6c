#include "lb_policies/pace/channel_pace.h"

#include <grpc/support/time.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "src/core/lib/gprpp/debug_location.h"
#include "src/core/lib/gprpp/sync.h"
#include "src/core/lib/iomgr/exec_ctx.h"

namespace grpc_xds {

using grpc_core::RefCountedPtr;
using grpc_core::WorkSerializer;

namespace {

// How many starts are given in a row. What they cause is done by threads that wait until this one
// is through with them.
constexpr int kStartsInARow = 8;

// Of the channels that live. A pace takes itself out when it ends, which may be on any thread.
struct Registry {
  grpc_core::Mutex mu;
  std::map<const WorkSerializer*, ChannelPace*> paces;  // under mu
};

Registry& TheRegistry() {
  static auto* registry = new Registry;
  return *registry;
}

gxds_time Now() {
  gpr_timespec now = gpr_now(GPR_CLOCK_MONOTONIC);
  return now.tv_sec * GXDS_SECOND + now.tv_nsec;
}

}  // namespace

RefCountedPtr<ChannelPace> ChannelPace::Of(std::shared_ptr<WorkSerializer> serializer) {
  Registry& registry = TheRegistry();
  grpc_core::MutexLock lock(&registry.mu);
  ChannelPace*& pace = registry.paces[serializer.get()];
  if (pace != nullptr) {
    // Null: it is about to end, and another takes its place.
    RefCountedPtr<ChannelPace> living = pace->RefIfNonZero();
    if (living != nullptr) return living;
  }
  pace = new ChannelPace(std::move(serializer));
  return RefCountedPtr<ChannelPace>(pace);
}

ChannelPace::ChannelPace(std::shared_ptr<WorkSerializer> serializer)
    : serializer_(std::move(serializer)), machine_(gxds_pace_create()) {}

ChannelPace::~ChannelPace() {
  Registry& registry = TheRegistry();
  grpc_core::MutexLock lock(&registry.mu);
  auto it = registry.paces.find(serializer_.get());
  if (it != registry.paces.end() && it->second == this) registry.paces.erase(it);
}

uint32_t ChannelPace::Join(User* user, grpc_event_engine::experimental::EventEngine* engine) {
  const uint32_t number = gxds_pace_join(machine_.get());
  if (number >= users_.size()) users_.resize(number + 1);
  users_[number] = user;
  ++user_count_;
  engine_ = engine;
  return number;
}

void ChannelPace::Leave(uint32_t user) {
  gxds_pace_leave(machine_.get(), user);
  users_[user] = nullptr;
  if (--user_count_ == 0) {
    SetTimer(GXDS_TIME_NEVER);
  } else {
    Schedule();
  }
}

void ChannelPace::Want(uint32_t user, uint32_t count, bool hurries) {
  gxds_pace_want(machine_.get(), user, count, hurries);
  Schedule();
}

void ChannelPace::Settle(uint64_t start) {
  gxds_pace_settle(machine_.get(), start);
  Schedule();
}

void ChannelPace::Schedule() {
  if (scheduled_ || !gxds_pace_has_next(machine_.get())) return;
  scheduled_ = true;
  serializer_->Run([self = Ref()]() { self->GiveStarts(); }, DEBUG_LOCATION);
}

void ChannelPace::GiveStarts() {
  gxds_pace_start start;
  for (int i = 0; i < kStartsInARow && gxds_pace_next(machine_.get(), Now(), &start); ++i) {
    users_[start.user]->Start(start.id);
  }
  scheduled_ = false;
  if (user_count_ == 0) return;
  // More of them after a timer that is over at once: on another thread, so that this one comes to
  // what these starts left for it to do.
  SetTimer(gxds_pace_has_next(machine_.get()) ? Now() : gxds_pace_deadline(machine_.get()));
}

void ChannelPace::SetTimer(gxds_time when) {
  if (when == timer_at_) return;
  // An earlier one will look, and set it anew.
  if (when != GXDS_TIME_NEVER && timer_at_ < when) return;
  timer_at_ = when;
  ++timer_;
  if (timer_handle_.has_value()) {
    engine_->Cancel(*timer_handle_);
    timer_handle_.reset();
  }
  if (when == GXDS_TIME_NEVER) return;
  timer_handle_ = engine_->RunAfter(
      std::chrono::nanoseconds(std::max<gxds_time>(0, when - Now())),
      [self = Ref(), timer = timer_]() mutable {
        grpc_core::ApplicationCallbackExecCtx application_ctx;
        grpc_core::ExecCtx exec_ctx;
        WorkSerializer* serializer = self->serializer_.get();
        serializer->Run([self = std::move(self), timer]() { self->OnTimer(timer); },
                        DEBUG_LOCATION);
      });
}

void ChannelPace::OnTimer(uint64_t timer) {
  if (timer != timer_) return;
  timer_handle_.reset();
  timer_at_ = GXDS_TIME_NEVER;
  gxds_pace_on_deadline(machine_.get(), Now());
  GiveStarts();
}

}  // namespace grpc_xds
