#include "lb_policies/cds/child_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <set>

#include "test/lb_policies/cluster_impl/snapshot_builder.h"

namespace {

using Priorities = std::vector<std::vector<std::string>>;

struct Scenario {
  gxds_child_numbers numbers = {};
  snapshot::Endpoints now;
  bool changed = false;

  ~Scenario() { gxds_child_numbers_fini(&numbers); }

  std::vector<size_t> Update(const Priorities& priorities) {
    return Update(snapshot::MakeEndpoints(priorities));
  }
  std::vector<size_t> Update(snapshot::Endpoints after) {
    changed = gxds_child_numbers_update(&numbers, now.get(), after.get());
    now = std::move(after);
    return std::vector<size_t>(numbers.numbers, numbers.numbers + numbers.count);
  }
};
using Numbers = std::vector<size_t>;

TEST(ChildNumbers, FirstPrioritiesAreNumberedInOrder) {
  Scenario s;
  EXPECT_EQ(s.Update({{"a"}, {"b"}, {"c"}}), (Numbers{0, 1, 2}));
  EXPECT_TRUE(s.changed);
}

TEST(ChildNumbers, UnchangedPrioritiesKeepTheirNumbers) {  // A74.38
  Scenario s;
  s.Update({{"a"}, {"b", "c"}});
  EXPECT_EQ(s.Update({{"a"}, {"b", "c"}}), (Numbers{0, 1}));
  EXPECT_FALSE(s.changed);
}

TEST(ChildNumbers, LocalitiesThatComeAndGoDontChangeTheNumber) {
  Scenario s;
  s.Update({{"a", "b"}, {"c"}});
  EXPECT_EQ(s.Update({{"b", "x"}, {"c", "y"}}), (Numbers{0, 1}));
  EXPECT_EQ(s.Update({{"x", "z"}, {"y"}}), (Numbers{0, 1}));
}

TEST(ChildNumbers, PrioritiesThatSwapSwapTheirNumbers) {  // A56.5
  Scenario s;
  s.Update({{"a"}, {"b"}});
  EXPECT_EQ(s.Update({{"b"}, {"a"}}), (Numbers{1, 0}));
}

TEST(ChildNumbers, PriorityInFrontGetsANewNumber) {
  Scenario s;
  s.Update({{"a"}, {"b"}});
  EXPECT_EQ(s.Update({{"x"}, {"a"}, {"b"}}), (Numbers{2, 0, 1}));
}

TEST(ChildNumbers, PriorityInFrontThatGoesMovesTheOthersUp) {  // A56.5
  Scenario s;
  s.Update({{"a"}, {"b"}});
  EXPECT_EQ(s.Update({{"b"}}), (Numbers{1}));
  EXPECT_EQ(s.Update({{"a"}, {"b"}}), (Numbers{0, 1})) << "a has the child that it had";
}

TEST(ChildNumbers, LocalitiesThatFlapMakeNoMoreChildren) {  // A115's example
  Scenario s;
  const Priorities one = {{"aa", "bb"}, {"cc", "dd"}};
  const Priorities other = {{"cc"}, {"dd", "ee"}};
  EXPECT_EQ(s.Update(one), (Numbers{0, 1}));
  for (int i = 0; i < 100; i++) {
    EXPECT_EQ(s.Update(other), (Numbers{1, 2}));
    EXPECT_EQ(s.Update(one), (Numbers{0, 1}));
  }
}

TEST(ChildNumbers, ChildInUseIsTakenBeforeOneThatLeft) {
  Scenario s;
  s.Update({{"a"}, {"b"}});
  s.Update({{"b"}});
  EXPECT_EQ(s.Update({{"a", "b"}}), (Numbers{1})) << "it serves b";
  EXPECT_EQ(s.Update({{"a"}, {"c"}}), (Numbers{1, 2}));
}

TEST(ChildNumbers, OfTheChildrenThatLeftTheLatestIsTaken) {
  Scenario s;
  s.Update({{"a"}});
  s.Update({{"x"}});
  s.Update({{"y"}, {"a", "x"}});
  EXPECT_EQ(s.Update({{"z"}}), (Numbers{3}));
  EXPECT_EQ(s.Update({{"a"}}), (Numbers{1}));
}

TEST(ChildNumbers, OnlySoManyChildrenThatLeftAreRemembered) {
  Scenario s;
  const size_t many = GXDS_CHILD_NUMBERS_LEFT_MAX + 1;
  for (size_t i = 0; i <= many; i++) s.Update({{"z" + std::to_string(i)}});
  EXPECT_EQ(s.numbers.left_count, GXDS_CHILD_NUMBERS_LEFT_MAX);
  EXPECT_EQ(s.Update({{"z1"}}), (Numbers{1}));
  EXPECT_EQ(s.Update({{"z0"}}), (Numbers{many + 1})) << "this one is forgotten";
}

TEST(ChildNumbers, NumbersThatWereForgottenAreNotUsedAgain) {
  Scenario s;
  s.Update({{"a"}, {"b"}});
  s.Update({{"b"}});
  gxds_child_numbers_forget(&s.numbers);
  s.now = snapshot::Endpoints();
  EXPECT_EQ(s.Update({{"a"}, {"b"}}), (Numbers{2, 3}));
}

TEST(ChildNumbers, SplitPriorityKeepsItsNumberOnce) {
  Scenario s;
  s.Update({{"a", "b"}});
  EXPECT_EQ(s.Update({{"a"}, {"b"}}), (Numbers{0, 1}));
}

TEST(ChildNumbers, MergedPrioritiesKeepOneNumber) {
  Scenario s;
  s.Update({{"a"}, {"b"}});
  EXPECT_EQ(s.Update({{"a", "b"}}), (Numbers{0}));
}

TEST(ChildNumbers, MergedAwayNumberIsNotTakenByTheNext) {  // b is in child 0 now
  Scenario s;
  s.Update({{"a"}, {"b", "c"}});
  EXPECT_EQ(s.Update({{"a", "b"}, {"c"}}), (Numbers{0, 1}));
  s.Update({{"a"}, {"b"}});
  Scenario t;
  t.Update({{"a"}, {"b"}});
  EXPECT_EQ(t.Update({{"a", "b"}, {"x"}}), (Numbers{0, 2}));
}

TEST(ChildNumbers, LocalityInSeveralPrioritiesChangesNoNumbers) {  // A74.38
  Scenario s;
  EXPECT_EQ(s.Update({{"a"}, {"a"}, {"a", "b"}}), (Numbers{0, 1, 2}));
  EXPECT_EQ(s.Update({{"a"}, {"a"}, {"a", "b"}}), (Numbers{0, 1, 2}));
  EXPECT_FALSE(s.changed);
  EXPECT_EQ(s.Update({{"a", "c"}, {"a"}, {"b"}}), (Numbers{0, 1, 2}));
}

// Priorities of one locality each, all with the same name.
snapshot::Endpoints OfOneName(const std::vector<const gxds_locality*>& localities) {
  std::vector<gxds_priority> priorities;
  for (const gxds_locality* const& l : localities) {
    gxds_locality_ref(l);
    priorities.push_back({&l, 1});
  }
  return snapshot::Endpoints(gxds_endpoints_of_priorities(priorities.data(), priorities.size()));
}

TEST(ChildNumbers, OfThePrioritiesWithALocalityTheOneWithTheSameEndpointsCounts) {  // A56.5
  const snapshot::Endpoints made = snapshot::MakeEndpoints({{"a"}, {"a"}, {"a"}});
  const gxds_locality* x = made->priorities[0].localities[0];
  const gxds_locality* y = made->priorities[1].localities[0];
  const gxds_locality* z = made->priorities[2].localities[0];
  Scenario s;
  EXPECT_EQ(s.Update(OfOneName({x, y})), (Numbers{0, 1}));
  EXPECT_EQ(s.Update(OfOneName({y, x})), (Numbers{1, 0}));
  EXPECT_EQ(s.Update(OfOneName({y, z})), (Numbers{1, 0}));
  EXPECT_EQ(s.Update(OfOneName({z})), (Numbers{0}));
}

// A locality with one endpoint at each of those ports.
const gxds_locality* WithPorts(const std::vector<uint16_t>& ports) {
  gxds_locality* l =
      gxds_locality_create(gxds_str_z("r"), gxds_str_z("z"), gxds_str_z(""), 1, ports.size());
  auto* endpoints = const_cast<gxds_endpoint*>(l->list.full);
  for (size_t i = 0; i < ports.size(); i++) {
    endpoints[i].address.port = ports[i];
    endpoints[i].weight = 1;
  }
  return l;
}

snapshot::Endpoints OfPorts(const std::vector<std::vector<uint16_t>>& ports) {
  std::vector<const gxds_locality*> localities;
  for (const auto& of_priority : ports) localities.push_back(WithPorts(of_priority));
  snapshot::Endpoints made = OfOneName(localities);
  for (const gxds_locality* l : localities) gxds_locality_unref(l);
  return made;
}

TEST(ChildNumbers, OrElseTheOneWithSomeOfTheEndpointsCounts) {  // A56.5
  Scenario s;
  EXPECT_EQ(s.Update(OfPorts({{1, 2}, {3, 4}})), (Numbers{0, 1}));
  EXPECT_EQ(s.Update(OfPorts({{1, 2, 5}, {6, 4}})), (Numbers{0, 1}));
  EXPECT_EQ(s.Update(OfPorts({{4, 7}})), (Numbers{1})) << "4 is the last of the second one";
  EXPECT_EQ(s.Update(OfPorts({{8, 7, 9}, {1}})), (Numbers{1, 0})) << "the first one comes back";
  EXPECT_EQ(s.Update(OfPorts({{10}, {11}})), (Numbers{1, 0})) << "nothing in common";
  EXPECT_EQ(s.Update(OfPorts({{}, {12}})), (Numbers{1, 0}));
}

TEST(ChildNumbers, NoPrioritiesMeanOneChild) {  // A37.21
  Scenario s;
  EXPECT_EQ(s.Update(snapshot::Endpoints()), (Numbers{0}));
  EXPECT_EQ(s.Update(Priorities{}), (Numbers{0}));
  EXPECT_FALSE(s.changed) << "still nothing: the same child goes on saying so";
}

TEST(ChildNumbers, EndpointsThatComeGetANewChild) {
  Scenario s;
  s.Update(snapshot::Endpoints());
  EXPECT_EQ(s.Update({{"a"}}), (Numbers{1}));
  EXPECT_EQ(s.Update(snapshot::Endpoints()), (Numbers{0})) << "the one that has nothing";
  EXPECT_EQ(s.Update({{"a"}}), (Numbers{1}));
}

TEST(ChildNumbers, NameIsTheHosts) {
  gxds_text text = {};
  gxds_child_number_render(gxds_str_z("c"), 3, &text);
  EXPECT_STREQ(text.data, "{cluster=c, child_number=3}");
  gxds_text_fini(&text);
}

// With any updates, no number occurs twice, the number of a removed child is used again only for a
// priority that shares a locality with it, and the same update changes nothing.
TEST(ChildNumbers, NumbersAreUniqueAndComeBackOnlyToWhatTheyHad) {
  std::mt19937 random(1);
  int back = 0;
  for (int round = 0; round < 200; round++) {
    Scenario s;
    std::map<size_t, std::vector<std::string>> had;  // by number, the last localities of the child
    std::set<size_t> current;
    for (int step = 0; step < 20; step++) {
      std::vector<std::string> zones = {"a", "b", "c", "d", "e", "f"};
      std::shuffle(zones.begin(), zones.end(), random);
      zones.resize(random() % 7);
      Priorities priorities;
      for (size_t i = 0; i < zones.size();) {
        size_t n = std::min<size_t>(1 + random() % 3, zones.size() - i);
        priorities.emplace_back(zones.begin() + long(i), zones.begin() + long(i + n));
        std::sort(priorities.back().begin(), priorities.back().end());
        i += n;
      }
      if (priorities.size() > 1 && random() % 2 == 0) {  // a locality in two priorities
        auto& other = priorities[random() % priorities.size()];
        const std::string twice = priorities[random() % priorities.size()][0];
        if (std::find(other.begin(), other.end(), twice) == other.end()) other.push_back(twice);
        std::sort(other.begin(), other.end());
      }
      Numbers numbers = s.Update(priorities);
      ASSERT_EQ(numbers, s.Update(priorities)) << "the same again";
      if (priorities.empty()) priorities.emplace_back();
      std::set<size_t> next(numbers.begin(), numbers.end());
      ASSERT_EQ(next.size(), numbers.size());
      for (size_t i = 0; i < numbers.size(); i++) {
        const auto& now = priorities[i];
        auto before = had.find(numbers[i]);
        if (before != had.end() && current.count(numbers[i]) == 0) {
          back++;
          std::vector<std::string> common;
          std::set_intersection(now.begin(), now.end(), before->second.begin(),
                                before->second.end(), std::back_inserter(common));
          ASSERT_TRUE(!common.empty() || (now.empty() && before->second.empty()));
        }
        had[numbers[i]] = now;
      }
      current = next;
    }
  }
  EXPECT_GT(back, 100);
}

}  // namespace
