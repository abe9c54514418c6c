#include "xds_resolver/plugins.h"

#include <stdlib.h>

#include "base/memory.h"
#include "resources/plugin_child.h"

void gxds_plugin_add_child_name(gxds_text *out, const gxds_route *route) {
  gxds_text_add_z(out, GXDS_PLUGIN_CHILD_PREFIX);
  gxds_text_add(out, route->rare->plugin->name);
  gxds_text_add_z(out, "@");
  gxds_text_add(out, route->rare->plugin->server);
}

typedef struct placed {
  const gxds_plugin *plugin;
  size_t place;
} placed;

static int compare(const void *a, const void *b) {
  const placed *x = a;
  const placed *y = b;
  int order = gxds_str_compare(x->plugin->name, y->plugin->name);
  return order ? order : (x->place > y->place) - (x->place < y->place);
}

const gxds_plugins *gxds_plugins_create(const gxds_plugin *items, size_t count) {
  if (count == 0) return NULL;
  placed *order = gxds_calloc(count, sizeof *order);
  for (size_t i = 0; i < count; i++) order[i] = (placed){&items[i], i};
  qsort(order, count, sizeof *order, compare);
  gxds_plugin *copies = gxds_calloc(count, sizeof *copies);
  gxds_plugins *p = GXDS_NEW(gxds_plugins);
  gxds_ref_init(&p->refs);
  p->items = copies;
  for (size_t i = 0; i < count; i++) {
    const gxds_plugin *in = order[i].plugin;
    if (p->count && gxds_str_equal(copies[p->count - 1].name, in->name)) continue;
    copies[p->count++] = (gxds_plugin){gxds_str_dup(in->name), gxds_str_dup(in->lb_json)};
  }
  gxds_free(order);
  return p;
}

const gxds_plugins *gxds_plugins_of(const gxds_virtual_host *virtual_host) {
  size_t count = 0;
  for (size_t i = 0; i < virtual_host->route_count; i++) {
    count += virtual_host->routes[i].action == GXDS_ROUTE_PLUGIN;
  }
  if (count == 0) return NULL;
  gxds_plugin *items = gxds_calloc(count, sizeof *items);
  size_t filled = 0;
  for (size_t i = 0; i < virtual_host->route_count; i++) {
    const gxds_route *r = &virtual_host->routes[i];
    if (r->action != GXDS_ROUTE_PLUGIN) continue;
    gxds_text name = {NULL, 0, 0};
    gxds_plugin_add_child_name(&name, r);
    items[filled++] = (gxds_plugin){gxds_text_take(&name), r->rare->plugin->lb_json};
  }
  const gxds_plugins *p = gxds_plugins_create(items, count);
  for (size_t i = 0; i < count; i++) gxds_str_free(&items[i].name);
  gxds_free(items);
  return p;
}

const gxds_plugins *gxds_plugins_ref(const gxds_plugins *p) {
  if (p) gxds_ref_inc(&p->refs);
  return p;
}

void gxds_plugins_unref(const gxds_plugins *shared) {
  if (!shared || !gxds_ref_dec(&shared->refs)) return;
  gxds_plugins *p = (gxds_plugins *)shared;
  gxds_plugin *items = (gxds_plugin *)p->items;
  for (size_t i = 0; i < p->count; i++) {
    gxds_str_free(&items[i].name);
    gxds_str_free(&items[i].lb_json);
  }
  gxds_free(items);
  gxds_free(p);
}

const gxds_plugin *gxds_plugins_find(const gxds_plugins *p, gxds_str name) {
  for (size_t i = 0; p && i < p->count; i++) { /* a handful */
    if (gxds_str_equal(p->items[i].name, name)) return &p->items[i];
  }
  return NULL;
}

bool gxds_plugins_equal(const gxds_plugins *a, const gxds_plugins *b) {
  if (a == b) return true;
  if (!a || !b || a->count != b->count) return false;
  for (size_t i = 0; i < a->count; i++) {
    if (!gxds_str_equal(a->items[i].name, b->items[i].name) ||
        !gxds_str_equal(a->items[i].lb_json, b->items[i].lb_json)) {
      return false;
    }
  }
  return true;
}
