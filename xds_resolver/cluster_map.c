/* A hash-array-mapped trie: each level uses five bits of the name's hash. A node has the entries
 * whose hash prefix no other entry shares, and then the child nodes for prefixes that several
 * entries share, both in the order of their bits. The trie is canonical: every node except the root
 * has at least two entries below it, so its shape depends on its contents alone. */
#include "xds_resolver/cluster_map.h"

#include <xxhash.h>

#include "base/memory.h"

#define BITS 5u
#define MASK 31u
#define HASH_BITS                                                                 \
  64u /* below this shift the hash is used up: names collide, and are only listed \
       */

typedef struct node {
  gxds_ref refs;
  uint32_t entries;  /* a set bit stands for an entry. In a collision node: the number of entries */
  uint32_t children; /* a set bit stands for a child node. No bit is set in both. */
  const void *slots[];
} node;

struct gxds_cluster_map {
  gxds_ref refs;
  size_t count;
  const node *root;
};

typedef struct position {
  uint64_t hash;
  uint32_t shift;
} position;

typedef struct visitor {
  void (*fn)(void *arg, const gxds_cluster_entry *before, const gxds_cluster_entry *after);
  void *arg;
} visitor;

static uint64_t hash_of(gxds_str name) { return XXH3_64bits(name.data, name.size); }

static uint32_t bit_at(position at) { return 1u << ((at.hash >> at.shift) & MASK); }

static position below(position at) { return (position){at.hash, at.shift + BITS}; }

static size_t ones(uint32_t bits) { return (size_t)__builtin_popcount(bits); }

static size_t rank(uint32_t bits, uint32_t bit) { return ones(bits & (bit - 1)); }

static bool is_collision(position at) { return at.shift >= HASH_BITS; }

/* ---- nodes ---- */

static node *node_create(uint32_t entries, uint32_t children, size_t slots) {
  node *n = gxds_calloc(1, sizeof *n + slots * sizeof n->slots[0]);
  gxds_ref_init(&n->refs);
  n->entries = entries;
  n->children = children;
  return n;
}

static size_t entry_count(const node *n, uint32_t shift) {
  return shift >= HASH_BITS ? n->entries : ones(n->entries);
}

static const gxds_cluster_entry *entry_at(const node *n, size_t i) { return n->slots[i]; }

static const node *child_at(const node *n, uint32_t bit) {
  return n->slots[ones(n->entries) + rank(n->children, bit)];
}

static const node *node_ref(const node *n) {
  gxds_ref_inc(&n->refs);
  return n;
}

static void node_unref(const node *n, uint32_t shift) {
  if (!gxds_ref_dec(&n->refs)) return;
  size_t entries = entry_count(n, shift);
  for (size_t i = 0; i < entries; i++) gxds_cluster_entry_unref(n->slots[i]);
  for (size_t i = 0; i < ones(n->children); i++) {
    node_unref(n->slots[entries + i], shift + BITS);
  }
  gxds_free((node *)n);
}

/* Copies n, leaving out the slot `skip` (SIZE_MAX for none), and leaving an empty slot at `gap` of
 * the copy (SIZE_MAX for none). Entries and children are shared. */
static node *node_copy(const node *n, uint32_t shift, uint32_t entries, uint32_t children,
                       size_t skip, size_t gap) {
  size_t old_entries = entry_count(n, shift);
  size_t old_count = old_entries + ones(n->children);
  size_t count = old_count - (skip != SIZE_MAX) + (gap != SIZE_MAX);
  node *copy = node_create(entries, children, count);
  for (size_t from = 0, to = 0; from < old_count; from++) {
    if (from == skip) continue;
    if (to == gap) to++;
    copy->slots[to++] = from < old_entries ? (const void *)gxds_cluster_entry_ref(n->slots[from])
                                           : (const void *)node_ref(n->slots[from]);
  }
  return copy;
}

/* The place of the name in a collision node; SIZE_MAX if it is not there. */
static size_t collision_find(const node *n, gxds_str name) {
  for (size_t i = 0; i < n->entries; i++) {
    if (gxds_str_equal(entry_at(n, i)->name, name)) return i;
  }
  return SIZE_MAX;
}

/* ---- put ---- */

/* Makes the node for two entries with different names, whose hashes are equal above this level.
 * Takes ownership of both. */
static const node *node_of_two(const gxds_cluster_entry *take_a, const gxds_cluster_entry *take_b,
                               uint64_t hash_a, position at) {
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

static const node *collision_put(const node *n, const gxds_cluster_entry *take_entry, position at,
                                 bool *added) {
  size_t i = collision_find(n, take_entry->name);
  *added = i == SIZE_MAX;
  size_t slot = *added ? n->entries : i;
  node *copy = node_copy(n, at.shift, n->entries + (*added ? 1 : 0), 0, i, slot);
  copy->slots[slot] = take_entry;
  return copy;
}

/* Makes a node like n with the entry added or replaced. n is borrowed, and NULL for an empty map.
 * Takes ownership of the entry. */
static const node *node_put(const node *n, const gxds_cluster_entry *take_entry, position at,
                            bool *added) {
  if (!n) {
    *added = true;
    node *first = node_create(bit_at(at), 0, 1);
    first->slots[0] = take_entry;
    return first;
  }
  if (is_collision(at)) return collision_put(n, take_entry, at, added);
  uint32_t bit = bit_at(at);
  size_t slot = rank(n->entries, bit);
  if (n->children & bit) {
    const node *below_it = node_put(child_at(n, bit), take_entry, below(at), added);
    size_t child = ones(n->entries) + rank(n->children, bit);
    node *copy = node_copy(n, at.shift, n->entries, n->children, child, child);
    copy->slots[child] = below_it;
    return copy;
  }
  if (!(n->entries & bit)) {
    *added = true;
    node *copy = node_copy(n, at.shift, n->entries | bit, n->children, SIZE_MAX, slot);
    copy->slots[slot] = take_entry;
    return copy;
  }
  const gxds_cluster_entry *there = entry_at(n, slot);
  if (gxds_str_equal(there->name, take_entry->name)) {
    *added = false;
    node *copy = node_copy(n, at.shift, n->entries, n->children, slot, slot);
    copy->slots[slot] = take_entry;
    return copy;
  }
  *added = true; /* two names share the prefix: both move one level down */
  uint32_t entries = n->entries & ~bit;
  size_t child = ones(entries) + rank(n->children, bit);
  node *copy = node_copy(n, at.shift, entries, n->children | bit, slot, child);
  copy->slots[child] =
      node_of_two(gxds_cluster_entry_ref(there), take_entry, hash_of(there->name), below(at));
  return copy;
}

static const gxds_cluster_map *map_create(const node *take_root, size_t count) {
  gxds_cluster_map *m = GXDS_NEW(gxds_cluster_map);
  gxds_ref_init(&m->refs);
  m->count = count;
  m->root = take_root;
  return m;
}

const gxds_cluster_map *gxds_cluster_map_put(const gxds_cluster_map *m,
                                             const gxds_cluster_entry *take_entry) {
  if (gxds_cluster_map_get(m, take_entry->name) == take_entry) {
    gxds_cluster_entry_unref(take_entry);
    return gxds_cluster_map_ref(m);
  }
  bool added = false;
  position at = {hash_of(take_entry->name), 0};
  const node *root = node_put(m ? m->root : NULL, take_entry, at, &added);
  return map_create(root, gxds_cluster_map_count(m) + (added ? 1 : 0));
}

/* ---- remove ---- */

/* The entry of a node that has only this one below it; NULL if there are more. */
static const gxds_cluster_entry *only_entry(const node *n, uint32_t shift) {
  return entry_count(n, shift) == 1 && n->children == 0 ? entry_at(n, 0) : NULL;
}

/* Makes a node like n (borrowed) without the name, which must be below n. NULL if nothing is left.
 */
static const node *node_remove(const node *n, gxds_str name, position at) {
  if (is_collision(at)) {
    GXDS_CHECK(n->entries > 1);
    return node_copy(n, at.shift, n->entries - 1, 0, collision_find(n, name), SIZE_MAX);
  }
  uint32_t bit = bit_at(at);
  if (n->entries & bit) {
    if (only_entry(n, at.shift)) return NULL;
    return node_copy(n, at.shift, n->entries & ~bit, n->children, rank(n->entries, bit), SIZE_MAX);
  }
  const node *rest = node_remove(child_at(n, bit), name, below(at));
  size_t child = ones(n->entries) + rank(n->children, bit);
  const gxds_cluster_entry *last = only_entry(rest, at.shift + BITS);
  if (!last) {
    node *copy = node_copy(n, at.shift, n->entries, n->children, child, child);
    copy->slots[child] = rest;
    return copy;
  }
  size_t slot = rank(n->entries, bit); /* a single entry needs no node, so it moves up */
  node *copy = node_copy(n, at.shift, n->entries | bit, n->children & ~bit, child, slot);
  copy->slots[slot] = gxds_cluster_entry_ref(last);
  node_unref(rest, at.shift + BITS);
  return copy;
}

const gxds_cluster_map *gxds_cluster_map_remove(const gxds_cluster_map *m, gxds_str name) {
  if (!gxds_cluster_map_get(m, name)) return gxds_cluster_map_ref(m);
  const node *root = node_remove(m->root, name, (position){hash_of(name), 0});
  return root ? map_create(root, m->count - 1) : NULL;
}

/* ---- ask ---- */

const gxds_cluster_map *gxds_cluster_map_ref(const gxds_cluster_map *m) {
  if (m) gxds_ref_inc(&m->refs);
  return m;
}

void gxds_cluster_map_unref(const gxds_cluster_map *m) {
  if (!m || !gxds_ref_dec(&m->refs)) return;
  node_unref(m->root, 0);
  gxds_free((gxds_cluster_map *)m);
}

size_t gxds_cluster_map_count(const gxds_cluster_map *m) { return m ? m->count : 0; }

static const gxds_cluster_entry *node_get(const node *n, gxds_str name, position at) {
  for (; !is_collision(at); at = below(at)) {
    uint32_t bit = bit_at(at);
    if (n->entries & bit) {
      const gxds_cluster_entry *e = entry_at(n, rank(n->entries, bit));
      return gxds_str_equal(e->name, name) ? e : NULL;
    }
    if (!(n->children & bit)) return NULL;
    n = child_at(n, bit);
  }
  size_t i = collision_find(n, name);
  return i == SIZE_MAX ? NULL : entry_at(n, i);
}

const gxds_cluster_entry *gxds_cluster_map_get(const gxds_cluster_map *m, gxds_str name) {
  return m ? node_get(m->root, name, (position){hash_of(name), 0}) : NULL;
}

/* ---- visit ---- */

/* Reports every entry below n except `except`, as new if is_after, and otherwise as removed. */
static void visit_all(const node *n, uint32_t shift, const gxds_cluster_entry *except,
                      bool is_after, const visitor *v) {
  size_t entries = entry_count(n, shift);
  for (size_t i = 0; i < entries; i++) {
    const gxds_cluster_entry *e = entry_at(n, i);
    if (e == except) continue;
    v->fn(v->arg, is_after ? NULL : e, is_after ? e : NULL);
  }
  for (size_t i = 0; i < ones(n->children); i++) {
    visit_all(n->slots[entries + i], shift + BITS, except, is_after, v);
  }
}

/* Compares an entry on one side with a node on the other. */
static void diff_entry_node(const gxds_cluster_entry *e, const node *n, position at,
                            bool node_is_after, const visitor *v) {
  const gxds_cluster_entry *same = node_get(n, e->name, at);
  if (same != e) {
    const gxds_cluster_entry *before = node_is_after ? e : same;
    const gxds_cluster_entry *after = node_is_after ? same : e;
    v->fn(v->arg, before, after);
  }
  visit_all(n, at.shift, same, node_is_after, v);
}

static void diff_collisions(const node *before, const node *after, const visitor *v) {
  for (size_t i = 0; i < before->entries; i++) {
    const gxds_cluster_entry *e = entry_at(before, i);
    size_t j = collision_find(after, e->name);
    const gxds_cluster_entry *now = j == SIZE_MAX ? NULL : entry_at(after, j);
    if (now != e) v->fn(v->arg, e, now);
  }
  for (size_t i = 0; i < after->entries; i++) {
    const gxds_cluster_entry *e = entry_at(after, i);
    if (collision_find(before, e->name) == SIZE_MAX) v->fn(v->arg, NULL, e);
  }
}

static void diff_entries(const gxds_cluster_entry *before, const gxds_cluster_entry *after,
                         const visitor *v) {
  if (before == after) return;
  if (before && after && !gxds_str_equal(before->name, after->name)) {
    v->fn(v->arg, before, NULL);
    v->fn(v->arg, NULL, after);
  } else {
    v->fn(v->arg, before, after);
  }
}

static void diff_nodes(const node *before, const node *after, uint32_t shift, const visitor *v);

/* Compares two nodes with the same bits, slot by slot. Most updates only replace entries, so this
 * is the common case. */
static void diff_alike(const node *before, const node *after, uint32_t shift, const visitor *v) {
  size_t entries = ones(before->entries);
  size_t children = ones(before->children);
  for (size_t i = 0; i < entries; i++) diff_entries(entry_at(before, i), entry_at(after, i), v);
  for (size_t i = 0; i < children; i++) {
    diff_nodes(before->slots[entries + i], after->slots[entries + i], shift + BITS, v);
  }
}

static void diff_bit(const node *before, const node *after, uint32_t bit, uint32_t shift,
                     const visitor *v) {
  const gxds_cluster_entry *old_entry =
      before->entries & bit ? entry_at(before, rank(before->entries, bit)) : NULL;
  const gxds_cluster_entry *new_entry =
      after->entries & bit ? entry_at(after, rank(after->entries, bit)) : NULL;
  const node *old_child = before->children & bit ? child_at(before, bit) : NULL;
  const node *new_child = after->children & bit ? child_at(after, bit) : NULL;
  if (old_child && new_child) {
    diff_nodes(old_child, new_child, shift + BITS, v);
  } else if (old_child && new_entry) {
    position at = {hash_of(new_entry->name), shift + BITS};
    diff_entry_node(new_entry, old_child, at, false, v);
  } else if (old_entry && new_child) {
    position at = {hash_of(old_entry->name), shift + BITS};
    diff_entry_node(old_entry, new_child, at, true, v);
  } else if (old_child) {
    visit_all(old_child, shift + BITS, NULL, false, v);
  } else if (new_child) {
    visit_all(new_child, shift + BITS, NULL, true, v);
  } else {
    diff_entries(old_entry, new_entry, v);
  }
}

static void diff_nodes(const node *before, const node *after, uint32_t shift, const visitor *v) {
  if (before == after) return; /* a shared node has no differences */
  if (shift >= HASH_BITS) {
    diff_collisions(before, after, v);
    return;
  }
  if (before->entries == after->entries && before->children == after->children) {
    diff_alike(before, after, shift, v);
    return;
  }
  uint32_t bits = before->entries | before->children | after->entries | after->children;
  for (; bits; bits &= bits - 1) diff_bit(before, after, bits & (0u - bits), shift, v);
}

void gxds_cluster_map_diff(const gxds_cluster_map *before, const gxds_cluster_map *after,
                           void (*fn)(void *arg, const gxds_cluster_entry *before,
                                      const gxds_cluster_entry *after),
                           void *arg) {
  const visitor v = {fn, arg};
  if (before && after) {
    diff_nodes(before->root, after->root, 0, &v);
  } else if (before) {
    visit_all(before->root, 0, NULL, false, &v);
  } else if (after) {
    visit_all(after->root, 0, NULL, true, &v);
  }
}

typedef struct each_call {
  void (*fn)(void *arg, const gxds_cluster_entry *entry);
  void *arg;
} each_call;

static void each_entry(void *arg, const gxds_cluster_entry *before,
                       const gxds_cluster_entry *after) {
  (void)before;
  const each_call *call = arg;
  call->fn(call->arg, after);
}

void gxds_cluster_map_each(const gxds_cluster_map *m,
                           void (*fn)(void *arg, const gxds_cluster_entry *entry), void *arg) {
  each_call call = {fn, arg};
  gxds_cluster_map_diff(NULL, m, each_entry, &call);
}
