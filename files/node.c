#include "files/node.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/upb.h"

/* A container that is not closed yet: its children are collected here, then copied to the arena. */
typedef struct gxds_file_node_open {
  struct gxds_file_node_open *up;
  gxds_file_node *node;
  gxds_file_node_entry *entries; /* in a LIST only the values are used */
  size_t count;
  size_t capacity;
  bool key_pending;
  uint32_t height; /* the greatest height of a child */
  uint64_t expanded;
} gxds_file_node_open;

gxds_str gxds_file_node_dup(struct upb_Arena *arena, gxds_str s) {
  return s.size > 0 ? gxds_arena_dup(arena, s) : gxds_str_z("");
}

const gxds_file_node *gxds_file_node_get(const gxds_file_node *map, const char *key) {
  GXDS_CHECK(map->kind == GXDS_FILE_NODE_MAP);
  for (size_t i = map->count; i-- > 0;) {
    if (gxds_str_equal(map->entries[i].key, gxds_str_z(key))) return map->entries[i].value;
  }
  return NULL;
}

void gxds_file_node_describe(const gxds_file_node *n, gxds_text *out) {
  /* How many bytes of a string an error shows, because an error is one line. */
  enum { kShown = 60 };
  switch (n->kind) {
    case GXDS_FILE_NODE_NULL:
      gxds_text_add_z(out, "null");
      break;
    case GXDS_FILE_NODE_BOOL:
      gxds_text_add(out, n->text);
      break;
    case GXDS_FILE_NODE_NUMBER:
    case GXDS_FILE_NODE_STRING: {
      bool cut = n->text.size > kShown;
      const char *quote = n->kind == GXDS_FILE_NODE_STRING ? "\"" : "";
      gxds_text_addf(out, "the %s %s%.*s%s%s", *quote ? "string" : "number", quote,
                     cut ? kShown : (int)n->text.size, n->text.data, cut ? "..." : "", quote);
      break;
    }
    case GXDS_FILE_NODE_LIST:
      gxds_text_add_z(out, "a list");
      break;
    case GXDS_FILE_NODE_MAP:
      gxds_text_add_z(out, "an object");
      break;
  }
}

void gxds_file_node_refuse(const gxds_file_node *n, const gxds_path *at, const char *expected,
                           gxds_file_errors *errors) {
  gxds_text found = {0};
  gxds_file_node_describe(n, &found);
  gxds_file_errors_add(errors, n->line, at, "expected %s, found %s", expected, found.data);
  gxds_text_fini(&found);
}

void gxds_file_node_builder_init(gxds_file_node_builder *b, struct upb_Arena *arena,
                                 gxds_file_errors *errors) {
  *b = (gxds_file_node_builder){.arena = arena, .errors = errors};
}

static void pop(gxds_file_node_builder *b) {
  gxds_file_node_open *open = b->top;
  b->top = open->up;
  b->depth--;
  gxds_free(open->entries);
  gxds_free(open);
}

void gxds_file_node_builder_fini(gxds_file_node_builder *b) {
  while (b->top) pop(b);
  b->root = NULL;
}

static gxds_file_node *new_node(gxds_file_node_builder *b, gxds_file_node_kind kind,
                                uint32_t line) {
  gxds_file_node *node = gxds_arena_alloc(b->arena, sizeof *node);
  *node = (gxds_file_node){.kind = kind, .line = line, .expanded = 1};
  return node;
}

static bool count_nodes(gxds_file_node_builder *b, uint64_t more, uint32_t line) {
  b->expanded += more;
  if (b->expanded <= GXDS_FILE_NODE_COUNT_MAX) return true;
  gxds_file_errors_add(b->errors, line, NULL, "more than %u values, with aliases expanded",
                       GXDS_FILE_NODE_COUNT_MAX);
  return false;
}

static void add_child(gxds_file_node_builder *b, gxds_file_node *node) {
  gxds_file_node_open *open = b->top;
  if (!open) {
    GXDS_CHECK(b->root == NULL);
    b->root = node;
    return;
  }
  if (open->node->kind == GXDS_FILE_NODE_MAP) {
    GXDS_CHECK(open->key_pending);
    open->entries[open->count - 1].value = node;
    open->key_pending = false;
    return;
  }
  GXDS_MAKE_ROOM(open->entries, open->count, open->capacity, 4);
  open->entries[open->count++] = (gxds_file_node_entry){.value = node};
}

/* Adds the height and size of a finished child to the container around it. */
static void account(gxds_file_node_builder *b, const gxds_file_node *node) {
  if (!b->top) return;
  if (node->height > b->top->height) b->top->height = node->height;
  b->top->expanded += node->expanded;
}

bool gxds_file_node_builder_scalar(gxds_file_node_builder *b, gxds_file_node_kind kind,
                                   gxds_str text, uint32_t line) {
  if (!count_nodes(b, 1, line)) return false;
  gxds_file_node *node = new_node(b, kind, line);
  node->text = gxds_file_node_dup(b->arena, text);
  add_child(b, node);
  account(b, node);
  return true;
}

gxds_file_node *gxds_file_node_builder_open(gxds_file_node_builder *b, gxds_file_node_kind kind,
                                            uint32_t line) {
  if (b->depth == GXDS_FILE_NODE_DEPTH_MAX) {
    gxds_file_errors_add(b->errors, line, NULL, "nested deeper than %d levels",
                         GXDS_FILE_NODE_DEPTH_MAX);
    return NULL;
  }
  if (!count_nodes(b, 1, line)) return NULL;
  gxds_file_node *node = new_node(b, kind, line);
  add_child(b, node);
  gxds_file_node_open *open = GXDS_NEW(gxds_file_node_open);
  open->up = b->top;
  open->node = node;
  open->expanded = 1;
  b->top = open;
  b->depth++;
  return node;
}

bool gxds_file_node_builder_wants_key(const gxds_file_node_builder *b) {
  return b->top && b->top->node->kind == GXDS_FILE_NODE_MAP && !b->top->key_pending;
}

void gxds_file_node_builder_key(gxds_file_node_builder *b, gxds_str key, uint32_t line) {
  GXDS_CHECK(gxds_file_node_builder_wants_key(b));
  gxds_file_node_open *open = b->top;
  GXDS_MAKE_ROOM(open->entries, open->count, open->capacity, 4);
  open->entries[open->count++] =
      (gxds_file_node_entry){.key = gxds_file_node_dup(b->arena, key), .line = line, .value = NULL};
  open->key_pending = true;
}

static int by_key_then_line(const void *a, const void *b) {
  const gxds_file_node_entry *x = a;
  const gxds_file_node_entry *y = b;
  int order = gxds_str_compare(x->key, y->key);
  if (order) return order;
  return (x->line > y->line) - (x->line < y->line);
}

static void report_duplicates(gxds_file_node_builder *b, const gxds_file_node_entry *entries,
                              size_t count) {
  gxds_file_node_entry *sorted = gxds_calloc(count, sizeof *sorted);
  if (count) memcpy(sorted, entries, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, by_key_then_line);
  for (size_t i = 1; i < count; i++) {
    if (!gxds_str_equal(sorted[i].key, sorted[i - 1].key)) continue;
    gxds_file_errors_add(b->errors, sorted[i].line, NULL, "the key \"%.*s\" stands on line %u too",
                         GXDS_STR_ARG(sorted[i].key), (unsigned)sorted[i - 1].line);
  }
  gxds_free(sorted);
}

bool gxds_file_node_builder_close(gxds_file_node_builder *b) {
  gxds_file_node_open *open = b->top;
  GXDS_CHECK(open && !open->key_pending);
  gxds_file_node *node = open->node;
  node->count = open->count;
  node->height = open->height + 1;
  node->expanded = (uint32_t)open->expanded;
  if (node->kind == GXDS_FILE_NODE_MAP) {
    if (open->count > 1) report_duplicates(b, open->entries, open->count);
    gxds_file_node_entry *entries = gxds_arena_alloc(b->arena, open->count * sizeof *entries);
    if (open->count) memcpy(entries, open->entries, open->count * sizeof *entries);
    node->entries = entries;
  } else {
    const gxds_file_node **items =
        gxds_arena_alloc(b->arena, open->count * sizeof(gxds_file_node *));
    for (size_t i = 0; i < open->count; i++) items[i] = open->entries[i].value;
    node->items = items;
  }
  pop(b);
  account(b, node);
  return true;
}

bool gxds_file_node_builder_alias(gxds_file_node_builder *b, gxds_file_node *target,
                                  uint32_t line) {
  if (target->height == 0 && target->kind >= GXDS_FILE_NODE_LIST) {
    gxds_file_errors_add(b->errors, line, NULL, "an alias inside of what it stands for");
    return false;
  }
  if (b->depth + target->height > GXDS_FILE_NODE_DEPTH_MAX) {
    gxds_file_errors_add(b->errors, line, NULL, "nested deeper than %d levels",
                         GXDS_FILE_NODE_DEPTH_MAX);
    return false;
  }
  if (!count_nodes(b, target->expanded, line)) return false;
  add_child(b, target);
  account(b, target);
  return true;
}

gxds_file_node *gxds_file_node_builder_last(const gxds_file_node_builder *b) {
  if (!b->top) return b->root;
  if (b->top->count == 0) return NULL;
  return (gxds_file_node *)b->top->entries[b->top->count - 1].value;
}

const gxds_file_node *gxds_file_node_builder_take(gxds_file_node_builder *b) {
  GXDS_CHECK(b->top == NULL);
  const gxds_file_node *root = b->root;
  b->root = NULL;
  return root;
}
