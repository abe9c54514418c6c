#include "tools/lint/nack.h"

#include <ctype.h>
#include <stdlib.h>

static gxds_str from(gxds_str s, size_t at) { return gxds_str_of(s.data + at, s.size - at); }

/* Where part begins in s; SIZE_MAX: nowhere. */
static size_t find(gxds_str s, const char *part) {
  const char *at = s.size ? memmem(s.data, s.size, part, strlen(part)) : NULL;
  return at ? (size_t)(at - s.data) : SIZE_MAX;
}

static void tell(gxds_str item, void (*fn)(void *arg, gxds_str field, gxds_str error), void *arg) {
  static const char *const marks[] = {" error:", " errors:"};
  gxds_str field = from(item, strlen("field:"));
  for (int i = 0; i < 2; i++) {
    size_t at = find(field, marks[i]);
    if (at == SIZE_MAX) continue;
    fn(arg, gxds_str_of(field.data, at), from(field, at + strlen(marks[i])));
    return;
  }
  fn(arg, gxds_str_of(NULL, 0), item);
}

/* The bracket that ends the list: of a bootstrap, its lines follow in parentheses. */
static const char *end_of_list(gxds_str text) {
  const char *end = memrchr(text.data, ']', text.size);
  if (text.data[text.size - 1] != ')') return end;
  for (const char *at = end; at; at = memrchr(text.data, ']', (size_t)(at - text.data))) {
    if (at[1] == ' ' && at[2] == '(') return at;
  }
  return NULL;
}

void gxds_nack_each_error(gxds_str text, void (*fn)(void *arg, gxds_str field, gxds_str error),
                          void *arg) {
  size_t at = find(text, ": [field:");
  const char *end = at == SIZE_MAX ? NULL : end_of_list(text);
  if (!end) {
    fn(arg, gxds_str_of(NULL, 0), text);
    return;
  }
  gxds_str rest = from(text, at + 3);
  rest.size = (size_t)(end - rest.data);
  for (;;) {
    size_t next = find(rest, "; field:");
    tell(next == SIZE_MAX ? rest : gxds_str_of(rest.data, next), fn, arg);
    if (next == SIZE_MAX) return;
    rest = from(rest, next + 2);
  }
}

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

static const gxds_file_node_entry *find_entry(const gxds_file_node *map, gxds_str key) {
  for (size_t i = 0; map->kind == GXDS_FILE_NODE_MAP && i < map->count; i++) {
    if (same_field(map->entries[i].key, key)) return &map->entries[i];
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
  *path = from(*path, size);
  return step;
}

uint32_t gxds_nack_line_of(const gxds_file_node *node, gxds_str field) {
  uint32_t line = node->line;
  while (field.size) {
    gxds_str step = take_step(&field);
    if (node->kind == GXDS_FILE_NODE_LIST) {
      size_t index = step.size ? strtoul(step.data, NULL, 10) : 0; /* ends at the bracket */
      if (index >= node->count) break;
      node = node->items[index];
      line = node->line;
      continue;
    }
    if (gxds_str_equal(step, gxds_str_z("type_url"))) step = gxds_str_z("@type");
    const gxds_file_node_entry *e = find_entry(node, step);
    if (!e && gxds_str_equal(step, gxds_str_z("value")) && find_entry(node, gxds_str_z("@type"))) {
      if (field.size && field.data[0] == '[') take_step(&field); /* the type's name */
      continue;
    }
    if (!e) break;
    node = e->value;
    line = e->line;
  }
  return line;
}
