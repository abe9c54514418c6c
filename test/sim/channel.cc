#include "test/sim/channel.h"

#include "base/status.h"

namespace gxds_sim {
namespace {

constexpr gxds_duration kDnsDelay = 200 * GXDS_MILLISECOND;
constexpr gxds_duration kRpcTime = 5 * GXDS_SECOND;

bool OneMore(int count) { return count > 0; }

Mask SubscribedMask(const int *subscriptions) {
  Mask out = 0;
  for (int i = 0; i < kNameCount; i++) {
    if (OneMore(subscriptions[i])) out |= Bit(i);
  }
  return out;
}

}  // namespace

Channel::Channel(World *world, Client *client, int index, int listener)
    : world_(world),
      client_(client),
      index_(index),
      balancing_(std::make_unique<Balancing>(
          world, "client" + std::to_string(client->index()) + " channel" + std::to_string(index))) {
  received_.listener = listener;
  gxds_dependency_manager_options options = {};
  options.listener_name = Str(NameOf(kLds, listener));
  options.data_plane_authority = gxds_str_z(kDataPlaneAuthority);
  options.node_id = Str(client->node_id());
  options.load_store = balancing_->load_store();
  manager_ = gxds_dependency_manager_create(&options);
}

Channel::~Channel() {
  gxds_dependency_manager_destroy(manager_);
  for (auto &names : received_.of) {
    for (Received &received : names) Forget(&received);
  }
  for (Received &received : received_.dns) Forget(&received);
  gxds_config_unref(config_);
}

// Forgets the watch and its last notification.
void Channel::Forget(Received *received) {
  if (received->watch >= 0) client_->EndWatch(received->watch);
  gxds_resource_unref(received->resource);
  *received = Received();
}

// ---- notifications from the client ----

void Channel::OnResource(const Watch &watch, const gxds_resource *resource,
                         const gxds_error *error) {
  Received &received = received_.of[watch.type][watch.name];
  if (received.token != watch.token)
    Fail("late-watch", "a channel is notified by a watch that it ended");
  gxds_resource_unref(received.resource);
  received.resource = resource ? gxds_resource_ref(resource) : nullptr;
  received.presence = resource ? kPresent : kFailed;
  gxds_dependency_manager_on_resource(manager_, watch.token, resource, error);
}

void Channel::OnAmbient(const Watch &watch, const gxds_error *error) {
  gxds_dependency_manager_on_ambient_error(manager_, watch.token, error);
}

// ---- actions of its user ----

void Channel::ToggleHold(int cluster) {
  wanted_held_ ^= Bit(cluster);
  bool hold = (wanted_held_ & Bit(cluster)) != 0;
  if (!hold && (routes_ & Bit(cluster))) return;  // HoldRoutes() releases it later
  held_ = hold ? held_ | Bit(cluster) : held_ & ~Bit(cluster);
  gxds_dependency_manager_hold(manager_, Str(NameOf(kCds, cluster)), hold);
}

void Channel::ToggleSubscription(int cluster, bool dangling) {
  gxds_str name = Str(NameOf(kCds, cluster));
  if (subscriptions_[cluster] > 0 || dangling) {
    gxds_dependency_manager_unsubscribe(manager_, name);
    if (subscriptions_[cluster] > 0) subscriptions_[cluster]--;
  } else {
    gxds_dependency_manager_subscribe(manager_, name);
    subscriptions_[cluster]++;
  }
}

bool Channel::Release(int cluster) {
  Mask bit = Bit(cluster);
  if (!(held_ & bit) || (routes_ & bit) || (wanted_held_ & bit)) return false;
  world_->Did(kDidRelease);
  held_ &= ~bit;
  gxds_dependency_manager_hold(manager_, Str(NameOf(kCds, cluster)), false);
  return true;
}

void Channel::QueryDns(int host) {
  Event e;
  e.kind = kEventDns;
  e.a = client_->index();
  e.b = index_;
  e.c = host;
  e.d = ++dns_queries_[host];
  e.generation = client_->serial();
  world_->Schedule(world_->net().Around(kDnsDelay), e);
}

void Channel::Reresolve(bool fail) {
  for (int host = 0; host < kDnsCount; host++) {
    if (!received_.dns[host].token) continue;
    dns_fails_[host] = fail;
    if (!fail) gxds_dependency_manager_reresolve(manager_);
    QueryDns(host);
  }
}

bool Channel::OnDnsResult(int host, int query) {
  Received &received = received_.dns[host];
  if (!received.token || dns_queries_[host] != query) return false;
  world_->Did(kDidDnsResult);
  if (dns_fails_[host]) {
    gxds_status status = gxds_status_make(GXDS_UNAVAILABLE, "no such host");
    gxds_dependency_manager_on_dns(manager_, received.token, nullptr, &status);
    gxds_status_fini(&status);
    if (received.presence == kRequested) received.presence = kFailed;
    return true;
  }
  gxds_str none = {nullptr, 0};
  const gxds_endpoints *endpoints =
      gxds_endpoints_of_locality(gxds_locality_create(none, none, none, 1, 1));
  gxds_status ok = gxds_status_ok();
  gxds_dependency_manager_on_dns(manager_, received.token, endpoints, &ok);
  gxds_resource_unref(received.resource);
  received.resource = &endpoints->base;
  received.presence = kPresent;
  return true;
}

// An event for a watch that has ended or never existed.
void Channel::LateEvent(Random *random) {
  uint64_t token = random->Draw(last_token_ + 1);
  for (const auto &names : received_.of) {
    for (const Received &received : names) {
      if (received.token == token) return;
    }
  }
  for (const Received &received : received_.dns) {
    if (received.token == token) return;
  }
  gxds_status status = gxds_status_make(GXDS_UNAVAILABLE, "late");
  const gxds_error *error = gxds_error_of_status(&status, Str(""), Str(""));
  gxds_dependency_manager_on_resource(manager_, token, nullptr, error);
  gxds_dependency_manager_on_ambient_error(manager_, token, error);
  gxds_dependency_manager_on_dns(manager_, token, nullptr, &status);
  gxds_error_unref(error);
  gxds_status_fini(&status);
}

void Channel::Repair() {
  for (int host = 0; host < kDnsCount; host++) {
    dns_fails_[host] = false;
    if (received_.dns[host].token) QueryDns(host);
  }
}

// ---- actions of the manager ----

void Channel::Settle() {
  gxds_dependency_manager_settle(manager_);
  while (const gxds_dependency_action *action = gxds_dependency_manager_next_action(manager_)) {
    Carry(*action);
  }
  gxds_dependency_manager_validate(manager_);
  if (!touched) CompareWithReference();
}

void Channel::Carry(const gxds_dependency_action &action) {
  switch (action.kind) {
    case GXDS_DEPENDENCY_WATCH:
      return OnWatch(action);
    case GXDS_DEPENDENCY_UNWATCH:
    case GXDS_DEPENDENCY_DNS_STOP:
      return OnUnwatch(action.token);
    case GXDS_DEPENDENCY_DNS_START:
      return OnDnsStart(action);
    case GXDS_DEPENDENCY_DNS_RERESOLVE:
      return;
    case GXDS_DEPENDENCY_FAIL:
      if (action.status.code != GXDS_UNAVAILABLE || action.status.message.size == 0) {
        Fail("fail-status", "a channel fails without an error text");
      }
      if (world_->tracing()) {
        world_->Trace("client%d channel%d: fails: %s", client_->index(), index_,
                      String(action.status.message).c_str());
      }
      world_->Did(kDidChannelFail);
      failed_ = true;
      balancing_->Stop();
      gxds_config_unref(config_);
      config_ = nullptr;
      routes_ = 0;
      return;
    case GXDS_DEPENDENCY_PUBLISH: {
      const gxds_config *config = gxds_config_ref(action.config);
      const gxds_names *route_clusters = gxds_names_ref(action.route_targets);
      OnPublish(config, route_clusters);
      HoldRoutes(route_clusters);
      gxds_names_unref(route_clusters);
      return;
    }
  }
}

void Channel::OnWatch(const gxds_dependency_action &action) {
  int type = TypeIndex(action.type);
  int name = IdOf(type, action.name);
  if (name < 0) Fail("foreign-name", "a channel watches a name that nobody made");
  if (action.token <= last_token_) Fail("token", "a token is used again");
  last_token_ = action.token;
  Received &received = received_.of[type][name];
  if (received.token)
    Fail("watched-twice", "a channel watches %s n%d twice", action.type->short_name, name);
  received.token = action.token;
  received.watch = client_->AddWatch(type, name, String(action.name), index_, action.token);
}

void Channel::OnUnwatch(uint64_t token) {
  for (auto &names : received_.of) {
    for (Received &received : names) {
      if (received.token == token) return Forget(&received);
    }
  }
  for (Received &received : received_.dns) {
    if (received.token == token) return Forget(&received);
  }
  Fail("unknown-token", "a channel ends what it did not begin");
}

void Channel::OnDnsStart(const gxds_dependency_action &action) {
  for (int host = 0; host < kDnsCount; host++) {
    if (!gxds_str_equal(Str(DnsName(host)), action.name)) continue;
    Received &received = received_.dns[host];
    if (received.token) Fail("watched-twice", "a channel resolves h%d twice", host);
    received.token = action.token;
    last_token_ = action.token;
    dns_fails_[host] = !world_->repaired() && world_->net().OneIn(4);
    return QueryDns(host);
  }
  Fail("foreign-name", "a channel resolves a name that nobody made");
}

// ---- what it publishes ----

const gxds_config *Channel::PlantInConfig(const gxds_config *c) {
  Plant plant = world_->plant();
  bool torn = plant == kPlantTornSnapshot && config_ != nullptr;
  bool early = plant == kPlantEarlyPublish && c->roots->count > 0;
  if (planted_ || !(torn || early)) return c;
  planted_ = early;
  gxds_resource_ref(&c->listener->base);
  gxds_resource_ref(&c->route_config->base);
  const gxds_cluster_map *map = torn ? gxds_name_map_ref(config_->clusters)
                                     : gxds_cluster_map_remove(c->clusters, c->roots->names[0]);
  const gxds_config *other =
      gxds_config_create(c->listener, c->route_config, c->virtual_host, map,
                         gxds_names_ref(torn ? config_->roots : c->roots), nullptr, nullptr, {});
  gxds_config_unref(c);
  return other;
}

namespace {

std::string Join(const gxds_names *names) {
  std::string out;
  for (size_t i = 0; i < names->count; i++) out += " " + String(names->names[i]);
  return out;
}

std::string Describe(const gxds_config *config, const gxds_names *route_clusters) {
  std::string out = "routes:" + Join(route_clusters) + "; roots:" + Join(config->roots) + ";";
  gxds_cluster_map_each(
      config->clusters,
      [](void *arg, const gxds_cluster_entry *e) {
        static const char *const kinds[] = {"error", "endpoints", "aggregate"};
        auto *text = static_cast<std::string *>(arg);
        *text += " " + String(e->name) + "=" + kinds[e->kind];
        if (e->cluster) *text += "#" + std::to_string(NumberOf(&e->cluster->base));
        for (size_t i = 0; i < e->leaf_cluster_count; i++) {
          *text += (i ? "," : ":") + String(e->leaf_clusters[i]);
        }
      },
      &out);
  return out;
}

}  // namespace

void Channel::OnPublish(const gxds_config *take, const gxds_names *route_clusters) {
  world_->Did(kDidPublish);
  if (world_->plant() == kPlantLostSnapshot && config_ && !planted_) {
    planted_ = true;
    gxds_config_unref(take);
    return;
  }
  const gxds_config *config = PlantInConfig(take);
  if (world_->tracing()) {
    world_->Trace("client%d channel%d: publishes %s", client_->index(), index_,
                  Describe(config, route_clusters).c_str());
  }
  const gxds_config *before = config_;
  std::string kind;
  try {
    CheckSnapshot(config, route_clusters);
  } catch (const Failure &) {
    gxds_config_unref(config);
    throw;
  }
  config_ = config;
  gxds_config_unref(before);
  failed_ = false;
  balancing_->Apply(config_, route_clusters);
}

// Like the resolver: clusters that routes name may be picked at once. Clusters that only earlier
// routes named are released after their last RPC.
void Channel::HoldRoutes(const gxds_names *route_clusters) {
  Mask routes = 0;
  for (size_t i = 0; i < route_clusters->count; i++) {
    routes |= Bit(IdOf(kCds, route_clusters->names[i]));
  }
  ForEachName(routes & ~held_, [&](int cluster) {
    gxds_dependency_manager_hold(manager_, Str(NameOf(kCds, cluster)), true);
    held_ |= Bit(cluster);
    client_->Touch(index_);
  });
  ForEachName(routes_ & ~routes, [&](int cluster) {
    Event e;
    e.kind = kEventRelease;
    e.a = client_->index();
    e.b = index_;
    e.c = cluster;
    e.generation = client_->serial();
    world_->Schedule(world_->net().Around(kRpcTime), e);
  });
  routes_ = routes;
}

// ---- checks of a snapshot ----

void Channel::CheckSnapshot(const gxds_config *config, const gxds_names *route_clusters) {
  if (config_ && config->listener == config_->listener &&
      config->route_config == config_->route_config && config->clusters == config_->clusters &&
      gxds_names_equal(config->roots, config_->roots)) {
    Fail("same-snapshot", "a snapshot is published twice");
  }
  CheckRoot(config);
  Mask routes = ClustersOf(config->virtual_host);
  Mask named = 0;
  for (size_t i = 0; i < route_clusters->count; i++) {
    gxds_str name = route_clusters->names[i];
    named |= Bit(IdOf(kCds, name));
    if (!gxds_config_cluster(config, name)) {
      Fail("missing-cluster", "a route's cluster is not in the snapshot");
    }
    if (!gxds_names_contain(config->roots, name)) {
      Fail("missing-root", "a route's cluster is not among the roots");
    }
  }
  if (named != routes) Fail("route-clusters", "the routes name %x, not %x", routes, named);
  std::vector<const gxds_cluster_entry *> entries;
  gxds_cluster_map_each(
      config->clusters,
      [](void *arg, const gxds_cluster_entry *e) {
        static_cast<std::vector<const gxds_cluster_entry *> *>(arg)->push_back(e);
      },
      &entries);
  for (const gxds_cluster_entry *entry : entries) CheckEntry(config, entry);
}

// The listener and the routes are both the latest, or both those of the last snapshot.
void Channel::CheckRoot(const gxds_config *config) {
  const gxds_listener *l = config->listener;
  bool listener_new = received_.of[kLds][received_.listener].resource == &l->base;
  if (!listener_new && !(config_ && config_->listener == l)) {
    Fail("torn-listener", "the listener is neither the latest nor that of the last snapshot");
  }
  if (HostOf(config->route_config) != config->virtual_host) {
    Fail("virtual-host", "the virtual host is not that of the routes");
  }
  if (l->route_config) {
    if (l->route_config != config->route_config) Fail("torn-routes", "not the listener's routes");
    return;
  }
  int name = IdOf(kRds, l->rds_name);
  bool routes_new = received_.of[kRds][name].resource == &config->route_config->base;
  bool routes_old = config_ && config_->route_config == config->route_config &&
                    config_->listener == config->listener;
  if (!routes_new && !routes_old) {
    Fail("torn-routes", "the routes are neither the latest nor those of the last snapshot");
  }
}

void Channel::CheckEntry(const gxds_config *config, const gxds_cluster_entry *entry) {
  int name = IdOf(kCds, entry->name);
  if (name < 0) Fail("foreign-name", "a cluster of a name that nobody made");
  const Received &received = received_.of[kCds][name];
  if (!received.token) Fail("unwatched-cluster", "n%d is in the snapshot, but not watched", name);
  if (entry->kind == GXDS_ENTRY_ERROR) return CheckError(entry, name);
  const gxds_cluster_entry *before = config_ ? gxds_config_cluster(config_, entry->name) : nullptr;
  bool is_new = received.resource == &entry->cluster->base;
  /* A cluster that waits for something stays as it was, perhaps as it was before it was first
   * published. */
  bool is_old = received.presence == kPresent && (!before || before->cluster == entry->cluster);
  if (!is_new && !is_old && !MayBeKept(entry)) {
    Fail("torn-cluster", "n%d is neither the latest nor that of the last snapshot", name);
  }
  if (entry->kind == GXDS_ENTRY_ENDPOINTS) {
    CheckLeaf(entry);
  } else {
    CheckAggregate(config, entry);
    if (!is_new) CheckKept(config, entry);
  }
}

// Below an aggregate that waits, every cluster stays as it was, perhaps as it was before it was
// first published. Errors below an aggregate that have ended are an exception. CheckKept() checks
// the other clusters there.
bool Channel::MayBeKept(const gxds_cluster_entry *entry) {
  const gxds_cluster_entry *before = config_ ? gxds_config_cluster(config_, entry->name) : nullptr;
  bool same_list = before && before->kind == GXDS_ENTRY_AGGREGATE &&
                   entry->kind == GXDS_ENTRY_AGGREGATE && before->cluster == entry->cluster;
  if (before && before != entry && !same_list) return false;
  return awaited_ || MakeReference(received_, held_, SubscribedMask(subscriptions_)).awaited;
}

// An aggregate that is not the latest has exactly the leaves of the last snapshot.
void Channel::CheckKept(const gxds_config *config, const gxds_cluster_entry *entry) {
  const gxds_cluster_entry *before = config_ ? gxds_config_cluster(config_, entry->name) : nullptr;
  if (!before || before->cluster != entry->cluster) return;
  for (size_t i = 0; i < before->leaf_cluster_count; i++) {
    gxds_str leaf = before->leaf_clusters[i];
    if (gxds_config_cluster(config, leaf) == gxds_config_cluster(config_, leaf)) continue;
    Fail("torn-member", "a cluster of an aggregate that waits is not as it was");
  }
}

// The cluster has an error, or had one until it got a resource that now waits for another, or it is
// in a loop.
void Channel::CheckError(const gxds_cluster_entry *entry, int name) {
  if (gxds_str_empty(gxds_cluster_entry_why(entry))) Fail("error-text", "an error without a text");
  const Received &received = received_.of[kCds][name];
  if (received.presence == kFailed) return;
  const auto *c = reinterpret_cast<const gxds_cluster *>(received.resource);
  bool may_wait =
      c && (c->kind == GXDS_CLUSTER_AGGREGATE || SourceOf(received_, c).presence == kRequested);
  if (!may_wait) Fail("false-error", "n%d is in error, but should not be", name);
}

// Endpoints are always the latest, except below an aggregate that waits.
void Channel::CheckLeaf(const gxds_cluster_entry *entry) {
  const Received &source = SourceOf(received_, entry->cluster);
  if (!source.token || source.presence == kRequested) {
    Fail("early-cluster", "a cluster is published before its endpoints are there");
  }
  const gxds_resource *endpoints = entry->endpoints ? &entry->endpoints->base : nullptr;
  if (endpoints != source.resource && !MayBeKept(entry)) {
    Fail("torn-endpoints", "endpoints are not the latest");
  }
}

void Channel::CheckAggregate(const gxds_config *config, const gxds_cluster_entry *entry) {
  std::vector<gxds_str> leaves;
  auto add = [&](gxds_str name) {
    for (gxds_str leaf : leaves) {
      if (gxds_str_equal(leaf, name)) return;
    }
    leaves.push_back(name);
  };
  for (size_t i = 0; i < entry->cluster->aggregate_count; i++) {
    const gxds_cluster_entry *child = gxds_config_cluster(config, entry->cluster->aggregate[i]);
    if (!child) Fail("missing-child", "an aggregate's cluster is not in the snapshot");
    if (child->kind == GXDS_ENTRY_ENDPOINTS) add(child->name);
    for (size_t j = 0; j < child->leaf_cluster_count; j++) add(child->leaf_clusters[j]);
  }
  bool same = leaves.size() == entry->leaf_cluster_count;
  for (size_t i = 0; same && i < leaves.size(); i++) {
    same = gxds_str_equal(leaves[i], entry->leaf_clusters[i]);
  }
  if (!same) Fail("torn-aggregate", "an aggregate's leaves are not those of its clusters");
}

// ---- the reference ----

static Mask MaskOf(const gxds_names *names) {
  Mask out = 0;
  for (size_t i = 0; i < names->count; i++) out |= Bit(IdOf(kCds, names->names[i]));
  return out;
}

static void CompareEntry(int name, const gxds_cluster_entry *got, const ReferenceEntry &want) {
  if (!got) Fail("missing-cluster", "n%d is not in the snapshot", name);
  if (got->kind != want.kind) {
    Fail("cluster-kind", "n%d is of kind %d, should be %d", name, got->kind, want.kind);
  }
  if (got->kind == GXDS_ENTRY_ERROR) return;
  if (&got->cluster->base != want.cluster) Fail("stale-cluster", "n%d is not the latest", name);
  const gxds_resource *endpoints = got->endpoints ? &got->endpoints->base : nullptr;
  if (endpoints != want.endpoints) Fail("stale-endpoints", "n%d: not the latest", name);
  bool same = got->leaf_cluster_count == static_cast<size_t>(want.leaf_count);
  for (int i = 0; same && i < want.leaf_count; i++) {
    same = gxds_str_equal(got->leaf_clusters[i], Str(NameOf(kCds, want.leaves[i])));
  }
  if (!same) Fail("leaves", "n%d has other leaves than it should", name);
}

void Channel::CheckWatches(const Reference &expected) {
  for (int type = 0; type < kTypeCount; type++) {
    for (int name = 0; name < kNameCount; name++) {
      bool needed = (expected.needed[type] & Bit(name)) != 0;
      if (needed == (received_.of[type][name].token != 0)) continue;
      Fail("watches", "%s n%d: %s", TypeOf(type).short_name, name,
           needed ? "needed, but not watched" : "watched, but not needed");
    }
  }
  for (int host = 0; host < kDnsCount; host++) {
    bool needed = (expected.needed_dns & Bit(host)) != 0;
    if (needed != (received_.dns[host].token != 0)) Fail("watches", "DNS of h%d", host);
  }
}

void Channel::CompareWithReference() {
  Reference want = MakeReference(received_, held_, SubscribedMask(subscriptions_));
  if (want.failed && config_) Fail("not-failed", "a channel goes on that should fail");
  if (want.unwatched) Fail("watches", "what is needed is not watched");
  awaited_ = want.awaited;
  if (want.awaited) return;
  world_->Did(kDidComplete);
  CheckWatches(want);
  if (want.failed) {
    if (!failed_) Fail("not-failed", "a channel should have failed");
    return;
  }
  if (!config_) Fail("no-snapshot", "all is there, but there is no snapshot");
  if (&config_->listener->base != want.listener) Fail("stale-listener", "not the latest");
  if (&config_->route_config->base != want.route_config) Fail("stale-routes", "not the latest");
  if (MaskOf(config_->roots) != want.roots) {
    Fail("roots", "the roots are %x, should be %x", MaskOf(config_->roots), want.roots);
  }
  size_t count = static_cast<size_t>(__builtin_popcount(want.clusters));
  if (gxds_name_map_count(config_->clusters) != count) {
    Fail("clusters", "%zu clusters, should be %zu", gxds_name_map_count(config_->clusters), count);
  }
  ForEachName(want.clusters, [&](int name) {
    CompareEntry(name, gxds_config_cluster(config_, Str(NameOf(kCds, name))), want.entries[name]);
  });
}

void Channel::CheckConverged() {
  for (const auto &names : received_.of) {
    for (const Received &received : names) {
      if (received.token && received.presence == kRequested)
        Fail("not-notified", "a channel waits for ever");
    }
  }
  Reference want = MakeReference(received_, held_, SubscribedMask(subscriptions_));
  if (want.awaited) Fail("not-notified", "a channel waits for what it does not watch");
  CompareWithReference();
  balancing_->CheckSettled();
}

uint64_t Channel::Digest() const {
  Reference r = MakeReference(received_, held_, SubscribedMask(subscriptions_));
  uint64_t digest = Mix(r.failed, r.clusters);
  if (r.failed) return digest;
  ForEachName(r.clusters, [&](int name) {
    const ReferenceEntry &e = r.entries[name];
    auto number = [](const gxds_resource *resource) {
      bool dns = !resource || (TypeIndex(resource->type) == kEds &&
                               reinterpret_cast<const gxds_endpoints *>(resource)->drop_count == 0);
      return static_cast<uint64_t>(dns ? 0 : Contents::NumberOf(resource));
    };
    digest = Mix(Mix(digest, number(e.cluster)), number(e.endpoints));
  });
  return digest;
}

}  // namespace gxds_sim
