/* gxds_plugins: the cluster specifier plugins that a channel uses (RLS): to each belongs an LB
 * policy, a child of cluster_manager beside those of the clusters, to which RPCs are sent as if it
 * were a cluster. Immutable, counted by reference: any thread. */
#ifndef GRPC_XDS_XDS_RESOLVER_PLUGINS_H_
#define GRPC_XDS_XDS_RESOLVER_PLUGINS_H_

#include "base/ref.h"
#include "base/text.h"
#include "resources/route_config.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_plugin {
  gxds_str name;    /* of the child */
  gxds_str lb_json; /* its LB policy, as a JSON list for the host's registry */
} gxds_plugin;

typedef struct gxds_plugins {
  gxds_ref refs;
  size_t count;
  const gxds_plugin *items; /* by name; unique */
} gxds_plugins;

/* Adds the name of the child of a route's plugin, "cluster_specifier_plugin:NAME@SERVER": what RPCs
 * of the route carry. The lookup server is in it, so that another server is asked by another
 * policy, beside the one before as long as RPCs may use that: the host's rls policy, told of a new
 * server, destroys the channel to the old one under lookups that are just beginning. */
void gxds_plugin_add_child_name(gxds_text *out, const gxds_route *route);

/* Makes a set of the items, which are copied; of two with the same name the first counts. The
 * caller owns the returned reference. Here and everywhere, NULL stands for no plugins. */
const gxds_plugins *gxds_plugins_create(const gxds_plugin *items, size_t count);
/* The plugins that the routes of a virtual host name. The caller owns the returned reference. */
const gxds_plugins *gxds_plugins_of(const gxds_virtual_host *virtual_host);
const gxds_plugins *gxds_plugins_ref(const gxds_plugins *p); /* NULL gives NULL */
void gxds_plugins_unref(const gxds_plugins *p);              /* NULL is allowed */

/* Finds a plugin by its child's name; NULL if there is none. Borrowed: valid as long as p. */
const gxds_plugin *gxds_plugins_find(const gxds_plugins *p, gxds_str name);
bool gxds_plugins_equal(const gxds_plugins *a, const gxds_plugins *b);

#ifdef __cplusplus
}
#endif

#endif
