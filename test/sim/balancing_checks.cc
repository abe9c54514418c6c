// The checks of balancing.h, except those of the end (balancing_settled.cc).
#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include "lb_policies/priority/priority.h"
#include "lrs/load_report.h"
#include "resources/endpoints.h"
#include "resources/lb_metadata.h"
#include "test/host/memory_resolver.h"
#include "test/sim/balancing_internal.h"

namespace gxds_sim {
namespace {

// If endpoints may be left out: after so long without a change, policies have tried all that they
// need. Attempts without a response hold up others.
constexpr gxds_duration kCalmAfter = 5 * GXDS_SECOND;

// The zone of an address, by its port; see MakeEndpoints(). Addresses from DNS have no zone.
std::string ZoneOf(const std::string &address) {
  const int port = PortOf(address);
  return port == 0 ? "" : "z" + std::to_string(port / 100);
}

// Whether the policy connects only when an RPC needs it: ring_hash, and pick_first after it lost
// its connection.
bool ConnectsOnDemand(const gxds_cluster *cluster) {
  const std::string policy = String(cluster->lb_policy_json);
  return policy.find("ring_hash") != std::string::npos ||
         policy.find("pick_first") != std::string::npos;
}

void CheckAuthority(const Call &call) {
  const std::string &address = call.subchannel()->address;
  // Endpoints of DNS names have address zero here.
  const int port = PortOf(address);
  const std::string wanted = port == 0 ? "" : HostnameOf(port);
  if (call.authority() == wanted) return;
  Wrong("authority", address + " gets \"" + call.authority() + "\", should be \"" + wanted + "\"");
}

}  // namespace

std::map<std::string, uint32_t> &InFlight() {
  static auto *in_flight = new std::map<std::string, uint32_t>;
  return *in_flight;
}

std::map<std::string, uint32_t> &InDoubt() {
  static auto *in_doubt = new std::map<std::string, uint32_t>;
  return *in_doubt;
}

// ---- contents of a snapshot ----

bool Balancing::Has(const gxds_config *config, const std::string &leaf,
                    const std::string &address) const {
  const gxds_cluster_entry *entry = config ? gxds_config_cluster(config, Str(leaf)) : nullptr;
  bool found = false;
  for (size_t i = 0; entry; i++) {
    const gxds_priority *priority = gxds_cluster_entry_priority(entry, i);
    if (!priority) break;
    ForEachEndpoint(*priority, [&](const gxds_locality &l, const gxds_endpoint &e) {
      found = found || HasAddress(l, e, address);
    });
  }
  return found;
}

bool Balancing::HasDraining(const gxds_config *config, const std::string &leaf,
                            const std::string &address, bool allowed) {
  const gxds_cluster_entry *entry = config ? gxds_config_cluster(config, Str(leaf)) : nullptr;
  if (!entry || !entry->endpoints) return false;
  if (allowed && !AllowsDraining(Contents::NumberOf(&entry->cluster->base))) return false;
  bool found = false;
  for (size_t i = 0; const gxds_priority *priority = gxds_cluster_entry_priority(entry, i); i++) {
    for (size_t k = 0; k < priority->locality_count; k++) {
      const gxds_locality *l = gxds_locality_draining(priority->localities[k]);
      for (uint32_t n = 0; l && n < l->endpoint_count; n++) {
        found = found || HasAddress(*l, gxds_locality_endpoint(l, n), address);
      }
    }
  }
  return found;
}

bool Balancing::LeadsTo(const std::string &root, const std::string &leaf) const {
  const gxds_cluster_entry *entry = gxds_config_cluster(newest_, Str(root));
  bool leads = entry && entry->kind == GXDS_ENTRY_ENDPOINTS && root == leaf;
  for (size_t i = 0; entry && i < entry->leaf_cluster_count; i++) {
    leads = leads || String(entry->leaf_clusters[i]) == leaf;
  }
  return leads;
}

bool Balancing::IsAlone(const std::string &leaf) const {
  int roots = 0;
  for (size_t i = 0; i < newest_->roots->count; i++) {
    roots += LeadsTo(String(newest_->roots->names[i]), leaf) ? 1 : 0;
  }
  return roots == 1;
}

bool Balancing::IsCalm(const std::string &root) const {
  if (!world_->options().LeavesOut()) return true;
  const auto picked = picked_since_.find(root);
  return picked != picked_since_.end() &&
         now() - std::max(picked->second, quiet_since_) > kCalmAfter;
}

bool Balancing::IsWatched(const std::string &leaf, const std::string &address) const {
  for (const memory::Subchannel *s : host_.subchannels()) {
    if (s->is_watched() && s->address == address && ClusterOf(*s) == leaf) return true;
  }
  return false;
}

// An endpoint with two addresses is ready when one is connected and the other's subchannel has
// ended.
bool Balancing::IsReady(const std::string &leaf, const gxds_locality &locality,
                        const gxds_endpoint &endpoint) {
  const std::string first = TextOf(endpoint.address);
  if (world_->options().LeavesOut()) {
    // Another policy may be connected to an endpoint that this one has left out.
    const gxds_cluster_entry *entry = gxds_config_cluster(newest_, Str(leaf));
    if (!entry || SubsetsOf(entry) || gxds_config_has_sessions(newest_) || !IsAlone(leaf)) {
      return false;
    }
    if (now() - quiet_since_ <= kCalmAfter) return false;
    if (!HasMore(locality) && !IsWatched(leaf, first)) return false;
  }
  if (!HasMore(locality)) return At(first).state == GRPC_CHANNEL_READY;
  std::set<std::string> watched;
  for (const memory::Subchannel *s : host_.subchannels()) {
    if (!s->is_watched() || FirstAddressOf(s->address) != first || ClusterOf(*s) != leaf) continue;
    watched.insert(s->address);
  }
  return watched.size() == 1 && At(*watched.begin()).state == GRPC_CHANNEL_READY;
}

bool Balancing::IsReplaced(const std::string &cluster, const memory::Subchannel &subchannel) const {
  auto replaced = replaced_.find(cluster);
  return replaced != replaced_.end() &&
         (subchannel.number < replaced->second || two_addressed_.count(ClusterOf(subchannel)) > 0);
}

bool Balancing::IsOfNewest(const std::string &root, const memory::Subchannel &subchannel) const {
  const std::string leaf = ClusterOf(subchannel);
  // A policy that is being replaced may connect to endpoints that it had left out.
  if (world_->options().LeavesOut() && replaced_.count(leaf) + replaced_.count(root) > 0) {
    return false;
  }
  return Has(newest_, leaf, subchannel.address) && !IsReplaced(leaf, subchannel) &&
         !IsReplaced(root, subchannel);
}

void Balancing::NoteReplaced(const gxds_config *config) {
  for (size_t i = 0; i < kNameCount; i++) {
    const std::string &name = NameOf(kCds, static_cast<int>(i));
    const gxds_cluster_entry *before = newest_ ? gxds_config_cluster(newest_, Str(name)) : nullptr;
    const gxds_cluster_entry *after = gxds_config_cluster(config, Str(name));
    for (size_t k = 0; after && after->kind == GXDS_ENTRY_ENDPOINTS; k++) {
      const gxds_priority *priority = gxds_cluster_entry_priority(after, k);
      if (!priority) break;
      for (size_t n = 0; n < priority->locality_count; n++) {
        if (HasMore(*priority->localities[n])) two_addressed_.insert(name);
      }
    }
    const bool same_sessions =
        !newest_ || gxds_config_has_sessions(newest_) == gxds_config_has_sessions(config);
    if (!before || !after ||
        (before->kind == after->kind && HasOutlier(before) == HasOutlier(after) &&
         !SubsetsOf(before) == !SubsetsOf(after) && same_sessions)) {
      continue;
    }
    replaced_[name] = host_.subchannels_made;
  }
}

const gxds_priority *Balancing::FirstPriority(const gxds_cluster_entry *leaf,
                                              const std::string &version) {
  for (size_t i = 0;; i++) {
    const gxds_priority *priority = gxds_cluster_entry_priority(leaf, i);
    if (!priority) return nullptr;
    bool any = false;
    ForEachEndpoint(*priority, [&](const gxds_locality &, const gxds_endpoint &e) {
      any = any || version.empty() || VersionOf(e.address.port) == version;
    });
    if (any) return priority;
  }
}

bool Balancing::IsConnected(const std::string &leaf, const std::string &zone,
                            const std::string &version) {
  const gxds_cluster_entry *entry = gxds_config_cluster(newest_, Str(leaf));
  const std::string wanted = entry && SubsetsOf(entry) ? version : "";
  // With outlier detection (A50) a connected endpoint may be ejected.
  const gxds_priority *priority =
      entry && !HasOutlier(entry) ? FirstPriority(entry, wanted) : nullptr;
  bool connected = false;
  bool has_zone = false;
  bool zone_connected = false;
  if (!priority) return false;
  ForEachEndpoint(*priority, [&](const gxds_locality &l, const gxds_endpoint &e) {
    if (!wanted.empty() && VersionOf(e.address.port) != wanted) return;
    const bool ready = IsReady(leaf, l, e);
    const bool same = String(l.zone) == zone;
    connected = connected || ready;
    has_zone = has_zone || same;
    zone_connected = zone_connected || (same && ready);
  });
  return connected && (!has_zone || zone_connected);
}

bool Balancing::HasBetter(const std::string &root, const std::string &leaf, const std::string &zone,
                          const std::string &version) {
  if (LeadsTo(root, leaf)) return IsConnected(leaf, zone, version);
  // Other connections to the leaf are of no use to policies that no longer have it.
  const gxds_cluster_entry *entry = gxds_config_cluster(newest_, Str(root));
  const gxds_cluster_entry *leaf_now = entry ? ServingLeaf(newest_, entry) : nullptr;
  return leaf_now && IsConnected(String(leaf_now->name), "");
}

const gxds_cluster_entry *Balancing::ServingLeaf(const gxds_config *config,
                                                 const gxds_cluster_entry *root) {
  if (root->kind == GXDS_ENTRY_ENDPOINTS) return FirstPriority(root) ? root : nullptr;
  for (size_t i = 0; i < root->leaf_cluster_count; i++) {
    const gxds_cluster_entry *leaf = gxds_config_cluster(config, root->leaf_clusters[i]);
    if (leaf && leaf->kind == GXDS_ENTRY_ENDPOINTS && FirstPriority(leaf)) return leaf;
  }
  return nullptr;
}

// ---- each RPC ----

std::string Balancing::Route(bool has_header) {
  const gxds_virtual_host *host = newest_->virtual_host;
  const gxds_route *first = &host->routes[0];
  memory::Headers headers;
  if (has_header) headers[String(first->headers[0].name)] = String(first->headers[0].text);
  const memory::RoutedRpc rpc(selector_, "/package.Service/Method", headers);
  if (!rpc.failed()) rpc.Commit();
  world_->Did(kDidRoute);
  // Other routes match any RPC.
  const gxds_route *route = has_header ? first : host->route_count > 1 ? first + 1 : nullptr;
  const bool leads = route && route->action == GXDS_ROUTE_CLUSTERS;
  const std::string wanted = leads ? String(route->clusters[0].name) : "";
  if (rpc.failed() == leads || (leads && rpc.Text() != wanted)) {
    Wrong("routed", "an RPC is routed to \"" + rpc.Text() + "\", should be \"" + wanted + "\"");
  }
  return wanted;
}

std::unique_ptr<Call> Balancing::PickOfSession(const std::string &root,
                                               const std::string &version) {
  if (!gxds_config_has_sessions(newest_)) return Pick(root, nullptr, nullptr, version);
  const std::string wanted = sessions_[root];
  gxds_session session = {Str(wanted), {nullptr, 0}, nullptr};
  std::unique_ptr<Call> call = Pick(root, &session, nullptr, version);
  const bool may_serve = !wanted.empty() && MayServeSession(root, wanted);
  if (may_serve && call->kind() == GXDS_PICKED_QUEUE) {
    call.reset();
    call = Pick(root, &session, nullptr, version);  // now the policy knows about the session
  }
  if (call->kind() == GXDS_PICKED_COMPLETE) {
    const std::string &address = call->subchannel()->address;
    const bool is_reported = IsOneOf(String(session.used), address);
    // Policies that are being replaced serve until the new ones can, and make subchannels
    // meanwhile.
    const bool may_be_of_others = replaced_.count(root) + replaced_.count(LeafOf(*call)) > 0;
    if (!is_reported && !may_be_of_others && IsOfNewest(root, *call->subchannel())) {
      Wrong("session", "an RPC that goes to " + address + " gets \"" + String(session.used) + "\"");
    }
    if (is_reported) sessions_[root] = String(session.used);
    if (!may_serve || IsReplaced(root, *call->subchannel())) return call;
    world_->Did(kDidSession);
    if (IsOneOf(wanted, address)) return call;
    Wrong("session", "an RPC whose session has " + wanted + " goes to " + address);
  } else if (may_serve && call->kind() != GXDS_PICKED_DROP) {
    Wrong("session", "an RPC whose session has " + wanted + ": " + call->Text());
  }
  return call;
}

bool Balancing::MayServeSession(const std::string &root, const std::string &addresses) {
  const gxds_cluster_entry *entry = gxds_config_cluster(newest_, Str(root));
  // A connected endpoint may be ejected (A50). If policies were replaced, it is not known when the
  // new ones begin to serve.
  if (!entry || entry->kind != GXDS_ENTRY_ENDPOINTS || HasOutlier(entry) ||
      replaced_.count(root) > 0 || !IsCalm(root)) {
    return false;
  }
  // Of several addresses, any may be the connected one.
  std::istringstream all(addresses);
  for (std::string address; std::getline(all, address, ',');) {
    if (!Has(newest_, root, address) && !HasDraining(newest_, root, address, true)) return false;
    if (At(address).state != GRPC_CHANNEL_READY) return false;
  }
  return true;
}

std::unique_ptr<Call> Balancing::Pick(const std::string &root, gxds_session *session,
                                      const uint64_t *hash, const std::string &version) {
  memory::Request request;
  const std::string labels = "{\"version\":\"" + version + "\"}";
  const gxds_metadata_match match = {Str(labels), gxds_metadata_hash(Str(labels))};
  if (!version.empty()) request.route.match = &match;
  request.cluster = root;
  request.route.session = session;
  request.route.has_hash = hash != nullptr;
  request.route.hash = hash == nullptr ? 0 : *hash;
  request.route.cluster_id = static_cast<uint64_t>(IdOf(kCds, Str(root))) + 1;
  request.route.auto_host_rewrite = true;
  gxds_picker *picker = plants_.Picker(host_.picker());
  if (!picker) Wrong("no-picker", where_ + ": the policies have published none");
  std::unique_ptr<Call> call = host_.PickWith(picker, request);
  if (world_->tracing()) {
    world_->Trace("%s: RPC to %s: %s", where_.c_str(), root.c_str(), call->Text().c_str());
  }
  static const Happening happened[] = {kDidWait, kDidPick, kDidPickFails, kDidDrop};
  world_->Did(happened[call->kind()]);
  switch (call->kind()) {
    case GXDS_PICKED_COMPLETE:
      CheckAuthority(*call);
      CheckPicked(*call, root, session ? String(session->wanted) : "", version);
      break;
    case GXDS_PICKED_DROP:
      CheckDropped(root, call->Text());
      break;
    case GXDS_PICKED_QUEUE:
    case GXDS_PICKED_FAIL:
      // An RPC of a session may wait for the session's endpoint.
      if ((!session || session->wanted.size == 0) && version.empty()) {
        CheckWaiting(root, call->Text());
      }
      break;
  }
  picked_since_.emplace(root, now());
  return call;
}

// A session takes precedence over the version that its RPC selects.
void Balancing::CheckVersion(const Call &call, const std::string &root,
                             const std::string &version) {
  const std::string &address = call.subchannel()->address;
  const gxds_cluster_entry *leaf = gxds_config_cluster(newest_, Str(LeafOf(call)));
  if (!leaf || !SubsetsOf(leaf) || !IsOfNewest(root, *call.subchannel())) return;
  if (VersionOf(PortOf(address)) != version) {
    Wrong("subset", "an RPC to " + root + " that wants " + version + " goes to " + address);
  }
  world_->Did(kDidSubset);
}

void Balancing::CheckPicked(const Call &call, const std::string &root, const std::string &session,
                            const std::string &version) {
  const std::string &address = call.subchannel()->address;
  const std::string leaf = LeafOf(call);
  if (At(address).state != GRPC_CHANNEL_READY) {
    Wrong("where-to", root + " leads to " + address + ", which is not connected");
  }
  if (IsReplaced(root, *call.subchannel())) {
    // The pick is from policies that are replaced as soon as the new ones can serve.
    const gxds_cluster_entry *entry = gxds_config_cluster(newest_, Str(root));
    const gxds_cluster_entry *leaf_now = entry ? ServingLeaf(newest_, entry) : nullptr;
    if (!leaf_now || !IsConnected(String(leaf_now->name), "")) return;
  }
  const bool is_sessions = IsOneOf(session, address);
  if (!version.empty() && !is_sessions) CheckVersion(call, root, version);
  const bool may_drain = is_sessions && (HasDraining(newest_, leaf, address, true) ||
                                         HasDraining(previous_, leaf, address, true));
  if (!may_drain && !Has(newest_, leaf, address) && !Has(previous_, leaf, address) &&
      HasBetter(root, leaf, ZoneOf(address), version)) {
    if (HasDraining(newest_, leaf, address, false)) {
      Wrong("draining", root + " leads to " + address + ", which drains");
    }
    Wrong("where-to", root + " leads to " + address + ", which " + leaf + " has no more");
  }
  if (!IsOfNewest(root, *call.subchannel())) return;  // its limit is that of its own snapshot
  const uint32_t in_flight = InFlight()[BreakerOf(leaf)] - InDoubt()[BreakerOf(leaf)];
  if (in_flight >= LimitOf(leaf, true)) {
    Wrong("breaker", leaf + " has " + std::to_string(in_flight) + " RPCs in flight, and one more");
  }
}

void Balancing::CheckDropped(const std::string &root, const std::string &why) {
  if (why.find("circuit breaker") == std::string::npos) return;  // dropped by a category
  const gxds_cluster_entry *entry = gxds_config_cluster(newest_, Str(root));
  std::vector<std::string> leaves;
  if (entry->kind == GXDS_ENTRY_ENDPOINTS) leaves.push_back(root);
  for (size_t i = 0; i < entry->leaf_cluster_count; i++) {
    leaves.push_back(String(entry->leaf_clusters[i]));
  }
  for (const std::string &leaf : leaves) {
    if (!IsConnected(leaf, "") || InFlight()[BreakerOf(leaf)] >= LimitOf(leaf, false)) return;
    for (const memory::Subchannel *s : host_.subchannels()) {
      if (ClusterOf(*s) == leaf && !IsOfNewest(root, *s)) return;
    }
  }
  Wrong("breaker", "an RPC to " + root + " is dropped, though no limit is reached: " + why);
}

// Checks whether the RPC may wait or fail.
void Balancing::CheckWaiting(const std::string &root, const std::string &text) {
  const gxds_cluster_entry *entry = gxds_config_cluster(newest_, Str(root));
  if (!entry || entry->kind != GXDS_ENTRY_ENDPOINTS || !entry->endpoints) return;
  if (gxds_cluster_outlier_detection(entry->cluster) || ConnectsOnDemand(entry->cluster)) return;
  const gxds_priority *priority = gxds_cluster_entry_priority(entry, 0);
  if (!priority || !IsCalm(root)) return;
  ForEachEndpoint(*priority, [&](const gxds_locality &l, const gxds_endpoint &e) {
    const std::string address = TextOf(e.address);
    bool ready = IsReady(root, l, e);
    if (world_->options().LeavesOut() && !HasMore(l)) {
      if (!IsWatched(root, address)) {
        Wrong("waits", "an RPC to " + root + ": " + text + ", and " + address + " is not tried");
      }
      ready = At(address).state == GRPC_CHANNEL_READY;  // so this policy is connected, too
    }
    if (!ready) return;
    for (const memory::Subchannel *s : host_.subchannels()) {
      if (FirstAddressOf(s->address) != address || !s->is_watched()) continue;
      if (ClusterOf(*s) != root) continue;
      Wrong("waits", "an RPC to " + root + ": " + text + ", though " + address + " is connected");
    }
  });
  CheckFailover(entry);
}

void Balancing::CheckFailover(const gxds_cluster_entry *leaf) {
  if (now() - quiet_since_ <= GXDS_PRIORITY_FAILOVER_DEFAULT) return;
  if (world_->options().LeavesOut() &&
      now() - picked_since_.at(String(leaf->name)) <= GXDS_PRIORITY_FAILOVER_DEFAULT) {
    return;
  }
  bool above_connects = false;
  for (size_t i = 0; const gxds_priority *p = gxds_cluster_entry_priority(leaf, i); i++) {
    bool any = false;
    bool all_idle = true;
    ForEachEndpoint(*p, [&](const gxds_locality &l, const gxds_endpoint &e) {
      any = true;
      ForEachAddress(l, e, [&](const std::string &address) {
        all_idle = all_idle && At(address).state == GRPC_CHANNEL_IDLE;
      });
    });
    if (!any) continue;
    if (above_connects && all_idle) {
      Wrong("failover", String(leaf->name) + " hangs, and its next priority is not tried");
    }
    if (above_connects) return;
    above_connects = !all_idle;
    if (all_idle) return;
  }
}

// ---- limits and counts ----

std::string Balancing::LeafOf(const Call &call) { return ClusterOf(*call.subchannel()); }

std::string Balancing::BreakerOf(const std::string &leaf) const {
  const gxds_cluster_entry *entry = gxds_config_cluster(newest_, Str(leaf));
  if (!entry || !entry->cluster) return leaf;
  return leaf + "/" + String(entry->cluster->eds_service_name);
}

uint32_t Balancing::LimitOf(const std::string &leaf, bool greatest) const {
  uint32_t limit = greatest ? 0 : UINT32_MAX;
  for (const gxds_config *config : {newest_, previous_}) {
    const gxds_cluster_entry *entry = config ? gxds_config_cluster(config, Str(leaf)) : nullptr;
    if (!entry || !entry->cluster) continue;
    const uint32_t here = entry->cluster->max_concurrent_requests;
    limit = greatest ? std::max(limit, here) : std::min(limit, here);
  }
  return limit;
}

void Balancing::Count(const Call &call, const std::string &root) {
  const std::string leaf = LeafOf(call);
  const bool is_current = IsOfNewest(root, *call.subchannel());
  bool least = is_current;
  bool most = !is_current;
  for (const gxds_config *config : {newest_, previous_}) {
    const gxds_cluster_entry *entry = config ? gxds_config_cluster(config, Str(leaf)) : nullptr;
    if (!entry || entry->kind != GXDS_ENTRY_ENDPOINTS) {
      // The old configuration serves the cluster while it can.
      least = least && config != newest_;
      most = most || config == newest_;
      continue;
    }
    const bool reports = entry->cluster->lrs_server != nullptr;
    least = least && reports;
    most = most || reports;
  }
  Bounds &bounds = counted_[leaf + "/" + ZoneOf(call.subchannel()->address)];
  bounds.least += least ? 1 : 0;
  bounds.most += most ? 1 : 0;
}

void Balancing::CheckCounts() {
  std::map<std::string, uint64_t> reported;
  for (const gxds_bootstrap_server *server : reported_to_) {
    gxds_load_report *r = gxds_load_report_build(store_, server, {true, nullptr, 0}, now());
    for (size_t i = 0; i < r->cluster_count; i++) {
      const gxds_cluster_report &c = r->clusters[i];
      for (size_t k = 0; k < c.locality_count; k++) {
        const gxds_locality_report &l = c.localities[k];
        reported[String(c.cluster) + "/" + String(l.zone)] += l.issued;
        if (l.issued > 0) world_->Did(kDidCounts);
        if (l.in_progress > rpcs_.size()) {
          const std::string cluster = String(c.cluster);
          r->sent = {0, 0};
          gxds_load_report_lost(r);
          Wrong("counts", cluster + ": more RPCs in progress than there are");
        }
      }
    }
    gxds_load_report_sent(r);
  }
  for (const auto &[what, issued] : reported) {
    if (issued > counted_[what].most) {
      Wrong("counts", what + ": " + std::to_string(issued) + " RPCs are reported, of " +
                          std::to_string(counted_[what].most));
    }
  }
  for (const auto &[what, bounds] : counted_) {
    if (reported[what] < bounds.least) {
      Wrong("counts", what + ": " + std::to_string(reported[what]) + " RPCs are reported, of " +
                          std::to_string(bounds.least));
    }
  }
  counted_.clear();
}

}  // namespace gxds_sim
