/* gxds_config: the XdsConfig of A74: one immutable snapshot of everything that a channel needs. A
 * snapshot is complete, or there is none. Counted by reference: any thread.
 *
 * A snapshot shares every part that did not change with the snapshot before it, at every level. So
 * a comparison of pointers tells whether a part changed. */
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
/* Copies the names, sorts them and removes duplicates. The caller owns the returned reference. */
const gxds_names *gxds_names_create(const gxds_str *names, size_t count);
const gxds_names *gxds_names_ref(const gxds_names *n);
void gxds_names_unref(const gxds_names *n); /* NULL does nothing */
bool gxds_names_contain(const gxds_names *n, gxds_str name);
/* The index of name in names, found by binary search; SIZE_MAX if the name is not there. */
size_t gxds_names_find(const gxds_names *n, gxds_str name);
bool gxds_names_equal(const gxds_names *a, const gxds_names *b);

typedef struct gxds_config {
  gxds_ref refs;
  const gxds_listener *listener;
  const gxds_route_config *route_config; /* also set if the listener has an inline route
                                            configuration */
  const gxds_virtual_host *virtual_host; /* a part of route_config; never NULL */
  const gxds_cluster_map *clusters;      /* all clusters: those of routes, those below aggregates,
                                            those with dynamic subscriptions, and those that RPCs
                                            hold */
  const gxds_names *roots; /* the children of cluster_manager: clusters of routes, and clusters that
                              RPCs still hold */
  const gxds_plugins *plugins; /* the other children of cluster_manager: plugins of routes, and
                                  plugins that RPCs still hold; NULL if there are none */
  gxds_load_store *load_store; /* a reference */
  gxds_str route_source;       /* the resource that the routes come from, for messages */
} gxds_config;

/* Takes ownership of all arguments but virtual_host. The caller owns the returned reference. */
const gxds_config *gxds_config_create(const gxds_listener *take_listener,
                                      const gxds_route_config *take_route_config,
                                      const gxds_virtual_host *virtual_host,
                                      const gxds_cluster_map *take_clusters,
                                      const gxds_names *take_roots,
                                      const gxds_plugins *take_plugins,
                                      gxds_load_store *take_load_store, gxds_str take_route_source);
const gxds_config *gxds_config_ref(const gxds_config *c);
void gxds_config_unref(const gxds_config *c); /* NULL does nothing */
/* A55: whether RPCs may belong to sessions, because the listener has the session filter. This
 * concerns all clusters. */
static inline bool gxds_config_has_sessions(const gxds_config *c) {
  return c->listener && c->listener->has_sessions;
}
/* The entry of a cluster; NULL if it is not in this snapshot. Borrowed: valid as long as c. */
const gxds_cluster_entry *gxds_config_cluster(const gxds_config *c, gxds_str name);

#ifdef __cplusplus
}
#endif

#endif
