/* gxds_backoff: how long to wait before the next attempt (gRPC's connection-backoff document).
 * Confined to one thread; lives in the caller's struct. */
#ifndef GRPC_XDS_BASE_BACKOFF_H_
#define GRPC_XDS_BASE_BACKOFF_H_

#include <stdbool.h>

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

/* Those who were cut off together come back within this time, each at its own. */
#define GXDS_REOPEN_WITHIN GXDS_SECOND

/* How long to wait before a stream is opened in the place of one that ended, and had lived that
 * long: since its first request was on its way, so that the wait for a connection is none of it.
 * answered: the server did what the stream is for. Then the wait is what is left of the next step;
 * if it outlived that, the backoff begins anew, and the wait is a random part of
 * GXDS_REOPEN_WITHIN. Else (A57) it is the whole step, however long the server was silent. */
gxds_duration gxds_backoff_after_stream(gxds_backoff *b, bool answered, gxds_duration lived,
                                        gxds_random *random);

#ifdef __cplusplus
}
#endif

#endif
