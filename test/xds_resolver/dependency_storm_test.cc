// Random changes of everything, some of which arrive late, compared with a simple model. When all
// have arrived, the snapshot and the watches equal the result of one walk over the final state. In
// between, every snapshot must be consistent, and the leaves of an aggregate that waits must stay
// as they were.
#include <deque>
#include <random>

#include "test/xds_resolver/dependency_fixture.h"

namespace made_up {
namespace {

// The control plane's version of a resource.
struct Truth {
  const gxds_resource *resource = nullptr;  // a reference; null: an error
  std::string error = "does not exist";
};

class DependencyStorm : public Dependencies, public ::testing::WithParamInterface<int> {
 protected:
  static constexpr int kClusters = 14;

  void TearDown() override {
    for (auto &[key, truth] : truth_) gxds_resource_unref(truth.resource);
    gxds_config_unref(before_);
    Dependencies::TearDown();
  }

  size_t Random(size_t n) { return rng_() % n; }
  bool Chance(size_t percent) { return Random(100) < percent; }
  std::string RandomCluster() { return "c" + std::to_string(Random(kClusters)); }
  std::string RandomService() { return "svc" + std::to_string(Random(6)); }
  Strings RandomClusters(size_t most) {
    Strings out;
    for (size_t i = Random(most + 1); i > 0; i--) out.push_back(RandomCluster());
    return out;
  }

  // ---- the control plane ----

  void SetTruth(const Key &key, const gxds_resource *take_resource, const std::string &error = "") {
    Truth &t = truth_[key];
    gxds_resource_unref(t.resource);
    t = {take_resource, error};
    if (watches_.count(key) > 0) news_.insert(key);
  }

  void ChangeListener() {
    if (Chance(6)) return SetTruth({"LDS", "listener"}, nullptr, "refused");
    if (Chance(6)) return SetTruth({"LDS", "listener"}, &SocketListener()->base);
    if (Chance(40)) {
      return SetTruth({"LDS", "listener"}, &InlineListener(RandomRoutes("inline"))->base);
    }
    SetTruth({"LDS", "listener"}, &RdsListener("routes" + std::to_string(Random(3)))->base);
  }
  const gxds_route_config *RandomRoutes(const std::string &name) {
    return RoutesTo(RandomClusters(5), name, Chance(5) ? "elsewhere" : "authority");
  }
  void ChangeRoutes() {
    std::string name = "routes" + std::to_string(Random(3));
    if (Chance(8)) return SetTruth({"RDS", name}, nullptr, "refused");
    SetTruth({"RDS", name}, &RandomRoutes(name)->base);
  }
  void ChangeCluster(const std::string &name) {
    Key key = {"CDS", name};
    if (Chance(12)) return SetTruth(key, nullptr, "refused");
    if (Chance(35)) return SetTruth(key, &Aggregate(name, RandomClusters(4))->base);
    if (Chance(15)) return SetTruth(key, &DnsCluster(name, RandomService(), 80)->base);
    SetTruth(key, &EdsCluster(name, Chance(30) ? "" : RandomService())->base);
  }
  void ChangeEndpoints(const std::string &name) {
    if (Chance(15)) return SetTruth({"EDS", name}, nullptr, "refused");
    SetTruth({"EDS", name}, &NewEndpoints(name, {Random(3)})->base);
  }
  void ChangeSomething() {
    switch (Random(8)) {
      case 0:
        return ChangeListener();
      case 1:
        return ChangeRoutes();
      case 2:
      case 3:
        return ChangeCluster(RandomCluster());
      case 4:
        return ChangeEndpoints(Chance(50) ? RandomService() : RandomCluster());
      case 5: {
        std::string name = RandomCluster();
        bool more = Chance(50);
        if (more) subscribed_.insert(name);
        if (!more) {
          auto it = subscribed_.find(name);
          if (it != subscribed_.end()) subscribed_.erase(it);
        }
        return more ? gxds_dependency_manager_subscribe(m_, S(name))
                    : gxds_dependency_manager_unsubscribe(m_, S(name));
      }
      case 6: {
        // Like a channel: holds the clusters that were published, and releases them at some time.
        std::string name = RandomCluster();
        bool held = config_ && gxds_names_contain(route_clusters_, S(name)) && Chance(60);
        if (held) held_.insert(name);
        if (!held) held_.erase(name);
        return gxds_dependency_manager_hold(m_, S(name), held);
      }
      default: {
        if (watches_.empty()) return;
        auto it = std::next(watches_.begin(), static_cast<long>(Random(watches_.size())));
        if (it->first.first == "DNS") return;
        NotifyAmbient(it->first.first, it->first.second, Chance(50) ? "weather" : nullptr);
      }
    }
  }

  // Delivers the current state of one resource.
  void Deliver(const Key &key) {
    news_.erase(key);
    auto watch = watches_.find(key);
    if (watch == watches_.end()) return;
    const Truth &t = truth_.at(key);
    notified_[key] = t.resource;
    if (key.first == "DNS") {
      gxds_status status =
          t.resource ? gxds_status_ok() : gxds_status_make(GXDS_NOT_FOUND, "%s", t.error.c_str());
      gxds_dependency_manager_on_dns(m_, watch->second,
                                     reinterpret_cast<const gxds_endpoints *>(t.resource), &status);
      gxds_status_fini(&status);
    } else {
      gxds_dependency_manager_on_source(m_, watch->second, Z("xds.example"));
      const gxds_error *error = t.resource ? nullptr : NewError(t.error.c_str(), GXDS_NOT_FOUND);
      gxds_dependency_manager_on_resource(m_, watch->second, t.resource, error);
      gxds_error_unref(error);
    }
  }

  void SettleAndNote() {
    gxds_config_unref(before_);
    before_ = config_ ? gxds_config_ref(config_) : nullptr;
    Settle();
    for (const std::string &line : TakeLog()) {
      if (line[0] != '+') continue;
      size_t space = line.find(' ');
      Key key = {line.substr(1, space - 1), line.substr(space + 1)};
      if (truth_.count(key) == 0 && key.first == "DNS") {
        SetTruth(key, Chance(30) ? nullptr : &NewEndpoints(key.second)->base, "no such host");
      }
      news_.insert(key);
      notified_.erase(key);
    }
    CheckSoundness();
    CheckWhatIsKept();
  }

  void DeliverEverything() {
    for (int rounds = 0; !news_.empty(); rounds++) {
      ASSERT_LT(rounds, 1000);
      std::set<Key> now = std::exchange(news_, {});
      for (const Key &key : now) Deliver(key);
      SettleAndNote();
    }
  }

  // ---- the model ----

  const gxds_resource *Resource(const std::string &type, const std::string &name) {
    auto it = truth_.find({type, name});
    return it == truth_.end() ? nullptr : it->second.resource;
  }
  const gxds_cluster *ClusterOf(const std::string &name) {
    return reinterpret_cast<const gxds_cluster *>(Resource("CDS", name));
  }
  static Strings ChildrenOf(const gxds_cluster *c) {
    Strings out;
    if (c && c->kind == GXDS_CLUSTER_AGGREGATE) {
      for (size_t i = 0; i < c->aggregate_count; i++) out.push_back(Str(c->aggregate[i]));
    }
    return out;
  }
  bool TooDeep(const std::string &name, int left) {
    if (left == 0) return true;
    auto [it, is_new] = too_deep_.try_emplace({name, left}, false);
    if (!is_new) return it->second;
    bool result = false;
    for (const auto &child : ChildrenOf(ClusterOf(name))) {
      result = result || TooDeep(child, left - 1);
    }
    return too_deep_[{name, left}] = result;
  }
  bool IsError(const std::string &name) { return !ClusterOf(name) || TooDeep(name, 16); }
  void ListLeaves(const std::string &name, Strings *out) {
    for (const auto &child : ChildrenOf(ClusterOf(name))) {
      if (IsError(child)) continue;
      if (ClusterOf(child)->kind == GXDS_CLUSTER_AGGREGATE) {
        ListLeaves(child, out);
      } else if (std::find(out->begin(), out->end(), child) == out->end()) {
        out->push_back(child);
      }
    }
  }
  static Key SourceOf(const gxds_cluster *c) {
    if (c->kind == GXDS_CLUSTER_EDS) return {"EDS", Str(gxds_cluster_eds_name(c))};
    return {"DNS", Str(gxds_cluster_dns_host(c)) + ":" + std::to_string(c->dns_port)};
  }

  // The virtual host in use; null: failure.
  const gxds_virtual_host *ExpectedRoot() {
    auto *l = reinterpret_cast<const gxds_listener *>(Resource("LDS", "listener"));
    if (!l || l->kind != GXDS_LISTENER_API) return nullptr;
    const gxds_route_config *rc =
        l->route_config
            ? l->route_config
            : reinterpret_cast<const gxds_route_config *>(Resource("RDS", Str(l->rds_name)));
    return rc ? gxds_route_config_find_virtual_host(rc, Z("authority")) : nullptr;
  }

  std::set<std::string> RouteNames(const gxds_virtual_host *vh) {
    std::set<std::string> out;
    for (size_t i = 0; vh && i < vh->route_count; i++) {
      for (size_t j = 0; j < vh->routes[i].cluster_count; j++) {
        out.insert(Str(vh->routes[i].clusters[j].name));
      }
    }
    return out;
  }

  std::set<std::string> ExpectedClusters(std::set<std::string> roots) {
    std::deque<std::string> queue(roots.begin(), roots.end());
    for (; !queue.empty(); queue.pop_front()) {
      if (IsError(queue.front())) continue;
      for (const auto &child : ChildrenOf(ClusterOf(queue.front()))) {
        if (roots.insert(child).second) queue.push_back(child);
      }
    }
    return roots;
  }

  std::set<Key> ExpectedWatches(const std::set<std::string> &roots) {
    std::set<Key> out = {{"LDS", "listener"}};
    auto *l = reinterpret_cast<const gxds_listener *>(Resource("LDS", "listener"));
    if (l && l->rds_name.size) out.insert({"RDS", Str(l->rds_name)});
    std::set<std::string> seen = roots;
    std::set<std::string> level = roots;
    for (int depth = 1; !level.empty(); depth++) {
      std::set<std::string> below;
      for (const auto &name : level) {
        out.insert({"CDS", name});
        const gxds_cluster *c = ClusterOf(name);
        if (c && c->kind != GXDS_CLUSTER_AGGREGATE) out.insert(SourceOf(c));
        if (depth == 16) continue;
        for (const auto &child : ChildrenOf(c)) {
          if (seen.insert(child).second) below.insert(child);
        }
      }
      level = below;
    }
    return out;
  }

  void CheckEntry(const std::string &name) {
    SCOPED_TRACE(name);
    const gxds_cluster_entry *e = Entry(name);
    const gxds_cluster *c = ClusterOf(name);
    if (IsError(name)) {
      EXPECT_EQ(e->kind, GXDS_ENTRY_ERROR);
      return;
    }
    EXPECT_EQ(e->cluster, c);
    if (c->kind == GXDS_CLUSTER_AGGREGATE) {
      Strings leaves;
      ListLeaves(name, &leaves);
      EXPECT_EQ(Leaves(name), leaves);
      return;
    }
    ASSERT_EQ(e->kind, GXDS_ENTRY_ENDPOINTS);
    Key source = SourceOf(c);
    const gxds_resource *endpoints = Resource(source.first, source.second);
    EXPECT_EQ(reinterpret_cast<const gxds_resource *>(e->endpoints), endpoints);
    EXPECT_EQ(Note(name).find("refused") != std::string::npos, !endpoints && source.first == "EDS");
  }

  void CheckConverged() {
    too_deep_.clear();
    const gxds_virtual_host *vh = ExpectedRoot();
    std::set<std::string> roots = vh ? RouteNames(vh) : std::set<std::string>{};
    Strings expected_routes(roots.begin(), roots.end());
    roots.insert(held_.begin(), held_.end());
    Strings expected_roots(roots.begin(), roots.end());
    roots.insert(subscribed_.begin(), subscribed_.end());
    std::set<Key> watched;
    for (const auto &[key, token] : watches_) watched.insert(key);
    EXPECT_EQ(watched, ExpectedWatches(roots));
    if (!vh) {
      EXPECT_NE(failure_, "");
      EXPECT_EQ(config_, nullptr);
      return;
    }
    EXPECT_EQ(failure_, "");
    ASSERT_TRUE(config_ != nullptr);
    EXPECT_EQ(config_->virtual_host, vh);
    EXPECT_EQ(Roots(), expected_roots);
    EXPECT_EQ(ToStrings(route_clusters_), expected_routes);
    std::set<std::string> clusters = ExpectedClusters(roots);
    EXPECT_EQ(Clusters(), Strings(clusters.begin(), clusters.end()));
    for (const auto &name : clusters) CheckEntry(name);
  }

  // The invariants of every snapshot, even while resources are missing.
  void CheckSoundness() {
    if (!config_) return;
    Strings clusters = Clusters();
    std::set<std::string> present(clusters.begin(), clusters.end());
    for (const auto &root : Roots()) EXPECT_EQ(present.count(root), 1u) << root;
    for (const auto &name : ToStrings(route_clusters_)) EXPECT_EQ(present.count(name), 1u) << name;
    for (const auto &name : clusters) {
      if (Entry(name)->kind != GXDS_ENTRY_AGGREGATE) continue;
      Strings leaves = Leaves(name);
      std::set<std::string> once(leaves.begin(), leaves.end());
      EXPECT_EQ(once.size(), leaves.size()) << name;
      for (const auto &leaf : leaves) {
        ASSERT_EQ(present.count(leaf), 1u) << name << " lists " << leaf;
        EXPECT_EQ(Entry(leaf)->kind, GXDS_ENTRY_ENDPOINTS) << name << " lists " << leaf;
      }
    }
  }

  // An aggregate that is older than its last notification waits, or one above it waits. Each of its
  // leaves must be the same entry as before.
  void CheckWhatIsKept() {
    if (!config_ || !before_) return;
    for (const auto &name : Clusters()) {
      const gxds_cluster_entry *now = Entry(name);
      const gxds_cluster_entry *before = gxds_config_cluster(before_, S(name));
      if (now->kind != GXDS_ENTRY_AGGREGATE || !before || before->cluster != now->cluster) continue;
      auto notified = notified_.find({"CDS", name});
      if (notified == notified_.end() || notified->second == &now->cluster->base) continue;
      Strings leaves = Leaves(name);
      for (size_t i = 0; i < before->leaf_cluster_count; i++) {
        std::string leaf = Str(before->leaf_clusters[i]);
        EXPECT_NE(std::find(leaves.begin(), leaves.end(), leaf), leaves.end()) << name;
        EXPECT_EQ(Entry(leaf), gxds_config_cluster(before_, S(leaf))) << name << " lists " << leaf;
      }
    }
  }

  std::mt19937 rng_;
  const gxds_config *before_ = nullptr;  // at the last event
  std::map<Key, const gxds_resource *> notified_;
  std::map<Key, Truth> truth_;
  std::set<Key> news_;  // watched, and not notified yet
  std::multiset<std::string> subscribed_;
  std::set<std::string> held_;
  std::map<std::pair<std::string, int>, bool> too_deep_;
};

TEST_P(DependencyStorm, ConvergesToWhatOneWalkOverTheFinalStateGives) {  // A74.33
  rng_.seed(static_cast<unsigned>(GetParam()));
  for (int i = 0; i < kClusters; i++) {
    ChangeCluster("c" + std::to_string(i));
    ChangeEndpoints("c" + std::to_string(i));
  }
  for (int i = 0; i < 6; i++) ChangeEndpoints("svc" + std::to_string(i));
  for (int i = 0; i < 3; i++) {
    std::string name = "routes" + std::to_string(i);
    SetTruth({"RDS", name}, &RandomRoutes(name)->base);
  }
  ChangeListener();
  news_.insert({"LDS", "listener"});
  size_t slow_percent = Random(90);
  for (int step = 0; step < 400; step++) {
    for (size_t changes = 1 + Random(3); changes > 0; changes--) ChangeSomething();
    std::set<Key> now = news_;
    for (const Key &key : now) {
      if (!Chance(slow_percent)) Deliver(key);
    }
    SettleAndNote();
    if (Chance(15)) {
      DeliverEverything();
      CheckConverged();
    }
    if (HasFailure()) FAIL() << "step " << step;
  }
  // In the end nothing is needed any more.
  for (const auto &name : subscribed_) gxds_dependency_manager_unsubscribe(m_, S(name));
  for (const auto &name : held_) gxds_dependency_manager_hold(m_, S(name), false);
  SetTruth({"LDS", "listener"}, nullptr, "over");
  DeliverEverything();
  EXPECT_EQ(watches_.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, DependencyStorm, ::testing::Range(0, 150));

}  // namespace
}  // namespace made_up
