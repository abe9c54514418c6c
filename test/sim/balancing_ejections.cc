// The checks of balancing.h for outlier detection, in the end, when all backends are up.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "test/sim/balancing_internal.h"
#include "test/sim/outliers.h"

namespace gxds_sim {
namespace {

// Enough picks to reach each endpoint, whatever its share, even with policies that pick at random.
constexpr int kPicksOfAll = 800;
constexpr int kPicksOfEjected = 24;
// The same for policies that pick endpoints in turn.
constexpr int kPicksDealt = 400;
// One in so many clusters is checked, because the check takes many picks.
constexpr int kMultipliersOneIn = 3;
// The time between checks whether an endpoint is back; several fit into an interval.
constexpr gxds_duration kPause = 4 * GXDS_SECOND;
// The rounds in which a success rate may be too low.
constexpr int kRounds = 4;
// In this many trials, chance spares some outliers, but not all.
constexpr int kTrials = 40;

// Whether the policy picks each endpoint by its share, from the start.
bool DealsOutEndpoints(const gxds_cluster *cluster) {
  const std::string policy = String(cluster->lb_policy_json);
  for (const char *other : {"ring_hash", "least_request", "slow_start", "slowStart"}) {
    if (policy.find(other) != std::string::npos) return false;
  }
  return true;
}

}  // namespace

// Compares the leaf too, because another leaf of an aggregate may have the same addresses.
std::string Balancing::AddressIn(const Ejectable &cluster, const Call &call) {
  if (!call.subchannel() || LeafOf(call) != cluster.leaf) return "";
  const std::string address = FirstAddressOf(call.subchannel()->address);
  return cluster.addresses.count(address) > 0 ? address : "";
}

std::set<std::string> Balancing::Reached(const Ejectable &cluster, size_t enough) {
  std::set<std::string> reached;
  for (int i = 0; i < kPicksOfAll; i++) {
    if (reached.size() >= enough && i >= kPicksOfEjected) break;
    const std::unique_ptr<Call> call = Pick(cluster.root);
    const std::string address = AddressIn(cluster, *call);
    if (!address.empty()) reached.insert(address);
  }
  return reached;
}

std::map<std::string, Results> Balancing::Send(const Ejectable &cluster,
                                               const std::map<std::string, Results> &wanted) {
  std::map<std::string, Results> left = wanted;
  std::map<std::string, Results> done;
  for (int i = 0; i < kPicksOfAll && !left.empty(); i++) {
    const std::unique_ptr<Call> call = Pick(cluster.root);
    const auto found = left.find(AddressIn(cluster, *call));
    if (found == left.end()) continue;
    Results &more = found->second;
    Results &ended = done[found->first];
    const bool fails = more.failures > 0;
    call->Start();
    Count(*call, cluster.root);
    call->Finish(fails ? memory::Unavailable("broken") : memory::Status());
    (fails ? ended.failures : ended.successes)++;
    (fails ? more.failures : more.successes)--;
    if (more.failures == 0 && more.successes == 0) left.erase(found);
  }
  return done;
}

void Balancing::CheckEjection(const std::string &root, const gxds_cluster_entry &leaf,
                              const gxds_priority &priority) {
  Ejectable cluster = {root, String(leaf.name), {}, 0, {}};
  bool connected = true;
  ForEachEndpoint(priority, [&](const gxds_locality &l, const gxds_endpoint &e) {
    cluster.addresses.insert(TextOf(e.address));
    connected = connected && IsReady(cluster.leaf, l, e);
  });
  if (!connected || cluster.addresses.size() < 2) return;
  for (size_t i = 0; const gxds_priority *p = gxds_cluster_entry_priority(&leaf, i); i++) {
    ForEachEndpoint(*p, [&](const gxds_locality &, const gxds_endpoint &) { cluster.endpoints++; });
  }
  cluster.settings = OutlierDetectionOf(Contents::NumberOf(&leaf.cluster->base));
  Random random(Mix(world_->seed(), static_cast<uint64_t>(IdOf(kCds, Str(root)))));
  if (!cluster.settings.EjectsAll()) {
    if (DealsOutEndpoints(leaf.cluster)) CheckEnforcement(cluster);
    return;
  }
  const bool by_rate = cluster.settings.enforcing_failures == 0;
  std::set<std::string> ejected;
  gxds_time ejected_after = 0;  // it is ejected at the next sweep
  for (int i = 0; i < (by_rate ? kRounds : 1) && ejected.empty(); i++) {
    ejected_after = now();
    ejected = CheckWhoIsEjected(cluster, DrawResults(cluster, &random));
  }
  if (ejected.empty()) return;
  if (by_rate) world_->Did(kDidEjectByRate);
  if (!by_rate && random.OneIn(kMultipliersOneIn) && DealsOutEndpoints(leaf.cluster)) {
    CheckMultiplier(cluster, *ejected.begin(), {ejected_after, now()}, random.Int(3));
  } else {
    PassUntil(ejected_after + cluster.settings.base_ejection_time - GXDS_SECOND);
    CheckGone(cluster, ejected);
  }
  PassUntil(now() + 3 * cluster.settings.interval);
  const std::set<std::string> back = Reached(cluster, cluster.addresses.size());
  for (const std::string &address : ejected) {
    if (back.count(address) > 0) continue;
    Wrong("ejected", "no RPC to " + root + " goes to " + address + ", whose ejection is over");
  }
  world_->Did(kDidEject);
}

std::set<std::string> Balancing::CheckWhoIsEjected(const Ejectable &cluster,
                                                   const std::map<std::string, Results> &wanted) {
  std::set<std::string> certain;
  const std::set<std::string> outliers =
      OutliersOf(cluster.settings, Send(cluster, wanted), &certain);
  const size_t limit = cluster.settings.Limit(cluster.endpoints);
  const size_t least = std::min(certain.size(), limit);
  const size_t most = std::min(outliers.size(), limit);
  PassUntil(now() + cluster.settings.interval);
  const std::set<std::string> reached = Reached(cluster, cluster.addresses.size() - least);
  std::set<std::string> ejected;
  for (const std::string &address : cluster.addresses) {
    if (reached.count(address) == 0) ejected.insert(address);
  }
  const std::string what = std::to_string(ejected.size()) + " endpoints of " + cluster.root +
                           " are ejected, of " + std::to_string(certain.size()) +
                           " outliers; should be " + std::to_string(least);
  if (ejected.size() < least) Wrong("ejected", what);
  for (const std::string &address : ejected) {
    if (outliers.count(address) > 0) continue;
    Wrong("spared", address + " of " + cluster.root + " is ejected, and is no outlier");
  }
  if (ejected.size() > most) Wrong("ejection-limit", what);
  return ejected;
}

// One RPC to each endpoint fails, or to all except one. If success rates count, most RPCs to one
// endpoint and to some others fail, and one endpoint may have too few RPCs.
std::map<std::string, Results> Balancing::DrawResults(const Ejectable &cluster, Random *random) {
  std::map<std::string, Results> out;
  if (cluster.settings.enforcing_failures > 0) {
    for (const std::string &address : cluster.addresses) out[address] = {0, 1};
    if (random->OneIn(2)) out.rbegin()->second = {1, 0};
    return out;
  }
  const int volume = static_cast<int>(cluster.settings.success_rate_request_volume);
  const int count = static_cast<int>(cluster.addresses.size());
  int worst = random->Int(count);
  int least = random->Int(2 * count);  // count or more: no endpoint has too few
  for (const std::string &address : cluster.addresses) {
    const int all = least-- == 0 ? 1 : volume + random->Int(2);
    const int few = random->Int(2);
    const int failures = worst-- == 0 || random->OneIn(4) ? all - few : few;
    out[address] = {all - failures, failures};
  }
  return out;
}

// Half of the outliers are ejected. So an endpoint that is an outlier again and again must be
// ejected at some time, and spared at some time.
void Balancing::CheckEnforcement(const Ejectable &cluster) {
  const OutlierDetection &settings = cluster.settings;
  const std::string &victim = *cluster.addresses.begin();
  std::map<std::string, Results> wanted = {{victim, {0, 1}}};
  if (settings.enforcing_failures == 0) {
    const int volume = static_cast<int>(settings.success_rate_request_volume);
    for (const std::string &address : cluster.addresses) wanted[address] = {volume, 0};
    wanted[victim] = {0, volume};
  }
  int ejected = 0;
  int spared = 0;
  for (int i = 0; i < kTrials && (ejected == 0 || spared == 0); i++) {
    std::set<std::string> certain;
    OutliersOf(settings, Send(cluster, wanted), &certain);
    if (certain.count(victim) == 0) return;  // there were too few RPCs
    PassUntil(now() + settings.interval);
    if (IsBack(cluster, victim, false)) {
      spared++;
      continue;
    }
    ejected++;
    PassUntil(now() + settings.EjectionTime(ejected) + settings.interval);
  }
  if (ejected > 0 && spared > 0) return world_->Did(kDidEjectByChance);
  Wrong("enforcement", victim + " of " + cluster.root + " is an outlier, and is " +
                           (ejected > 0 ? "always" : "never") + " ejected");
}

bool Balancing::IsBack(const Ejectable &cluster, const std::string &address, bool fail) {
  for (int i = 0; i < kPicksDealt; i++) {
    const std::unique_ptr<Call> call = Pick(cluster.root);
    if (AddressIn(cluster, *call) != address) continue;
    if (!fail) return true;
    call->Start();
    Count(*call, cluster.root);
    call->Finish(memory::Unavailable("broken"));
    return true;
  }
  return false;
}

Balancing::Moment Balancing::CheckReturn(const Ejectable &cluster, const std::string &address,
                                         Moment ejected, int multiplier, bool fail) {
  const gxds_duration time = cluster.settings.EjectionTime(multiplier);
  PassUntil(ejected.until);
  if (IsBack(cluster, address, false)) {
    Wrong("ejected", "an RPC to " + cluster.root + " goes to " + address + ", where all failed");
  }
  PassUntil(ejected.after + time);
  const std::string what = " is an ejection of " + address + " in " + cluster.root +
                           ", which is for " + std::to_string(time / GXDS_SECOND) +
                           " s, by a multiplier of " + std::to_string(multiplier);
  if (IsBack(cluster, address, false)) Wrong("multiplier", "too short" + what);
  while (now() < ejected.until + time + cluster.settings.interval) {
    const gxds_time gone_at = now();
    PassUntil(now() + kPause);
    if (IsBack(cluster, address, fail)) return {gone_at, now()};
  }
  Wrong("multiplier", "too long" + what);
}

// Ejects the endpoint twice more. For the second time it fails as soon as it is back, so its
// multiplier is then two. Before the third time it may be healthy for some intervals, each of which
// reduces the multiplier by one.
void Balancing::CheckMultiplier(const Ejectable &cluster, const std::string &address,
                                Moment ejected, int well) {
  const gxds_duration interval = cluster.settings.interval;
  Moment back = CheckReturn(cluster, address, ejected, 1, true);
  ejected = {back.after + interval, back.until + interval};
  back = CheckReturn(cluster, address, ejected, 2, well == 0);
  PassUntil(back.until + well * interval);
  if (well > 0 && !IsBack(cluster, address, true)) {
    Wrong("spared", "no RPC to " + cluster.root + " goes to " + address + ", which is well");
  }
  ejected = {back.after + (well + 1) * interval, back.until + (well + 1) * interval};
  CheckReturn(cluster, address, ejected, 3 - well, false);
  world_->Did(kDidEjectAgain);
}

void Balancing::CheckGone(const Ejectable &cluster, const std::set<std::string> &ejected) {
  for (const std::string &address : Reached(cluster, 0)) {
    if (ejected.count(address) == 0) continue;
    Wrong("ejected",
          "an RPC to " + cluster.root + " goes to " + address + ", whose ejection is not over");
  }
}

}  // namespace gxds_sim
