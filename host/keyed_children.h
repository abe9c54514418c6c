/* gxds_keyed_children: the children of a policy that has several, in a table by their tokens, in
 * the order in which they were added. The policy's object begins with it.
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

typedef struct gxds_keyed_children { /* first in the policy's own object */
  gxds_policy *base;
  gxds_keyed_child *all;
  void (*free_child)(gxds_keyed_child *c); /* frees the struct of a child that has ended */
  /* True while a loop of the policy carries out operations, which may end children. A nested call
   * leaves its operations to that loop. */
  bool draining;
} gxds_keyed_children;

/* Makes a child with that token, and puts it into the table. take_child must be zeroed. */
void gxds_keyed_children_add(gxds_keyed_children *k, gxds_keyed_child *take_child, uint64_t token);
/* Ends the child, and frees it. */
void gxds_keyed_children_remove(gxds_keyed_children *k, gxds_keyed_child *c);
/* NULL if there is none. */
gxds_keyed_child *gxds_keyed_children_find(const gxds_keyed_children *k, uint64_t token);
/* Makes all children exit idle. What they report during the call waits for the policy's next
 * loop. */
void gxds_keyed_children_exit_idle(gxds_keyed_children *k);

/* Functions for the gxds_policy_type of an object that begins with a gxds_keyed_children. They pass
 * the call on to all children. */
void gxds_keyed_children_reset_backoff(void *self);
void gxds_keyed_children_end(void *self);

#ifdef __cplusplus
}
#endif

#endif
