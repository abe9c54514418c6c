/* gxds_children: a table of children that finds them by name, by token, and by the leaf clusters of
 * their aggregate clusters. Private to cluster_manager. Only under the channel's serializer. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_MANAGER_CHILDREN_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_MANAGER_CHILDREN_H_

#include <grpc/impl/codegen/connectivity_state.h>
#include <stdint.h>

#include "xds_resolver/cluster_map.h"

typedef struct gxds_child gxds_child;

/* A leaf cluster of a child's aggregate cluster. */
typedef struct gxds_leaf_use {
  gxds_child *child;
  const gxds_str *leaf; /* the name of the leaf cluster, in the child's entry */
  uint64_t hash;
  struct gxds_leaf_use *next; /* the next use in the bucket */
} gxds_leaf_use;

struct gxds_child {
  gxds_str name;
  uint64_t hash;
  uint64_t token;
  bool in_snapshot;   /* the snapshot has the cluster as a root; false: it is one of the other
                         children */
  bool created;       /* the child policy exists, or the operation that creates it is queued */
  size_t endpoints;   /* how many endpoints it connected to when it was created */
  bool update_wanted; /* a mark: an operation for the child is queued, or will be */
  grpc_connectivity_state state; /* the state that counts for the aggregated state */
  /* A reference. It has the names of the leaf clusters. NULL: not an aggregate cluster. */
  const gxds_cluster_entry *entry;
  gxds_leaf_use *uses;   /* one for each of entry's leaf clusters */
  gxds_child *name_next; /* the next child in the bucket */
  gxds_child *token_next;
};

typedef struct gxds_children {
  gxds_child **by_name;
  gxds_child **by_token;
  size_t bucket_count; /* the number of buckets in each table: a power of two, or 0 */
  size_t count;
  gxds_leaf_use **by_leaf;
  size_t leaf_bucket_count;
  size_t leaf_count;
  uint64_t last_token;
} gxds_children;

void gxds_children_fini(gxds_children *c);
/* Adds a child with that name (copied), which the table must not have yet. */
gxds_child *gxds_children_add(gxds_children *c, gxds_str name);
void gxds_children_remove(gxds_children *c, gxds_child *child);
/* NULL: none. */
gxds_child *gxds_children_by_name(const gxds_children *c, gxds_str name);
gxds_child *gxds_children_by_token(const gxds_children *c, uint64_t token);
/* Sets the child's entry (NULL: none). If it is an aggregate cluster, gxds_children_each_user()
 * finds the child by its leaf clusters from now on. */
void gxds_children_set_entry(gxds_children *c, gxds_child *child, const gxds_cluster_entry *entry);
/* Calls fn for each child, which must not add or remove any. */
void gxds_children_each(const gxds_children *c, void (*fn)(void *arg, gxds_child *child),
                        void *arg);
/* Calls fn for each child whose aggregate cluster has that leaf cluster. */
void gxds_children_each_user(const gxds_children *c, gxds_str leaf,
                             void (*fn)(void *arg, gxds_child *child), void *arg);

#endif
