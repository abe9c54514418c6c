/* Clusters and what is below them, as views. Private to tree.c and tree_cluster.c. */
#ifndef GRPC_XDS_TOOLS_RESOLVE_TREE_CLUSTER_H_
#define GRPC_XDS_TOOLS_RESOLVE_TREE_CLUSTER_H_

#include "tools/resolve/fetch.h"
#include "tools/resolve/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The clusters that were shown: each is shown once, then only named. Zero-initialised but for
 * fetched. */
typedef struct gxds_tree_clusters {
  const gxds_fetched *fetched; /* borrow */
  struct gxds_tree_shown {
    gxds_str name; /* borrowed of a resource */
    bool usable;
  } * shown;
  size_t shown_count;
  int depth; /* of aggregates */
} gxds_tree_clusters;

void gxds_tree_clusters_fini(gxds_tree_clusters *c);
/* Fills the view of a cluster; whether it has endpoints to send to. name: borrowed, valid as long
 * as c. */
bool gxds_tree_add_cluster(gxds_tree_clusters *c, gxds_view *v, gxds_str name);

/* Version, state and error of a resource. (tree.c) */
void gxds_tree_add_resource_state(gxds_view *v, const gxds_fetched_resource *r);

#ifdef __cplusplus
}
#endif

#endif
