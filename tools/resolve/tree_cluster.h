/* Views of clusters and of the resources below them. Private to tree.c and tree_cluster.c. */
#ifndef GRPC_XDS_TOOLS_RESOLVE_TREE_CLUSTER_H_
#define GRPC_XDS_TOOLS_RESOLVE_TREE_CLUSTER_H_

#include "tools/resolve/fetch.h"
#include "tools/resolve/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Remembers which clusters were shown: each is shown once, and later only named. All fields but
 * `fetched` start zeroed. */
typedef struct gxds_tree_clusters {
  const gxds_fetched *fetched; /* borrow */
  struct gxds_tree_shown {
    gxds_str name; /* borrowed from a resource */
    bool usable;
  } * shown;
  size_t shown_count;
  int depth; /* how many aggregates are around the cluster */
} gxds_tree_clusters;

void gxds_tree_clusters_fini(gxds_tree_clusters *c);
/* Fills in the view of a cluster. Returns whether it has usable endpoints. name is borrowed: valid
 * as long as c. */
bool gxds_tree_add_cluster(gxds_tree_clusters *c, gxds_view *v, gxds_str name);

/* Adds the version, state and error of a resource. (tree.c) */
void gxds_tree_add_resource_state(gxds_view *v, const gxds_fetched_resource *r);

#ifdef __cplusplus
}
#endif

#endif
