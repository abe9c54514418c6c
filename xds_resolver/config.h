/* gxds_config: the XdsConfig of A74: one immutable snapshot of all that a channel needs, or
 * nothing. Counted by reference: any thread.
 *
 * It shares every part that did not change with the snapshot before it, at every level: "did this
 * change?" is a pointer comparison. */
#ifndef GRPC_XDS_XDS_RESOLVER_CONFIG_H_
#define GRPC_XDS_XDS_RESOLVER_CONFIG_H_

#include "lrs/load_store.h"
#include "resources/listener.h"
#include "resources/route_config.h"
#include "xds_resolver/cluster_map.h"
#include "xds_resolver/plugins.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A sorted set of names without duplicates. Immutable, counted by reference: any thread. */
typedef struct gxds_names {
  gxds_ref refs;
  size_t count;
  const gxds_str *names;
} gxds_names;
/* Copies, sorts and removes duplicates. The caller owns the returned reference. */
const gxds_names *gxds_names_create(const gxds_str *names, size_t count);
const gxds_names *gxds_names_ref(const gxds_names *n);
void gxds_names_unref(const gxds_names *n); /* NULL is allowed */
bool gxds_names_contain(const gxds_names *n, gxds_str name);
/* The index of that name, by binary search; SIZE_MAX if the set does not have it. */
size_t gxds_names_find(const gxds_names *n, gxds_str name);
bool gxds_names_equal(const gxds_names *a, const gxds_names *b);

typedef struct gxds_config {
  gxds_ref refs;
  const gxds_listener *listener;
  const gxds_route_config *route_config; /* set even if it is inline in the listener */
  const gxds_virtual_host *virtual_host; /* in route_config; never NULL */
  /* All clusters: of routes, below aggregates, dynamic, and held by RPCs. */
  const gxds_cluster_map *clusters;
  const gxds_names *roots;     /* the children of cluster_manager: the clusters of routes, and those
                                  that RPCs still hold */
  const gxds_plugins *plugins; /* the other children of cluster_manager, for plugins of routes or
                                  held by RPCs; NULL: none */
  gxds_load_store *load_store; /* a reference */
  gxds_str route_source;       /* where the routes come from, for messages */
} gxds_config;

/* Takes ownership of all references. The caller owns the returned reference. */
const gxds_config *gxds_config_create(const gxds_listener *take_listener,
                                      const gxds_route_config *take_route_config,
                                      const gxds_virtual_host *virtual_host,
                                      const gxds_cluster_map *take_clusters,
                                      const gxds_names *take_roots,
                                      const gxds_plugins *take_plugins,
                                      gxds_load_store *take_load_store, gxds_str take_route_source);
const gxds_config *gxds_config_ref(const gxds_config *c);
void gxds_config_unref(const gxds_config *c); /* NULL is allowed */
/* A55: whether RPCs may belong to sessions, because the listener has the filter. It concerns all
 * clusters. */
static inline bool gxds_config_has_sessions(const gxds_config *c) {
  return c->listener && c->listener->has_sessions;
}
/* Borrowed: valid as long as c. NULL if the snapshot does not have it. */
const gxds_cluster_entry *gxds_config_cluster(const gxds_config *c, gxds_str name);

#ifdef __cplusplus
}
#endif

#endif
