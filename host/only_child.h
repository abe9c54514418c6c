/* gxds_only_child: the common part of policies with one child. The policy's object begins with it.
 *
 * Only under the channel's serializer. */
#ifndef GRPC_XDS_HOST_ONLY_CHILD_H_
#define GRPC_XDS_HOST_ONLY_CHILD_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_only_child { /* first in the policy's own object */
  gxds_policy *base;
  gxds_lb_child *child; /* NULL before the first update, and after the end */
  /* The child's last report, in policies that keep it with gxds_only_child_keep(). */
  gxds_picker *picker; /* NULL: the child reported nothing yet */
  grpc_connectivity_state state;
  gxds_status status;
} gxds_only_child;

/* Gives the child an update, and makes the child first if there is none. Returns the child's status
 * for the update. */
GXDS_MUST_USE gxds_status gxds_only_child_update(gxds_only_child *o, const gxds_lb_update *update);
/* Like gxds_only_child_update(), with that config and those addresses in place of the update's. */
GXDS_MUST_USE gxds_status gxds_only_child_update_with(gxds_only_child *o,
                                                      const gxds_lb_update *update,
                                                      gxds_lb_config *config,
                                                      const gxds_addresses *addresses);
/* Keeps the child's report, in place of the one before. Takes ownership of take_picker. Copies
 * status. */
void gxds_only_child_keep(gxds_only_child *o, grpc_connectivity_state state,
                          const gxds_status *status, gxds_picker *take_picker);
/* Frees the rest, after gxds_only_child_end(). */
void gxds_only_child_fini(gxds_only_child *o);

/* Functions for the gxds_policy_type of an object that begins with a gxds_only_child. */
void gxds_only_child_exit_idle(void *self);
void gxds_only_child_reset_backoff(void *self);
/* Ends the child and releases its picker. A later update makes another child. */
void gxds_only_child_end(void *self);
/* Publishes the child's state and picker as the policy's own. */
void gxds_only_child_pass_on(void *self, uint64_t child, grpc_connectivity_state state,
                             const gxds_status *status, gxds_picker *take_picker);
/* The first three of these functions, as members of a gxds_policy_type. */
#define GXDS_ONLY_CHILD                                                                   \
  .exit_idle = gxds_only_child_exit_idle, .reset_backoff = gxds_only_child_reset_backoff, \
  .end = gxds_only_child_end

#ifdef __cplusplus
}
#endif

#endif
