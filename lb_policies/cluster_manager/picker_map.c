#include "lb_policies/cluster_manager/picker_map.h"

#include <xxhash.h>

#include "base/check.h"
#include "base/memory.h"

#define BITS 4 /* of the hash, at each level */
#define WAYS (1u << BITS)

/* A name and its picker. Those whose hashes are wholly the same form a list. */
typedef struct entry {
  gxds_ref refs;
  uint64_t hash;
  gxds_picker *picker;
  const struct entry *next; /* a reference */
  size_t name_size;
  char name[];
} entry;

/* The places of a level that are in use, in order: each an entry or a deeper node. */
struct gxds_picker_map {
  gxds_ref refs;
  uint16_t used;
  uint16_t is_node; /* of those used */
  const void *items[];
};

uint64_t gxds_picker_map_hash(gxds_str name) { return XXH3_64bits(name.data, name.size); }

static gxds_str name_of(const entry *e) { return gxds_str_of(e->name, e->name_size); }

/* Entries */

static const entry *entry_ref(const entry *e) {
  if (e) gxds_ref_inc(&e->refs);
  return e;
}

static void entry_unref(const entry *e) {
  while (e && gxds_ref_dec(&e->refs)) {
    const entry *next = e->next;
    gxds_picker_unref(e->picker);
    gxds_free((entry *)e);
    e = next;
  }
}

static const entry *entry_create(uint64_t hash, gxds_str name, gxds_picker *take_picker,
                                 const entry *take_next) {
  entry *e = gxds_calloc(1, sizeof *e + name.size);
  gxds_ref_init(&e->refs);
  e->hash = hash;
  e->picker = take_picker;
  e->next = take_next;
  e->name_size = name.size;
  if (name.size) memcpy(e->name, name.data, name.size);
  return e;
}

/* The list without that name. The list is borrowed. The caller owns the returned reference. */
static const entry *list_without(const entry *e, gxds_str name) {
  if (!e) return NULL;
  if (gxds_str_equal(name_of(e), name)) return entry_ref(e->next);
  const entry *rest = list_without(e->next, name);
  if (rest == e->next) {
    entry_unref(rest);
    return entry_ref(e);
  }
  return entry_create(e->hash, name_of(e), e->picker ? gxds_picker_ref(e->picker) : NULL, rest);
}

/* Nodes */

static unsigned place_of(uint64_t hash, unsigned level) {
  return (unsigned)(hash >> (level * BITS)) & (WAYS - 1);
}

static unsigned bit_of(unsigned place) { return 1u << place; }

static size_t index_of(const gxds_picker_map *m, unsigned place) {
  return (size_t)__builtin_popcount(m->used & (bit_of(place) - 1u));
}

static gxds_picker_map *node_create(size_t count) {
  gxds_picker_map *m = gxds_calloc(1, sizeof *m + count * sizeof m->items[0]);
  gxds_ref_init(&m->refs);
  return m;
}

static bool is_node(const gxds_picker_map *m, unsigned place) {
  return (m->is_node & bit_of(place)) != 0;
}

const gxds_picker_map *gxds_picker_map_ref(const gxds_picker_map *m) {
  if (m) gxds_ref_inc(&m->refs);
  return m;
}

void gxds_picker_map_unref(const gxds_picker_map *m) {
  if (!m || !gxds_ref_dec(&m->refs)) return;
  size_t i = 0;
  for (unsigned place = 0; place < WAYS; place++) {
    if (!(m->used & bit_of(place))) continue;
    if (is_node(m, place)) {
      gxds_picker_map_unref(m->items[i++]);
    } else {
      entry_unref(m->items[i++]);
    }
  }
  gxds_free((gxds_picker_map *)m);
}

/* A copy of the node m with item at place, or with nothing there if item is NULL. m is borrowed;
 * NULL means an empty node. Takes ownership of item. NULL if nothing is left in the node. */
static const gxds_picker_map *node_with(const gxds_picker_map *m, unsigned place, const void *item,
                                        bool item_is_node) {
  uint16_t before = m ? m->used : 0;
  uint16_t used = (uint16_t)(item ? before | bit_of(place) : before & ~bit_of(place));
  if (used == 0) return NULL;
  gxds_picker_map *out = node_create((size_t)__builtin_popcount(used));
  out->used = used;
  size_t to = 0;
  for (unsigned p = 0; p < WAYS; p++) {
    if (!(used & bit_of(p))) continue;
    bool node = item_is_node;
    const void *it = item;
    if (p != place) {
      GXDS_CHECK(m); /* it was used before */
      node = is_node(m, p);
      it = m->items[index_of(m, p)];
      it = node ? (const void *)gxds_picker_map_ref(it) : entry_ref(it);
    }
    if (node) out->is_node = (uint16_t)(out->is_node | bit_of(p));
    out->items[to++] = it;
  }
  return out;
}

/* The node of that level that holds both, which differ in their hashes. Takes both. */
static const gxds_picker_map *node_of_two(const entry *a, const entry *b, unsigned level) {
  unsigned place_a = place_of(a->hash, level);
  unsigned place_b = place_of(b->hash, level);
  if (place_a == place_b) {
    return node_with(NULL, place_a, node_of_two(a, b, level + 1), true);
  }
  const gxds_picker_map *one = node_with(NULL, place_a, a, false);
  const gxds_picker_map *two = node_with(one, place_b, b, false);
  gxds_picker_map_unref(one);
  return two;
}

/* m is borrowed. The caller owns the returned reference. */
static const gxds_picker_map *put(const gxds_picker_map *m, unsigned level, uint64_t hash,
                                  gxds_str name, gxds_picker *take_picker) {
  unsigned place = place_of(hash, level);
  const void *there = m && (m->used & bit_of(place)) ? m->items[index_of(m, place)] : NULL;
  if (!there) return node_with(m, place, entry_create(hash, name, take_picker, NULL), false);
  if (is_node(m, place)) {
    return node_with(m, place, put(there, level + 1, hash, name, take_picker), true);
  }
  const entry *other = there;
  if (other->hash == hash) {
    const entry *made = entry_create(hash, name, take_picker, list_without(other, name));
    return node_with(m, place, made, false);
  }
  const entry *made = entry_create(hash, name, take_picker, NULL);
  return node_with(m, place, node_of_two(entry_ref(other), made, level + 1), true);
}

const gxds_picker_map *gxds_picker_map_put(const gxds_picker_map *take_m, uint64_t hash,
                                           gxds_str name, gxds_picker *take_picker) {
  const gxds_picker_map *out = put(take_m, 0, hash, name, take_picker);
  gxds_picker_map_unref(take_m);
  return out;
}

/* m is borrowed. The caller owns the returned reference, which is to m itself if the name is not in
 * the map. A node that is left with one entry stays in place: look-ups still find the entry. */
static const gxds_picker_map *without(const gxds_picker_map *m, unsigned level, uint64_t hash,
                                      gxds_str name) {
  unsigned place = place_of(hash, level);
  if (!m || !(m->used & bit_of(place))) return gxds_picker_map_ref(m);
  const void *there = m->items[index_of(m, place)];
  if (is_node(m, place)) {
    const gxds_picker_map *rest = without(there, level + 1, hash, name);
    if (rest == there) {
      gxds_picker_map_unref(rest);
      return gxds_picker_map_ref(m);
    }
    return node_with(m, place, rest, true);
  }
  const entry *e = there;
  if (e->hash != hash) return gxds_picker_map_ref(m);
  const entry *rest = list_without(e, name);
  if (rest == e) {
    entry_unref(rest);
    return gxds_picker_map_ref(m);
  }
  return node_with(m, place, rest, false);
}

const gxds_picker_map *gxds_picker_map_remove(const gxds_picker_map *take_m, uint64_t hash,
                                              gxds_str name) {
  const gxds_picker_map *out = without(take_m, 0, hash, name);
  gxds_picker_map_unref(take_m);
  return out;
}

bool gxds_picker_map_get(const gxds_picker_map *m, uint64_t hash, gxds_str name,
                         gxds_picker **picker) {
  for (unsigned level = 0; m; level++) {
    unsigned place = place_of(hash, level);
    if (!(m->used & bit_of(place))) return false;
    const void *there = m->items[index_of(m, place)];
    if (is_node(m, place)) {
      m = there;
      continue;
    }
    for (const entry *e = there; e && e->hash == hash; e = e->next) {
      if (!gxds_str_equal(name_of(e), name)) continue;
      *picker = e->picker;
      return true;
    }
    return false;
  }
  return false;
}

size_t gxds_picker_map_unshared(const gxds_picker_map *m, const gxds_picker_map *before) {
  if (!m || m == before) return 0;
  size_t count = 1;
  for (unsigned p = 0; p < WAYS; p++) {
    if (!(m->used & bit_of(p))) continue;
    const void *item = m->items[index_of(m, p)];
    bool was = before && (before->used & bit_of(p));
    const void *other = was ? before->items[index_of(before, p)] : NULL;
    if (item == other) continue;
    if (is_node(m, p)) {
      count += gxds_picker_map_unshared(item, was && is_node(before, p) ? other : NULL);
    } else {
      count++;
    }
  }
  return count;
}

gxds_status gxds_picker_map_unknown(gxds_str name) {
  return gxds_status_make(GXDS_INTERNAL, "xds cluster manager picker: unknown cluster \"%.*s\"",
                          GXDS_STR_ARG(name));
}
