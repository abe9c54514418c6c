#include "lb_policies/cluster_manager/other_children.h"

#include <string.h>

#include "base/memory.h"
#include "base/search.h"
#include "json/json.h"
#include "lb_policies/cluster_manager/cluster_manager_policy.h"

void gxds_other_children_fini(gxds_other_children *o) {
  for (size_t i = 0; i < o->count; i++) {
    gxds_str_free(&o->names[i]);
    gxds_lb_config_unref(o->configs[i]);
  }
  gxds_free(o->names);
  gxds_free(o->configs);
  *o = (gxds_other_children){0};
}

/* The index of that name, or the index at which it would be added. */
static size_t place_of(const gxds_other_children *o, gxds_str name) {
  return GXDS_LOWER_BOUND(i, 0, o->count, gxds_str_compare(o->names[i], name) < 0);
}

static bool is_at(const gxds_other_children *o, size_t place, gxds_str name) {
  return place < o->count && gxds_str_equal(o->names[place], name);
}

void gxds_other_children_put(gxds_other_children *o, gxds_str name, gxds_lb_config *take_config) {
  const size_t place = place_of(o, name);
  if (is_at(o, place, name)) {
    gxds_lb_config_unref(o->configs[place]);
    o->configs[place] = take_config;
    return;
  }
  o->names = gxds_realloc(o->names, o->count + 1, sizeof *o->names);
  o->configs = gxds_realloc(o->configs, o->count + 1, sizeof(gxds_lb_config *));
  const size_t after = o->count - place;
  memmove(o->names + place + 1, o->names + place, after * sizeof *o->names);
  memmove(o->configs + place + 1, o->configs + place, after * sizeof(gxds_lb_config *));
  o->names[place] = gxds_str_dup(name);
  o->configs[place] = take_config;
  o->count++;
}

gxds_lb_config *gxds_other_children_find(const gxds_other_children *o, gxds_str name) {
  const size_t place = place_of(o, name);
  return is_at(o, place, name) ? o->configs[place] : NULL;
}

static void destroy(gxds_lb_config *c) {
  gxds_other_children_fini(&((gxds_cluster_manager_config *)c)->children);
  gxds_free(c);
}

gxds_lb_config *gxds_cluster_manager_config_create(void) {
  gxds_cluster_manager_config *config = GXDS_NEW(gxds_cluster_manager_config);
  gxds_lb_config_init(&config->base, &gxds_cluster_manager_policy, destroy);
  return &config->base;
}

/* Reads {"children": {NAME: {"childPolicy": [...]}}}, which is optional: children beside the
 * snapshot's roots. */
static void read_children(const json_t *json, gxds_lb_parse_list *parse_list, gxds_errors *errors,
                          gxds_other_children *out) {
  const json_t *children = NULL;
  gxds_json_object(json, "children", GXDS_JSON_OPTIONAL, NULL, errors, &children);
  const char *name;
  json_t *child;
  json_object_foreach((json_t *)children, name, child) {
    const gxds_path *at = GXDS_KEY(NULL, "children", name);
    if (!gxds_json_is_object(child, at, errors)) continue;
    gxds_lb_config *config = gxds_lb_parse_child(child, "childPolicy", at, parse_list, errors);
    if (config) gxds_other_children_put(out, gxds_str_z(name), config);
  }
}

gxds_lb_config *gxds_cluster_manager_parse(const json_t *json, gxds_lb_parse_list *parse_list,
                                           gxds_errors *errors) {
  if (!gxds_json_is_object(json, NULL, errors)) return NULL;
  gxds_lb_config *config = gxds_cluster_manager_config_create();
  read_children(json, parse_list, errors, &((gxds_cluster_manager_config *)config)->children);
  if (errors->count == 0) return config;
  gxds_lb_config_unref(config);
  return NULL;
}
