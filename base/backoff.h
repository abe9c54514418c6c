/* gxds_backoff: how long to wait before the next attempt (gRPC's connection-backoff document).
 * Confined to one thread; lives in the caller's struct. */
#ifndef GRPC_XDS_BASE_BACKOFF_H_
#define GRPC_XDS_BASE_BACKOFF_H_

#include "base/random.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_backoff {
  gxds_duration initial;
  gxds_duration max;
  double multiplier;
  double jitter; /* each wait is drawn from wait × [1 - jitter, 1 + jitter] */
  gxds_duration current;
} gxds_backoff;

/* The values of xDS streams: 1 s, × 1.6, jitter 0.2, at most 120 s. */
void gxds_backoff_init_xds(gxds_backoff *b);
/* The next wait; grows until gxds_backoff_reset(). */
gxds_duration gxds_backoff_next(gxds_backoff *b, gxds_random *random);
void gxds_backoff_reset(gxds_backoff *b);

#ifdef __cplusplus
}
#endif

#endif
