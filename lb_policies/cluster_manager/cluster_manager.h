/* gxds_cluster_manager: the children of a cluster_manager policy, one per cluster in use. It
 * decides which children exist and which of them an update concerns. It has their aggregated state,
 * and their pickers by name.
 *
 * Confined: the owner's serializer. Events go in: an update, a child's new picker. Operations come
 * out of gxds_cluster_manager_next(). The owner carries them out one at a time, and an operation
 * may cause further events at once. If several children change while operations are left, one
 * picker is published after the last operation.
 *
 * A limited number of children is made per turn, but children that RPCs wait for are made at once.
 * Until a child is made, its name is in the map without a picker, and RPCs for it wait. If there
 * are many endpoints, some children are made only when RPCs need them.
 *
 * The children are the roots of the snapshot. A cluster stays a root until the last RPC that may
 * use it has its pick (A74). So a child that is no longer among the roots is ended at once. (The
 * host's own policy keeps it for 15 minutes.) The cost of an update depends on the changes: entries
 * that are the same in both snapshots are not visited.
 *
 * The state: READY if any child is, else CONNECTING, else IDLE, else TRANSIENT_FAILURE. A child
 * that failed counts as failed until it is READY again. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_MANAGER_CLUSTER_MANAGER_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_MANAGER_CLUSTER_MANAGER_H_

#include <grpc/impl/codegen/connectivity_state.h>

#include "lb_policies/cluster_manager/picker_map.h"
#include "xds_resolver/config.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_cluster_manager gxds_cluster_manager;

/* How many children are made per turn, so that the first RPC does not wait for a thousand children.
 */
#define GXDS_CLUSTER_MANAGER_BATCH 16

/* Children are made ahead of RPCs as long as those that exist have fewer than `eager` endpoints in
 * all. Only the endpoints that a child connects to at first count. They are counted when the child
 * is made. Each further child is made when the first RPC needs it, and counts as IDLE until then.
 * SIZE_MAX: all children are made. One owner. */
gxds_cluster_manager *gxds_cluster_manager_create(size_t eager);
void gxds_cluster_manager_destroy(gxds_cluster_manager *m); /* NULL is allowed */

typedef enum gxds_cluster_manager_op_kind {
  GXDS_CLUSTER_MANAGER_CREATE,  /* make the child and give it its first update */
  GXDS_CLUSTER_MANAGER_UPDATE,  /* give the child the update */
  GXDS_CLUSTER_MANAGER_REMOVE,  /* end the child */
  GXDS_CLUSTER_MANAGER_PUBLISH, /* report the state, with the pickers as they are now */
} gxds_cluster_manager_op_kind;

/* Borrowed: valid until the next call. */
typedef struct gxds_cluster_manager_op {
  gxds_cluster_manager_op_kind kind;
  uint64_t child; /* the child's token; never reused */
  gxds_str name;  /* CREATE, UPDATE */
} gxds_cluster_manager_op;

/* Takes an update. If config is NULL, the children of the snapshot stay as they are. others are the
 * names of children that are not roots of the snapshot, sorted and without repetition. It is not
 * known which resources these depend on, so each of them gets each update. */
void gxds_cluster_manager_on_update(gxds_cluster_manager *m, const gxds_config *config,
                                    const gxds_str *others, size_t other_count);
/* A child reported its state with a new picker. Takes ownership of the picker. An unknown token and
 * SHUTDOWN are ignored. */
void gxds_cluster_manager_on_child_state(gxds_cluster_manager *m, uint64_t child,
                                         grpc_connectivity_state state, gxds_picker *take_picker);

/* A pick found no picker for that name: its child is made now, if it does not exist yet. */
void gxds_cluster_manager_on_pick(gxds_cluster_manager *m, gxds_str name);
/* The channel should connect, for its first RPC or because the program asks for it. If no child is
 * READY or CONNECTING, the first child that was not made yet is made, so that a program can wait
 * for the channel to be connected. */
void gxds_cluster_manager_on_exit_idle(gxds_cluster_manager *m);
/* More children may be made. */
void gxds_cluster_manager_on_turn(gxds_cluster_manager *m);
/* Whether children wait for gxds_cluster_manager_on_turn(). Call that function when the channel has
 * done its other work. Whenever a child's turn comes, it gets the latest update. */
bool gxds_cluster_manager_wants_turn(gxds_cluster_manager *m);

/* Sets *op to the next operation; false if there is none. Call it after every event, until it
 * returns false. */
bool gxds_cluster_manager_next(gxds_cluster_manager *m, gxds_cluster_manager_op *op);

/* The aggregated state of all children. */
grpc_connectivity_state gxds_cluster_manager_state(const gxds_cluster_manager *m);
/* The pickers by name. Borrowed: valid until the next event. */
const gxds_picker_map *gxds_cluster_manager_pickers(const gxds_cluster_manager *m);

/* Checks the invariant; for tests. */
void gxds_cluster_manager_validate(const gxds_cluster_manager *m);

#ifdef __cplusplus
}
#endif

#endif
