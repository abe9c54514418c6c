#include <gtest/gtest.h>
#include <jansson.h>

#include <cmath>
#include <map>
#include <set>

#include "test/soak/account.h"
#include "test/soak/config.h"
#include "test/soak/schedule.h"

namespace gxds_soak {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Ports kPorts = {101, 102, 103, 104, 105, 106};

TEST(Schedule, DependsOnItsSeedOnly) {
  for (int number = 0; number < 20; ++number) {
    const Round a = MakeRound(7, number), b = MakeRound(7, number), other = MakeRound(8, number);
    EXPECT_EQ(a.anchor, b.anchor);
    ASSERT_EQ(a.actions.size(), b.actions.size());
    bool differs = a.actions.size() != other.actions.size();
    for (size_t i = 0; i < a.actions.size(); ++i) {
      EXPECT_EQ(a.actions[i].Text(), b.actions[i].Text());
      EXPECT_EQ(a.actions[i].after, b.actions[i].after);
      EXPECT_EQ(a.actions[i].seed, b.actions[i].seed);
      differs = differs || a.actions[i].seed != other.actions[i].seed;
    }
    EXPECT_TRUE(differs);
  }
}

TEST(Schedule, DoesAllThatCanBeDoneButToTheAnchor) {
  std::set<std::pair<Deed, bool>> seen;
  std::set<Spoil> spoils;
  for (int number = 0; number < 100; ++number) {
    const Round round = MakeRound(1, number);
    for (const Action& action : round.actions) {
      seen.insert({action.deed, action.plane});
      if (action.deed == Deed::kSpoil) spoils.insert(SpoilOf(action.seed));
      if (action.deed == Deed::kChannel || action.plane) continue;
      EXPECT_NE(action.index, round.anchor) << action.Text();
    }
  }
  // All deeds occur: control planes are configured, spoiled, killed, stopped and so on, backends
  // have the same deeds except the first two and are also ended, and threads get channels.
  EXPECT_EQ(seen.size(), 12u);
  EXPECT_EQ(spoils.size(), kSpoils - 1u);
}

TEST(Schedule, NothingKeepsAClientFromStarting) {
  size_t starts = 0;
  for (int number = 0; number < 100; ++number) {
    const Round round = MakeRound(1, number);
    milliseconds at(0), started(-1000);
    bool starts_here = false, hinders = false;
    for (const Action& action : round.actions) {
      at += action.after;
      hinders = hinders || action.deed == Deed::kStop || action.deed == Deed::kSpoil;
      if (action.plane) {
        EXPECT_GE(at - started, milliseconds(1000)) << number;
      }
      if (action.deed != Deed::kChannel) continue;
      started = at;
      starts_here = true;
      ++starts;
    }
    EXPECT_FALSE(starts_here && hinders) << number;
  }
  EXPECT_GT(starts, 100u);
}

// The names of the listeners. Each must have the routes of the configuration.
std::set<std::string> ListenersOf(const std::string& config) {
  std::set<std::string> names;
  json_t* root = json_loads(config.c_str(), 0, nullptr);
  size_t i;
  json_t* resource;
  json_array_foreach(root, i, resource) {
    if (json_object_get(resource, "api_listener") == nullptr) continue;
    names.insert(json_string_value(json_object_get(resource, "name")));
  }
  json_decref(root);
  return names;
}

TEST(Config, HasAListenerForEachThread) {
  const std::set<std::string> names = {"soak-0", "soak-1", "soak-2", "soak-3"};
  EXPECT_EQ(ListenersOf(RecoveredConfig(kPorts, "/probe")), names);
  EXPECT_EQ(ListenersOf(ChaosConfig(kPorts, 0, 1, Spoil::kNone)), names);
  EXPECT_EQ(ListenersOf(ChaosConfig(kPorts, 0, 1, Spoil::kBadListener)), names);
  EXPECT_EQ(ListenersOf(ChaosConfig(kPorts, 0, 1, Spoil::kNoListener)).count("soak-0"), 0u);
}

// The ports of each cluster's endpoints.
std::map<std::string, std::set<int>> EndpointsOf(const std::string& config) {
  std::map<std::string, std::set<int>> out;
  json_t* root = json_loads(config.c_str(), 0, nullptr);
  size_t i, l, e;
  json_t *resource, *locality, *endpoint;
  json_array_foreach(root, i, resource) {
    const char* name = json_string_value(json_object_get(resource, "cluster_name"));
    if (name == nullptr) continue;
    std::set<int>& ports = out[name];
    json_array_foreach(json_object_get(resource, "endpoints"), l, locality) {
      json_array_foreach(json_object_get(locality, "lb_endpoints"), e, endpoint) {
        int port = 0;
        EXPECT_EQ(json_unpack(endpoint, "{s:{s:{s:{s:i}}}}", "endpoint", "address",
                              "socket_address", "port_value", &port),
                  0);
        ports.insert(port);
      }
    }
  }
  json_decref(root);
  return out;
}

TEST(Config, EachClusterHasTheAnchor) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const int anchor = static_cast<int>(seed % kBackends);
    const auto clusters = EndpointsOf(ChaosConfig(kPorts, anchor, seed, Spoil::kNone));
    EXPECT_EQ(clusters.size(), 8u);
    for (const auto& [name, ports] : clusters) EXPECT_EQ(ports.count(kPorts[anchor]), 1u) << name;
  }
}

TEST(Config, OfARecoveredWorldHasAllEndpoints) {
  for (const auto& [name, ports] : EndpointsOf(RecoveredConfig(kPorts, "/probe"))) {
    EXPECT_EQ(ports.size(), kPorts.size()) << name;
  }
}

TEST(Config, NothingIsWrongInClustersThatAClientMayNotHaveYet) {
  for (int s = 1; s < kSpoils; ++s) {
    const Spoil spoil = static_cast<Spoil>(s);
    const std::string good = ChaosConfig(kPorts, 0, 1, Spoil::kNone);
    const std::string bad = ChaosConfig(kPorts, 0, 1, spoil);
    EXPECT_NE(good, bad) << kSpoilNames[s];
    if (spoil == Spoil::kFile) continue;
    auto clusters = EndpointsOf(bad);
    for (const char* name : {"agg-2", "c0", "c1", "c2", "c3"}) {
      EXPECT_EQ(clusters[name], EndpointsOf(good)[name]) << kSpoilNames[s];
    }
  }
}

// A backend is killed, and 10 s later another is stopped for 10 s.
struct Accounts : testing::Test {
  Accounts() {
    outages.Killed(101, seconds(100));
    outages.Stopped(102, seconds(110));
    outages.StopEnded(102, seconds(120));
  }
  Cause Explain(Time began, Time ended, grpc::StatusCode code, int port) {
    return outages.Explain({began, ended, code, port, ""});
  }
  Outages outages;
};

TEST_F(Accounts, AKillExplainsTheCallsOfItsBackendThen) {
  const auto code = grpc::StatusCode::UNAVAILABLE;
  EXPECT_EQ(Explain(seconds(99), milliseconds(100001), code, 101), Cause::kKilled);
  EXPECT_EQ(Explain(seconds(101), seconds(101), code, 101), Cause::kKilled);
  EXPECT_EQ(Explain(seconds(101), seconds(101), code, 0), Cause::kKilled);
  EXPECT_EQ(Explain(seconds(101), seconds(101), grpc::StatusCode::CANCELLED, 101), Cause::kKilled);
}

TEST_F(Accounts, AKillExplainsNothingElse) {
  const auto code = grpc::StatusCode::UNAVAILABLE;
  EXPECT_EQ(Explain(seconds(98), seconds(99), code, 101), Cause::kUnexplained);
  EXPECT_EQ(Explain(seconds(103), seconds(103), code, 101), Cause::kUnexplained);
  EXPECT_EQ(Explain(seconds(103), seconds(103), code, 0), Cause::kUnexplained);
  EXPECT_EQ(Explain(seconds(101), seconds(101), code, 103), Cause::kUnexplained);
  EXPECT_EQ(Explain(seconds(99), seconds(104), grpc::StatusCode::DEADLINE_EXCEEDED, 101),
            Cause::kUnexplained);
  EXPECT_EQ(Explain(seconds(99), seconds(101), grpc::StatusCode::INTERNAL, 101),
            Cause::kUnexplained);
}

TEST_F(Accounts, AStopExplainsTheCallsWithoutAResponseInTime) {
  const auto code = grpc::StatusCode::DEADLINE_EXCEEDED;
  EXPECT_EQ(Explain(seconds(109), seconds(114), code, 102), Cause::kStopped);
  EXPECT_EQ(Explain(seconds(116), seconds(121), code, 102), Cause::kStopped);
  EXPECT_EQ(Explain(seconds(112), seconds(117), code, 0), Cause::kStopped);
  EXPECT_EQ(Explain(seconds(107), seconds(112), code, 102), Cause::kUnexplained);
  EXPECT_EQ(Explain(seconds(118), seconds(123), code, 0), Cause::kUnexplained);
  EXPECT_EQ(Explain(seconds(111), seconds(116), code, 103), Cause::kUnexplained);
  EXPECT_EQ(Explain(seconds(111), seconds(112), grpc::StatusCode::UNAVAILABLE, 102),
            Cause::kUnexplained);
}

TEST(Line, OfPointsOnOneHasNoError) {
  const Line line = FitLine({{0, 1}, {1, 3}, {2, 5}, {3, 7}});
  EXPECT_DOUBLE_EQ(line.slope, 2);
  EXPECT_NEAR(line.error, 0, 1e-9);
  EXPECT_TRUE(line.Rises());
}

// Computed by hand: the residuals 1, -1, -1, 1 about a flat line give sqrt(4 / 2 / 5).
TEST(Line, OfPointsThatScatterHasTheErrorOfLeastSquares) {
  const Line line = FitLine({{0, 1}, {1, -1}, {2, -1}, {3, 1}});
  EXPECT_DOUBLE_EQ(line.slope, 0);
  EXPECT_NEAR(line.error, std::sqrt(0.4), 1e-9);
  EXPECT_FALSE(line.Rises());
}

TEST(Line, RisesByMoreThanItsScatterOnly) {
  Random random(1, 1);
  std::vector<Point> flat, rising;
  for (int i = 0; i < 30; ++i) {
    const double noise = random.Below(100);
    flat.push_back({1.0 * i, noise});
    rising.push_back({1.0 * i, 20.0 * i + noise});
  }
  EXPECT_FALSE(FitLine(flat).Rises());
  EXPECT_TRUE(FitLine(rising).Rises());
}

}  // namespace
}  // namespace gxds_soak
