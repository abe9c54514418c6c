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

/* Clients that lost their streams together open new ones within this time, each at a random moment.
 */
#define GXDS_REOPEN_WITHIN GXDS_SECOND

/* How long to wait before a new stream is opened in place of one that ended. lived is the time
 * since the old stream sent its first request, so it does not count the wait for a connection.
 * responded: the server responded, or had nothing new. If so, the wait is the next step of the
 * backoff less `lived`; if the stream lived longer than that step, the backoff is reset, and the
 * wait is a random part of GXDS_REOPEN_WITHIN. If not (A57), the wait is the whole next step,
 * however long the stream lived. */
gxds_duration gxds_backoff_after_stream(gxds_backoff *b, bool responded, gxds_duration lived,
                                        gxds_random *random);

#ifdef __cplusplus
}
#endif

#endif
