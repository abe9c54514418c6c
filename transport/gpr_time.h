/* Converts a gxds_time, on CLOCK_MONOTONIC, to what gRPC's functions take. */
#ifndef GRPC_XDS_TRANSPORT_GPR_TIME_H_
#define GRPC_XDS_TRANSPORT_GPR_TIME_H_

#include <grpc/support/time.h>

#include "base/time.h"

/* By how much gRPC's monotonic clock is ahead of CLOCK_MONOTONIC. In 1.51 they are the same. */
#ifndef GXDS_GPR_CLOCK_AHEAD
#define GXDS_GPR_CLOCK_AHEAD 0
#endif

/* GXDS_TIME_NEVER becomes the infinite future. */
static inline gpr_timespec gxds_to_gpr(gxds_time t) {
  if (t == GXDS_TIME_NEVER) return gpr_inf_future(GPR_CLOCK_MONOTONIC);
  t += GXDS_GPR_CLOCK_AHEAD;
  return (gpr_timespec){t / GXDS_SECOND, (int32_t)(t % GXDS_SECOND), GPR_CLOCK_MONOTONIC};
}

#endif
