#include "xds_resolver/cluster_map.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "test/xds_resolver/made_up.h"

// The linker gives us the map's calls of these two (--wrap), so that hashes can be made to collide
// and allocations be counted.
namespace {
uint64_t g_hash_mask = ~uint64_t{0};
size_t g_allocations = 0;
}  // namespace

extern "C" {
XXH64_hash_t __real_XXH3_64bits(const void *data, size_t size);
XXH64_hash_t __wrap_XXH3_64bits(const void *data, size_t size) {
  return __real_XXH3_64bits(data, size) & g_hash_mask;
}
void *__real_gxds_calloc(size_t count, size_t size);
void *__wrap_gxds_calloc(size_t count, size_t size) {
  g_allocations++;
  return __real_gxds_calloc(count, size);
}
}

namespace {

using made_up::S;
using made_up::Str;
using made_up::Z;

const gxds_cluster_entry *Entry(const std::string &name) {
  gxds_status error = gxds_status_make(GXDS_UNAVAILABLE, "made up");
  const gxds_cluster_entry *e = gxds_cluster_entry_error(S(name), &error);
  gxds_status_fini(&error);
  return e;
}

using Model = std::map<std::string, const gxds_cluster_entry *>;

Model Contents(const gxds_cluster_map *m) {
  Model model;
  gxds_cluster_map_each(
      m,
      [](void *arg, const gxds_cluster_entry *e) {
        bool is_new = static_cast<Model *>(arg)->emplace(Str(e->name), e).second;
        EXPECT_TRUE(is_new) << Str(e->name);
      },
      &model);
  return model;
}

struct Difference {
  std::map<std::string, std::pair<const gxds_cluster_entry *, const gxds_cluster_entry *>> changes;
  size_t calls = 0;
};

Difference Diff(const gxds_cluster_map *before, const gxds_cluster_map *after) {
  Difference d;
  gxds_cluster_map_diff(
      before, after,
      [](void *arg, const gxds_cluster_entry *was, const gxds_cluster_entry *is) {
        auto *out = static_cast<Difference *>(arg);
        out->calls++;
        out->changes[Str(was ? was->name : is->name)] = {was, is};
      },
      &d);
  return d;
}

Difference DiffOfModels(const Model &before, const Model &after) {
  Difference d;
  for (const auto &[name, e] : before) {
    auto it = after.find(name);
    if (it == after.end()) {
      d.changes[name] = {e, nullptr};
    } else if (it->second != e) {
      d.changes[name] = {e, it->second};
    }
  }
  for (const auto &[name, e] : after) {
    if (before.count(name) == 0) d.changes[name] = {nullptr, e};
  }
  d.calls = d.changes.size();
  return d;
}

// A map and what it should hold.
struct Version {
  const gxds_cluster_map *map = nullptr;
  Model model;
};

class ClusterMap : public ::testing::TestWithParam<uint64_t> {
 protected:
  void SetUp() override { g_hash_mask = GetParam(); }
  void TearDown() override { g_hash_mask = ~uint64_t{0}; }
};

INSTANTIATE_TEST_SUITE_P(Hashes, ClusterMap,
                         ::testing::Values(~uint64_t{0},             // as they are
                                           uint64_t{0},              // all collide
                                           uint64_t{0xf} << 60,      // only the last level differs
                                           uint64_t{0x3} << 62 | 1,  // some collide
                                           uint64_t{0x0f}));         // few, and deep below

// Thousands of versions, many alive at a time, each compared with a std::map, and differences
// between any two of them.
TEST_P(ClusterMap, EveryVersionIsWhatAPlainMapWouldBe) {
  std::mt19937 rng(7);
  std::vector<Version> alive(8);
  for (int step = 0; step < 4000; step++) {
    const Version &from = alive[rng() % alive.size()];
    Version to;
    to.model = from.model;
    std::string name = "cluster" + std::to_string(rng() % (step < 2000 ? 40 : 200));
    if (rng() % 3 == 0) {
      to.map = gxds_cluster_map_remove(from.map, S(name));
      to.model.erase(name);
    } else {
      const gxds_cluster_entry *e = Entry(name);
      to.map = gxds_cluster_map_put(from.map, e);
      to.model[name] = e;
    }
    ASSERT_EQ(gxds_cluster_map_count(to.map), to.model.size());
    const gxds_cluster_entry *got = gxds_cluster_map_get(to.map, S(name));
    ASSERT_EQ(got, to.model.count(name) ? to.model[name] : nullptr);
    Difference difference = Diff(from.map, to.map);
    Difference expected = DiffOfModels(from.model, to.model);
    ASSERT_EQ(difference.changes, expected.changes);
    ASSERT_EQ(difference.calls, expected.calls);
    if (step % 16 == 0) {
      const Version &other = alive[rng() % alive.size()];
      difference = Diff(other.map, to.map);
      expected = DiffOfModels(other.model, to.model);
      ASSERT_EQ(difference.changes, expected.changes);
      ASSERT_EQ(difference.calls, expected.calls);
      ASSERT_EQ(Contents(to.map), to.model);
    }
    Version &victim = alive[rng() % alive.size()];
    gxds_cluster_map_unref(victim.map);
    victim = to;
  }
  for (Version &v : alive) {
    EXPECT_EQ(Contents(v.map), v.model);
    for (const auto &[name, e] : v.model) EXPECT_EQ(gxds_cluster_map_get(v.map, S(name)), e);
    gxds_cluster_map_unref(v.map);
  }
}

// The shape follows from the content alone, so that removing leaves no trace: as many nodes are
// allocated to copy a map that grew and shrank as one that was built directly.
TEST_P(ClusterMap, RemovingLeavesTheShapeOfAMapThatNeverHadThem) {
  const gxds_cluster_map *direct = nullptr;
  const gxds_cluster_map *detour = nullptr;
  auto put = [](const gxds_cluster_map **m, const gxds_cluster_entry *e) {
    const gxds_cluster_map *next = gxds_cluster_map_put(*m, e);
    gxds_cluster_map_unref(*m);
    *m = next;
  };
  std::vector<const gxds_cluster_entry *> entries;
  for (int i = 0; i < 50; i++) entries.push_back(Entry("c" + std::to_string(i)));
  for (auto *e : entries) put(&detour, gxds_cluster_entry_ref(e));
  for (int i = 0; i < 10; i++) put(&direct, gxds_cluster_entry_ref(entries[i]));
  for (int i = 10; i < 50; i++) {
    const gxds_cluster_map *next = gxds_cluster_map_remove(detour, entries[i]->name);
    gxds_cluster_map_unref(detour);
    detour = next;
  }
  EXPECT_EQ(Diff(direct, detour).calls, 0u);
  for (auto *e : entries) {
    const gxds_cluster_entry *fresh = Entry(Str(e->name));
    g_allocations = 0;
    const gxds_cluster_map *a = gxds_cluster_map_put(direct, gxds_cluster_entry_ref(fresh));
    size_t for_direct = g_allocations;
    g_allocations = 0;
    const gxds_cluster_map *b = gxds_cluster_map_put(detour, fresh);
    EXPECT_EQ(for_direct, g_allocations);
    gxds_cluster_map_unref(a);
    gxds_cluster_map_unref(b);
    gxds_cluster_entry_unref(e);
  }
  gxds_cluster_map_unref(direct);
  gxds_cluster_map_unref(detour);
}

TEST(ClusterMapCost, APutAllocatesThePathAndADiffVisitsWhatDiffers) {
  const gxds_cluster_map *m = nullptr;
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; i++) {
    const gxds_cluster_map *next = gxds_cluster_map_put(m, Entry("cluster" + std::to_string(i)));
    gxds_cluster_map_unref(m);
    m = next;
  }
  EXPECT_EQ(gxds_cluster_map_count(m), size_t{kCount});
  size_t most = 0;
  for (int i = 0; i < kCount; i += 97) {
    const gxds_cluster_entry *e = Entry("cluster" + std::to_string(i));
    g_allocations = 0;
    const gxds_cluster_map *next = gxds_cluster_map_put(m, e);
    most = std::max(most, g_allocations);
    Difference d = Diff(m, next);
    EXPECT_EQ(d.calls, 1u);
    gxds_cluster_map_unref(next);
  }
  // 100,000 names over 32 ways: four levels, seldom five or six, and the map itself.
  EXPECT_LE(most, 8u);
  gxds_cluster_map_unref(m);
}

TEST(ClusterMapBasics, TheSameEntryAgainGivesTheSameMap) {
  const gxds_cluster_entry *e = Entry("a");
  const gxds_cluster_map *m = gxds_cluster_map_put(nullptr, gxds_cluster_entry_ref(e));
  const gxds_cluster_map *again = gxds_cluster_map_put(m, e);
  EXPECT_EQ(m, again);
  const gxds_cluster_map *without = gxds_cluster_map_remove(m, Z("b"));
  EXPECT_EQ(m, without);
  gxds_cluster_map_unref(without);
  gxds_cluster_map_unref(again);
  const gxds_cluster_map *empty = gxds_cluster_map_remove(m, Z("a"));
  EXPECT_EQ(empty, nullptr);
  EXPECT_EQ(gxds_cluster_map_count(empty), 0u);
  EXPECT_EQ(gxds_cluster_map_get(empty, Z("a")), nullptr);
  EXPECT_EQ(gxds_cluster_map_ref(nullptr), nullptr);
  gxds_cluster_map_unref(m);
}

TEST(ClusterEntry, KeepsItsResourcesAndComparesThemByPointer) {
  made_up::g_alive = 0;
  const gxds_cluster *c = made_up::EdsCluster("c");
  const gxds_endpoints *e1 = made_up::NewEndpoints("c");
  const gxds_endpoints *e2 = made_up::NewEndpoints("c");
  const gxds_error *note = made_up::NewError("note"), *equal = made_up::NewError("note");
  const gxds_cluster_entry *a = gxds_cluster_entry_endpoints(c->name, c, e1, note);
  const gxds_cluster_entry *same = gxds_cluster_entry_endpoints(c->name, c, e1, equal);
  const gxds_cluster_entry *other = gxds_cluster_entry_endpoints(c->name, c, e2, note);
  const gxds_cluster_entry *noted = gxds_cluster_entry_endpoints(c->name, c, e1, nullptr);
  const gxds_cluster_entry *none = gxds_cluster_entry_endpoints(c->name, c, nullptr, note);
  made_up::Unref(c);
  made_up::Unref(e1);
  made_up::Unref(e2);
  gxds_error_unref(note);
  gxds_error_unref(equal);
  EXPECT_EQ(made_up::g_alive, 3);
  EXPECT_TRUE(gxds_cluster_entry_equal(a, same));
  EXPECT_FALSE(gxds_cluster_entry_equal(a, other));
  EXPECT_FALSE(gxds_cluster_entry_equal(a, noted));
  EXPECT_FALSE(gxds_cluster_entry_equal(a, none));
  EXPECT_EQ(Str(a->name), "c");
  for (auto *e : {a, same, other, noted, none}) gxds_cluster_entry_unref(e);
  EXPECT_EQ(made_up::g_alive, 0);
}

TEST(ClusterEntry, AggregatesCompareTheirLeavesInOrder) {  // A74.15
  const gxds_cluster *c = made_up::Aggregate("agg", {"x", "y"});
  gxds_str xy[] = {Z("x"), Z("y")};
  gxds_str yx[] = {Z("y"), Z("x")};
  const gxds_cluster_entry *a = gxds_cluster_entry_aggregate(c->name, c, xy, 2, nullptr);
  const gxds_cluster_entry *same = gxds_cluster_entry_aggregate(c->name, c, xy, 2, nullptr);
  const gxds_cluster_entry *turned = gxds_cluster_entry_aggregate(c->name, c, yx, 2, nullptr);
  const gxds_cluster_entry *fewer = gxds_cluster_entry_aggregate(c->name, c, xy, 1, nullptr);
  EXPECT_TRUE(gxds_cluster_entry_equal(a, same));
  EXPECT_FALSE(gxds_cluster_entry_equal(a, turned));
  EXPECT_FALSE(gxds_cluster_entry_equal(a, fewer));
  for (auto *e : {a, same, turned, fewer}) gxds_cluster_entry_unref(e);
  made_up::Unref(c);
}

}  // namespace
