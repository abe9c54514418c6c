// The wall clock by which the host measures the time of RPCs. A test may set it; nothing else is
// affected.
#ifndef GRPC_XDS_TEST_SUPPORT_WALL_CLOCK_H_
#define GRPC_XDS_TEST_SUPPORT_WALL_CLOCK_H_

#include <chrono>

namespace gxds_test {

// From now on it is ahead of the machine's clock by this much. Any thread.
void SetWallClockAhead(std::chrono::nanoseconds by);

}  // namespace gxds_test

#endif
