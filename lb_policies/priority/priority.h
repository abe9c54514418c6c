/* gxds_priority_lb: which of a policy's children carries the traffic (A56), by priority: the first
 * that is READY or IDLE or still has time to connect. Children are made only when their turn
 * comes.
 *
 * It is not a policy of the host: it holds no child, picker or timer. Events go in (an update, a
 * child's state, the time), operations come out of gxds_priority_lb_next(), which the owner carries
 * out one at a time; each may cause the next events at once (a child that reports its state while
 * it is updated), and the choice is made only when no child waits for its update any more.
 *
 * A child that gave way to a higher priority, or that an update no longer names, is deactivated:
 * kept with its connections for 15 minutes, so that priorities that come and go don't churn them.
 * (A115 ends the latter for Java and Go, not for C-core.) A child that is not named gets neither
 * updates nor picks; one that is named again goes on where it was. Of those that are not named the
 * host keeps any number; here they are at most GXDS_PRIORITY_RETAINED_MAX, or a control plane that
 * churns priorities would grow a client without limit, which is what A115 is about.
 *
 * A child:   created ─► CONNECTING ◄─► READY / IDLE ◄─► TRANSIENT_FAILURE      (as it reports)
 *            active ─(a higher priority is READY or IDLE,
 *              ▲      or it is not named any more)────────► deactivated ─(15 min)─► removed
 *              └──────────────(its turn comes again)──────────────┘
 *
 * Confined: the owner's serializer. Never calls out. */
#ifndef GRPC_XDS_LB_POLICIES_PRIORITY_PRIORITY_H_
#define GRPC_XDS_LB_POLICIES_PRIORITY_PRIORITY_H_

#include <grpc/impl/codegen/connectivity_state.h>
#include <stdint.h>

#include "base/status.h"
#include "base/time.h"
#include "resources/endpoints.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_priority_lb gxds_priority_lb;

/* How long a child has to connect before the next priority is tried (A56). */
#define GXDS_PRIORITY_FAILOVER_DEFAULT (10 * GXDS_SECOND)
/* How long a child is kept that gave way to a higher priority, or is not named any more (A56). */
#define GXDS_PRIORITY_RETENTION (15 * 60 * GXDS_SECOND)
/* How many children are kept that are not named: several times what a cluster has priorities. */
#define GXDS_PRIORITY_RETAINED_MAX 16u

typedef enum gxds_priority_op_kind {
  GXDS_PRIORITY_CREATE,  /* make the child and give it its first update */
  GXDS_PRIORITY_UPDATE,  /* give the child its part of the last update, unless it has it already */
  GXDS_PRIORITY_PUBLISH, /* report this child's state, the status of it, and its last picker; as
                            long as it never gave one: a picker that queues */
  GXDS_PRIORITY_PUBLISH_EMPTY, /* report TRANSIENT_FAILURE: there is no priority */
  GXDS_PRIORITY_RETAIN, /* the child is not named any more: let go of what it was given, and heed
                           nothing that it asks for, until it is updated or removed */
  GXDS_PRIORITY_REMOVE, /* end the child */
} gxds_priority_op_kind;

typedef struct gxds_priority_op {
  gxds_priority_op_kind kind;
  uint64_t child;  /* the child's token: never reused; 0 for PUBLISH_EMPTY */
  size_t position; /* CREATE, UPDATE, PUBLISH: the child's index in the names of the last update */
  grpc_connectivity_state state; /* PUBLISH */
  bool crowded; /* REMOVE: only because more than GXDS_PRIORITY_RETAINED_MAX are not named */
} gxds_priority_op;

/* One owner. failover: how long a child has to connect; not negative. */
gxds_priority_lb *gxds_priority_lb_create(gxds_duration failover);
void gxds_priority_lb_destroy(gxds_priority_lb *lb); /* NULL is allowed */

/* The children in order of priority, by name; of equal names the first counts. Names are copied.
 * Each child that exists gets an UPDATE, or, when it is not named any more, a RETAIN or a REMOVE.
 * Too many of the latter: those end first whose time would be over first. */
void gxds_priority_lb_on_update(gxds_priority_lb *lb, const gxds_str *names, size_t count,
                                gxds_time now);
/* A child reported its state with a new picker. An unknown token and SHUTDOWN are ignored. */
void gxds_priority_lb_on_child_state(gxds_priority_lb *lb, uint64_t child,
                                     grpc_connectivity_state state, gxds_time now);
/* Early or repeated calls are harmless. */
void gxds_priority_lb_on_deadline(gxds_priority_lb *lb, gxds_time now);

/* The next thing to do; false: nothing. To be called after every event until it is false. */
bool gxds_priority_lb_next(gxds_priority_lb *lb, gxds_time now, gxds_priority_op *op);
/* When to call gxds_priority_lb_on_deadline() next. */
gxds_time gxds_priority_lb_deadline(const gxds_priority_lb *lb);
/* The child in use; 0: none. */
uint64_t gxds_priority_lb_current(const gxds_priority_lb *lb);

/* What a child is given by an update, as far as it concerns that child. Borrows all. */
typedef struct gxds_priority_share {
  const void *config;              /* of the child's policy: compared by pointer */
  bool from_slice;                 /* localities say it all; false: nobody knows what else counts */
  const gxds_priority *localities; /* NULL: none */
  gxds_str note;                   /* the resolution note */
} gxds_priority_share;
/* Whether a child that was given the one needn't be given the other. Localities are compared by
 * pointer; the note counts only where there is no endpoint, since no policy speaks of it
 * otherwise. */
bool gxds_priority_share_same(const gxds_priority_share *given, const gxds_priority_share *now);

/* What to report for PUBLISH_EMPTY. cluster and note may be empty. */
GXDS_MUST_USE gxds_status gxds_priority_empty_status(gxds_str cluster, gxds_str note);

/* Checks the invariant; for tests. */
void gxds_priority_lb_validate(const gxds_priority_lb *lb);

#ifdef __cplusplus
}
#endif

#endif
