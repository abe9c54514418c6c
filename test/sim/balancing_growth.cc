// The checks of balancing.h for endpoints that are left out until RPCs need them, in the end, when
// all backends are up.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "lb_policies/cluster_manager/cluster_manager_policy.h"
#include "test/sim/balancing_internal.h"

namespace gxds_sim {
namespace {

// Enough for all attempts of a window, one after the other, and for the next ones.
constexpr gxds_duration kTimeToConnect = 5 * GXDS_SECOND;
constexpr gxds_duration kQuiet = 300 * GXDS_SECOND;
constexpr int kRounds = 4;
// Enough picks to use each connected endpoint of each locality once.
constexpr int kPicksToGrow = 400;
constexpr gxds_duration kTimeToFind = 8 * GXDS_SECOND;  // less than until a failover

std::string PolicyOf(const gxds_cluster *cluster) { return String(cluster->lb_policy_json); }

// Whether it keeps connections to its endpoints, but not to all of them.
bool GrowsByUse(const gxds_cluster *cluster) {
  const std::string policy = PolicyOf(cluster);
  return cluster->kind == GXDS_CLUSTER_EDS && policy.find("ring_hash") == std::string::npos &&
         policy.find("pick_first") == std::string::npos;
}

}  // namespace

void Balancing::GrowFully(const std::string &root) {
  size_t made = 0;
  for (int i = 0; i < kRounds + 1 && host_.subchannels_made > made; i++) {
    made = host_.subchannels_made;
    for (int k = 0; k < kPicksToGrow / 4; k++) Pick(root);
    PassUntil(now() + kTimeToConnect + GXDS_SECOND);
  }
}

void Balancing::RenewPolicies() {
  host_.End();
  plants_.DropPickers();
  host_.DropPicker();
  backends_.clear();
  host_.shared.clear();
  sessions_.clear();
  replaced_.clear();
  picked_since_.clear();
  quiet_since_ = now();
  gxds_config_unref(previous_);
  previous_ = gxds_config_ref(newest_);
  host_.Create(gxds_cluster_manager_policy);
  host_.Apply({manager_, memory::Args(), memory::Addresses(), "", newest_, mailbox_});
  PassUntil(now() + kTimeToConnect);
}

std::vector<Balancing::Group> Balancing::GroupsOf(const gxds_cluster_entry *root) const {
  const gxds_cluster_entry *leaf =
      root->kind == GXDS_ENTRY_ERROR ? nullptr : ServingLeaf(newest_, root);
  std::vector<Group> groups;
  if (!leaf || !GrowsByUse(leaf->cluster) || !IsAlone(String(leaf->name))) return groups;
  const gxds_priority *priority = FirstPriority(leaf);
  const int number = Contents::NumberOf(&leaf->endpoints->base);
  const bool by_locality = PolicyOf(leaf->cluster).find("xds_wrr_locality") != std::string::npos;
  for (size_t i = 0; i < priority->locality_count; i++) {
    const gxds_locality &l = *priority->localities[i];
    if (l.endpoint_count == 0) continue;
    if (groups.empty() || by_locality) groups.push_back({String(leaf->name), {}});
    for (uint32_t k = 0; k < l.endpoint_count; k++) {
      groups.back().weights[TextOf(gxds_locality_endpoint(&l, k).address)] =
          WeightOfEndpoint(number, k);
    }
  }
  return groups;
}

size_t Balancing::Connected(const Group &group) const {
  size_t connected = 0;
  for (const auto &[address, weight] : group.weights) connected += IsWatched(group.leaf, address);
  return connected;
}

void Balancing::CheckEager() {
  const gxds_connect_limits &limits = world_->options().limits;
  size_t beyond = 0;  // the endpoints that localities have beyond the least that each gets
  for (size_t i = 0; i < newest_->roots->count; i++) {
    for (const Group &g : GroupsOf(gxds_config_cluster(newest_, newest_->roots->names[i]))) {
      const size_t connected = Connected(g);
      if (connected == 0) continue;  // the cluster waits for its first RPC
      const size_t least = std::min<size_t>(g.weights.size(), limits.window);
      if (connected < least) {
        Wrong("eager", g.leaf + " connects to " + std::to_string(connected) +
                           " endpoints of a locality, should be at least " + std::to_string(least));
      }
      beyond += connected - least;
      if (connected < g.weights.size()) world_->Did(kDidEager);
    }
  }
  if (beyond <= limits.eager) return;
  Wrong("eager", "the channel connects to " + std::to_string(beyond) +
                     " endpoints beyond a window in each locality, should be at most " +
                     std::to_string(limits.eager));
}

void Balancing::CheckQuiet() {
  const size_t made = host_.subchannels_made;
  PassUntil(now() + kQuiet);
  if (host_.subchannels_made != made) Wrong("quiet", "policies connect that nobody uses");
}

void Balancing::UseUntilGrown(const std::string &root, std::vector<Group> *groups) {
  for (int i = 0; i < kPicksToGrow; i++) {
    const std::unique_ptr<Call> call = Pick(root);
    if (!call->subchannel()) continue;
    const std::string address = FirstAddressOf(call->subchannel()->address);
    for (Group &g : *groups) {
      if (g.weights.count(address) == 0 || g.connected == g.weights.size()) continue;
      g.picks++;
      const bool due = g.picks >= g.connected;
      if ((Connected(g) > g.connected) != due) {
        Wrong("growth", std::to_string(g.picks) + " picks of " + std::to_string(g.connected) +
                            " endpoints of " + g.leaf + (due ? " do not make" : " make") +
                            " it connect to more");
      }
      if (due) return;
    }
  }
}

void Balancing::CheckGrowth(const std::string &root, std::vector<Group> *groups, int rounds) {
  const size_t window = world_->options().limits.window;
  const auto leaves_out = [](const Group &g) { return g.connected < g.weights.size(); };
  for (int i = 0; i < rounds && std::any_of(groups->begin(), groups->end(), leaves_out); i++) {
    plants_.bends_growth = true;
    UseUntilGrown(root, groups);
    plants_.bends_growth = false;
    PassUntil(now() + kTimeToConnect);
    for (Group &g : *groups) {
      const size_t connected = Connected(g);
      if (connected == g.connected) continue;
      const size_t more = std::max(g.connected, window);
      const size_t wanted = std::min(g.connected + more, g.weights.size());
      if (connected != wanted) {
        Wrong("growth", g.leaf + " grows from " + std::to_string(g.connected) + " endpoints to " +
                            std::to_string(connected) + ", should be " + std::to_string(wanted));
      }
      g.connected = connected;
      g.picks = 0;
      world_->Did(kDidGrowth);
    }
  }
}

// No time passes here, so endpoints that picks request do not connect meanwhile.
void Balancing::CheckWeightsOfConnected(const std::string &root, const std::vector<Group> &groups) {
  for (const Group &g : groups) {
    std::map<std::string, double> weights;
    for (const auto &[address, weight] : g.weights) {
      if (IsWatched(g.leaf, address)) weights[address] = weight;
    }
    if (weights.size() > 1 && weights.size() < g.weights.size()) {
      CheckWeights("settled", root, weights);
      return;  // these picks have used the other groups, which may be connected to more now
    }
  }
}

void Balancing::CheckLastOne(const std::string &root, const std::vector<Group> &groups,
                             Random *random) {
  std::vector<std::string> left_out;
  for (const Group &g : groups) {
    for (const auto &[address, weight] : g.weights) {
      if (!IsWatched(g.leaf, address)) left_out.push_back(address);
    }
  }
  if (left_out.empty()) return;
  const std::string &last = left_out[random->Draw(left_out.size())];
  const Mood mood = random->OneIn(2) ? kRefuses : kHangs;
  const gxds_cluster_entry *leaf = ServingLeaf(newest_, gxds_config_cluster(newest_, Str(root)));
  ForEachEndpoint(*FirstPriority(leaf), [&](const gxds_locality &l, const gxds_endpoint &e) {
    if (TextOf(e.address) == last) return;
    ForEachAddress(l, e, [&](const std::string &address) {
      Backend &backend = At(address);
      backend.mood = mood;
      if (backend.state == GRPC_CHANNEL_READY) SetState(address, &backend, GRPC_CHANNEL_IDLE);
    });
  });
  plants_.loses_patience = true;
  const gxds_time found_by = now() + kTimeToFind;
  std::string to;
  while (now() < found_by) {
    PassUntil(now() + GXDS_SECOND / 2);
    const std::unique_ptr<Call> call = Pick(root);
    if (call->kind() == GXDS_PICKED_FAIL) {
      Wrong("last-one", "an RPC to " + root + " fails, but " + last + " is up: " + call->Text());
    }
    if (call->subchannel()) to = FirstAddressOf(call->subchannel()->address);
  }
  if (to != last) Wrong("last-one", "RPCs to " + root + " do not reach " + last);
  plants_.loses_patience = false;
  world_->Did(kDidLastOne);
  AllUp();
  PassUntil(now() + 30 * GXDS_SECOND);
}

void Balancing::CheckLeftOut() {
  RenewPolicies();
  CheckEager();
  CheckQuiet();
  Random random(Mix(world_->seed(), 60));
  for (size_t i = 0; i < newest_->roots->count; i++) {
    const gxds_cluster_entry *root = gxds_config_cluster(newest_, newest_->roots->names[i]);
    const std::string name = String(root->name);
    std::vector<Group> groups = GroupsOf(root);
    if (groups.empty()) continue;
    const gxds_cluster_entry *leaf = ServingLeaf(newest_, root);
    // RPCs of other channels may be in flight.
    const uint32_t in_flight = InFlight()[BreakerOf(String(leaf->name))];
    if (in_flight >= leaf->cluster->max_concurrent_requests) continue;
    // If it is the first RPC of the cluster, this makes the policies. A pick that is dropped does
    // not.
    if (Connected(groups[0]) == 0) {
      for (int k = 0; k < 40 && Pick(name)->kind() == GXDS_PICKED_DROP; k++) continue;
      PassUntil(now() + kTimeToConnect);
    }
    for (Group &g : groups) {
      g.connected = Connected(g);
      if (g.connected == 0) Wrong("growth", name + " does not connect, although it has RPCs");
    }
    CheckGrowth(name, &groups, random.Int(kRounds));
    if (PolicyOf(leaf->cluster).find("\"grpc_xds_endpoint_weights\":{}") != std::string::npos) {
      CheckWeightsOfConnected(name, groups);
    }
    CheckLastOne(name, groups, &random);
    // Endpoints that picks have requested connect. Otherwise those of the next cluster would wait.
    PassUntil(now() + kTimeToConnect);
  }
}

}  // namespace gxds_sim
