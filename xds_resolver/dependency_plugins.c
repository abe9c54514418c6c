/* Cluster specifier plugins: those of the published routes, and those that RPCs still hold. */
#include "xds_resolver/dependency_internal.h"

void gxds_dependency_hold_plugin(gxds_dependency_manager *m, gxds_str name, bool held) {
  if (held == gxds_dependency_plugin_is_held(m, name)) return;
  const gxds_names *before = m->held_plugins;
  size_t count = before ? before->count : 0;
  gxds_str *names = gxds_calloc(count + 1, sizeof *names);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (!gxds_str_equal(before->names[i], name)) names[kept++] = before->names[i];
  }
  if (held) names[kept++] = name;
  m->held_plugins = gxds_names_create(names, kept);
  gxds_free(names);
  gxds_names_unref(before);
}

bool gxds_dependency_plugin_is_held(const gxds_dependency_manager *m, gxds_str name) {
  return m->held_plugins && gxds_names_contain(m->held_plugins, name);
}

/* Adds the plugins that only RPCs hold. They come from the last snapshot, since no route names them
 * any more. RPCs that wait for ready keep them even while the channel fails. */
static const gxds_plugins *with_held(const gxds_dependency_manager *m, const gxds_plugins *routed,
                                     const gxds_plugins *before) {
  size_t routed_count = routed ? routed->count : 0;
  gxds_plugin *items = gxds_calloc(routed_count + before->count, sizeof *items);
  size_t count = 0;
  for (size_t i = 0; i < routed_count; i++) items[count++] = routed->items[i];
  for (size_t i = 0; i < before->count; i++) {
    if (gxds_dependency_plugin_is_held(m, before->items[i].name)) items[count++] = before->items[i];
  }
  const gxds_plugins *all = gxds_plugins_create(items, count);
  gxds_free(items);
  return all;
}

const gxds_plugins *gxds_dependency_plugins(const gxds_dependency_manager *m) {
  const gxds_plugins *routed = m->published.plugins;
  const gxds_plugins *before = m->plugins;
  if (!before) return gxds_plugins_ref(routed);
  const gxds_plugins *all = with_held(m, routed, before);
  if (!gxds_plugins_equal(all, before)) return all;
  gxds_plugins_unref(all);
  return gxds_plugins_ref(before);
}
