#include "base/name_map.h"

#include <gtest/gtest.h>
#include <stddef.h>
#include <xxhash.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/memory.h"
#include "base/ref.h"

// The linker replaces the map's calls of these two functions (--wrap), so that tests can make
// hashes collide and count allocations.
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

struct Item {
  gxds_ref refs = {};
  size_t number = g_next_number++;  // the name is not first, nor second
  std::string text;
  gxds_str name = {};

  static inline size_t g_next_number = 0;
};

const Item *NewItem(const std::string &name) {
  Item *i = new Item;
  gxds_ref_init(&i->refs);
  i->text = name;
  i->name = gxds_str_of(i->text.data(), i->text.size());
  return i;
}
const gxds_name_map_type kType = {offsetof(Item, name),
                                  [](const void *i) { delete static_cast<const Item *>(i); }};

gxds_str S(const std::string &s) { return gxds_str_of(s.data(), s.size()); }

const gxds_name_map *Put(const gxds_name_map *m, const Item *take_item) {
  return gxds_name_map_put(m, &kType, gxds_name_map_hash(take_item->name), take_item);
}
const gxds_name_map *Remove(const gxds_name_map *m, const std::string &name) {
  return gxds_name_map_remove(m, gxds_name_map_hash(S(name)), S(name));
}
const Item *Get(const gxds_name_map *m, const std::string &name) {
  return static_cast<const Item *>(gxds_name_map_get(m, gxds_name_map_hash(S(name)), S(name)));
}
const Item *Ref(const Item *i) {
  gxds_ref_inc(&i->refs);
  return i;
}
void Unref(const Item *i) {
  if (gxds_ref_dec(&i->refs)) delete i;
}

using Model = std::map<std::string, const Item *>;

struct Difference {
  std::map<std::string, std::pair<const Item *, const Item *>> changes;
  size_t calls = 0;
};

Difference Diff(const gxds_name_map *before, const gxds_name_map *after) {
  Difference d;
  gxds_name_map_diff(
      before, after,
      [](void *arg, const void *was, const void *is) {
        auto *out = static_cast<Difference *>(arg);
        const auto *old_item = static_cast<const Item *>(was);
        const auto *new_item = static_cast<const Item *>(is);
        out->calls++;
        out->changes[was ? old_item->text : new_item->text] = {old_item, new_item};
      },
      &d);
  return d;
}

Model Contents(const gxds_name_map *m) {
  Model model;
  for (const auto &[name, change] : Diff(nullptr, m).changes) model[name] = change.second;
  EXPECT_EQ(model.size(), Diff(nullptr, m).calls);
  return model;
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

// A map and its expected contents.
struct Version {
  const gxds_name_map *map = nullptr;
  Model model;
};

class NameMap : public ::testing::TestWithParam<uint64_t> {
 protected:
  void SetUp() override { g_hash_mask = GetParam(); }
  void TearDown() override { g_hash_mask = ~uint64_t{0}; }
};

INSTANTIATE_TEST_SUITE_P(Hashes, NameMap,
                         ::testing::Values(~uint64_t{0},             // as they are
                                           uint64_t{0},              // all collide
                                           uint64_t{0xf} << 60,      // only the last level differs
                                           uint64_t{0x3} << 62 | 1,  // some collide
                                           uint64_t{0x0f}));         // few, and deep below

// Thousands of versions, many of which exist at a time. Each is compared with a std::map, and so
// are the differences between any two of them.
TEST_P(NameMap, EveryVersionIsWhatAPlainMapWouldBe) {
  std::mt19937 rng(7);
  std::vector<Version> alive(8);
  for (int step = 0; step < 4000; step++) {
    const Version &from = alive[rng() % alive.size()];
    Version to;
    to.model = from.model;
    std::string name = "name" + std::to_string(rng() % (step < 2000 ? 40 : 200));
    if (rng() % 3 == 0) {
      to.map = Remove(from.map, name);
      to.model.erase(name);
    } else {
      const Item *e = NewItem(name);
      to.map = Put(from.map, e);
      to.model[name] = e;
    }
    ASSERT_EQ(gxds_name_map_count(to.map), to.model.size());
    const Item *got = Get(to.map, name);
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
    gxds_name_map_unref(victim.map);
    victim = to;
  }
  for (Version &v : alive) {
    EXPECT_EQ(Contents(v.map), v.model);
    for (const auto &[name, e] : v.model) EXPECT_EQ(Get(v.map, name), e);
    gxds_name_map_unref(v.map);
  }
}

// The shape depends only on the contents, so removals leave no trace: a map that grew and shrank
// has as many nodes to copy as one that was built directly.
TEST_P(NameMap, RemovingLeavesTheShapeOfAMapThatNeverHadThem) {
  const gxds_name_map *direct = nullptr;
  const gxds_name_map *detour = nullptr;
  auto put = [](const gxds_name_map **m, const Item *e) {
    const gxds_name_map *next = Put(*m, e);
    gxds_name_map_unref(*m);
    *m = next;
  };
  std::vector<const Item *> items;
  for (int i = 0; i < 50; i++) items.push_back(NewItem("c" + std::to_string(i)));
  for (auto *e : items) put(&detour, Ref(e));
  for (int i = 0; i < 10; i++) put(&direct, Ref(items[i]));
  for (int i = 10; i < 50; i++) {
    const gxds_name_map *next = Remove(detour, items[i]->text);
    gxds_name_map_unref(detour);
    detour = next;
  }
  EXPECT_EQ(Diff(direct, detour).calls, 0u);
  for (auto *e : items) {
    const Item *fresh = NewItem(e->text);
    g_allocations = 0;
    const gxds_name_map *a = Put(direct, Ref(fresh));
    size_t for_direct = g_allocations;
    g_allocations = 0;
    const gxds_name_map *b = Put(detour, fresh);
    EXPECT_EQ(for_direct, g_allocations);
    gxds_name_map_unref(a);
    gxds_name_map_unref(b);
    Unref(e);
  }
  gxds_name_map_unref(direct);
  gxds_name_map_unref(detour);
}

TEST(NameMapCost, APutAllocatesThePathAndADiffVisitsWhatDiffers) {
  const gxds_name_map *m = nullptr;
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; i++) {
    const gxds_name_map *next = Put(m, NewItem("name" + std::to_string(i)));
    gxds_name_map_unref(m);
    m = next;
  }
  EXPECT_EQ(gxds_name_map_count(m), size_t{kCount});
  size_t most = 0;
  for (int i = 0; i < kCount; i += 97) {
    const Item *e = NewItem("name" + std::to_string(i));
    g_allocations = 0;
    const gxds_name_map *next = Put(m, e);
    most = std::max(most, g_allocations);
    Difference d = Diff(m, next);
    EXPECT_EQ(d.calls, 1u);
    gxds_name_map_unref(next);
  }
  // 100,000 names with 32 children a node: four levels, rarely five or six, and the map itself.
  EXPECT_LE(most, 8u);
  gxds_name_map_unref(m);
}

TEST(NameMapBasics, TheSameItemAgainGivesTheSameMap) {
  const Item *e = NewItem("a");
  const gxds_name_map *m = Put(nullptr, Ref(e));
  const gxds_name_map *again = Put(m, e);
  EXPECT_EQ(m, again);
  const gxds_name_map *without = Remove(m, "b");
  EXPECT_EQ(m, without);
  gxds_name_map_unref(without);
  gxds_name_map_unref(again);
  const gxds_name_map *empty = Remove(m, "a");
  EXPECT_EQ(empty, nullptr);
  EXPECT_EQ(gxds_name_map_count(empty), 0u);
  EXPECT_EQ(Get(empty, "a"), nullptr);
  EXPECT_EQ(gxds_name_map_ref(nullptr), nullptr);
  gxds_name_map_unref(m);
}

}  // namespace
