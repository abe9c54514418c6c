/* gxds_plugins: the cluster specifier plugins that a channel uses (RLS). Each has an LB policy,
 * which is a child of cluster_manager beside the clusters; RPCs are sent to it as if it were a
 * cluster. Immutable, counted by reference: any thread. */
#ifndef GRPC_XDS_XDS_RESOLVER_PLUGINS_H_
#define GRPC_XDS_XDS_RESOLVER_PLUGINS_H_

#include "base/ref.h"
#include "base/text.h"
#include "resources/route_config.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_plugin {
  gxds_str name;    /* the name of the child */
  gxds_str lb_json; /* the child's LB policy, as a list that the host's registry of policies
                       accepts */
} gxds_plugin;

typedef struct gxds_plugins {
  gxds_ref refs;
  size_t count;
  const gxds_plugin *items; /* sorted by name; names are unique */
} gxds_plugins;

/* Adds the name of the child for a route's plugin, "cluster_specifier_plugin:NAME@SERVER", which
 * RPCs of the route carry. The lookup server is part of the name, so that a new server gets a new
 * policy, beside the old one, as long as RPCs may use that. Otherwise the host's rls policy would
 * get the new server, and destroy the channel to the old server while lookups that have just begun
 * still use it. */
void gxds_plugin_add_child_name(gxds_text *out, const gxds_route *route);

/* Makes a set of the items, which are copied. If two have the same name, the first one counts. The
 * caller owns the returned reference. Here and everywhere, NULL means that there are no plugins. */
const gxds_plugins *gxds_plugins_create(const gxds_plugin *items, size_t count);
/* Makes the set of plugins that the routes of a virtual host name. The caller owns the returned
 * reference. */
const gxds_plugins *gxds_plugins_of(const gxds_virtual_host *virtual_host);
const gxds_plugins *gxds_plugins_ref(const gxds_plugins *p); /* NULL for NULL */
void gxds_plugins_unref(const gxds_plugins *p);              /* p may be NULL */

/* Finds a plugin by the name of its child; NULL if there is none. Borrowed: valid as long as p. */
const gxds_plugin *gxds_plugins_find(const gxds_plugins *p, gxds_str name);
bool gxds_plugins_equal(const gxds_plugins *a, const gxds_plugins *b);

#ifdef __cplusplus
}
#endif

#endif
