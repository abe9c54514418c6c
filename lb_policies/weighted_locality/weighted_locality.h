/* gxds_weighted_locality: the localities of one priority, each with a leaf policy below it. It
 * decides which leaves exist, which state they have together, and which of them get picks (A27,
 * A28).
 *
 * It holds no policy of the host, no picker and no timer. Events go in: an update, a child's state,
 * the time. Operations come out of gxds_weighted_locality_next(). The owner carries them out one at
 * a time, and each may cause the next events at once. For several events that come together, it
 * publishes one picker.
 *
 * The state: READY if any locality is READY, else CONNECTING if any is, else IDLE if any is, else
 * TRANSIENT_FAILURE. A locality that failed counts as failed until it is READY again. A leaf that
 * reports IDLE is asked to connect.
 *
 * When an update no longer has a locality, the locality gets no more picks. Its leaf is kept,
 * unused, for 15 minutes (A28). So if the locality comes back in that time, its connections still
 * exist.
 *
 * Confined: the owner's serializer. Never calls out. */
#ifndef GRPC_XDS_LB_POLICIES_WEIGHTED_LOCALITY_WEIGHTED_LOCALITY_H_
#define GRPC_XDS_LB_POLICIES_WEIGHTED_LOCALITY_WEIGHTED_LOCALITY_H_

#include <grpc/impl/codegen/connectivity_state.h>
#include <stdint.h>

#include "base/status.h"
#include "base/time.h"
#include "resources/endpoints.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_weighted_locality gxds_weighted_locality;

/* How long the leaf of a removed locality is kept. */
#define GXDS_WEIGHTED_LOCALITY_RETENTION (15 * 60 * GXDS_SECOND)
/* The most leaves of removed localities that are kept. Without a limit, a control plane that
 * renames localities again and again would make the client grow. The limit is several times the
 * number of localities of a usual priority. The leaves that were removed first end first. */
#define GXDS_WEIGHTED_LOCALITY_RETAINED_MAX 64u

typedef enum gxds_weighted_locality_op_kind {
  GXDS_WEIGHTED_LOCALITY_CREATE,    /* make the leaf, and give it its first update, with
                                       `locality` */
  GXDS_WEIGHTED_LOCALITY_UPDATE,    /* update the leaf with `locality` */
  GXDS_WEIGHTED_LOCALITY_EXIT_IDLE, /* ask the leaf to connect */
  GXDS_WEIGHTED_LOCALITY_PUBLISH,   /* report the state, with a picker over the members. In READY
                                       the members are the READY leaves. In TRANSIENT_FAILURE they
                                       are all leaves, and the status is that of `failed`. If there
                                       are no members, report a picker that queues */
  GXDS_WEIGHTED_LOCALITY_PUBLISH_EMPTY, /* report TRANSIENT_FAILURE: there are no localities */
  GXDS_WEIGHTED_LOCALITY_REMOVE,        /* end the leaf */
} gxds_weighted_locality_op_kind;

/* The pointers are borrowed: valid until the next call. */
typedef struct gxds_weighted_locality_op {
  gxds_weighted_locality_op_kind kind;
  uint64_t child;                /* the leaf's token: never reused */
  const gxds_locality *locality; /* CREATE, UPDATE */
  grpc_connectivity_state state; /* PUBLISH */
  const uint64_t *members;       /* PUBLISH: the tokens of the members */
  const uint32_t *weights;       /* the weights of the members; none is 0 */
  size_t member_count;
  uint64_t failed; /* PUBLISH of TRANSIENT_FAILURE: the leaf that failed last, whose last failure is
                      the status */
} gxds_weighted_locality_op;

/* One owner. */
gxds_weighted_locality *gxds_weighted_locality_create(void);
void gxds_weighted_locality_destroy(gxds_weighted_locality *w); /* NULL is allowed */

typedef struct gxds_weighted_locality_update {
  /* NULL: no localities. Borrowed; the function takes references to the localities. */
  const gxds_priority *priority;
  bool leaf_changed; /* the leaves' config or the channel args changed, which concerns all leaves */
  bool note_changed; /* the resolution note changed, which concerns leaves without endpoints only */
} gxds_weighted_locality_update;

/* Takes an update. A leaf is updated if its endpoints changed, but not if only its weight did. */
void gxds_weighted_locality_on_update(gxds_weighted_locality *w,
                                      const gxds_weighted_locality_update *update, gxds_time now);
/* A leaf reported its state with a new picker. An unknown token and SHUTDOWN are ignored. */
void gxds_weighted_locality_on_child_state(gxds_weighted_locality *w, uint64_t child,
                                           grpc_connectivity_state state);
/* Early or repeated calls are harmless. */
void gxds_weighted_locality_on_deadline(gxds_weighted_locality *w, gxds_time now);

/* Sets *op to the next operation; false if there is none. Call it after every event, until it
 * returns false. */
bool gxds_weighted_locality_next(gxds_weighted_locality *w, gxds_weighted_locality_op *op);
/* When to call gxds_weighted_locality_on_deadline() next. */
gxds_time gxds_weighted_locality_deadline(const gxds_weighted_locality *w);

/* The status to report for PUBLISH_EMPTY. cluster and note may be empty. */
GXDS_MUST_USE gxds_status gxds_weighted_locality_empty_status(gxds_str cluster, gxds_str note);

/* Checks the invariant; for tests. */
void gxds_weighted_locality_validate(const gxds_weighted_locality *w);

#ifdef __cplusplus
}
#endif

#endif
