#include "test/sim/reference.h"

namespace gxds_sim {
namespace {

int ClusterId(gxds_str name) {
  int id = IdOf(kCds, name);
  if (id < 0) Fail("foreign-name", "a cluster of a name that nobody made");
  return id;
}

const gxds_cluster *ClusterIn(const ReceivedTable &received, int name) {
  const Received &t = received.of[kCds][name];
  return t.presence == kPresent ? reinterpret_cast<const gxds_cluster *>(t.resource) : nullptr;
}

const gxds_cluster *AggregateIn(const ReceivedTable &received, int name) {
  const gxds_cluster *c = ClusterIn(received, name);
  return c && c->kind == GXDS_CLUSTER_AGGREGATE ? c : nullptr;
}

Mask ChildrenOf(const gxds_cluster *aggregate) {
  Mask out = 0;
  for (size_t i = 0; i < aggregate->aggregate_count; i++) {
    out |= Bit(ClusterId(aggregate->aggregate[i]));
  }
  return out;
}

class Maker {
 public:
  Maker(const ReceivedTable &received, Mask held, Mask subscribed, Reference *out)
      : received_(received), held_(held), subscribed_(subscribed), out_(out) {}

  void Make() {
    FindRoot();
    Mask all = Reach(out_->routes | held_ | subscribed_, ~Mask{0});
    ForEachName(all, [&](int name) { Look(name); });
    FindLoops(all);
    out_->clusters = out_->failed ? 0 : Reach(out_->routes | held_ | subscribed_, sound_);
    out_->roots = out_->failed ? 0 : out_->routes | held_;
    if (out_->awaited || out_->failed) return;
    ForEachName(out_->clusters, [&](int name) { MakeEntry(name); });
  }

 private:
  // Whether the resource is known to exist or not to exist.
  bool Need(int type, int name) {
    out_->needed[type] |= Bit(name);
    const Received &t = received_.of[type][name];
    if (!t.token) out_->unwatched = true;
    return t.token && t.presence != kRequested;
  }

  void FindRoot() {
    const Received &lds = received_.of[kLds][received_.listener];
    if (!Need(kLds, received_.listener)) {
      out_->awaited = true;
      return;
    }
    const auto *l = reinterpret_cast<const gxds_listener *>(lds.resource);
    out_->failed = lds.presence == kFailed || l->kind != GXDS_LISTENER_API;
    if (out_->failed) return;
    const gxds_route_config *routes = l->route_config;
    if (!routes) {
      int name = IdOf(kRds, l->rds_name);
      if (!Need(kRds, name)) {
        out_->awaited = true;
        return;
      }
      routes = reinterpret_cast<const gxds_route_config *>(received_.of[kRds][name].resource);
    }
    const gxds_virtual_host *host = routes ? HostOf(routes) : nullptr;
    out_->failed = host == nullptr;
    if (!host) return;
    out_->listener = &l->base;
    out_->route_config = &routes->base;
    out_->routes = ClustersOf(host);
  }

  // All clusters that are reached from `from` through aggregates in `through`.
  Mask Reach(Mask from, Mask through) {
    Mask all = from;
    for (Mask news = from; news;) {
      Mask next = 0;
      ForEachName(news & through, [&](int name) {
        if (const gxds_cluster *c = AggregateIn(received_, name)) next |= ChildrenOf(c);
      });
      news = next & ~all;
      all |= next;
    }
    return all;
  }

  void Look(int name) {
    if (!Need(kCds, name)) {
      out_->awaited = true;
      return;
    }
    const gxds_cluster *c = ClusterIn(received_, name);
    if (!c || c->kind == GXDS_CLUSTER_AGGREGATE) return;
    if (c->kind == GXDS_CLUSTER_EDS) {
      int source = IdOf(kEds, gxds_cluster_eds_name(c));
      if (source < 0) Fail("foreign-name", "endpoints of a name that nobody made");
      if (!Need(kEds, source)) out_->awaited = true;
      return;
    }
    int host = DnsOf(c);
    out_->needed_dns |= Bit(host);
    const Received &t = received_.dns[host];
    if (!t.token) out_->unwatched = true;
    if (!t.token || t.presence == kRequested) out_->awaited = true;
  }

  // A37: a cluster in a loop, or above one, has an error.
  void FindLoops(Mask all) {
    sound_ = 0;
    for (Mask before = ~Mask{0}; before != sound_;) {
      before = sound_;
      ForEachName(all, [&](int name) {
        const gxds_cluster *c = AggregateIn(received_, name);
        if (!c || !(ChildrenOf(c) & ~sound_)) sound_ |= Bit(name);
      });
    }
  }

  // A37: depth first. If a leaf occurs twice, its first place counts.
  void AddLeaves(const gxds_cluster *aggregate, ReferenceEntry *e, Mask *seen) {
    for (size_t i = 0; i < aggregate->aggregate_count; i++) {
      int name = ClusterId(aggregate->aggregate[i]);
      const gxds_cluster *c = ClusterIn(received_, name);
      if (!c) continue;
      if (c->kind == GXDS_CLUSTER_AGGREGATE) {
        AddLeaves(c, e, seen);
      } else if (!(*seen & Bit(name))) {
        *seen |= Bit(name);
        e->leaves[e->leaf_count++] = static_cast<uint8_t>(name);
      }
    }
  }

  void MakeEntry(int name) {
    ReferenceEntry &e = out_->entries[name];
    const gxds_cluster *c = ClusterIn(received_, name);
    if (!c || !(sound_ & Bit(name))) return;
    e.cluster = &c->base;
    if (c->kind == GXDS_CLUSTER_AGGREGATE) {
      e.kind = GXDS_ENTRY_AGGREGATE;
      Mask seen = 0;
      AddLeaves(c, &e, &seen);
    } else {
      e.kind = GXDS_ENTRY_ENDPOINTS;
      e.endpoints = SourceOf(received_, c).resource;
    }
  }

  const ReceivedTable &received_;
  Mask held_;
  Mask subscribed_;
  Mask sound_ = 0;
  Reference *out_;
};

}  // namespace

Reference MakeReference(const ReceivedTable &received, Mask held, Mask subscribed) {
  Reference out;
  Maker(received, held, subscribed, &out).Make();
  return out;
}

Mask ClustersOf(const gxds_virtual_host *host) {
  Mask out = 0;
  for (size_t i = 0; i < host->route_count; i++) {
    const gxds_route &route = host->routes[i];
    for (size_t j = 0; j < route.cluster_count; j++) out |= Bit(ClusterId(route.clusters[j].name));
  }
  return out;
}

// Our route configurations have one virtual host: for all domains, or for another domain.
const gxds_virtual_host *HostOf(const gxds_route_config *routes) {
  const gxds_virtual_host *host = &routes->virtual_hosts[0];
  return gxds_str_equal(host->domains[0], gxds_str_z("*")) ? host : nullptr;
}

int DnsOf(const gxds_cluster *cluster) {
  for (int i = 0; i < kDnsCount; i++) {
    const std::string &name = DnsName(i);
    if (gxds_str_equal(gxds_cluster_dns_host(cluster), gxds_str_of(name.data(), name.find(':'))))
      return i;
  }
  Fail("foreign-name", "a host of a name that nobody made");
}

const Received &SourceOf(const ReceivedTable &received, const gxds_cluster *cluster) {
  if (cluster->kind == GXDS_CLUSTER_EDS) {
    int name = IdOf(kEds, gxds_cluster_eds_name(cluster));
    if (name < 0) Fail("foreign-name", "endpoints of a name that nobody made");
    return received.of[kEds][name];
  }
  return received.dns[DnsOf(cluster)];
}

}  // namespace gxds_sim
