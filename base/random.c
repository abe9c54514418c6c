#include "base/random.h"

#include <sys/random.h>
#include <time.h>

uint64_t gxds_random_seed(void) {
  uint64_t seed;
  if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == (ssize_t)sizeof seed) return seed;
  /* A sandbox forbids getrandom(), or the machine has just started. The clock is random enough to
   * spread load. */
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

gxds_random *gxds_random_of_thread(void) {
  static _Thread_local gxds_random random = {0}; /* 0: not seeded yet */
  if (random.state == 0) random.state = gxds_random_seed();
  return &random;
}
