#include "test/host/memory_balancers.h"

#include <functional>
#include <optional>
#include <utility>

namespace memory {

namespace {

// A subchannel that is watched.
class Connection : public gxds_watch {
 public:
  Connection(gxds_subchannel* take_subchannel, std::function<void()> on_change)
      : gxds_watch{OnState, nullptr, false},
        subchannel_(take_subchannel),
        on_change_(std::move(on_change)) {
    gxds_subchannel_watch(subchannel_, this);
  }
  ~Connection() {
    gxds_subchannel_unwatch(subchannel_, this);
    gxds_subchannel_unref(subchannel_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  gxds_subchannel* subchannel() const { return subchannel_; }
  bool is(grpc_connectivity_state state) const { return state_ == state; }
  const Status& status() const { return status_; }
  // Asks it to connect, once for each time that it becomes IDLE.
  void Connect() {
    if (is(GRPC_CHANNEL_IDLE) && !std::exchange(asked_, true)) gxds_subchannel_connect(subchannel_);
  }

 private:
  static void OnState(gxds_watch* watch, grpc_connectivity_state state, const gxds_status* status) {
    auto* self = static_cast<Connection*>(watch);
    self->state_ = state;
    self->status_ = Status(*status);
    self->asked_ = false;
    const auto on_change = self->on_change_;  // a copy, because the call may destroy the connection
    on_change();
  }

  gxds_subchannel* const subchannel_;
  const std::function<void()> on_change_;
  std::optional<grpc_connectivity_state> state_;  // none: not reported yet
  Status status_;
  bool asked_ = false;
};

// The connections of one update.
using List = std::vector<std::unique_ptr<Connection>>;

bool AnyIs(const List& list, grpc_connectivity_state state) {
  for (const auto& c : list) {
    if (c->is(state)) return true;
  }
  return false;
}

// Picks them in turn.
struct TurnPicker : Picker {
  TurnPicker(Host* of, const List& list, size_t first) : Picker(of), turn(first) {
    for (const auto& c : list) {
      if (c->is(GRPC_CHANNEL_READY)) ready.push_back(gxds_subchannel_ref(c->subchannel()));
    }
  }
  ~TurnPicker() override {
    for (gxds_subchannel* s : ready) gxds_subchannel_unref(s);
  }
  void Pick(const gxds_pick* /*call*/, gxds_picked* out) override {
    gxds_picked_complete(out, gxds_subchannel_ref(ready[turn++ % ready.size()]), nullptr);
  }

  std::vector<gxds_subchannel*> ready;  // references
  size_t turn;
};

struct OnePicker : Picker {
  OnePicker(Host* of, gxds_subchannel* one) : Picker(of), subchannel(gxds_subchannel_ref(one)) {}
  ~OnePicker() override { gxds_subchannel_unref(subchannel); }
  void Pick(const gxds_pick* /*call*/, gxds_picked* out) override {
    gxds_picked_complete(out, gxds_subchannel_ref(subchannel), nullptr);
  }
  gxds_subchannel* const subchannel;
};

// What both balancers share: the list in use, and the list that will replace it.
class Balancer : public HostsPolicy {
 public:
  using HostsPolicy::HostsPolicy;

 protected:
  // Decides by the states of all connections what to do.
  virtual void Consider() = 0;

  bool IsServing(const List& list) const { return AnyIs(list, GRPC_CHANNEL_READY); }
  bool HasFailed(const List& list) const {
    for (const auto& c : list) {
      if (!c->is(GRPC_CHANNEL_TRANSIENT_FAILURE)) return false;
    }
    return true;
  }

  List current_;
  std::optional<List> next_;
  Status last_failure_;

  void GiveUp() override {
    current_.clear();
    next_.reset();
  }

 private:
  Status OnUpdate(const gxds_lb_update& update) override {
    List list;
    for (size_t i = 0; update.addresses != nullptr && i < update.addresses->count; ++i) {
      gxds_subchannel* made = MakeSubchannel(gxds_addresses_at(update.addresses, i), update.args);
      if (made == nullptr) continue;
      list.push_back(std::make_unique<Connection>(made, [this] { Consider(); }));
    }
    if (update.addresses == nullptr && !current_.empty()) return Status(update.addresses_status);
    if (list.empty()) {
      GiveUp();
      const Status why = update.addresses == nullptr
                             ? Status(update.addresses_status)
                             : Unavailable("empty address list: " + Text(update.note));
      PublishFailure(why);
      return why;
    }
    if (current_.empty()) {
      current_ = std::move(list);
      PublishQueue(GRPC_CHANNEL_CONNECTING);
    } else {
      next_ = std::move(list);
    }
    return Status();
  }
  void ResetBackoff() override {
    for (const auto& c : current_) gxds_subchannel_reset_backoff(c->subchannel());
  }
};

class RoundRobin : public Balancer {
 public:
  using Balancer::Balancer;

 private:
  void Consider() override {
    for (const auto& c : current_) c->Connect();
    if (next_.has_value()) {
      for (const auto& c : *next_) c->Connect();
      if (!IsServing(current_) || IsServing(*next_) || HasFailed(*next_)) {
        current_ = std::exchange(next_, std::nullopt).value();
      }
    }
    for (const auto& c : current_) {
      if (c->is(GRPC_CHANNEL_TRANSIENT_FAILURE)) last_failure_ = c->status();
    }
    if (IsServing(current_)) {
      Publish(GRPC_CHANNEL_READY, Status(), new TurnPicker(host(), current_, turn_++));
    } else if (HasFailed(current_)) {
      Reresolve();
      PublishFailure(Unavailable("connections to all backends failing; last error: " +
                                 last_failure_.ToString()));
    } else {
      PublishQueue(GRPC_CHANNEL_CONNECTING);
    }
  }

  size_t turn_ = 0;
};

class PickFirst : public Balancer {
 public:
  using Balancer::Balancer;

 private:
  // Connects the first address that has not failed.
  static void Try(const List& list) {
    for (const auto& c : list) {
      if (c->is(GRPC_CHANNEL_TRANSIENT_FAILURE)) continue;
      return c->Connect();
    }
  }
  bool Select(const List& list) {
    for (const auto& c : list) {
      if (!c->is(GRPC_CHANNEL_READY)) continue;
      selected_ = c.get();
      Publish(GRPC_CHANNEL_READY, Status(), new OnePicker(host(), c->subchannel()));
      return true;
    }
    return false;
  }
  void Consider() override {
    if (next_.has_value()) {
      Try(*next_);
      const bool serves = selected_ != nullptr && selected_->is(GRPC_CHANNEL_READY);
      if (serves && !IsServing(*next_) && !HasFailed(*next_)) return;
      const bool broke = std::exchange(selected_, nullptr) != nullptr;
      idle_ = false;
      current_ = std::exchange(next_, std::nullopt).value();
      if (broke && !IsServing(current_)) PublishQueue(GRPC_CHANNEL_CONNECTING);
    }
    if (selected_ != nullptr) {
      if (selected_->is(GRPC_CHANNEL_READY)) return;
      // A broken connection is made again when an RPC needs it.
      selected_ = nullptr;
      idle_ = true;
      Reresolve();
      return PublishQueue(GRPC_CHANNEL_IDLE);
    }
    if (idle_ || Select(current_)) return;
    if (!HasFailed(current_)) return Try(current_);
    Reresolve();
    PublishFailure(Unavailable("failed to connect to all addresses; last error: " +
                               current_.back()->status().ToString()));
  }
  void ExitIdle() override {
    if (!std::exchange(idle_, false)) return;
    PublishQueue(GRPC_CHANNEL_CONNECTING);
    Consider();
  }
  void GiveUp() override {
    selected_ = nullptr;
    idle_ = false;
    Balancer::GiveUp();
  }

  const Connection* selected_ = nullptr;  // in current_
  bool idle_ = false;
};

}  // namespace

HostsPolicy* MakePickFirst(Host* host, gxds_lb_parent* parent) {
  return new PickFirst(host, "pick_first", parent);
}
HostsPolicy* MakeRoundRobin(Host* host, gxds_lb_parent* parent) {
  return new RoundRobin(host, "round_robin", parent);
}

}  // namespace memory
