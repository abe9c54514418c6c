#include "files/prototext_nodes.h"

#include <upb/upb.h>

#include "base/upb.h"

/* A field, or an entry of a map field. It has a value, items or a map. */
typedef struct slot {
  gxds_str key;
  uint32_t line;
  const gxds_file_node *value;
  const gxds_file_node **items;
  gxds_prototext_map *map;
  size_t item_count;
  size_t item_capacity;
} slot;

struct gxds_prototext_map {
  upb_Arena *arena;
  uint32_t line;
  slot *slots;
  size_t count;
  size_t capacity;
};

/* Makes room in an array for one more item. The sizes do not overflow, because the number of values
 * in a file is limited. */
static void *grow(upb_Arena *arena, void *array, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity) return array;
  size_t more = *capacity ? 2 * *capacity : 4;
  void *made = gxds_arena_alloc(arena, more * size);
  if (count) memcpy(made, array, count * size);
  *capacity = more;
  return made;
}

static gxds_file_node *new_node(upb_Arena *arena, gxds_file_node_kind kind, uint32_t line) {
  gxds_file_node *n = gxds_arena_alloc(arena, sizeof *n);
  *n = (gxds_file_node){.kind = kind, .line = line};
  return n;
}

gxds_prototext_map *gxds_prototext_map_create(upb_Arena *arena, uint32_t line) {
  gxds_prototext_map *m = gxds_arena_alloc(arena, sizeof *m);
  *m = (gxds_prototext_map){.arena = arena, .line = line};
  return m;
}

const gxds_file_node *gxds_prototext_scalar_node(upb_Arena *arena, uint32_t line) {
  gxds_file_node *n = new_node(arena, GXDS_FILE_NODE_STRING, line);
  n->text = gxds_str_of("", 0);
  return n;
}

static slot *add(gxds_prototext_map *m, gxds_str key, uint32_t line) {
  m->slots = grow(m->arena, m->slots, m->count, &m->capacity, sizeof *m->slots);
  slot *s = &m->slots[m->count++];
  *s = (slot){.key = key, .line = line};
  return s;
}

/* Finds the field of that name, or adds it. Only for fields, of which there are few, not for the
 * entries of a map field. */
static slot *find_or_add(gxds_prototext_map *m, const char *name, uint32_t line) {
  for (size_t i = 0; i < m->count; i++) {
    if (m->slots[i].key.data == name) return &m->slots[i];
  }
  return add(m, gxds_str_z(name), line);
}

void gxds_prototext_map_set(gxds_prototext_map *m, const char *name, uint32_t line,
                            const gxds_file_node *value) {
  add(m, gxds_str_z(name), line)->value = value;
}

void gxds_prototext_map_append(gxds_prototext_map *m, const char *name,
                               const gxds_file_node *value) {
  slot *s = find_or_add(m, name, value->line);
  s->items = grow(m->arena, s->items, s->item_count, &s->item_capacity, sizeof *s->items);
  s->items[s->item_count++] = value;
}

void gxds_prototext_map_put(gxds_prototext_map *m, const char *name, gxds_str key, uint32_t line,
                            const gxds_file_node *value) {
  slot *s = find_or_add(m, name, line);
  if (!s->map) s->map = gxds_prototext_map_create(m->arena, line);
  add(s->map, gxds_file_node_dup(m->arena, key), line)->value = value;
}

void gxds_prototext_map_set_type(gxds_prototext_map *m, gxds_str url, uint32_t line) {
  gxds_file_node *n = new_node(m->arena, GXDS_FILE_NODE_STRING, line);
  n->text = gxds_file_node_dup(m->arena, url);
  add(m, gxds_str_z("@type"), line)->value = n;
}

static const gxds_file_node *node_of(upb_Arena *arena, const slot *s) {
  if (s->map) return gxds_prototext_map_node(s->map);
  if (!s->items) return s->value;
  gxds_file_node *list = new_node(arena, GXDS_FILE_NODE_LIST, s->line);
  list->count = s->item_count;
  list->items = s->items;
  return list;
}

const gxds_file_node *gxds_prototext_map_node(const gxds_prototext_map *m) {
  gxds_file_node *n = new_node(m->arena, GXDS_FILE_NODE_MAP, m->line);
  gxds_file_node_entry *entries = gxds_arena_alloc(m->arena, m->count * sizeof *entries);
  for (size_t i = 0; i < m->count; i++) {
    const slot *s = &m->slots[i];
    entries[i] = (gxds_file_node_entry){s->key, s->line, node_of(m->arena, s)};
  }
  n->count = m->count;
  n->entries = entries;
  return n;
}
