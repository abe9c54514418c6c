// The checks of balancing.h in the end, when all backends are up, except those of ejections
// (balancing_ejections.cc).
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "lb_policies/orca/orca_report.h"
#include "lb_policies/priority/priority.h"
#include "test/lb_policies/orca/orca_bytes.h"
#include "test/sim/balancing_internal.h"
#include "test/sim/balancing_ring.h"

namespace gxds_sim {
namespace {

constexpr int kPicksForShares = 400;
// The picks by which a share may differ from its weight. Picks are distributed evenly, not drawn at
// random.
constexpr double kDeviation = 4;

constexpr double kRpcsASecond = 100;
constexpr int kReportsFor = 12;  // seconds; the blackout period is ten
double UtilizationOf(const std::string &address) {
  return 0.2 * (1 + std::stoi(address.substr(address.rfind(':') + 1)) % 4);
}

bool HasLocalityPolicy(const gxds_cluster *cluster) {
  return String(cluster->lb_policy_json).find("xds_wrr_locality") != std::string::npos;
}
// Slow start is excluded, since it changes shares by itself. A DNS name has only one endpoint.
bool IsByWeightOfEndpoints(const gxds_cluster *cluster) {
  return cluster->kind == GXDS_CLUSTER_EDS &&
         String(cluster->lb_policy_json).find("\"grpc_xds_endpoint_weights\":{}") !=
             std::string::npos;
}
bool IsByLoad(const gxds_cluster *cluster) {
  return cluster->kind == GXDS_CLUSTER_EDS &&
         String(cluster->lb_policy_json).find("\"weighted_round_robin\"") != std::string::npos;
}
bool IsByRing(const gxds_cluster *cluster) {
  return cluster->kind == GXDS_CLUSTER_EDS &&
         String(cluster->lb_policy_json).find("ring_hash") != std::string::npos;
}

}  // namespace

void Balancing::CheckServes(const gxds_cluster_entry *root) {
  const std::string name = String(root->name);
  const gxds_cluster_entry *leaf =
      root->kind == GXDS_ENTRY_ERROR ? nullptr : ServingLeaf(newest_, root);
  if (!leaf) {
    const std::unique_ptr<Call> call = Pick(name);
    if (call->subchannel()) Wrong("settled", name + " has no endpoints, and serves");
    return;
  }
  if (InFlight()[BreakerOf(String(leaf->name))] >= leaf->cluster->max_concurrent_requests) return;
  const gxds_priority &priority = *FirstPriority(leaf);
  std::unique_ptr<Call> call = Pick(name);
  // Some RPCs are dropped by a category. Policies that connect on demand get time.
  for (int i = 0; i < 40 && !call->subchannel(); i++) {
    const bool waits = call->kind() == GXDS_PICKED_QUEUE;
    call.reset();
    if (waits) PassUntil(now() + GXDS_SECOND);
    call = Pick(name);
  }
  if (!call->subchannel()) Wrong("settled", name + " does not serve: " + call->Text());
  bool first = false;
  ForEachEndpoint(priority, [&](const gxds_locality &l, const gxds_endpoint &e) {
    first = first || HasAddress(l, e, call->subchannel()->address);
  });
  if (!first) {
    Wrong("settled", name + " leads to " + call->Text() + ", which is not of its first priority");
  }
  world_->Did(kDidServes);
  call.reset();  // while it exists it counts as in flight
  if (world_->options().LeavesOut()) GrowFully(name);
  if (HasLocalityPolicy(leaf->cluster)) CheckShares(name, *leaf, priority);
  if (HasOutlier(leaf)) CheckEjection(name, *leaf, priority);
  if (IsByLoad(leaf->cluster) && !HasOutlier(leaf)) CheckLoadShares(name, *leaf, priority);
  if (IsByRing(leaf->cluster) && !HasOutlier(leaf)) CheckRing(name, *leaf, priority);
  if (leaf == root && leaf->kind == GXDS_ENTRY_ENDPOINTS && !HasOutlier(leaf) &&
      gxds_config_has_sessions(newest_)) {
    CheckDraining(name, *leaf);
  }
  if (SubsetsOf(leaf) && leaf->endpoints->has_metadata && !HasOutlier(leaf)) {
    CheckSubsets(name, *leaf);
  }
  if (!IsByWeightOfEndpoints(leaf->cluster) || HasOutlier(leaf)) return;
  for (size_t i = 0; i < priority.locality_count; i++) {
    CheckEndpointShares(name, *leaf, *priority.localities[i]);
  }
}

void Balancing::CheckWeights(const char *kind, const std::string &root,
                             const std::map<std::string, double> &weights) {
  double sum = 0;
  for (const auto &[address, weight] : weights) sum += weight;
  std::map<std::string, int> picks;
  int all = 0;
  for (int i = 0; i < kPicksForShares; i++) {
    const std::unique_ptr<Call> call = Pick(root);
    if (!call->subchannel()) continue;
    const std::string address = FirstAddressOf(call->subchannel()->address);
    if (weights.count(address) == 0) continue;
    picks[address]++;
    all++;
  }
  for (const auto &[address, weight] : weights) {
    const double expected = weight / sum * all;
    if (std::fabs(picks[address] - expected) <= kDeviation) continue;
    Wrong(kind, root + ": " + std::to_string(picks[address]) + " of " + std::to_string(all) +
                    " RPCs beside its like go to " + address + ", should be " +
                    std::to_string(expected));
  }
}

void Balancing::CheckEndpointShares(const std::string &root, const gxds_cluster_entry &leaf,
                                    const gxds_locality &locality) {
  const int number = Contents::NumberOf(&leaf.endpoints->base);
  std::map<std::string, double> weights;
  for (uint32_t i = 0; i < locality.endpoint_count; i++) {
    const std::string address = TextOf(gxds_locality_endpoint(&locality, i).address);
    if (!IsReady(String(leaf.name), locality, gxds_locality_endpoint(&locality, i))) return;
    weights[address] = WeightOfEndpoint(number, i);
  }
  if (weights.size() < 2) return;
  world_->Did(kDidWeights);
  CheckWeights("settled", root, weights);
}

void Balancing::ReportLoad(const std::string &root, size_t rpcs, const std::string &silent) {
  for (size_t i = 0; i < rpcs; i++) {
    const std::unique_ptr<Call> call = Pick(root);
    if (!call->subchannel()) continue;
    call->Start();
    Count(*call, root);
    const std::string address = FirstAddressOf(call->subchannel()->address);
    std::map<std::string, std::string> trailers;
    if (address != silent) {
      trailers[GXDS_ORCA_METADATA_KEY] =
          orca_test::Cpu(UtilizationOf(address)) + orca_test::Double(6, kRpcsASecond);
    }
    call->Finish(memory::Status(), trailers);
  }
}

// The endpoints report for longer than the blackout period, after which their weights count. One of
// several reports nothing, and gets the mean of the others' weights.
void Balancing::CheckLoadShares(const std::string &root, const gxds_cluster_entry &leaf,
                                const gxds_priority &priority) {
  std::map<std::string, double> weights;
  bool connected = true;
  ForEachEndpoint(priority, [&](const gxds_locality &l, const gxds_endpoint &e) {
    const std::string address = TextOf(e.address);
    connected = connected && IsReady(String(leaf.name), l, e);
    weights[address] = kRpcsASecond / UtilizationOf(address);
  });
  if (!connected || weights.size() < 2) return;
  const std::string silent = weights.size() > 2 ? weights.begin()->first : "";
  if (!silent.empty()) {
    double sum = 0;
    for (const auto &[address, weight] : weights) sum += address == silent ? 0 : weight;
    weights[silent] = sum / static_cast<double>(weights.size() - 1);
  }
  for (int i = 0; i < kReportsFor; i++) {
    ReportLoad(root, weights.size() + 1, silent);
    PassUntil(now() + GXDS_SECOND);
  }
  world_->Did(kDidLoad);
  CheckWeights("load", root, weights);
}

void Balancing::CheckShares(const std::string &root, const gxds_cluster_entry &leaf,
                            const gxds_priority &priority) {
  if (priority.locality_count < 2) return;
  double sum = 0;
  std::map<std::string, std::pair<std::string, double>> zones;  // by address: zone, its weight
  for (size_t i = 0; i < priority.locality_count; i++) {
    const gxds_locality *l = priority.localities[i];
    if (l->endpoint_count == 0) continue;
    const double weight = WeightOf(Contents::NumberOf(&leaf.endpoints->base), *l);
    sum += weight;
    for (uint32_t j = 0; j < l->endpoint_count; j++) {
      zones[TextOf(gxds_locality_endpoint(l, j).address)] = {String(l->zone), weight};
    }
  }
  std::map<std::string, std::pair<double, int>> shares;  // by zone: weight, picks
  for (const auto &[address, zone] : zones) shares[zone.first] = {zone.second / sum, 0};
  if (shares.size() < 2) return;
  world_->Did(kDidShares);
  int picks = 0;
  for (int i = 0; i < kPicksForShares; i++) {
    const std::unique_ptr<Call> call = Pick(root);
    if (!call->subchannel()) continue;
    picks++;
    auto found = zones.find(FirstAddressOf(call->subchannel()->address));
    if (found != zones.end()) shares[found->second.first].second++;
  }
  for (const auto &[zone, share] : shares) {
    const double expected = share.first * picks;
    if (world_->tracing()) {
      world_->Trace("%s: %d of %d RPCs to %s go to zone %s, should be %.1f", where_.c_str(),
                    share.second, picks, root.c_str(), zone.c_str(), expected);
    }
    if (std::fabs(share.second - expected) <= kDeviation) continue;
    Wrong("settled", root + ": " + std::to_string(share.second) + " of " + std::to_string(picks) +
                         " RPCs go to zone " + zone + ", should be " + std::to_string(expected));
  }
}

std::string Balancing::CheckOwner(const std::string &root, uint64_t hash,
                                  const std::set<std::string> &owners) {
  for (int i = 0; i < 40; i++) {
    const std::unique_ptr<Call> call = Pick(root, nullptr, &hash);
    if (call->subchannel()) {
      const std::string address = FirstAddressOf(call->subchannel()->address);
      if (owners.count(address) > 0) return address;
      Wrong("ring", "an RPC to " + root + " goes to " + address + ", but its hash leads to " +
                        *owners.begin());
    }
    // The RPC was dropped by a category, or its endpoint must connect first.
    if (call->kind() != GXDS_PICKED_DROP) PassUntil(now() + GXDS_SECOND);
  }
  Wrong("ring", "an RPC to " + root + " does not reach " + *owners.begin());
}

void Balancing::CheckRing(const std::string &root, const gxds_cluster_entry &leaf,
                          const gxds_priority &priority) {
  const int number = Contents::NumberOf(&leaf.endpoints->base);
  double localities = 0;
  for (size_t i = 0; i < priority.locality_count; i++) {
    if (priority.localities[i]->endpoint_count == 0) continue;
    localities += WeightOf(number, *priority.localities[i]);
  }
  std::vector<Ring::Member> members;
  std::map<std::string, std::vector<std::string>> addresses;  // by endpoint
  for (size_t i = 0; i < priority.locality_count; i++) {
    const gxds_locality &l = *priority.localities[i];
    double endpoints = 0;
    for (uint32_t k = 0; k < l.endpoint_count; k++) endpoints += WeightOfEndpoint(number, k);
    for (uint32_t k = 0; k < l.endpoint_count; k++) {
      ForEachAddress(l, gxds_locality_endpoint(&l, k), [&](const std::string &address) {
        addresses[TextOf(gxds_locality_endpoint(&l, k).address)].push_back(address);
      });
      members.push_back(
          {TextOf(gxds_locality_endpoint(&l, k).address),
           WeightOf(number, l) / localities * WeightOfEndpoint(number, k) / endpoints});
    }
  }
  const Ring ring(members);
  uint64_t hash = world_->seed() * 0x9e3779b97f4a7c15;
  for (int i = 0; i < 4; i++, hash = hash * 6364136223846793005 + 1442695040888963407) {
    CheckOwner(root, hash, ring.OwnersOf(hash));
  }
  world_->Did(kDidRing);
  // The endpoint of the hash refuses connections, and then the next one too. One of the remaining
  // endpoints is connected first, since otherwise another priority might serve.
  std::set<std::string> refusing;
  const size_t most = std::min<size_t>(2, members.size() - 1);
  while (refusing.size() < most) {
    const std::string owner = CheckOwner(root, hash, ring.OwnersOf(hash, refusing));
    if (refusing.size() == 1) {
      const std::set<std::string> others = ring.OwnersOf(hash, {*refusing.begin(), owner});
      CheckOwner(root, ring.HashOf(*others.begin()), {*others.begin()});
      world_->Did(kDidRingOrder);
    }
    for (const std::string &address : addresses[owner]) {
      Backend &backend = At(address);
      backend.mood = kRefuses;
      SetState(address, &backend, GRPC_CHANNEL_IDLE);
    }
    refusing.insert(owner);
  }
  CheckOwner(root, hash, ring.OwnersOf(hash, refusing));
  for (const std::string &owner : refusing) {
    for (const std::string &address : addresses[owner]) At(address).mood = kUp;
  }
  if (!refusing.empty()) PassUntil(now() + 30 * GXDS_SECOND);
  CheckOwner(root, hash, ring.OwnersOf(hash));
}

void Balancing::CheckSubset(const std::string &root, const std::string &version,
                            const std::set<std::string> &addresses) {
  std::set<std::string> reached;
  // The subset connects when the first RPC selects it. Some RPCs are dropped by a category.
  for (int i = 0; i < 60 && reached.size() < addresses.size(); i++) {
    const std::unique_ptr<Call> call = Pick(root, nullptr, nullptr, version);
    if (call->subchannel()) {
      const std::string address = FirstAddressOf(call->subchannel()->address);
      if (addresses.count(address) == 0) {
        Wrong("subset", "an RPC to " + root + " that wants " + version + " goes to " + address);
      }
      reached.insert(address);
    } else if (call->kind() != GXDS_PICKED_DROP) {
      PassUntil(now() + GXDS_SECOND);
    }
  }
  if (reached.empty()) Wrong("subset", "no RPC to " + root + " reaches " + version);
}

void Balancing::CheckSubsets(const std::string &root, const gxds_cluster_entry &leaf) {
  for (const char *version : {"v0", "v1"}) {
    const gxds_priority *priority = FirstPriority(&leaf, version);
    if (!priority) {
      const std::unique_ptr<Call> call = Pick(root, nullptr, nullptr, version);
      if (call->subchannel()) Wrong("subset", root + " has no " + version + ", and serves it");
      continue;
    }
    std::set<std::string> addresses;
    ForEachEndpoint(*priority, [&](const gxds_locality &, const gxds_endpoint &e) {
      if (VersionOf(e.address.port) == version) addresses.insert(TextOf(e.address));
    });
    CheckSubset(root, version, addresses);
    world_->Did(kDidSubsets);
  }
}

void Balancing::CheckDraining(const std::string &root, const gxds_cluster_entry &leaf) {
  const bool allowed = AllowsDraining(Contents::NumberOf(&leaf.cluster->base));
  for (size_t i = 0; const gxds_priority *p = gxds_cluster_entry_priority(&leaf, i); i++) {
    for (size_t k = 0; k < p->locality_count; k++) {
      const gxds_locality *l = gxds_locality_draining(p->localities[k]);
      if (l == nullptr) continue;
      const std::string wanted = TextOf(gxds_locality_endpoint(l, 0).address);
      bool reached = false;
      // The endpoint must connect first. Some RPCs are dropped by a category.
      for (int n = 0; n < 20 && !reached; n++) {
        gxds_session session = {Str(wanted), {nullptr, 0}, nullptr};
        const std::unique_ptr<Call> call = Pick(root, &session);
        if (call->subchannel()) {
          reached = HasAddress(*l, gxds_locality_endpoint(l, 0), call->subchannel()->address);
          if (!reached && allowed) break;
        }
        if (call->kind() == GXDS_PICKED_QUEUE) PassUntil(now() + GXDS_SECOND);
      }
      if (reached != allowed) {
        Wrong("draining", root + ": a session's endpoint that drains, " + wanted + ", " +
                              (reached ? "serves" : "does not serve"));
      }
      world_->Did(kDidDrained);
    }
  }
}

// Checks all endpoints with two addresses. Each subset chooses an address of its own, and so do the
// policies of each root above a cluster.
void Balancing::CheckAddresses() {
  std::map<std::string, int> roots;  // by cluster
  for (size_t i = 0; i < newest_->roots->count; i++) {
    const gxds_cluster_entry *root = gxds_config_cluster(newest_, newest_->roots->names[i]);
    roots[String(root->name)]++;
    for (size_t k = 0; k < root->leaf_cluster_count; k++) roots[String(root->leaf_clusters[k])]++;
  }
  std::map<std::string, std::set<std::string>> connected;  // by cluster and first address
  for (const memory::Subchannel *s : host_.subchannels()) {
    const gxds_cluster_entry *entry = gxds_config_cluster(newest_, Str(ClusterOf(*s)));
    if (s->state != GRPC_CHANNEL_READY || (entry && SubsetsOf(entry))) continue;
    if (roots[ClusterOf(*s)] > 1) continue;
    connected[ClusterOf(*s) + " " + FirstAddressOf(s->address)].insert(s->address);
  }
  for (const auto &[endpoint, addresses] : connected) {
    if (addresses.size() > 1) Wrong("addresses", endpoint + " has a second connection");
    if (FirstAddressOf(*addresses.begin()) != *addresses.begin()) world_->Did(kDidTwoAddresses);
  }
}

// No connection may be left to endpoints that are not in the snapshot, nor, once the time for that
// is over, to priorities that are not needed.
void Balancing::CheckKept() {
  PassUntil(now() + 2 * GXDS_PRIORITY_RETENTION);
  plants_.Picker(host_.picker());  // releases the picker before
  PassUntil(now() + GXDS_SECOND);
  CheckAddresses();
  std::set<std::string> needed;
  auto need = [&](const gxds_cluster_entry *leaf) {
    for (const char *version : {"", "v0", "v1"}) {
      if (!leaf || (*version && !SubsetsOf(leaf))) return;
      const gxds_priority *priority = FirstPriority(leaf, version);
      if (!priority) continue;
      ForEachEndpoint(*priority, [&](const gxds_locality &l, const gxds_endpoint &e) {
        ForEachAddress(l, e, [&](const std::string &address) {
          needed.insert(String(leaf->name) + " " + address);
        });
      });
    }
  };
  for (size_t i = 0; i < newest_->roots->count; i++) {
    const gxds_cluster_entry *root = gxds_config_cluster(newest_, newest_->roots->names[i]);
    if (root->kind != GXDS_ENTRY_ERROR) need(ServingLeaf(newest_, root));
  }
  for (const memory::Subchannel *s : host_.subchannels()) {
    const std::string what = ClusterOf(*s) + " " + s->address;
    if (needed.count(what) == 0)
      Wrong("settled", "a connection is kept that nobody needs: " + what);
  }
}

}  // namespace gxds_sim
