#include "lb_policies/priority/priority_config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "json/json.h"

static void destroy(gxds_lb_config *c) {
  gxds_priority_config *config = (gxds_priority_config *)c;
  for (size_t i = 0; i < config->count; i++) {
    gxds_str_free(&config->children[i].name);
    gxds_lb_config_unref(config->children[i].config);
  }
  gxds_free(config->children);
  gxds_str_free(&config->cluster);
  gxds_free(config);
}

gxds_lb_config *gxds_priority_config_create(gxds_str cluster, const gxds_priority_child *children,
                                            size_t count) {
  gxds_priority_config *config = GXDS_NEW(gxds_priority_config);
  gxds_lb_config_init(&config->base, &gxds_priority_policy, destroy);
  config->cluster = gxds_str_dup(cluster);
  config->children = gxds_calloc(count, sizeof *config->children);
  config->count = count;
  for (size_t i = 0; i < count; i++) {
    config->children[i] = children[i];
    config->children[i].name = gxds_str_dup(children[i].name);
    config->children[i].config = gxds_lb_config_ref(children[i].config);
  }
  return &config->base;
}

/* The caller owns the reference in child->config. */
static void read_child(const json_t *json, const gxds_path *at, gxds_lb_parse_list *parse_list,
                       gxds_errors *errors, gxds_priority_child *child) {
  if (!gxds_json_is_object(json, at, errors)) return;
  gxds_json_bool(json, "ignore_reresolution_requests", GXDS_JSON_OPTIONAL, at, errors,
                 &child->ignore_reresolution_requests);
  child->config = gxds_lb_parse_child(json, "config", at, parse_list, errors);
}

/* Reads all members of "children". The caller owns the array, and the references in it. */
static gxds_priority_child *read_children(const json_t *children, gxds_lb_parse_list *parse_list,
                                          gxds_errors *errors) {
  gxds_priority_child *all = gxds_calloc(json_object_size(children), sizeof *all);
  size_t i = 0;
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)children, name, value) {
    all[i].name = gxds_str_z(name);
    read_child(value, GXDS_KEY(NULL, "children", name), parse_list, errors, &all[i]);
    i++;
  }
  return all;
}

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds an error with the names in "priorities" that are not children: each name once, in order. */
static void add_unknown(const char **names, size_t count, gxds_errors *errors) {
  if (count == 0) return;
  qsort(names, count, sizeof *names, compare_texts);
  gxds_text text = {0};
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && strcmp(names[i], names[i - 1]) == 0) continue;
    gxds_text_addf(&text, "%s%s", text.size > 0 ? ", " : "", names[i]);
  }
  gxds_errors_add(errors, NULL, "unknown priorit(ies): [%.*s]", GXDS_STR_ARG(gxds_text_str(&text)));
  gxds_text_fini(&text);
}

static const gxds_priority_child *find(const gxds_priority_child *all, size_t count,
                                       const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (gxds_str_equal(all[i].name, gxds_str_z(name))) return &all[i];
  }
  return NULL;
}

/* Fills ordered with the children in the order of "priorities", and returns their number. */
static size_t put_in_order(const json_t *priorities, const gxds_priority_child *all, size_t count,
                           gxds_errors *errors, gxds_priority_child *ordered) {
  const char **unknown = gxds_calloc(json_array_size(priorities), sizeof *unknown);
  size_t unknown_count = 0;
  size_t ordered_count = 0;
  for (size_t i = 0; i < json_array_size(priorities); i++) {
    const char *name = json_string_value(json_array_get(priorities, i));
    if (!name) {
      gxds_errors_add(errors, GXDS_ITEM(NULL, "priorities", i), "is not a string");
      continue;
    }
    const gxds_priority_child *child = find(all, count, name);
    if (child) {
      ordered[ordered_count++] = *child;
    } else {
      unknown[unknown_count++] = name;
    }
  }
  add_unknown(unknown, unknown_count, errors);
  gxds_free(unknown);
  return ordered_count;
}

gxds_lb_config *gxds_priority_parse(const json_t *json, gxds_lb_parse_list *parse_list,
                                    gxds_errors *errors) {
  if (!gxds_json_is_object(json, NULL, errors)) return NULL;
  const json_t *children = NULL;
  const json_t *priorities = NULL;
  gxds_json_object(json, "children", GXDS_JSON_REQUIRED, NULL, errors, &children);
  gxds_json_array(json, "priorities", GXDS_JSON_REQUIRED, NULL, errors, &priorities);
  const size_t count = json_object_size(children);
  gxds_priority_child *all = read_children(children, parse_list, errors);
  gxds_priority_child *ordered = gxds_calloc(json_array_size(priorities), sizeof *ordered);
  const size_t ordered_count = put_in_order(priorities, all, count, errors, ordered);
  gxds_lb_config *config = NULL;
  if (errors->count == 0) {
    config = gxds_priority_config_create(gxds_str_of(NULL, 0), ordered, ordered_count);
  }
  for (size_t i = 0; i < count; i++) gxds_lb_config_unref(all[i].config);
  gxds_free(all);
  gxds_free(ordered);
  return config;
}
