// The checks of balancing.h for outlier detection, when all is well, in the end.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "test/sim/balancing_internal.h"
#include "test/sim/outliers.h"

namespace gxds_sim {
namespace {

// So many that each endpoint is picked, whatever its share, though some policies draw endpoints.
constexpr int kPicksOfAll = 400;
constexpr int kPicksOfEjected = 24;
// Likewise, where endpoints are dealt out.
constexpr int kPicksDealt = 60;
// Of clusters: it takes many picks.
constexpr int kMultipliersOneIn = 8;
// How often it is asked whether an endpoint is back; several times in an interval.
constexpr gxds_duration kPause = 4 * GXDS_SECOND;

// Each by its share, from the start.
bool DealsOutEndpoints(const gxds_cluster *cluster) {
  const std::string policy = String(cluster->lb_policy_json);
  for (const char *other : {"ring_hash", "least_request", "slow_start", "slowStart"}) {
    if (policy.find(other) != std::string::npos) return false;
  }
  return true;
}

}  // namespace

// Another leaf of an aggregate may have the same addresses.
std::string Balancing::AddressIn(const Ejectable &cluster, const Call &call) {
  if (!call.subchannel() || LeafOf(call) != cluster.leaf) return "";
  const std::string &address = call.subchannel()->address;
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
  ForEachEndpoint(priority, [&](const gxds_locality &, const gxds_endpoint &e) {
    const std::string address = TextOf(e.address);
    cluster.addresses.insert(address);
    connected = connected && At(address).state == GRPC_CHANNEL_READY;
  });
  if (!connected || cluster.addresses.size() < 2) return;
  for (size_t i = 0; const gxds_priority *p = gxds_cluster_entry_priority(&leaf, i); i++) {
    ForEachEndpoint(*p, [&](const gxds_locality &, const gxds_endpoint &) { cluster.endpoints++; });
  }
  cluster.settings = OutlierDetectionOf(Contents::NumberOf(&leaf.cluster->base));
  Random random(Mix(world_->seed(), static_cast<uint64_t>(IdOf(kCds, Str(root)))));
  const gxds_time ejected_after = now();  // at a sweep, soon
  const std::set<std::string> ejected = CheckWhoIsEjected(cluster);
  if (ejected.empty()) return;
  if (random.OneIn(kMultipliersOneIn) && DealsOutEndpoints(leaf.cluster)) {
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

// The RPCs to each endpoint fail, or those to all but one. As many as may be are ejected.
std::set<std::string> Balancing::CheckWhoIsEjected(const Ejectable &cluster) {
  std::map<std::string, Results> wanted;
  for (const std::string &address : cluster.addresses) wanted[address].failures = 1;
  if (world_->seed() % 2 == 0) wanted.rbegin()->second = {1, 0};
  const std::set<std::string> outliers = OutliersOf(cluster.settings, Send(cluster, wanted));
  const size_t expected = std::min(outliers.size(), cluster.settings.Limit(cluster.endpoints));
  PassUntil(now() + cluster.settings.interval);
  const std::set<std::string> reached = Reached(cluster, cluster.addresses.size() - expected);
  std::set<std::string> ejected;
  for (const std::string &address : cluster.addresses) {
    if (reached.count(address) == 0) ejected.insert(address);
  }
  const std::string what = std::to_string(ejected.size()) + " endpoints of " + cluster.root +
                           " are ejected, of " + std::to_string(outliers.size()) +
                           " outliers; should be " + std::to_string(expected);
  if (ejected.size() < expected) Wrong("ejected", what);
  for (const std::string &address : ejected) {
    if (outliers.count(address) > 0) continue;
    Wrong("spared", address + " of " + cluster.root + " is ejected, and is no outlier");
  }
  if (ejected.size() > expected) Wrong("ejection-limit", what);
  return ejected;
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

// The endpoint is ejected twice more. The second time it fails as soon as it is back, so that its
// multiplier is two then. Before the third time it may be well for some intervals, and each takes
// one from the multiplier.
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
