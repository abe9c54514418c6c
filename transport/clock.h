/* The clocks of the system, for code outside the engine. (The engine gets the time as an argument.)
 * Any thread. */
#ifndef GRPC_XDS_TRANSPORT_CLOCK_H_
#define GRPC_XDS_TRANSPORT_CLOCK_H_

#include <time.h>

#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The monotonic clock. */
gxds_time gxds_clock_now(void);
/* The time since 1970. It may be set back. */
gxds_time gxds_clock_wall_now(void);
/* The CPU time that the calling thread has used. */
gxds_time gxds_clock_of_thread(void);
/* The same time for functions of the system; t is not negative. */
static inline struct timespec gxds_to_timespec(gxds_time t) {
  const struct timespec out = {t / GXDS_SECOND, t % GXDS_SECOND};
  return out;
}
/* The time d from now, on the clock that pthread_cond_timedwait() uses by default. */
struct timespec gxds_clock_limit(gxds_duration d);

#ifdef __cplusplus
}
#endif

#endif
