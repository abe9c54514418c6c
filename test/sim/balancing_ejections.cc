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
constexpr int kPicksOfEjected = 40;

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
  const gxds_time ejected_after = now();  // at a sweep, soon
  const std::set<std::string> ejected = CheckWhoIsEjected(cluster);
  if (ejected.empty()) return;
  PassUntil(ejected_after + cluster.settings.base_ejection_time - GXDS_SECOND);
  CheckGone(cluster, ejected);
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

void Balancing::CheckGone(const Ejectable &cluster, const std::set<std::string> &ejected) {
  for (const std::string &address : Reached(cluster, 0)) {
    if (ejected.count(address) == 0) continue;
    Wrong("ejected",
          "an RPC to " + cluster.root + " goes to " + address + ", whose ejection is not over");
  }
}

}  // namespace gxds_sim
