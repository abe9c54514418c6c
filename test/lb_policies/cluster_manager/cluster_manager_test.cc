#include "lb_policies/cluster_manager/cluster_manager.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "test/lb_policies/cluster_impl/snapshot_builder.h"

namespace {

using snapshot::Aggregate;
using snapshot::Config;
using snapshot::Entry;
using snapshot::Leaf;
using snapshot::MakeConfig;
using snapshot::Text;

struct Picker : gxds_picker {
  Picker() : gxds_picker() {
    static const gxds_picker_ops kOps = {nullptr,
                                         [](gxds_picker* p) { delete static_cast<Picker*>(p); }};
    gxds_picker_init(this, &kOps);
  }
};

struct Scenario {
  explicit Scenario(size_t eager = SIZE_MAX) : m(gxds_cluster_manager_create(eager)) {}

  gxds_cluster_manager* const m;
  bool turns = true;                      // turns are granted at once
  std::map<uint64_t, std::string> names;  // of the existing children
  std::map<std::string, uint64_t> tokens;
  int operations = 0;

  ~Scenario() { gxds_cluster_manager_destroy(m); }

  // The operations, as "+a ~b -c READY".
  std::string Drain() {
    std::string out;
    gxds_cluster_manager_op op;
    while (gxds_cluster_manager_next(m, &op) || Turn(&op)) {
      operations++;
      if (!out.empty()) out += " ";
      switch (op.kind) {
        case GXDS_CLUSTER_MANAGER_CREATE:
          EXPECT_EQ(names.count(op.child), 0u);
          names[op.child] = Text(op.name);
          tokens[Text(op.name)] = op.child;
          out += "+" + Text(op.name);
          break;
        case GXDS_CLUSTER_MANAGER_UPDATE:
          EXPECT_EQ(names[op.child], Text(op.name));
          out += "~" + Text(op.name);
          break;
        case GXDS_CLUSTER_MANAGER_REMOVE:
          out += "-" + names[op.child];
          tokens.erase(names[op.child]);
          names.erase(op.child);
          break;
        case GXDS_CLUSTER_MANAGER_PUBLISH:
          out += State();
          break;
      }
    }
    gxds_cluster_manager_validate(m);
    return out;
  }
  bool Turn(gxds_cluster_manager_op* op) {
    if (!turns || !gxds_cluster_manager_wants_turn(m)) return false;
    gxds_cluster_manager_on_turn(m);
    return gxds_cluster_manager_next(m, op);
  }
  std::string Picked(const std::string& name) {
    gxds_cluster_manager_on_pick(m, gxds_str_of(name.data(), name.size()));
    return Drain();
  }
  std::string State() {
    static const char* const kNames[] = {"IDLE", "CONNECTING", "READY", "FAILED"};
    return kNames[gxds_cluster_manager_state(m)];
  }
  void Begin(const Config& config, std::vector<std::string> others = {}) {
    std::vector<gxds_str> list;
    for (auto& o : others) list.push_back(gxds_str_of(o.data(), o.size()));
    gxds_cluster_manager_on_update(m, config.get(), list.data(), list.size());
  }
  std::string Update(const Config& config, std::vector<std::string> others = {}) {
    Begin(config, others);
    return Drain();
  }
  void Reports(const std::string& child, grpc_connectivity_state state) {
    gxds_cluster_manager_on_child_state(m, tokens.at(child), state, new Picker);
  }
  std::string Child(const std::string& child, grpc_connectivity_state state) {
    Reports(child, state);
    return Drain();
  }
  // Returns "unknown", "none" or "picker".
  std::string PickerOf(const std::string& name) {
    gxds_str n = gxds_str_of(name.data(), name.size());
    gxds_picker* p;
    if (!gxds_picker_map_get(gxds_cluster_manager_pickers(m), gxds_name_map_hash(n), n, &p)) {
      return "unknown";
    }
    return p ? "picker" : "none";
  }
};

Config Next(const Config& before, const std::vector<const gxds_cluster_entry*>& entries,
            const std::vector<std::string>& roots) {
  return MakeConfig(entries, roots, nullptr, before.get());
}

TEST(ClusterManager, ChildrenAreTheRoots) {  // A31.5
  Scenario s;
  Entry a = Leaf("a"), b = Leaf("b"), other = Leaf("x");
  EXPECT_EQ(s.Update(MakeConfig({a.get(), b.get(), other.get()}, {"b", "a"})), "+a +b CONNECTING");
  EXPECT_EQ(s.PickerOf("a"), "none") << "known, but it has to wait";
  EXPECT_EQ(s.PickerOf("x"), "unknown");
}

TEST(ClusterManager, NoRootsIsFailed) {
  Scenario s;
  EXPECT_EQ(s.Update(MakeConfig({}, {})), "FAILED");
}

TEST(ClusterManager, UnchangedUpdatesTouchNobodyAndPublishNothing) {
  Scenario s;
  Entry a = Leaf("a"), b = Leaf("b");
  Config config = MakeConfig({a.get(), b.get()}, {"a", "b"});
  s.Update(config);
  for (int i = 0; i < 10; i++) {
    config = Next(config, {}, {"a", "b"});
    EXPECT_EQ(s.Update(config), "");
  }
}

TEST(ClusterManager, OnlyTheChildWhoseEntryChangedIsUpdated) {
  Scenario s;
  Entry a = Leaf("a"), b = Leaf("b"), changed = Leaf("b");
  Config config = MakeConfig({a.get(), b.get()}, {"a", "b"});
  s.Update(config);
  EXPECT_EQ(s.Update(Next(config, {changed.get()}, {"a", "b"})), "~b");
}

TEST(ClusterManager, AllAreUpdatedWhenTheListenerGetsSessions) {  // A55.13
  Scenario s;
  Entry a = Leaf("a"), b = Leaf("b");
  Config config = MakeConfig({a.get(), b.get()}, {"a", "b"});
  s.Update(config);
  config = Next(config, {}, {"a", "b"});
  const_cast<gxds_listener*>(config->listener)->has_sessions = true;
  EXPECT_EQ(s.Update(config), "~a ~b");
  EXPECT_EQ(s.Update(config), "");
}

TEST(ClusterManager, ChildrenAreUpdatedInTheOrderOfTheirAge) {
  Scenario s;
  std::vector<Entry> entries, changed;
  std::vector<const gxds_cluster_entry*> first, second;
  std::vector<std::string> roots;
  std::string expected;
  for (int i = 0; i < 50; i++) {
    std::string name = "c" + std::to_string(100 + i);
    roots.push_back(name);
    entries.push_back(Leaf(name));
    changed.push_back(Leaf(name));
    first.push_back(entries.back().get());
    second.push_back(changed.back().get());
    expected += (i ? " ~" : "~") + name;
  }
  Config config = MakeConfig(first, roots);
  s.Update(config);
  EXPECT_EQ(s.Update(Next(config, second, roots)), expected);
}

TEST(ClusterManager, AggregateIsUpdatedWhenALeafChanges) {
  Scenario s;
  Entry agg = Aggregate("agg", {"x", "y"}), x = Leaf("x"), y = Leaf("y"), a = Leaf("a");
  Entry changed = Leaf("y"), again = Leaf("y"), z = Leaf("z"), agg2 = Aggregate("agg", {"z"});
  Config config = MakeConfig({agg.get(), x.get(), y.get(), a.get()}, {"a", "agg"});
  s.Update(config);
  config = Next(config, {changed.get()}, {"a", "agg"});
  EXPECT_EQ(s.Update(config), "~agg");
  config = Next(config, {agg2.get(), z.get()}, {"a", "agg"});
  EXPECT_EQ(s.Update(config), "~agg");
  config = Next(config, {again.get()}, {"a", "agg"});
  EXPECT_EQ(s.Update(config), "") << "it does not stand on y any more";
}

TEST(ClusterManager, LeafOfTwoAggregatesAndOfARouteUpdatesAllThree) {
  Scenario s;
  Entry p = Aggregate("p", {"x"}), q = Aggregate("q", {"y", "x"}), x = Leaf("x"), y = Leaf("y");
  Entry changed = Leaf("x");
  Config config = MakeConfig({p.get(), q.get(), x.get(), y.get()}, {"p", "q", "x"});
  s.Update(config);
  EXPECT_EQ(s.Update(Next(config, {changed.get()}, {"p", "q", "x"})), "~p ~q ~x");
}

TEST(ClusterManager, ClusterKnownBeforeItBecameARoot) {
  Scenario s;
  Entry agg = Aggregate("agg", {"x"}), x = Leaf("x"), changed = Leaf("x");
  Config config = MakeConfig({agg.get(), x.get()}, {});
  s.Update(config);
  config = Next(config, {}, {"agg"});
  EXPECT_EQ(s.Update(config), "+agg CONNECTING");
  EXPECT_EQ(s.Update(Next(config, {changed.get()}, {"agg"})), "~agg");
}

TEST(ClusterManager, RootThatGoesIsRemovedAtOnce) {
  Scenario s;
  Entry a = Leaf("a"), b = Leaf("b");
  Config config = MakeConfig({a.get(), b.get()}, {"a", "b"});
  s.Update(config);
  s.Child("a", GRPC_CHANNEL_READY);
  s.Child("b", GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(s.Update(Next(config, {}, {"b"})), "-a FAILED");
  EXPECT_EQ(s.PickerOf("a"), "unknown");
}

TEST(ClusterManager, RemovedChildsLateReportIsIgnored) {
  Scenario s;
  Entry a = Leaf("a"), b = Leaf("b");
  Config config = MakeConfig({a.get(), b.get()}, {"a", "b"});
  s.Update(config);
  uint64_t token = s.tokens["a"];
  s.Update(Next(config, {}, {"b"}));
  gxds_cluster_manager_on_child_state(s.m, token, GRPC_CHANNEL_READY, new Picker);
  EXPECT_EQ(s.Drain(), "");
  EXPECT_EQ(s.Update(Next(config, {}, {"a", "b"})), "+a CONNECTING");
  EXPECT_NE(s.tokens["a"], token) << "a new child, a new token";
}

TEST(ClusterManager, StateAddsUp) {  // A28.13
  Scenario s;
  Entry a = Leaf("a"), b = Leaf("b"), c = Leaf("c");
  s.Update(MakeConfig({a.get(), b.get(), c.get()}, {"a", "b", "c"}));
  EXPECT_EQ(s.Child("a", GRPC_CHANNEL_TRANSIENT_FAILURE), "CONNECTING");
  EXPECT_EQ(s.Child("b", GRPC_CHANNEL_IDLE), "CONNECTING");
  EXPECT_EQ(s.Child("c", GRPC_CHANNEL_TRANSIENT_FAILURE), "IDLE");
  EXPECT_EQ(s.Child("b", GRPC_CHANNEL_TRANSIENT_FAILURE), "FAILED");
  EXPECT_EQ(s.Child("c", GRPC_CHANNEL_READY), "READY");
  EXPECT_EQ(s.Child("c", GRPC_CHANNEL_SHUTDOWN), "");
}

TEST(ClusterManager, FailedChildCountsAsFailedUntilReady) {
  Scenario s;
  Entry a = Leaf("a");
  s.Update(MakeConfig({a.get()}, {"a"}));
  s.Child("a", GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(s.Child("a", GRPC_CHANNEL_CONNECTING), "FAILED") << "with the new picker, though";
  EXPECT_EQ(s.Child("a", GRPC_CHANNEL_IDLE), "FAILED");
  EXPECT_EQ(s.Child("a", GRPC_CHANNEL_READY), "READY");
}

TEST(ClusterManager, ReportsDuringAnUpdateArePublishedOnceAtItsEnd) {  // A31.11
  Scenario s;
  Entry a = Leaf("a"), b = Leaf("b"), c = Leaf("c");
  s.Begin(MakeConfig({a.get(), b.get(), c.get()}, {"a", "b", "c"}));
  std::string order;
  gxds_cluster_manager_op op;
  while (gxds_cluster_manager_next(s.m, &op)) {
    if (op.kind == GXDS_CLUSTER_MANAGER_PUBLISH) {
      order += "publish";
      continue;
    }
    order += Text(op.name) + " ";
    gxds_cluster_manager_on_child_state(s.m, op.child, GRPC_CHANNEL_CONNECTING, new Picker);
    gxds_cluster_manager_on_child_state(s.m, op.child, GRPC_CHANNEL_READY, new Picker);
  }
  EXPECT_EQ(order, "a b c publish");
  EXPECT_EQ(s.PickerOf("b"), "picker");
}

TEST(ClusterManager, OtherChildrenAreGivenEachUpdate) {  // cluster specifier plugins
  Scenario s;
  Entry a = Leaf("a");
  Config config = MakeConfig({a.get()}, {"a"});
  EXPECT_EQ(s.Update(config, {"plugin"}), "+a +plugin CONNECTING");
  EXPECT_EQ(s.Update(config, {"plugin"}), "~plugin");
  EXPECT_EQ(s.Update(config, {"plugin", "q"}), "+q ~plugin CONNECTING");
  EXPECT_EQ(s.Update(config, {}), "-plugin -q CONNECTING");
}

TEST(ClusterManager, NameThatIsBothIsTheOther) {
  Scenario s;
  Entry a = Leaf("a"), changed = Leaf("a");
  Config config = MakeConfig({a.get()}, {"a"});
  EXPECT_EQ(s.Update(config, {"a"}), "+a CONNECTING");
  EXPECT_EQ(s.Update(config, {}), "~a") << "from now on the root's";
  config = Next(config, {changed.get()}, {"a"});
  EXPECT_EQ(s.Update(config, {}), "~a");
  EXPECT_EQ(s.Update(config, {"a"}), "~a");
}

TEST(ClusterManager, NoSnapshotLeavesItsChildrenAlone) {
  Scenario s;
  Entry a = Leaf("a");
  s.Update(MakeConfig({a.get()}, {"a"}));
  EXPECT_EQ(s.Update(Config(), {"plugin"}), "+plugin CONNECTING");
  EXPECT_EQ(s.PickerOf("a"), "none");
}

constexpr int kBatch = GXDS_CLUSTER_MANAGER_BATCH;

std::string Number(int i) { return std::to_string(1000 + i); }

// That many clusters, named from 1000 on.
Config Numbered(int count, std::vector<Entry>* entries, std::vector<std::string>* roots) {
  std::vector<const gxds_cluster_entry*> list;
  for (int i = 0; i < count; i++) {
    roots->push_back(Number(i));
    entries->push_back(Leaf(roots->back()));
    list.push_back(entries->back().get());
  }
  return MakeConfig(list, *roots);
}

TEST(ClusterManager, ChildrenAreMadeABatchPerTurn) {
  Scenario s;
  s.turns = false;
  std::vector<Entry> entries;
  std::vector<std::string> roots;
  s.Update(Numbered(2 * kBatch + 1, &entries, &roots));
  EXPECT_EQ(s.names.size(), size_t{kBatch});
  EXPECT_EQ(s.PickerOf(Number(2 * kBatch)), "none") << "RPCs for it wait, they do not fail";
  s.Child(Number(0), GRPC_CHANNEL_READY);
  EXPECT_EQ(s.names.size(), size_t{kBatch}) << "the channel works before the rest";
  for (int children : {2 * kBatch, 2 * kBatch + 1}) {
    ASSERT_TRUE(gxds_cluster_manager_wants_turn(s.m));
    gxds_cluster_manager_on_turn(s.m);
    s.Drain();
    EXPECT_EQ(s.names.size(), static_cast<size_t>(children));
  }
  EXPECT_FALSE(gxds_cluster_manager_wants_turn(s.m));
}

TEST(ClusterManager, ChildThatAnRpcWaitsForIsMadeAtOnce) {
  Scenario s;
  s.turns = false;
  std::vector<Entry> entries;
  std::vector<std::string> roots;
  s.Update(Numbered(3 * kBatch, &entries, &roots));
  const std::string last = Number(3 * kBatch - 1);
  EXPECT_EQ(s.Picked(last), "+" + last + " CONNECTING");
  EXPECT_EQ(s.Picked(last), "") << "it is there";
  EXPECT_EQ(s.Picked("unknown"), "");
  s.turns = true;
  s.Drain();
  EXPECT_EQ(s.names.size(), roots.size());
}

TEST(ClusterManager, ChildThatWaitsForItsTurnIsNotUpdatedAndGoesSilently) {
  Scenario s;
  s.turns = false;
  std::vector<Entry> entries;
  std::vector<std::string> roots;
  Config config = Numbered(kBatch + 2, &entries, &roots);
  s.Update(config);
  Entry changed = Leaf(Number(kBatch));
  config = Next(config, {changed.get()}, roots);
  EXPECT_EQ(s.Update(config), "");
  roots.pop_back();
  EXPECT_EQ(s.Update(Next(config, {}, roots)), "CONNECTING");
  s.turns = true;
  EXPECT_EQ(s.Drain(), "+" + Number(kBatch));
}

TEST(ClusterManager, OnDemandChildrenAreIdleUntilAnRpcWaitsForThem) {
  Scenario s(/*eager=*/0);
  Entry a = Leaf("a"), b = Leaf("b"), changed = Leaf("b");
  Config config = MakeConfig({a.get(), b.get()}, {"a", "b"});
  EXPECT_EQ(s.Update(config, {"plugin"}), "IDLE");
  EXPECT_EQ(s.PickerOf("b"), "none");
  EXPECT_EQ(s.Picked("b"), "+b CONNECTING");
  EXPECT_EQ(s.Child("b", GRPC_CHANNEL_READY), "READY");
  config = Next(config, {changed.get()}, {"a", "b"});
  EXPECT_EQ(s.Update(config, {"plugin"}), "~b");
  EXPECT_EQ(s.Picked("plugin"), "+plugin READY");
  EXPECT_EQ(s.Update(Next(config, {}, {"b"}), {"plugin"}), "~plugin READY") << "a was not there";
}

TEST(ClusterManager, OnDemandOneChildIsMadeWhenTheChannelIsToConnect) {
  Scenario s(/*eager=*/0);
  gxds_cluster_manager_on_exit_idle(s.m);
  EXPECT_EQ(s.Drain(), "FAILED");
  Entry a = Leaf("a"), b = Leaf("b");
  s.Update(MakeConfig({a.get(), b.get()}, {"a", "b"}));
  gxds_cluster_manager_on_exit_idle(s.m);
  EXPECT_EQ(s.Drain(), "+a CONNECTING");
  gxds_cluster_manager_on_exit_idle(s.m);
  EXPECT_EQ(s.Drain(), "");
}

TEST(ClusterManager, ChannelThatIsToConnectGoesOnWhileAllFail) {
  Scenario s(/*eager=*/1);
  Entry a = Leaf("a"), b = Leaf("b"), c = Leaf("c");
  EXPECT_EQ(s.Update(MakeConfig({a.get(), b.get(), c.get()}, {"a", "b", "c"})), "+a CONNECTING");
  gxds_cluster_manager_on_exit_idle(s.m);
  EXPECT_EQ(s.Drain(), "") << "a may still come up";
  EXPECT_EQ(s.Child("a", GRPC_CHANNEL_TRANSIENT_FAILURE), "IDLE");
  gxds_cluster_manager_on_exit_idle(s.m);
  EXPECT_EQ(s.Drain(), "+b CONNECTING");
  s.Child("b", GRPC_CHANNEL_TRANSIENT_FAILURE);
  gxds_cluster_manager_on_exit_idle(s.m);
  EXPECT_EQ(s.Drain(), "+c CONNECTING");
  EXPECT_EQ(s.Child("c", GRPC_CHANNEL_TRANSIENT_FAILURE), "FAILED");
  gxds_cluster_manager_on_exit_idle(s.m);
  EXPECT_EQ(s.Drain(), "");
}

Entry Pair(const std::string& name) {
  return Leaf(name, {}, snapshot::MakeEndpoints({{"a", "b"}}));
}

TEST(ClusterManager, ChildrenAreMadeAheadWhileThereAreFewEndpoints) {
  Scenario s(/*eager=*/3);
  Entry a = Pair("a"), b = Pair("b"), c = Pair("c"), d = Pair("d"), e = Pair("e");
  Config config = MakeConfig({a.get(), b.get(), c.get(), d.get()}, {"a", "b", "c", "d"});
  EXPECT_EQ(s.Update(config), "+a +b CONNECTING");
  EXPECT_EQ(s.PickerOf("c"), "none") << "an RPC for it waits";
  EXPECT_EQ(s.Child("a", GRPC_CHANNEL_READY), "READY");
  EXPECT_EQ(s.Picked("d"), "+d READY");
  // Removed children leave room for a new cluster, which RPCs will soon need.
  config = Next(config, {e.get()}, {"b", "c", "e"});
  EXPECT_EQ(s.Update(config), "-a -d +e CONNECTING");
  EXPECT_EQ(s.Picked("c"), "+c CONNECTING");
}

TEST(ClusterManager, ChildrenWaitingForTheirTurnMayBecomeTooMany) {
  Scenario s(/*eager=*/kBatch + 1);
  s.turns = false;
  std::vector<Entry> entries;
  std::vector<std::string> roots;
  s.Update(Numbered(kBatch + 3, &entries, &roots));
  EXPECT_EQ(s.names.size(), size_t{kBatch});
  ASSERT_TRUE(gxds_cluster_manager_wants_turn(s.m));
  gxds_cluster_manager_on_turn(s.m);
  EXPECT_EQ(s.Drain(), "+" + Number(kBatch) + " CONNECTING");
  EXPECT_FALSE(gxds_cluster_manager_wants_turn(s.m));
  for (int i = 0; i <= kBatch; i++) s.Child(Number(i), GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(s.State(), "IDLE") << "the others were not tried";
  EXPECT_EQ(s.Picked(Number(kBatch + 2)), "+" + Number(kBatch + 2) + " CONNECTING");
}

TEST(ClusterManager, EndpointsForFailoverAreNoneToConnectTo) {
  Scenario s(/*eager=*/2);
  Entry a = Leaf("a", {}, snapshot::MakeEndpoints({{"a"}, {"b", "c"}})), b = Leaf("b"),
        c = Leaf("c");
  EXPECT_EQ(s.Update(MakeConfig({a.get(), b.get(), c.get()}, {"a", "b", "c"})), "+a +b CONNECTING");
}

TEST(ClusterManager, AggregateConnectsToItsFirstCluster) {
  Scenario s(/*eager=*/2);
  Entry one = Pair("one"), two = Leaf("two"), b = Leaf("b");
  Entry a = Aggregate("a", {"one", "two"});
  EXPECT_EQ(s.Update(MakeConfig({a.get(), one.get(), two.get(), b.get()}, {"a", "b"})),
            "+a CONNECTING");
}

// The cost of a change does not depend on the number of children.
TEST(ClusterManager, OneOfAThousandCostsOne) {
  Scenario s;
  std::vector<Entry> entries;
  std::vector<const gxds_cluster_entry*> list;
  std::vector<std::string> roots;
  for (int i = 0; i < 1000; i++) {
    roots.push_back("cluster" + std::to_string(i));
    entries.push_back(Leaf(roots.back()));
    list.push_back(entries.back().get());
  }
  Config config = MakeConfig(list, roots);
  s.Update(config);
  s.operations = 0;
  size_t worst = 0;
  for (const std::string& name : roots) {
    const gxds_picker_map* before = gxds_name_map_ref(gxds_cluster_manager_pickers(s.m));
    s.Reports(name, GRPC_CHANNEL_READY);
    worst = std::max(worst, gxds_name_map_unshared(gxds_cluster_manager_pickers(s.m), before));
    gxds_name_map_unref(before);
    gxds_cluster_manager_op op;
    while (gxds_cluster_manager_next(s.m, &op)) s.operations++;
  }
  EXPECT_EQ(s.operations, 1000) << "one publication each";
  EXPECT_LE(worst, 7u) << "nodes made, of a thousand entries";
  Entry changed = Leaf("cluster500");
  EXPECT_EQ(s.Update(Next(config, {changed.get()}, roots)), "~cluster500");
}

// Random snapshots: the children are the roots, and a child is updated with exactly those snapshots
// in which a resource that it depends on changed.
TEST(ClusterManager, RandomSnapshotsAgainstAModel) {
  for (unsigned seed = 1; seed <= 100; seed++) {
    std::mt19937 random(seed);
    Scenario s;
    std::map<std::string, Entry> entries;
    Config config = MakeConfig({}, {});
    std::vector<std::string> roots;
    for (int step = 0; step < 30; step++) {
      std::vector<const gxds_cluster_entry*> changed;
      std::set<std::string> touched;
      for (int i = 0; i < 8; i++) {
        if (random() % 4) continue;
        std::string name(1, char('a' + i));
        Entry e =
            i >= 5 ? Aggregate(name, {std::string(1, char('a' + random() % 5)), "e"}) : Leaf(name);
        changed.push_back(e.get());
        touched.insert(name);
        entries[name] = std::move(e);
      }
      std::vector<std::string> next_roots = roots;
      if (random() % 2) {
        next_roots.clear();
        for (int i = 0; i < 8; i++) {
          if (random() % 2) next_roots.push_back(std::string(1, char('a' + i)));
        }
      }
      config = Next(config, changed, next_roots);
      std::set<std::string> expected;
      for (const std::string& r : next_roots) {
        bool is_new = std::find(roots.begin(), roots.end(), r) == roots.end();
        auto it = entries.find(r);
        bool hit = touched.count(r) > 0;
        for (size_t k = 0; it != entries.end() && k < it->second->leaf_cluster_count; k++) {
          hit |= touched.count(Text(it->second->leaf_clusters[k])) > 0;
        }
        if (is_new) expected.insert("+" + r);
        if (!is_new && hit) expected.insert("~" + r);
      }
      for (const std::string& r : roots) {
        if (std::find(next_roots.begin(), next_roots.end(), r) == next_roots.end()) {
          expected.insert("-" + r);
        }
      }
      std::set<std::string> seen;
      std::string word, text = s.Update(config) + " ";
      for (char c : text) {
        if (c != ' ') {
          word += c;
        } else if (!word.empty()) {
          if (word.size() == 2) {
            EXPECT_TRUE(seen.insert(word).second) << word << " twice";
          }
          word.clear();
        }
      }
      ASSERT_EQ(seen, expected) << "seed " << seed << " step " << step;
      roots = next_roots;
    }
  }
}

}  // namespace
