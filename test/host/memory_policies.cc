#include "test/host/memory_policies.h"

#include <algorithm>
#include <utility>

#include "resources/endpoints.h"
#include "test/host/memory_balancers.h"

namespace memory {

// --- HostsPolicy ---

HostsPolicy::HostsPolicy(Host* host, std::string name, gxds_lb_parent* parent)
    : gxds_hosts_policy{&kOps},
      host_(host),
      name_(std::move(name)),
      parent_(parent),
      itself_(std::make_shared<HostsPolicy*>(this)) {
  host->policies_.push_back(this);
}

const gxds_hosts_policy_ops HostsPolicy::kOps = {
    [](gxds_hosts_policy* p, const gxds_lb_update* update) {
      return Of(p)->OnUpdate(*update).ToC();
    },
    [](gxds_hosts_policy* p) { Of(p)->ExitIdle(); },
    [](gxds_hosts_policy* p) { Of(p)->ResetBackoff(); },
    // One of its functions may be running, so it is deleted after that.
    [](gxds_hosts_policy* p) {
      HostsPolicy* self = Of(p);
      self->parent_ = nullptr;
      *self->itself_ = nullptr;
      self->GiveUp();
      auto& all = self->host_->policies_;
      all.erase(std::find(all.begin(), all.end(), self));
      self->host_->queue_.push_back([self] { delete self; });
    },
};

void HostsPolicy::Publish(grpc_connectivity_state state, const Status& status,
                          gxds_picker* take_picker) {
  if (parent_ == nullptr) return gxds_picker_unref(take_picker);
  gxds_status in_c = status.ToC();
  parent_->ops->publish(parent_, state, &in_c, take_picker);
  gxds_status_fini(&in_c);
}

void HostsPolicy::Reresolve() {
  if (parent_ != nullptr) parent_->ops->reresolve(parent_);
}

gxds_subchannel* HostsPolicy::MakeSubchannel(const gxds_lb_address& address,
                                             const gxds_args* args) {
  return parent_ == nullptr ? nullptr : parent_->ops->subchannel(parent_, &address, args);
}

// --- Pickers ---

Picker::Picker(Host* of) : host(of) {
  static const gxds_picker_ops ops = {
      [](gxds_picker* p, const gxds_pick* call, gxds_picked* out) {
        static_cast<Picker*>(p)->Pick(call, out);
      },
      [](gxds_picker* p) { delete static_cast<Picker*>(p); },
  };
  gxds_picker_init(this, &ops);
  host->picker_count_++;
}

Picker::~Picker() { host->picker_count_--; }

namespace {

struct FailingPicker : Picker {
  FailingPicker(Host* of, Status with) : Picker(of), status(std::move(with)) {}
  void Pick(const gxds_pick* /*call*/, gxds_picked* out) override {
    gxds_picked_fail(out, status.ToC());
  }
  const Status status;
};

struct QueuePicker : Picker {
  QueuePicker(Host* of, std::function<void()> on_first) : Picker(of), on_first(on_first) {}
  void Pick(const gxds_pick* /*call*/, gxds_picked* out) override {
    gxds_picked_queue(out);
    if (on_first) std::exchange(on_first, nullptr)();
  }
  std::function<void()> on_first;
};

}  // namespace

void HostsPolicy::PublishFailure(const Status& status) {
  Publish(GRPC_CHANNEL_TRANSIENT_FAILURE, status, new FailingPicker(host_, status));
}

void HostsPolicy::PublishQueue(grpc_connectivity_state state) {
  Publish(state, Status(), new QueuePicker(host_, [host = host_, itself = itself_] {
            host->queue_.push_back([itself] {
              if (*itself != nullptr) (*itself)->ExitIdle();
            });
          }));
}

// --- Scripted policies ---

Leaf::Leaf(Host* host, const std::string& name, gxds_lb_parent* parent)
    : HostsPolicy(host, name, parent) {
  host->script.created++;
}

void Leaf::Report(grpc_connectivity_state state, const Status& status) {
  host()->In(
      [&] { Publish(state, status, new FailingPicker(host(), Unavailable("picked " + zone))); });
}

Status Leaf::OnUpdate(const gxds_lb_update& update) {
  LeafScript& script = host()->script;
  script.updated++;
  updates++;
  addresses.clear();
  zones.clear();
  addresses_status = Status(update.addresses_status);
  args = Args::Of(update.args);
  note = Text(update.note);
  snapshot = update.snapshot;
  std::vector<gxds_subchannel*> before = std::exchange(subchannels, {});
  for (size_t i = 0; update.addresses != nullptr && i < update.addresses->count; ++i) {
    const gxds_lb_address at = gxds_addresses_at(update.addresses, i);
    addresses.push_back(AddressText(at));
    zones.push_back(at.locality == nullptr ? "" : Text(at.locality->zone));
    gxds_subchannel* made = MakeSubchannel(at, update.args);
    if (made != nullptr) subchannels.push_back(made);
  }
  for (gxds_subchannel* s : before) gxds_subchannel_unref(s);
  zone = zones.empty() ? "" : zones[0];
  Updated();
  if (script.on_update) script.on_update(this);
  return script.update_status;
}

void Leaf::GiveUp() {
  for (gxds_subchannel* s : std::exchange(subchannels, {})) gxds_subchannel_unref(s);
}

namespace {

struct CountingTracker : gxds_tracker {
  LeafScript* script;
};

const gxds_tracker_ops kCountingOps = {
    [](gxds_tracker* t) { static_cast<CountingTracker*>(t)->script->started++; },
    [](gxds_tracker* t, const gxds_finish* /*f*/) {
      static_cast<CountingTracker*>(t)->script->finished++;
    },
    [](gxds_tracker* t) { static_cast<CountingTracker*>(t)->script->trackers--; },
};

struct FirstPicker : Picker {
  FirstPicker(Host* of, gxds_subchannel* first)
      : Picker(of), subchannel(gxds_subchannel_ref(first)) {}
  ~FirstPicker() override { gxds_subchannel_unref(subchannel); }
  void Pick(const gxds_pick* call, gxds_picked* out) override {
    auto* tracker = new (gxds_pick_alloc(call, sizeof(CountingTracker))) CountingTracker{};
    tracker->ops = &kCountingOps;
    tracker->script = &host->script;
    host->script.trackers++;
    gxds_picked_complete(out, gxds_subchannel_ref(subchannel), tracker);
  }
  gxds_subchannel* const subchannel;
};

struct PickingLeaf : Leaf {
  using Leaf::Leaf;
  void Updated() override {
    if (subchannels.empty()) return PublishFailure(Unavailable("no address"));
    Publish(GRPC_CHANNEL_READY, Status(), new FirstPicker(host(), subchannels[0]));
  }
};

}  // namespace

bool IsHostsPolicy(const std::string& name) {
  static const std::set<std::string> kNames = {"test_leaf", "other_leaf", "picking_leaf",
                                               "pick_first", "round_robin"};
  return kNames.count(name) == 1;
}

HostsPolicy* MakeHostsPolicy(Host* host, const std::string& name, gxds_lb_parent* parent) {
  if (!IsHostsPolicy(name)) return nullptr;
  if (name == "pick_first") return MakePickFirst(host, parent);
  if (name == "round_robin") return MakeRoundRobin(host, parent);
  if (name == "picking_leaf") return new PickingLeaf(host, name, parent);
  return new Leaf(host, name, parent);
}

}  // namespace memory
