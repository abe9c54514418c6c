#include "base/memory.h"
#include "json/json.h"
#include "lb_policies/weighted_locality/locality_picker.h"
#include "lb_policies/weighted_locality/weighted_locality_policy.h"

static void destroy(gxds_lb_config *c) {
  gxds_weighted_locality_config *config = (gxds_weighted_locality_config *)c;
  for (size_t i = 0; i < config->localities.locality_count; i++) {
    gxds_locality_unref(config->localities.localities[i]);
  }
  gxds_free((void *)config->localities.localities);
  gxds_lb_config_unref(config->child);
  gxds_str_free(&config->cluster);
  gxds_free(config);
}

static gxds_priority copy_localities(const gxds_priority *from) {
  const gxds_locality **all = gxds_calloc(from->locality_count, sizeof(gxds_locality *));
  for (size_t i = 0; i < from->locality_count; i++) {
    all[i] = gxds_locality_ref(from->localities[i]);
  }
  return (gxds_priority){all, from->locality_count};
}

gxds_lb_config *gxds_weighted_locality_config_create(gxds_lb_config *child,
                                                     const gxds_cluster_entry *entry,
                                                     size_t priority) {
  gxds_weighted_locality_config *config = GXDS_NEW(gxds_weighted_locality_config);
  gxds_lb_config_init(&config->base, &gxds_weighted_locality_policy, destroy);
  config->child = gxds_lb_config_ref(child);
  config->has_localities = entry;
  if (!entry) return &config->base;
  config->cluster = gxds_str_dup(entry->name);
  const gxds_priority *localities = gxds_cluster_entry_priority(entry, priority);
  if (localities) config->localities = copy_localities(localities);
  return &config->base;
}

gxds_lb_config *gxds_weighted_locality_parse(const json_t *json, gxds_lb_parse_list *parse_list,
                                             gxds_errors *errors) {
  if (!gxds_json_is_object(json, NULL, errors)) return NULL;
  gxds_lb_config *child = gxds_lb_parse_child(json, "childPolicy", NULL, parse_list, errors);
  if (!child) return NULL;
  gxds_lb_config *config = gxds_weighted_locality_config_create(child, NULL, 0);
  gxds_lb_config_unref(child);
  return config;
}
