/* gxds_poll_policy: decides where the reactor waits, so that it does not compete with the program's
 * threads.
 *
 * All sockets of the host are in one epoll set, and one thread at a time waits for it. If the
 * program makes no calls, the reactor waits inside the host, and handles all events (STAY). While
 * the program makes calls, a second thread inside the host would cost every RPC some wake-ups
 * between threads. So then the reactor waits outside. From there it sees whether the set has
 * events, without taking them. If events stay in the set, no other thread handles them, as in a
 * synchronous program between two calls. Then the reactor must poll, or updates wait for the next
 * call.
 *
 *     STAY ──a call begins, or much to do──► WATCH
 *
 *     WATCH ──events──► PAUSE ──still there──► POLL ──► WATCH      (no other poller: at once)
 *       │                 └──gone──► WATCH                         (others poll: look rarely)
 *       └──none for 4 ms──► POLL ──► WATCH ──none for 256 ms──► STAY
 *
 * The poll after 4 ms is for events that were fetched from the set but not handled: the host
 * fetches many and handles one at a time, and then another thread stopped polling, or the time of
 * our own poll was over. A poll that had something to do for most of its time suggests that such
 * events are left, so the next poll comes soon.
 *
 * It does no I/O. Confined to the thread that carries out the steps. */
#ifndef GRPC_XDS_TRANSPORT_POLL_POLICY_H_
#define GRPC_XDS_TRANSPORT_POLL_POLICY_H_

#include <stdbool.h>

#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_poll_kind {
  GXDS_POLL_WATCH, /* wait outside until the set has events, or until the time is over */
  GXDS_POLL_PAUSE, /* wait outside without looking at the set, then look */
  GXDS_POLL_POLL,  /* wait inside the host */
  GXDS_POLL_STAY,  /* wait inside the host until a call begins, or until the time is over */
} gxds_poll_kind;

typedef struct gxds_poll_step {
  gxds_poll_kind kind;
  gxds_duration time;
} gxds_poll_step;

typedef struct gxds_poll_policy { /* private */
  gxds_poll_step step;
  gxds_time others_seen;
  unsigned looks; /* how often the reactor looked at events that stayed */
  bool calm;      /* the host was polled after the last events, and there were none left */
  gxds_time watched_since;
  bool rare; /* events are rare: the last ones came only after a WATCH of at least QUIET
                (poll_policy.c) */
} gxds_poll_policy;

/* Returns the first step. */
gxds_poll_step gxds_poll_policy_init(gxds_poll_policy *p);
/* Call one of these three when a step is done. Each returns the next step. */
/* After a WATCH or PAUSE. events: whether the set has events now. */
gxds_poll_step gxds_poll_policy_looked(gxds_poll_policy *p, bool events, gxds_time now);
/* After a POLL or STAY. used: the CPU time that the thread used inside the host. */
gxds_poll_step gxds_poll_policy_polled(gxds_poll_policy *p, gxds_duration used, gxds_time now);
/* A call begins during a STAY. */
gxds_poll_step gxds_poll_policy_call_begins(gxds_poll_policy *p, gxds_time now);

#ifdef __cplusplus
}
#endif

#endif
