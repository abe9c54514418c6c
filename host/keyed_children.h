/* gxds_keyed_child: a child of a policy that has several. The policy keeps its children in a table
 * by their tokens, in the order in which they were added.
 *
 * Only under the channel's serializer. */
#ifndef GRPC_XDS_HOST_KEYED_CHILDREN_H_
#define GRPC_XDS_HOST_KEYED_CHILDREN_H_

#include "base/hash_table.h"
#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_keyed_child { /* first in the policy's own struct for a child */
  uint64_t token;
  gxds_lb_child *lb;
  UT_hash_handle hh; /* by token */
} gxds_keyed_child;

/* Makes a child of parent with that token, and puts it into the table. c must be zeroed. The caller
 * owns c, and must remove it from the table before it frees it. */
void gxds_keyed_children_add(gxds_keyed_child **all, gxds_keyed_child *c, gxds_policy *parent,
                             uint64_t token);
/* Ends the child, and takes it out of the table. The caller frees the struct. */
void gxds_keyed_children_remove(gxds_keyed_child **all, gxds_keyed_child *c);
/* NULL if there is none. */
gxds_keyed_child *gxds_keyed_children_find(gxds_keyed_child *all, uint64_t token);

/* The next two functions pass a call of the policy on to all children. When a child reports during
 * the call, the policy must not remove another child. */
void gxds_keyed_children_exit_idle(const gxds_keyed_child *all);
void gxds_keyed_children_reset_backoff(const gxds_keyed_child *all);

#ifdef __cplusplus
}
#endif

#endif
