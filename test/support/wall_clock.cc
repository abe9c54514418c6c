#include "test/support/wall_clock.h"

#include <grpc/support/port_platform.h>
#include <grpc/support/time.h>

#include <atomic>
#include <cstdint>

#include "host/grpc_common/core.h"

namespace {

std::atomic<int64_t> nanoseconds_ahead{0};

}  // namespace

// Replaces the host's function in all its libraries: the wall clock in microseconds.
__attribute__((visibility("default"))) gpr_cycle_counter gpr_get_cycle_counter() {
  return gpr_timespec_to_micros(gpr_now(GPR_CLOCK_REALTIME)) +
         static_cast<double>(nanoseconds_ahead.load(std::memory_order_relaxed)) / 1000;
}

namespace gxds_test {

void SetWallClockAhead(std::chrono::nanoseconds by) {
  nanoseconds_ahead.store(by.count(), std::memory_order_relaxed);
}

}  // namespace gxds_test
