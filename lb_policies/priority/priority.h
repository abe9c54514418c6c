/* gxds_priority_lb: chooses the child of a priority policy that carries the traffic (A56): the
 * first, in order of priority, that is READY or IDLE or still has time to connect. A child is made
 * only when it is needed.
 *
 * It is not a policy of the host: it holds no child, picker or timer. Events go in (an update, a
 * child's state, the time). Operations come out of gxds_priority_lb_next(), and the owner carries
 * them out one at a time. Each may cause the next events at once: a child may report its state
 * while it is updated. The choice is made only when every child has its update.
 *
 * A child is deactivated when a higher priority replaces it, or when an update no longer names it.
 * It keeps its connections for 15 minutes, so that priorities that come and go do not churn them.
 * (A115 ends this for children that are no longer named, in Java and Go, not in C-core.) A child
 * that is not named gets neither updates nor picks. If it is named again, it continues in the state
 * that it had. The host keeps any number of unnamed children. Here there are at most
 * GXDS_PRIORITY_RETAINED_MAX. Otherwise a client would grow without limit if a control plane keeps
 * changing priorities, which is the reason for A115.
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
/* How long a child is kept when a higher priority replaced it, or when no update names it any more
 * (A56). */
#define GXDS_PRIORITY_RETENTION (15 * 60 * GXDS_SECOND)
/* The most children that are kept although the last update does not name them: several times the
 * priorities of a usual cluster. */
#define GXDS_PRIORITY_RETAINED_MAX 16u

typedef enum gxds_priority_op_kind {
  GXDS_PRIORITY_CREATE,  /* create the child and give it its first update */
  GXDS_PRIORITY_UPDATE,  /* give the child its part of the last update, unless the child has it
                            already */
  GXDS_PRIORITY_PUBLISH, /* report this child's state, status and last picker; before its first
                            picker, report a picker that queues */
  GXDS_PRIORITY_PUBLISH_EMPTY, /* report TRANSIENT_FAILURE: there are no priorities */
  GXDS_PRIORITY_RETAIN, /* the child is no longer named: release what it was given, and ignore its
                           requests until it is updated or removed */
  GXDS_PRIORITY_REMOVE, /* end the child */
} gxds_priority_op_kind;

typedef struct gxds_priority_op {
  gxds_priority_op_kind kind;
  uint64_t child;  /* the child's token: never reused; 0 for PUBLISH_EMPTY */
  size_t position; /* CREATE, UPDATE, PUBLISH: the child's index in the names of the last update */
  grpc_connectivity_state state; /* PUBLISH */
  bool crowded; /* REMOVE: the reason is that more than GXDS_PRIORITY_RETAINED_MAX children are not
                   named */
} gxds_priority_op;

/* failover: how long a child has to connect; not negative. One owner. */
gxds_priority_lb *gxds_priority_lb_create(gxds_duration failover);
void gxds_priority_lb_destroy(gxds_priority_lb *lb); /* NULL is allowed */

/* Takes the names of the children, in order of priority. Names are copied. If a name occurs several
 * times, the first one counts. Each existing child gets an UPDATE if it is named, otherwise a
 * RETAIN or a REMOVE. If too many are retained, those whose time ends first are removed. */
void gxds_priority_lb_on_update(gxds_priority_lb *lb, const gxds_str *names, size_t count,
                                gxds_time now);
/* A child reported its state with a new picker. An unknown token and SHUTDOWN are ignored. */
void gxds_priority_lb_on_child_state(gxds_priority_lb *lb, uint64_t child,
                                     grpc_connectivity_state state, gxds_time now);
/* Early or repeated calls are harmless. */
void gxds_priority_lb_on_deadline(gxds_priority_lb *lb, gxds_time now);

/* Sets *op to the next operation; false if there is none. Call it after every event, until it
 * returns false. */
bool gxds_priority_lb_next(gxds_priority_lb *lb, gxds_time now, gxds_priority_op *op);
/* When to call gxds_priority_lb_on_deadline() next. */
gxds_time gxds_priority_lb_deadline(const gxds_priority_lb *lb);
/* The child in use; 0: none. */
uint64_t gxds_priority_lb_current(const gxds_priority_lb *lb);

/* The part of an update that concerns one child. All of it is borrowed. */
typedef struct gxds_priority_share {
  const void *config; /* the config of the child's policy, compared by its pointer */
  bool from_slice; /* the child depends only on `localities`; false: it is not known what it depends
                      on */
  const gxds_priority *localities; /* NULL: none */
  gxds_str note;                   /* the resolution note */
} gxds_priority_share;
/* Whether a child that has `given` need not be updated. Localities are compared by their pointers.
 * The note counts only if a locality has no endpoint, since policies use it only then. */
bool gxds_priority_share_same(const gxds_priority_share *given, const gxds_priority_share *now);

/* The status to report for PUBLISH_EMPTY. cluster and note may be empty. */
GXDS_MUST_USE gxds_status gxds_priority_empty_status(gxds_str cluster, gxds_str note);

/* Checks the invariant; for tests. */
void gxds_priority_lb_validate(const gxds_priority_lb *lb);

#ifdef __cplusplus
}
#endif

#endif
