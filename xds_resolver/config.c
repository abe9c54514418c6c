#include "xds_resolver/config.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/search.h"

/* ---- gxds_names ---- */

/* Makes one allocation with the struct, the array of strings, and their texts. */
static const gxds_names *pack(const gxds_str *names, size_t count, size_t text_size) {
  gxds_names *n = gxds_calloc(1, sizeof *n + count * sizeof(gxds_str) + text_size);
  gxds_str *views = (gxds_str *)(n + 1);
  char *text = (char *)(views + count);
  gxds_ref_init(&n->refs);
  n->count = count;
  n->names = views;
  for (size_t i = 0; i < count; i++) {
    if (names[i].size) memcpy(text, names[i].data, names[i].size);
    views[i] = gxds_str_of(text, names[i].size);
    text += names[i].size + 1;
  }
  return n;
}

const gxds_names *gxds_names_create(const gxds_str *names, size_t count) {
  gxds_str *sorted = gxds_calloc(count, sizeof *sorted);
  for (size_t i = 0; i < count; i++) sorted[i] = names[i];
  if (count) qsort(sorted, count, sizeof *sorted, gxds_str_compare_items);
  size_t kept = 0;
  size_t text_size = 0;
  for (size_t i = 0; i < count; i++) {
    if (kept && gxds_str_equal(sorted[kept - 1], sorted[i])) continue;
    text_size += sorted[i].size + 1;
    sorted[kept++] = sorted[i];
  }
  const gxds_names *n = pack(sorted, kept, text_size);
  gxds_free(sorted);
  return n;
}

const gxds_names *gxds_names_ref(const gxds_names *n) {
  gxds_ref_inc(&n->refs);
  return n;
}

void gxds_names_unref(const gxds_names *n) {
  if (n && gxds_ref_dec(&n->refs)) gxds_free((gxds_names *)n);
}

bool gxds_names_contain(const gxds_names *n, gxds_str name) {
  return gxds_names_find(n, name) != SIZE_MAX;
}

size_t gxds_names_find(const gxds_names *n, gxds_str name) {
  const size_t at = GXDS_LOWER_BOUND(i, 0, n->count, gxds_str_compare(n->names[i], name) < 0);
  return at < n->count && gxds_str_equal(n->names[at], name) ? at : SIZE_MAX;
}

bool gxds_names_equal(const gxds_names *a, const gxds_names *b) {
  return a == b || gxds_strs_equal(a->names, a->count, b->names, b->count);
}

/* ---- gxds_config ---- */

const gxds_config *gxds_config_create(
    const gxds_listener *take_listener, const gxds_route_config *take_route_config,
    const gxds_virtual_host *virtual_host, const gxds_cluster_map *take_clusters,
    const gxds_names *take_roots, const gxds_plugins *take_plugins,
    gxds_load_store *take_load_store, gxds_str take_route_source) {
  gxds_config *c = GXDS_NEW(gxds_config);
  gxds_ref_init(&c->refs);
  c->listener = take_listener;
  c->route_config = take_route_config;
  c->virtual_host = virtual_host;
  c->clusters = take_clusters;
  c->roots = take_roots;
  c->plugins = take_plugins;
  c->load_store = take_load_store;
  c->route_source = take_route_source;
  return c;
}

const gxds_config *gxds_config_ref(const gxds_config *c) {
  gxds_ref_inc(&c->refs);
  return c;
}

void gxds_config_unref(const gxds_config *c) {
  if (!c || !gxds_ref_dec(&c->refs)) return;
  if (c->listener) gxds_resource_unref(&c->listener->base);
  if (c->route_config) gxds_resource_unref(&c->route_config->base);
  gxds_name_map_unref(c->clusters);
  gxds_names_unref(c->roots);
  gxds_plugins_unref(c->plugins);
  gxds_load_store_unref(c->load_store);
  gxds_str_free(&((gxds_config *)c)->route_source);
  gxds_free((gxds_config *)c);
}

const gxds_cluster_entry *gxds_config_cluster(const gxds_config *c, gxds_str name) {
  return gxds_cluster_map_get(c->clusters, name);
}
