#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "test/sim/arguments.h"
#include "test/sim/shrink.h"
#include "test/sim/world.h"

namespace gxds_sim {
namespace {

// Under the address sanitizer a run takes ten times as long, so fewer seeds run.
#ifdef __SANITIZE_ADDRESS__
constexpr uint64_t kSeeds = 400;
#else
constexpr uint64_t kSeeds = 2000;
#endif

TEST(Simulator, FindsNothing) {
  World world;
  for (uint64_t seed = 1; seed <= kSeeds; seed++) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RunSpec spec;
    spec.seed = seed;
    RunResult r = world.Run(spec);
    ASSERT_FALSE(r.failed) << r.failure.kind << ": " << r.failure.what
                           << "\nreplay: bazel-bin/test/sim/sim --trace " << Arguments(spec);
  }
}

TEST(Simulator, ARunDependsOnItsSeedOnly) {
  World used;
  for (uint64_t seed = 1; seed <= 50; seed++) {
    RunSpec spec;
    spec.seed = seed;
    World fresh;
    RunResult a = used.Run(spec);
    RunResult b = fresh.Run(spec);
    EXPECT_EQ(a.events, b.events) << seed;
    EXPECT_EQ(a.digest, b.digest) << seed;
    for (int i = 0; i < kHappeningCount; i++) EXPECT_EQ(a.counts[i], b.counts[i]) << seed;
  }
}

TEST(Shrinking, KeepsTheFailureAndLeavesOutTheRest) {
  RunSpec spec;
  spec.plant = kPlantNackVersion;
  RunResult r;
  for (spec.seed = 1; !r.failed && spec.seed <= 300; spec.seed++) r = RunApart(spec);
  spec.seed--;
  ASSERT_TRUE(r.failed);
  RunSpec small = Shrink(spec, r.failure.kind);
  RunResult again = RunApart(small);
  EXPECT_TRUE(again.failed);
  EXPECT_EQ(again.failure.kind, r.failure.kind);
  int left = small.op_limit;
  for (auto [first, last] : small.drop) left -= last - first + 1;
  EXPECT_LE(left, 30);

  Flags flags;
  std::string problem;
  std::istringstream text(Arguments(small));
  std::vector<std::string> arguments;
  for (std::string each; text >> each;) arguments.push_back(each);
  ASSERT_TRUE(ParseArguments(arguments, &flags, &problem)) << problem;
  EXPECT_EQ(RunApart(flags.spec).failure.kind, r.failure.kind) << "the replay command";
}

TEST(Regressions, StayFixed) {
  std::ifstream file("test/sim/regressions.txt");
  ASSERT_TRUE(file.good());
  for (std::string line; std::getline(file, line);) {
    std::istringstream text(line.substr(0, line.find('#')));
    std::vector<std::string> arguments;
    for (std::string each; text >> each;) arguments.push_back(each);
    if (arguments.empty()) continue;
    Flags flags;
    std::string problem;
    ASSERT_TRUE(ParseArguments(arguments, &flags, &problem)) << problem;
    RunResult r = RunApart(flags.spec);
    EXPECT_FALSE(r.failed) << line << ": " << r.failure.kind << ": " << r.failure.what;
  }
}

}  // namespace
}  // namespace gxds_sim
