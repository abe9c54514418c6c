/* Time is an argument: no code below transport/ reads a clock, except for a seed if the kernel has
 * no randomness yet (gxds_random_seed()). */
#ifndef GRPC_XDS_BASE_TIME_H_
#define GRPC_XDS_BASE_TIME_H_

#include <stdint.h>

typedef int64_t gxds_time;     /* nanoseconds on the caller's monotonic clock */
typedef int64_t gxds_duration; /* nanoseconds */

#define GXDS_TIME_NEVER INT64_MAX
#define GXDS_MILLISECOND ((gxds_duration)1000000)
#define GXDS_SECOND ((gxds_duration)1000000000)

/* Returns now + d, or GXDS_TIME_NEVER if the sum would overflow. */
static inline gxds_time gxds_time_after(gxds_time now, gxds_duration d) {
  return now > 0 && d > GXDS_TIME_NEVER - now ? GXDS_TIME_NEVER : now + d;
}

#endif
