#include <grpc/support/port_platform.h>
#include <grpc/support/time.h>

#include <cstdlib>

#include "host/grpc_common/core.h"
#include "host/grpc_common/services.h"

namespace grpc_xds {

// The host computes a deadline with one of its clocks (here the machine's wall clock), but its
// timers use another clock. The order of the two readings is such that if the thread is interrupted
// between them, an RPC ends late rather than early.
gxds_duration ClockDistance() {
  using grpc_core::Timestamp;
  constexpr int64_t kRounding = 2;  // milliseconds by which readings of agreeing clocks may differ
  const gpr_cycle_counter cycles = gpr_get_cycle_counter();
  const Timestamp ends = Timestamp::FromTimespecRoundUp(gpr_now(GPR_CLOCK_MONOTONIC));
  const int64_t distance = (ends - Timestamp::FromCycleCounterRoundDown(cycles)).millis();
  return std::abs(distance) <= kRounding ? 0 : distance * GXDS_MILLISECOND;
}

}  // namespace grpc_xds
