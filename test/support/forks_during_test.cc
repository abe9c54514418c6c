#include "test/support/forks_during.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace gxds_test {
namespace {

// Without its output: that of a test that passes should show no failure.
void FailInChild(pid_t parent) {
  if (getpid() == parent) return;
  close(STDOUT_FILENO);
  EXPECT_TRUE(false);
}

TEST(ForksDuring, ChildrenEndIfNoExpectationFails) {
  EXPECT_TRUE(AllChildrenEnd([] { EXPECT_TRUE(true); }));
}

TEST(ForksDuring, AnExpectationThatFailsInAChildCounts) {
  const pid_t parent = getpid();
  EXPECT_FALSE(AllChildrenEnd([parent] { FailInChild(parent); }));
}

TEST(ForksDuring, AnExpectationThatFailsInAChildChangesItsStatus) {
  const pid_t parent = getpid();
  EXPECT_NE(StatusOfChild([parent] {
              FailInChild(parent);
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace gxds_test
