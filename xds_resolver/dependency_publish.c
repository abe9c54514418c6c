/* Makes the snapshot from the entries of nodes. */
#include "xds_resolver/dependency_internal.h"

void gxds_dependency_map_put(gxds_dependency_manager *m, gxds_node *node) {
  const gxds_cluster_map *before = m->map;
  m->map = gxds_cluster_map_put(before, gxds_cluster_entry_ref(node->entry));
  node->in_map = true;
  gxds_name_map_unref(before);
}

static void map_remove(gxds_dependency_manager *m, gxds_node *node) {
  const gxds_cluster_map *before = m->map;
  m->map = gxds_cluster_map_remove(before, gxds_subject_name(&node->subject));
  node->in_map = false;
  gxds_name_map_unref(before);
}

static void place(gxds_dependency_manager *m, gxds_node *node) {
  bool belongs = gxds_node_is_reached(node, GXDS_WALK_SHOWN) && node->entry;
  if (belongs && !node->in_map) gxds_dependency_map_put(m, node);
  if (!belongs && node->in_map) map_remove(m, node);
}

static void renew_map(gxds_dependency_manager *m, bool reshaped) {
  if (reshaped) {
    gxds_free(gxds_nodes_walk(m, &m->graph, GXDS_WALK_SHOWN).items);
    for (size_t i = 0; i < m->graph.count; i++) place(m, m->graph.items[i]);
  }
  for (size_t i = 0; i < m->changed.count; i++) place(m, m->changed.items[i]);
}

/* ---- the snapshot ---- */

/* The clusters of the published root's routes, and those that RPCs hold. */
static const gxds_names *make_roots(gxds_dependency_manager *m) {
  const gxds_names *names = m->published.names;
  gxds_str *roots = NULL;
  size_t held = 0;
  gxds_node *node;
  DL_FOREACH(m->nodes, node) {
    if (!node->held || node->in_published || !node->entry) continue;
    if (!roots) roots = gxds_calloc(m->nodes_by_name.count, sizeof *roots);
    roots[held++] = gxds_subject_name(&node->subject);
  }
  if (held == 0) return gxds_names_ref(names);
  roots = gxds_realloc(roots, held + names->count, sizeof *roots);
  memcpy(roots + held, names->names, names->count * sizeof *roots);
  const gxds_names *all = gxds_names_create(roots, held + names->count);
  gxds_free(roots);
  return all;
}

static const gxds_names *roots_of(gxds_dependency_manager *m, bool may_differ) {
  if (m->config && !may_differ) return gxds_names_ref(m->config->roots);
  const gxds_names *roots = make_roots(m);
  if (!m->config || !gxds_names_equal(roots, m->config->roots)) return roots;
  gxds_names_unref(roots);
  return gxds_names_ref(m->config->roots);
}

static bool is_published(const gxds_dependency_manager *m, const gxds_names *roots,
                         const gxds_plugins *plugins) {
  const gxds_config *c = m->config;
  return c && c->listener == m->published.listener &&
         c->route_config == m->published.route_config &&
         c->virtual_host == m->published.virtual_host && c->clusters == m->map &&
         c->roots == roots && c->plugins == plugins;
}

/* The clusters and plugins that RPCs may be sent to. */
static const gxds_names *targets_of(const gxds_root *r) {
  if (!r->plugins) return gxds_names_ref(r->names);
  size_t count = r->names->count;
  gxds_str *targets = gxds_calloc(count + r->plugins->count, sizeof *targets);
  for (size_t i = 0; i < count; i++) targets[i] = r->names->names[i];
  for (size_t i = 0; i < r->plugins->count; i++) targets[count++] = r->plugins->items[i].name;
  const gxds_names *all = gxds_names_create(targets, count);
  gxds_free(targets);
  return all;
}

static void publish(gxds_dependency_manager *m, const gxds_names *take_roots,
                    const gxds_plugins *take_plugins) {
  gxds_resource_ref(&m->published.listener->base);
  gxds_resource_ref(&m->published.route_config->base);
  gxds_config_unref(m->config);
  gxds_plugins_unref(m->plugins);
  m->plugins = gxds_plugins_ref(take_plugins);
  m->config = gxds_config_create(
      m->published.listener, m->published.route_config, m->published.virtual_host,
      gxds_name_map_ref(m->map), take_roots, take_plugins,
      m->load_store ? gxds_load_store_ref(m->load_store) : NULL, gxds_root_route_source(m));
  gxds_status_fini(&m->failure);
  gxds_dependency_action *a = gxds_dependency_add_action(m, GXDS_DEPENDENCY_PUBLISH);
  a->config = gxds_config_ref(m->config);
  a->route_targets = targets_of(&m->published);
}

void gxds_dependency_publish(gxds_dependency_manager *m, bool reshaped) {
  renew_map(m, reshaped);
  if (!m->published.set) return;
  const gxds_names *roots = roots_of(m, reshaped);
  const gxds_plugins *plugins = gxds_dependency_plugins(m);
  if (is_published(m, roots, plugins)) {
    gxds_names_unref(roots);
    gxds_plugins_unref(plugins);
  } else {
    publish(m, roots, plugins);
  }
}

void gxds_dependency_forget_published(gxds_dependency_manager *m) {
  gxds_config_unref(m->config);
  m->config = NULL;
}
