#include "test/sim/balancing.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lb_policies/all_policies.h"
#include "lb_policies/cluster_manager/cluster_manager_policy.h"
#include "lb_policies/orca/orca_report.h"
#include "lb_policies/pace/pace.h"
#include "test/lb_policies/orca/orca_bytes.h"
#include "test/sim/reference.h"
#include "xds_resolver/xds_config_selector.h"

namespace gxds_sim {
namespace {

constexpr size_t kRpcsMax = 8;
constexpr gxds_duration kConnectTime = 40 * GXDS_MILLISECOND;
static_assert(kConnectTime < GXDS_PACE_PATIENCE, "no attempt waits too long for its backend");
constexpr gxds_duration kBackoff = 2 * GXDS_SECOND;
// The most time that passes between two events. After a jump of the clock by years, the host would
// else run the timers of years.
constexpr gxds_duration kPassedMax = 120 * GXDS_SECOND;

const char *const kMoods[] = {"is up", "refuses", "hangs"};

}  // namespace

Balancing::Balancing(World *world, std::string where)
    : world_(world),
      where_(std::move(where)),
      host_(world->seed()),
      store_(gxds_load_store_create(nullptr, nullptr)),
      mailbox_(gxds_mailbox_create({[](void *, gxds_mailbox *) {}, nullptr, nullptr})),
      manager_(gxds_cluster_manager_config_create()),
      refs_(gxds_cluster_refs_create(mailbox_)),
      plants_(world->plant()) {
  for (size_t i = 0; gxds_all_policies[i] != nullptr; i++) host_.Register(gxds_all_policies[i]);
  ahead_ = host_.now() - world_->now();
  if (world->options().LeavesOut()) host_.Limit(plants_.Limits(world->options().limits));
  host_.loses_post = [this] { return plants_.LosesPost(); };
  host_.on_connect = [this](memory::Subchannel *s) {
    Connects(s->address);
    plants_.KeepSecond(s);
  };
  host_.loses_timer = [this](gxds_duration delay) { return plants_.LosesTimer(delay); };
}

Balancing::~Balancing() {
  host_.End();
  while (!rpcs_.empty()) FinishRpc(0);
  plants_.DropPickers();
  host_.DropPicker();
  gxds_config_selector_unref(selector_);
  gxds_cluster_refs_destroy(refs_);
  gxds_config_unref(newest_);
  gxds_config_unref(previous_);
  gxds_mailbox_unref(mailbox_);
  gxds_load_store_close(store_);
  gxds_load_store_unref(store_);
}

// ---- time and backends ----

Balancing::Backend &Balancing::At(const std::string &address) { return backends_[address]; }

// All subchannels to a backend have one state, since gRPC shares their connection.
void Balancing::SetState(const std::string &address, Backend *backend,
                         grpc_connectivity_state state) {
  memory::Status why;
  if (state == GRPC_CHANNEL_TRANSIENT_FAILURE) why = memory::Unavailable("refused");
  backend->state = state;
  quiet_since_ = now();
  host_.shared[address] = {state, why};
  if (plants_.LosesState(state)) {
    for (memory::Subchannel *s : host_.subchannels()) {
      if (s->address == address) s->state = state;
    }
    return;
  }
  host_.SetState(address, state, why);
}

// Runs under the host's serializer, so its effects come later.
void Balancing::Connects(const std::string &address) {
  Backend &backend = At(address);
  if (backend.state != GRPC_CHANNEL_IDLE) return;
  backend.state = GRPC_CHANNEL_CONNECTING;
  quiet_since_ = now();
  host_.shared[address] = {GRPC_CHANNEL_CONNECTING, memory::Status()};
  backend.changes_at = now() + kConnectTime;
}

void Balancing::PassUntil(gxds_time time) {
  for (;;) {
    gxds_time next = host_.next_timer();
    for (const auto &[address, backend] : backends_) next = std::min(next, backend.changes_at);
    if (next > time) break;
    host_.Pass(std::max<gxds_duration>(0, next - now()));
    for (auto &[address, backend] : backends_) {
      if (backend.changes_at <= now()) Change(address, &backend);
    }
  }
  if (time > now()) host_.Pass(time - now());
}

void Balancing::PassToNow() {
  gxds_duration left = world_->now() + ahead_ - now();
  if (left > kPassedMax) ahead_ -= left - kPassedMax;
  PassUntil(world_->now() + ahead_);
}

// Ends the backend's connection attempt, or its backoff.
void Balancing::Change(const std::string &address, Backend *backend) {
  backend->changes_at = GXDS_TIME_NEVER;
  if (backend->state == GRPC_CHANNEL_TRANSIENT_FAILURE) {
    SetState(address, backend, GRPC_CHANNEL_IDLE);
  } else if (backend->state == GRPC_CHANNEL_CONNECTING && backend->mood == kUp) {
    SetState(address, backend, GRPC_CHANNEL_READY);
  } else if (backend->state == GRPC_CHANNEL_CONNECTING && backend->mood == kRefuses) {
    backend->changes_at = now() + kBackoff;
    SetState(address, backend, GRPC_CHANNEL_TRANSIENT_FAILURE);
  }
}

void Balancing::ChangeBackend(Random *random) {
  if (backends_.empty()) return;
  auto it = backends_.begin();
  std::advance(it, random->Int(static_cast<int>(backends_.size())));
  Backend &backend = it->second;
  backend.mood = random->OneIn(2) ? kUp : static_cast<Mood>(random->Int(3));
  backend.breaks = random->OneIn(4);
  if (world_->tracing()) {
    world_->Trace("%s: %s %s%s", where_.c_str(), it->first.c_str(), kMoods[backend.mood],
                  backend.breaks ? ", its RPCs fail" : "");
  }
  if (backend.state == GRPC_CHANNEL_READY && backend.mood != kUp) {
    SetState(it->first, &backend, GRPC_CHANNEL_IDLE);  // its connection breaks
  } else if (backend.state == GRPC_CHANNEL_CONNECTING) {
    backend.changes_at = now() + kConnectTime;
  }
}

// ---- updates ----

void Balancing::Apply(const gxds_config *config, const gxds_names *route_clusters) {
  PassToNow();
  if (!host_.has_policy()) host_.Create(gxds_cluster_manager_policy);
  NoteReplaced(config);
  quiet_since_ = now();
  picked_since_.clear();
  const gxds_config *given = plants_.Snapshot(newest_, config);
  if (!plants_.LosesUpdate()) {
    plants_.BendWeights(given);
    plants_.BendDraining(given);
    plants_.BendOutlierDetection(given);
    host_.Apply({manager_, memory::Args(), memory::Addresses(), "", given, mailbox_});
  }
  gxds_config_unref(given);
  static const gxds_host services = {};
  const gxds_route_channel channel = {1, gxds_str_z(kDataPlaneAuthority)};
  const gxds_cluster_set *set = gxds_cluster_refs_hold(
      refs_, route_clusters, [](void *, gxds_str) {}, nullptr);
  gxds_config_selector_unref(selector_);
  selector_ = gxds_xds_config_selector_create(config, set, &channel, &services);
  gxds_cluster_set_unref(set);
  gxds_cluster_map_each(
      config->clusters,
      [](void *arg, const gxds_cluster_entry *e) {
        if (!e->cluster || !e->cluster->lrs_server) return;
        static_cast<Balancing *>(arg)->reported_to_.insert(e->cluster->lrs_server);
      },
      this);
  gxds_config_unref(previous_);
  previous_ = newest_;
  newest_ = gxds_config_ref(config);
}

void Balancing::Stop() {
  host_.End();
  plants_.DropPickers();
  host_.DropPicker();
  gxds_config_selector_unref(selector_);
  selector_ = nullptr;
  gxds_config_unref(previous_);
  gxds_config_unref(newest_);
  previous_ = newest_ = nullptr;
}

void Balancing::Step(Random *random) {
  if (newest_ == nullptr) return;
  PassToNow();
  const int what = random->Int(8);
  if (what < 2) return ChangeBackend(random);
  if (what < 6 && rpcs_.size() < kRpcsMax) return StartRpc(random);
  if (!rpcs_.empty()) FinishRpc(static_cast<size_t>(random->Int(static_cast<int>(rpcs_.size()))));
}

// ---- RPCs ----

void Balancing::StartRpc(Random *random) {
  std::string root;
  if (random->OneIn(2)) {
    root = Route(random->OneIn(2));
  } else if (newest_->roots->count > 0) {
    root = String(newest_->roots->names[random->Draw(newest_->roots->count)]);
  }
  if (root.empty()) return;
  const std::string version = random->OneIn(3) ? VersionOf(random->Int(2)) : "";
  std::unique_ptr<memory::Call> call = PickOfSession(root, version);
  if (call->subchannel() == nullptr || random->OneIn(8)) return;
  Rpc rpc;
  const std::string leaf = LeafOf(*call);
  rpc.breaks = At(call->subchannel()->address).breaks;
  rpc.load = orca_test::Cpu(0.1 + 0.1 * random->Int(9)) + orca_test::Double(6, 100);
  rpc.breaker = BreakerOf(leaf);
  rpc.in_doubt = !IsOfNewest(root, *call->subchannel());
  InFlight()[rpc.breaker]++;
  InDoubt()[rpc.breaker] += rpc.in_doubt ? 1 : 0;
  call->Start();
  Count(*call, root);
  plants_.Keep(call->subchannel());
  rpc.call = std::move(call);
  rpcs_.push_back(std::move(rpc));
}

void Balancing::FinishRpc(size_t index) {
  Rpc &rpc = rpcs_[index];
  rpc.call->Finish(rpc.breaks ? memory::Unavailable("broken") : memory::Status(),
                   {{GXDS_ORCA_METADATA_KEY, rpc.load}});
  InFlight()[rpc.breaker]--;
  InDoubt()[rpc.breaker] -= rpc.in_doubt ? 1 : 0;
  rpcs_.erase(rpcs_.begin() + static_cast<std::ptrdiff_t>(index));
}

// ---- the end ----

void Balancing::AllUp() {
  for (auto &[address, backend] : backends_) {
    backend.mood = kUp;
    backend.breaks = false;
    if (backend.state == GRPC_CHANNEL_CONNECTING) backend.changes_at = now() + kConnectTime;
  }
}

void Balancing::WaitUntilConnected() {
  AllUp();
  while (!rpcs_.empty()) FinishRpc(0);
  // After this time all backoffs, failovers and ejections (A50: at most 300 s) are over.
  PassUntil(now() + 700 * GXDS_SECOND);
}

void Balancing::CheckSettled() {
  if (newest_ == nullptr) return;
  PassToNow();
  WaitUntilConnected();
  for (size_t i = 0; i < newest_->roots->count; i++) {
    const gxds_cluster_entry *root = gxds_config_cluster(newest_, newest_->roots->names[i]);
    CheckServes(root);
  }
  CheckCounts();
  CheckKept();
  if (world_->options().LeavesOut()) CheckLeftOut();
  ahead_ = now() - world_->now();
}

void Balancing::Finish() {
  Stop();
  while (!rpcs_.empty()) FinishRpc(0);
  const std::string left = host_.LeftOver();
  if (!left.empty()) Fail("left-over", "%s", left.c_str());
}

}  // namespace gxds_sim
