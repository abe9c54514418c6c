#include "lb_policies/random_subsetting/subset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace {

using Addresses = std::vector<std::string>;

Addresses Servers(size_t count, size_t first = 0) {
  Addresses servers;
  for (size_t i = first; i < first + count; i++) servers.push_back("10.0.0.1:" + std::to_string(i));
  return servers;
}

Addresses Subset(const Addresses& all, uint32_t size, uint64_t seed) {
  std::vector<gxds_str> views;
  for (const auto& a : all) views.push_back(gxds_str_of(a.data(), a.size()));
  std::vector<size_t> places(all.size());
  size_t count = gxds_subset_choose(views.data(), views.size(), size, seed, places.data());
  Addresses subset;
  for (size_t i = 0; i < count; i++) subset.push_back(all[places[i]]);
  return subset;
}

std::set<std::string> SetOf(const Addresses& a) {
  return std::set<std::string>(a.begin(), a.end());
}

TEST(Subset, HasAsManyAsWantedEachOnce) {  // A68.1
  Addresses subset = Subset(Servers(100), 10, 1);
  EXPECT_EQ(subset.size(), 10u);
  EXPECT_EQ(SetOf(subset).size(), 10u);
}

TEST(Subset, OfFewIsAllAsTheyAre) {  // A68.2
  EXPECT_EQ(Subset(Servers(3), 3, 1), Servers(3));
  EXPECT_EQ(Subset(Servers(3), 4000000000u, 1), Servers(3));
  EXPECT_EQ(Subset({}, 1, 1), Addresses());
}

TEST(Subset, IsTheSameForTheSameSeedInWhateverOrderTheyCome) {  // A68.3
  Addresses backwards = Servers(100);
  std::reverse(backwards.begin(), backwards.end());
  EXPECT_EQ(Subset(backwards, 10, 7), Subset(Servers(100), 10, 7));
  EXPECT_NE(SetOf(Subset(Servers(100), 10, 8)), SetOf(Subset(Servers(100), 10, 7)));
}

TEST(Subset, OneThatComesOrGoesChangesAtMostOnePlace) {  // A68.4
  for (uint64_t seed = 0; seed < 50; seed++) {
    const auto before = SetOf(Subset(Servers(100), 10, seed));
    const auto after = SetOf(Subset(Servers(101), 10, seed));
    size_t kept = 0;
    for (const auto& a : after) kept += before.count(a);
    EXPECT_GE(kept, 9u);
  }
}

TEST(Subset, EveryServerIsInAboutAsManySubsets) {  // A68.5
  constexpr size_t kServers = 10, kClients = 2000;
  std::vector<int> users(kServers);
  const Addresses servers = Servers(kServers);
  for (uint64_t client = 0; client < kClients; client++) {
    for (const auto& a : Subset(servers, 5, client * 0x9e3779b97f4a7c15u)) {
      users[static_cast<size_t>(std::find(servers.begin(), servers.end(), a) - servers.begin())]++;
    }
  }
  for (int n : users) EXPECT_NEAR(n, 1000, 120);
}

}  // namespace
