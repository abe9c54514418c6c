// The machine's wall clock as the host counts the time of RPCs on it: a test may set it. Nothing
// else sees that.
#ifndef GRPC_XDS_TEST_SUPPORT_WALL_CLOCK_H_
#define GRPC_XDS_TEST_SUPPORT_WALL_CLOCK_H_

#include <chrono>

namespace gxds_test {

// From now on it is that much ahead of the machine's. Any thread.
void SetWallClockAhead(std::chrono::nanoseconds by);

}  // namespace gxds_test

#endif
