// In the tests that run with poll() in place of the host's default: what else passes there proves
// nothing if the sockets are polled with epoll.
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
