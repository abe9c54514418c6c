/* gxds_poll_policy: decides when the worker polls the host's sockets, so that it does not compete
 * with the program's threads.
 *
 * All sockets of the host are in one epoll set, and one thread at a time waits for it. A second
 * thread would gain nothing, but cost every RPC of the program some wake-ups between threads. But
 * where no other thread polls, as in a synchronous program between two calls, the worker must poll,
 * or xDS updates wait for the next call. The worker can see whether the set has events without
 * taking them. If events stay in the set, no other thread handles them.
 *
 *     WATCH ──events──► PAUSE ──still there──► POLL ──► WATCH      (no other poller: at once)
 *       │                 └──gone──► WATCH                         (others poll: look rarely)
 *       └──none for a while──► POLL, less and less often
 *
 * The last transition is for events that were fetched from the set but not handled: the host
 * fetches many and handles one at a time, and then another thread stopped polling, or the worker's
 * time was over. A poll that had something to do for most of its time suggests that such events are
 * left, so the next poll comes soon.
 *
 * It does no I/O. Confined to the thread that carries out the steps. */
#ifndef GRPC_XDS_TRANSPORT_POLL_POLICY_H_
#define GRPC_XDS_TRANSPORT_POLL_POLICY_H_

#include <stdbool.h>

#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The longest WATCH. */
#define GXDS_POLL_QUIET_MAX (2 * GXDS_SECOND)

typedef enum gxds_poll_kind {
  GXDS_POLL_WATCH, /* wait until the set has events, or until the time is over */
  GXDS_POLL_PAUSE, /* wait without looking at the set, then look */
  GXDS_POLL_POLL,  /* let the host poll */
} gxds_poll_kind;

typedef struct gxds_poll_step {
  gxds_poll_kind kind;
  gxds_duration time;
} gxds_poll_step;

typedef struct gxds_poll_policy { /* private */
  gxds_poll_step step;
  gxds_time others_seen;
  unsigned looks;      /* how often the worker looked at events that stayed */
  gxds_duration quiet; /* the time of the next WATCH */
  gxds_time watched_since;
  bool rare; /* events are rare: the last ones came only after a WATCH of at least QUIET
                (poll_policy.c) */
} gxds_poll_policy;

/* Returns the first step. */
gxds_poll_step gxds_poll_policy_init(gxds_poll_policy *p);
/* Call it when a step is done; returns the next step. events: whether the set has events now; after
 * a POLL, whether it had something to do for most of its time. */
gxds_poll_step gxds_poll_policy_next(gxds_poll_policy *p, bool events, gxds_time now);

#ifdef __cplusplus
}
#endif

#endif
