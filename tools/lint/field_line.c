#include "tools/lint/field_line.h"

#include <ctype.h>
#include <stdlib.h>

/* Whether both spell the same field: "lb_endpoints", "lbEndpoints". */
static bool same_field(gxds_str a, gxds_str b) {
  size_t i = 0;
  size_t j = 0;
  for (;; i++, j++) {
    while (i < a.size && a.data[i] == '_') i++;
    while (j < b.size && b.data[j] == '_') j++;
    if (i == a.size || j == b.size) return i == a.size && j == b.size;
    if (tolower((unsigned char)a.data[i]) != tolower((unsigned char)b.data[j])) return false;
  }
}

const gxds_file_node_entry *gxds_field_entry(const gxds_file_node *node, gxds_str name) {
  size_t count = node && node->kind == GXDS_FILE_NODE_MAP ? node->count : 0;
  for (size_t i = count; i-- > 0;) {
    if (same_field(node->entries[i].key, name)) return &node->entries[i];
  }
  return NULL;
}

/* The next step of a path: a name, or what is between brackets ("3", "\"key\""). */
static gxds_str take_step(gxds_str *path) {
  size_t size = 0;
  gxds_str step;
  if (path->data[0] == '[') {
    while (size < path->size && path->data[size] != ']') size++;
    step = gxds_str_of(path->data + 1, size - 1);
    if (size < path->size) size++;
    if (step.size >= 2 && step.data[0] == '"') step = gxds_str_of(step.data + 1, step.size - 2);
  } else {
    while (size < path->size && path->data[size] != '.' && path->data[size] != '[') size++;
    step = gxds_str_of(path->data, size);
  }
  if (size < path->size && path->data[size] == '.') size++;
  *path = gxds_str_from(*path, size);
  return step;
}

uint32_t gxds_field_line(const gxds_file_node *node, gxds_str field) {
  uint32_t line = node->line;
  while (field.size) {
    gxds_str step = take_step(&field);
    if (node->kind == GXDS_FILE_NODE_LIST) {
      size_t index = step.size ? strtoul(step.data, NULL, 10) : 0; /* strtoul() stops at the
                                                                      bracket */
      if (index >= node->count) break;
      node = node->items[index];
      line = node->line;
      continue;
    }
    if (gxds_str_equal(step, gxds_str_z("type_url"))) step = gxds_str_z("@type");
    const gxds_file_node_entry *e = gxds_field_entry(node, step);
    if (!e && gxds_str_equal(step, gxds_str_z("value")) &&
        gxds_field_entry(node, gxds_str_z("@type"))) {
      if (field.size && field.data[0] == '[') take_step(&field); /* skips the name of the type */
      continue;
    }
    if (!e) break;
    node = e->value;
    line = e->line;
  }
  return line;
}
