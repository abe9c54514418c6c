#include "transport/clock.h"

#include "base/check.h"

static gxds_time read_clock(clockid_t clock) {
  struct timespec t;
  GXDS_CHECK(clock_gettime(clock, &t) == 0);
  return (gxds_time)t.tv_sec * GXDS_SECOND + t.tv_nsec;
}

gxds_time gxds_clock_now(void) { return read_clock(CLOCK_MONOTONIC); }

gxds_time gxds_clock_wall_now(void) { return read_clock(CLOCK_REALTIME); }

gxds_time gxds_clock_of_thread(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

struct timespec gxds_clock_limit(gxds_duration d) {
  return gxds_to_timespec(gxds_time_after(gxds_clock_wall_now(), d));
}
