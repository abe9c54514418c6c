/* A hash-array-mapped trie: each level uses five bits of the name's hash. A node has the items
 * whose hash prefix no other item shares, and then the child nodes for prefixes that several items
 * share, both in the order of their bits. The trie is canonical: every node except the root has at
 * least two items below it, so its shape depends on its contents alone. */
#include "base/name_map.h"

#include <xxhash.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/ref.h"

#define BITS 5u
#define MASK 31u
/* At this shift no bits of the hash are left. Names that are equal up to here collide: a collision
 * node lists them. */
#define HASH_BITS 64u

typedef gxds_name_map_type item_type;

typedef struct node {
  gxds_ref refs;
  uint32_t items;    /* a set bit stands for an item. In a collision node: the number of items */
  uint32_t children; /* a set bit stands for a child node. No bit is set in both. */
  const void *slots[];
} node;

struct gxds_name_map {
  gxds_ref refs;
  const item_type *type;
  size_t count;
  const node *root;
};

typedef struct position {
  uint64_t hash;
  uint32_t shift;
} position;

typedef struct visitor {
  const item_type *type;
  void (*fn)(void *arg, const void *before, const void *after);
  void *arg;
} visitor;

uint64_t gxds_name_map_hash(gxds_str name) { return XXH3_64bits(name.data, name.size); }

static uint32_t bit_at(position at) { return 1u << ((at.hash >> at.shift) & MASK); }

static position below(position at) { return (position){at.hash, at.shift + BITS}; }

static size_t ones(uint32_t bits) { return (size_t)__builtin_popcount(bits); }

static size_t rank(uint32_t bits, uint32_t bit) { return ones(bits & (bit - 1)); }

static bool is_collision(position at) { return at.shift >= HASH_BITS; }

/* ---- items ---- */

static gxds_str name_of(const item_type *type, const void *item) {
  return *(const gxds_str *)((const char *)item + type->name_offset);
}

static bool has_name(const item_type *type, const void *item, gxds_str name) {
  return gxds_str_equal(name_of(type, item), name);
}

static const void *item_ref(const void *item) {
  gxds_ref_inc((const gxds_ref *)item);
  return item;
}

static void item_unref(const item_type *type, const void *item) {
  if (gxds_ref_dec((const gxds_ref *)item)) type->destroy(item);
}

/* ---- nodes ---- */

static node *node_create(uint32_t items, uint32_t children, size_t slots) {
  node *n = gxds_calloc(1, sizeof *n + slots * sizeof n->slots[0]);
  gxds_ref_init(&n->refs);
  n->items = items;
  n->children = children;
  return n;
}

static size_t item_count(const node *n, uint32_t shift) {
  return shift >= HASH_BITS ? n->items : ones(n->items);
}

static const node *child_at(const node *n, uint32_t bit) {
  return n->slots[ones(n->items) + rank(n->children, bit)];
}

static const node *node_ref(const node *n) {
  gxds_ref_inc(&n->refs);
  return n;
}

static void node_unref(const node *n, uint32_t shift, const item_type *type) {
  if (!gxds_ref_dec(&n->refs)) return;
  size_t items = item_count(n, shift);
  for (size_t i = 0; i < items; i++) item_unref(type, n->slots[i]);
  for (size_t i = 0; i < ones(n->children); i++) {
    node_unref(n->slots[items + i], shift + BITS, type);
  }
  gxds_free((node *)n);
}

/* Copies n, leaving out the slot `skip` (SIZE_MAX for none), and leaving an empty slot at `gap` of
 * the copy (SIZE_MAX for none). Items and children are shared. */
static node *node_copy(const node *n, uint32_t shift, uint32_t items, uint32_t children,
                       size_t skip, size_t gap) {
  size_t old_items = item_count(n, shift);
  size_t old_count = old_items + ones(n->children);
  size_t count = old_count - (skip != SIZE_MAX) + (gap != SIZE_MAX);
  node *copy = node_create(items, children, count);
  for (size_t from = 0, to = 0; from < old_count; from++) {
    if (from == skip) continue;
    if (to == gap) to++;
    copy->slots[to++] =
        from < old_items ? item_ref(n->slots[from]) : (const void *)node_ref(n->slots[from]);
  }
  return copy;
}

/* The place of the name in a collision node; SIZE_MAX if it is not there. */
static size_t collision_find(const node *n, const item_type *type, gxds_str name) {
  for (size_t i = 0; i < n->items; i++) {
    if (has_name(type, n->slots[i], name)) return i;
  }
  return SIZE_MAX;
}

/* ---- put ---- */

/* Makes the node for two items with different names, whose hashes are equal above this level. at
 * has the hash of b. Takes ownership of both. */
static const node *node_of_two(const void *take_a, const void *take_b, uint64_t hash_a,
                               position at) {
  if (is_collision(at)) {
    node *n = node_create(2, 0, 2);
    n->slots[0] = take_a;
    n->slots[1] = take_b;
    return n;
  }
  uint32_t bit_a = bit_at((position){hash_a, at.shift});
  uint32_t bit_b = bit_at(at);
  if (bit_a == bit_b) {
    node *n = node_create(0, bit_a, 1);
    n->slots[0] = node_of_two(take_a, take_b, hash_a, below(at));
    return n;
  }
  node *n = node_create(bit_a | bit_b, 0, 2);
  n->slots[bit_a < bit_b ? 0 : 1] = take_a;
  n->slots[bit_a < bit_b ? 1 : 0] = take_b;
  return n;
}

static const node *collision_put(const node *n, const item_type *type, const void *take_item,
                                 position at, bool *added) {
  size_t i = collision_find(n, type, name_of(type, take_item));
  *added = i == SIZE_MAX;
  size_t slot = *added ? n->items : i;
  node *copy = node_copy(n, at.shift, n->items + (*added ? 1 : 0), 0, i, slot);
  copy->slots[slot] = take_item;
  return copy;
}

/* Makes a node like n with the item added or replaced. n is borrowed, and NULL for an empty map.
 * Takes ownership of the item. */
static const node *node_put(const node *n, const item_type *type, const void *take_item,
                            position at, bool *added) {
  if (!n) {
    *added = true;
    node *first = node_create(bit_at(at), 0, 1);
    first->slots[0] = take_item;
    return first;
  }
  if (is_collision(at)) return collision_put(n, type, take_item, at, added);
  uint32_t bit = bit_at(at);
  size_t slot = rank(n->items, bit);
  if (n->children & bit) {
    const node *below_it = node_put(child_at(n, bit), type, take_item, below(at), added);
    size_t child = ones(n->items) + rank(n->children, bit);
    node *copy = node_copy(n, at.shift, n->items, n->children, child, child);
    copy->slots[child] = below_it;
    return copy;
  }
  if (!(n->items & bit)) {
    *added = true;
    node *copy = node_copy(n, at.shift, n->items | bit, n->children, SIZE_MAX, slot);
    copy->slots[slot] = take_item;
    return copy;
  }
  const void *there = n->slots[slot];
  gxds_str name_there = name_of(type, there);
  if (has_name(type, take_item, name_there)) {
    *added = false;
    node *copy = node_copy(n, at.shift, n->items, n->children, slot, slot);
    copy->slots[slot] = take_item;
    return copy;
  }
  *added = true; /* the two names share a prefix: both items move one level down */
  uint32_t items = n->items & ~bit;
  size_t child = ones(items) + rank(n->children, bit);
  node *copy = node_copy(n, at.shift, items, n->children | bit, slot, child);
  copy->slots[child] =
      node_of_two(item_ref(there), take_item, gxds_name_map_hash(name_there), below(at));
  return copy;
}

static const gxds_name_map *map_create(const item_type *type, const node *take_root, size_t count) {
  gxds_name_map *m = GXDS_NEW(gxds_name_map);
  gxds_ref_init(&m->refs);
  m->type = type;
  m->count = count;
  m->root = take_root;
  return m;
}

const gxds_name_map *gxds_name_map_put(const gxds_name_map *m, const item_type *type, uint64_t hash,
                                       const void *take_item) {
  if (gxds_name_map_get(m, hash, name_of(type, take_item)) == take_item) {
    item_unref(type, take_item);
    return gxds_name_map_ref(m);
  }
  bool added = false;
  const node *root = node_put(m ? m->root : NULL, type, take_item, (position){hash, 0}, &added);
  return map_create(type, root, gxds_name_map_count(m) + (added ? 1 : 0));
}

/* ---- remove ---- */

/* The item of a node that has only this one below it; NULL if there are more. */
static const void *only_item(const node *n, uint32_t shift) {
  return item_count(n, shift) == 1 && n->children == 0 ? n->slots[0] : NULL;
}

/* Makes a node like n (borrowed) without the name, which must be below n. NULL if nothing is left.
 */
static const node *node_remove(const node *n, const item_type *type, gxds_str name, position at) {
  if (is_collision(at)) {
    GXDS_CHECK(n->items > 1);
    return node_copy(n, at.shift, n->items - 1, 0, collision_find(n, type, name), SIZE_MAX);
  }
  uint32_t bit = bit_at(at);
  if (n->items & bit) {
    if (only_item(n, at.shift)) return NULL;
    return node_copy(n, at.shift, n->items & ~bit, n->children, rank(n->items, bit), SIZE_MAX);
  }
  const node *rest = node_remove(child_at(n, bit), type, name, below(at));
  size_t child = ones(n->items) + rank(n->children, bit);
  const void *last = only_item(rest, at.shift + BITS);
  if (!last) {
    node *copy = node_copy(n, at.shift, n->items, n->children, child, child);
    copy->slots[child] = rest;
    return copy;
  }
  size_t slot = rank(n->items, bit); /* a single item needs no node, so it moves up */
  node *copy = node_copy(n, at.shift, n->items | bit, n->children & ~bit, child, slot);
  copy->slots[slot] = item_ref(last);
  node_unref(rest, at.shift + BITS, type);
  return copy;
}

const gxds_name_map *gxds_name_map_remove(const gxds_name_map *m, uint64_t hash, gxds_str name) {
  if (!gxds_name_map_get(m, hash, name)) return gxds_name_map_ref(m);
  const node *root = node_remove(m->root, m->type, name, (position){hash, 0});
  return root ? map_create(m->type, root, m->count - 1) : NULL;
}

/* ---- ask ---- */

const gxds_name_map *gxds_name_map_ref(const gxds_name_map *m) {
  if (m) gxds_ref_inc(&m->refs);
  return m;
}

void gxds_name_map_unref(const gxds_name_map *m) {
  if (!m || !gxds_ref_dec(&m->refs)) return;
  node_unref(m->root, 0, m->type);
  gxds_free((gxds_name_map *)m);
}

size_t gxds_name_map_count(const gxds_name_map *m) { return m ? m->count : 0; }

static const void *node_get(const node *n, const item_type *type, gxds_str name, position at) {
  for (; !is_collision(at); at = below(at)) {
    uint32_t bit = bit_at(at);
    if (n->items & bit) {
      const void *item = n->slots[rank(n->items, bit)];
      return has_name(type, item, name) ? item : NULL;
    }
    if (!(n->children & bit)) return NULL;
    n = child_at(n, bit);
  }
  size_t i = collision_find(n, type, name);
  return i == SIZE_MAX ? NULL : n->slots[i];
}

const void *gxds_name_map_get(const gxds_name_map *m, uint64_t hash, gxds_str name) {
  return m ? node_get(m->root, m->type, name, (position){hash, 0}) : NULL;
}

/* ---- visit ---- */

/* Reports every item below n except `except`: as new if is_after, otherwise as removed. */
static void visit_all(const node *n, uint32_t shift, const void *except, bool is_after,
                      const visitor *v) {
  size_t items = item_count(n, shift);
  for (size_t i = 0; i < items; i++) {
    const void *item = n->slots[i];
    if (item == except) continue;
    v->fn(v->arg, is_after ? NULL : item, is_after ? item : NULL);
  }
  for (size_t i = 0; i < ones(n->children); i++) {
    visit_all(n->slots[items + i], shift + BITS, except, is_after, v);
  }
}

/* Compares an item on one side with a node on the other. */
static void diff_item_node(const void *item, const node *n, uint32_t shift, bool node_is_after,
                           const visitor *v) {
  gxds_str name = name_of(v->type, item);
  const void *same = node_get(n, v->type, name, (position){gxds_name_map_hash(name), shift});
  if (same != item) v->fn(v->arg, node_is_after ? item : same, node_is_after ? same : item);
  visit_all(n, shift, same, node_is_after, v);
}

static void diff_collisions(const node *before, const node *after, const visitor *v) {
  for (size_t i = 0; i < before->items; i++) {
    const void *item = before->slots[i];
    size_t j = collision_find(after, v->type, name_of(v->type, item));
    const void *now = j == SIZE_MAX ? NULL : after->slots[j];
    if (now != item) v->fn(v->arg, item, now);
  }
  for (size_t i = 0; i < after->items; i++) {
    const void *item = after->slots[i];
    if (collision_find(before, v->type, name_of(v->type, item)) == SIZE_MAX) {
      v->fn(v->arg, NULL, item);
    }
  }
}

static void diff_items(const void *before, const void *after, const visitor *v) {
  if (before == after) return;
  if (before && after && !has_name(v->type, before, name_of(v->type, after))) {
    v->fn(v->arg, before, NULL);
    v->fn(v->arg, NULL, after);
  } else {
    v->fn(v->arg, before, after);
  }
}

static void diff_nodes(const node *before, const node *after, uint32_t shift, const visitor *v);

/* Compares two nodes with the same bits, slot by slot. Most updates only replace items, so this is
 * the common case. */
static void diff_alike(const node *before, const node *after, uint32_t shift, const visitor *v) {
  size_t items = ones(before->items);
  size_t children = ones(before->children);
  for (size_t i = 0; i < items; i++) diff_items(before->slots[i], after->slots[i], v);
  for (size_t i = 0; i < children; i++) {
    diff_nodes(before->slots[items + i], after->slots[items + i], shift + BITS, v);
  }
}

static void diff_bit(const node *before, const node *after, uint32_t bit, uint32_t shift,
                     const visitor *v) {
  const void *old_item = before->items & bit ? before->slots[rank(before->items, bit)] : NULL;
  const void *new_item = after->items & bit ? after->slots[rank(after->items, bit)] : NULL;
  const node *old_child = before->children & bit ? child_at(before, bit) : NULL;
  const node *new_child = after->children & bit ? child_at(after, bit) : NULL;
  if (old_child && new_child) {
    diff_nodes(old_child, new_child, shift + BITS, v);
  } else if (old_child && new_item) {
    diff_item_node(new_item, old_child, shift + BITS, false, v);
  } else if (old_item && new_child) {
    diff_item_node(old_item, new_child, shift + BITS, true, v);
  } else if (old_child) {
    visit_all(old_child, shift + BITS, NULL, false, v);
  } else if (new_child) {
    visit_all(new_child, shift + BITS, NULL, true, v);
  } else {
    diff_items(old_item, new_item, v);
  }
}

static void diff_nodes(const node *before, const node *after, uint32_t shift, const visitor *v) {
  if (before == after) return; /* a shared node has no differences */
  if (shift >= HASH_BITS) {
    diff_collisions(before, after, v);
    return;
  }
  if (before->items == after->items && before->children == after->children) {
    diff_alike(before, after, shift, v);
    return;
  }
  uint32_t bits = before->items | before->children | after->items | after->children;
  for (; bits; bits &= bits - 1) diff_bit(before, after, bits & (0u - bits), shift, v);
}

void gxds_name_map_diff(const gxds_name_map *before, const gxds_name_map *after,
                        void (*fn)(void *arg, const void *before, const void *after), void *arg) {
  const visitor v = {before ? before->type : after ? after->type : NULL, fn, arg};
  if (before && after) {
    diff_nodes(before->root, after->root, 0, &v);
  } else if (before) {
    visit_all(before->root, 0, NULL, false, &v);
  } else if (after) {
    visit_all(after->root, 0, NULL, true, &v);
  }
}

static size_t nodes_unshared(const node *n, const node *before, uint32_t shift) {
  if (n == before) return 0;
  size_t count = 1;
  for (uint32_t bits = n->children; bits; bits &= bits - 1) {
    const uint32_t bit = bits & (0u - bits);
    const bool was = before && shift < HASH_BITS && (before->children & bit);
    count += nodes_unshared(child_at(n, bit), was ? child_at(before, bit) : NULL, shift + BITS);
  }
  return count;
}

size_t gxds_name_map_unshared(const gxds_name_map *m, const gxds_name_map *before) {
  return m ? nodes_unshared(m->root, before ? before->root : NULL, 0) : 0;
}
