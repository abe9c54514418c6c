// Part of the tests that run with poll() in place of the host's default: the other tests prove
// nothing if the host uses epoll.
#include "src/core/lib/iomgr/ev_posix.h"
#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

TEST(EndToEnd, PollIsWhatTheHostPollsWith) {
  Client client("xds:///any", "{}");  // initialises gRPC
  EXPECT_STREQ(grpc_get_poll_strategy_name(), "poll");
}

}  // namespace
}  // namespace gxds_test
