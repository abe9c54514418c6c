/* gxds_random: a small seeded generator (splitmix64), so that jitter and tests are repeatable.
 * Not for secrets. Lives in the caller's struct; one thread at a time. */
#ifndef GRPC_XDS_BASE_RANDOM_H_
#define GRPC_XDS_BASE_RANDOM_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_random {
  uint64_t state; /* the seed; any value */
} gxds_random;

/* A new seed at each call, from the kernel's randomness. Any thread. Only for host/ and transport/:
 * the engine gets its seeds from its caller. */
uint64_t gxds_random_seed(void);

/* The calling thread's own generator, seeded at its first use by gxds_random_seed(). For picks,
 * which may not write to shared state. A test that wants to repeat a run sets its state. */
gxds_random *gxds_random_of_thread(void);

/* Uniform over all 64 bits. */
static inline uint64_t gxds_random_next(gxds_random *r) {
  uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Uniform in [0, 1). */
static inline double gxds_random_unit(gxds_random *r) {
  return (double)(gxds_random_next(r) >> 11) * 0x1.0p-53;
}

#ifdef __cplusplus
}
#endif

#endif
