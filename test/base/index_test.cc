#include "base/index.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace {

struct Thing {
  gxds_index_link link = {};
  std::string name;
};

gxds_str StrOf(const std::string& s) { return gxds_str_of(s.data(), s.size()); }

struct Index {
  gxds_index index = {};
  std::vector<std::unique_ptr<Thing>> things;

  ~Index() {
    for (const auto& thing : things) gxds_index_remove(&index, &thing->link);
    EXPECT_EQ(index.buckets, nullptr);
  }

  Thing* AddWithHash(const std::string& name, uint64_t hash) {
    things.push_back(std::make_unique<Thing>());
    things.back()->name = name;
    gxds_index_add(&index, &things.back()->link, hash);
    return things.back().get();
  }
  Thing* Add(const std::string& name) { return AddWithHash(name, gxds_index_hash(StrOf(name))); }

  Thing* FindWithHash(const std::string& name, uint64_t hash) {
    for (auto* l = gxds_index_find(&index, hash); l; l = gxds_index_find_next(l)) {
      if (reinterpret_cast<Thing*>(l)->name == name) return reinterpret_cast<Thing*>(l);
    }
    return nullptr;
  }
  Thing* Find(const std::string& name) { return FindWithHash(name, gxds_index_hash(StrOf(name))); }

  std::multiset<std::string> Visited() {
    std::multiset<std::string> names;
    for (auto* l = gxds_index_next(&index, nullptr); l; l = gxds_index_next(&index, l)) {
      names.insert(reinterpret_cast<Thing*>(l)->name);
    }
    return names;
  }
};

TEST(Index, AnEmptyOneFindsNothing) {
  Index x;
  EXPECT_EQ(x.Find("a"), nullptr);
  EXPECT_EQ(gxds_index_next(&x.index, nullptr), nullptr);
}

TEST(Index, FindsEveryObjectThatItHasAndNoOther) {
  Index x;
  std::vector<Thing*> added;
  for (int i = 0; i < 1000; i++) added.push_back(x.Add("thing-" + std::to_string(i)));
  EXPECT_EQ(x.index.count, 1000u);
  for (Thing* thing : added) EXPECT_EQ(x.Find(thing->name), thing);
  EXPECT_EQ(x.Find("thing-1000"), nullptr);
}

TEST(Index, DoesNotFindWhatWasRemoved) {
  Index x;
  for (int i = 0; i < 100; i++) x.Add("thing-" + std::to_string(i));
  for (int i = 0; i < 50; i++) {
    gxds_index_remove(&x.index, &x.things.back()->link);
    x.things.pop_back();
  }
  for (int i = 0; i < 100; i++) EXPECT_EQ(x.Find("thing-" + std::to_string(i)) != nullptr, i < 50);
}

TEST(Index, DistinguishesObjectsWithTheSameHash) {
  Index x;
  Thing* a = x.AddWithHash("a", 7);
  Thing* b = x.AddWithHash("b", 7);
  x.AddWithHash("c", 7 + 4);  // the same bucket
  EXPECT_EQ(x.FindWithHash("a", 7), a);
  EXPECT_EQ(x.FindWithHash("b", 7), b);
  EXPECT_EQ(x.FindWithHash("c", 7), nullptr);
}

TEST(Index, NumbersThatDifferInAnyBitAreDifferentKeys) {
  Index x;
  constexpr uint64_t kFar = 1 + (uint64_t{1} << 32);
  Thing* near = x.AddWithHash("near", 1);
  Thing* far = x.AddWithHash("far", kFar);
  for (const auto& [number, thing] : {std::pair{uint64_t{1}, near}, std::pair{kFar, far}}) {
    auto* found = gxds_index_find(&x.index, number);
    EXPECT_EQ(found, &thing->link);
    EXPECT_EQ(gxds_index_find_next(found), nullptr);
  }
}

TEST(Index, VisitsEveryObjectOnce) {
  Index x;
  std::multiset<std::string> names;
  for (int i = 0; i < 100; i++) names.insert(x.Add(std::to_string(i))->name);
  EXPECT_EQ(x.Visited(), names);
}

TEST(Index, AnObjectMayBeRemovedOnceItsSuccessorIsKnown) {
  Index x;
  for (int i = 0; i < 100; i++) x.Add(std::to_string(i));
  gxds_index_link* next = nullptr;
  size_t removed = 0;
  for (auto* l = gxds_index_next(&x.index, nullptr); l; l = next) {
    next = gxds_index_next(&x.index, l);
    gxds_index_remove(&x.index, l);
    removed++;
  }
  EXPECT_EQ(removed, 100u);
  x.things.clear();
}

}  // namespace
