// Plants faults in the engine, the logic for web servers and the policies, one at a time. The
// simulator must find each of them. The sanitizers leave this test out, because it tests the checks
// of the simulator. sim_test runs the same code under the address sanitizer.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "test/sim/shrink.h"
#include "test/sim/world.h"

namespace gxds_sim {
namespace {

// The check that must find a fault, for faults that have their own check.
const std::map<Plant, std::string> kOwnChecks = {{kPlantLbAuthority, "authority"},
                                                 {kPlantLbEnforcement, "enforcement"},
                                                 {kPlantLbDeviation, "spared"},
                                                 {kPlantLbMinimumHosts, "spared"},
                                                 {kPlantLbRequestVolume, "spared"},
                                                 {kPlantLbEjectionLimit, "ejection-limit"},
                                                 {kPlantLbEjectionTime, "multiplier"},
                                                 {kPlantLbFailure, "ejected"},
                                                 {kPlantLbHash, "ring"},
                                                 {kPlantLbRingOrder, "ring"},
                                                 {kPlantLbLoad, "load"},
                                                 {kPlantLbSession, "session"},
                                                 {kPlantLbSubset, "subset"},
                                                 {kPlantLbDraining, "draining"},
                                                 {kPlantLbDrained, "draining"},
                                                 {kPlantLbCountedTwice, "settled"},
                                                 {kPlantLbSecondAddress, "addresses"},
                                                 {kPlantLbEager, "eager"},
                                                 {kPlantLbNoGrowth, "growth"},
                                                 {kPlantLbGrowsEarly, "growth"}};

class Canary : public ::testing::TestWithParam<int> {};

TEST_P(Canary, IsFound) {
  Plant plant = static_cast<Plant>(GetParam());
  for (uint64_t seed = 1; seed <= 1200; seed++) {
    RunSpec spec;
    spec.seed = seed;
    spec.plant = plant;
    const RunResult r = RunApart(spec);
    if (!r.failed) continue;
    // The kept subchannel may belong to an endpoint that is not needed, which another check finds.
    if (plant == kPlantLbSecondAddress && r.failure.kind == "settled") continue;
    const auto check = kOwnChecks.find(plant);
    if (check != kOwnChecks.end()) {
      EXPECT_EQ(r.failure.kind, check->second) << r.failure.what;
    }
    return;
  }
  FAIL() << "no check finds this: " << kPlantDescriptions[plant];
}

std::string PlantName(const ::testing::TestParamInfo<int> &info) {
  std::string name = kPlantNames[info.param];
  for (char &c : name) c = c == '-' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(Planted, Canary, ::testing::Range(1, int{kPlantCount}), PlantName);

// The server responds to every request, and the client sends each request twice.
TEST(Simulator, AnExchangeThatDoesNotEndIsFound) {
  RunSpec spec;
  spec.plant = kPlantEcho;
  RunResult r;
  while (!r.failed && ++spec.seed <= 300) r = RunApart(spec);
  EXPECT_EQ(r.failure.kind, "restless") << r.failure.what;
}

}  // namespace
}  // namespace gxds_sim
