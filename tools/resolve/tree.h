/* Makes a view of what was fetched: listener → route configuration → virtual host → routes →
 * clusters → priorities → localities → endpoints, each with its version, state and error. Pure. */
#ifndef GRPC_XDS_TOOLS_RESOLVE_TREE_H_
#define GRPC_XDS_TOOLS_RESOLVE_TREE_H_

#include "tools/resolve/explain.h"
#include "tools/resolve/fetch.h"
#include "tools/resolve/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_tree {
  gxds_view *view; /* owned */
  bool usable;     /* an RPC could be sent: a route leads to a cluster with endpoints. If an RPC was
                      given, only the route that it takes counts */
} gxds_tree;

/* If rpc is not NULL, shows which routes match it and why the others do not, and only the clusters
 * of those that match. */
gxds_tree gxds_tree_build(const gxds_fetched *f, const gxds_fetch_target *target,
                          const gxds_rpc *rpc, const gxds_host *host);
void gxds_tree_fini(gxds_tree *t);

#ifdef __cplusplus
}
#endif

#endif
