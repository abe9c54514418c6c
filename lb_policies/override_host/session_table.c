#include "lb_policies/override_host/session_table.h"

#include "base/check.h"
#include "base/memory.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* How many addresses a page has on average. Small pages make changes cheap, because a change copies
 * a page. Large pages make a copy of the table cheap, because each table has a reference to each of
 * its pages. */
#define ADDRESSES_OF_A_PAGE 16u

typedef struct slot {
  gxds_address address;
  gxds_session_endpoint *endpoint; /* a reference; NULL: the slot is free */
} slot;

/* A hash table with open addressing, at most half full. While a table is being made, only that
 * table has the page. Afterwards the page is immutable, and later tables may share it. */
typedef struct page {
  gxds_ref refs;
  uint32_t count;
  uint32_t mask;
  slot slots[];
} page;

struct gxds_session_table {
  gxds_ref refs;
  gxds_session_source of; /* endpoints: a reference */
  uint64_t seed;
  size_t count;  /* addresses */
  unsigned bits; /* how many high bits of a hash select the page */
  page *pages[]; /* references; NULL: an empty page */
};

/* --- Endpoints --- */

gxds_session_endpoint *gxds_session_endpoint_create(const gxds_session_endpoint *like) {
  gxds_session_endpoint *e = GXDS_NEW(gxds_session_endpoint);
  gxds_ref_init(&e->refs);
  e->draining = like->draining;
  e->priority = like->priority;
  e->locality = like->locality;
  e->index = like->index;
  e->times = like->times;
  return e;
}

void gxds_session_endpoint_unref(gxds_session_endpoint *e) {
  if (!gxds_ref_dec(&e->refs)) return;
  gxds_held_endpoint_unref(e->held);
  gxds_free(e);
}

void gxds_session_endpoint_hold(gxds_session_endpoint *e, gxds_held_endpoint *h) {
  GXDS_CHECK(!e->held);
  atomic_store_explicit(&e->held, gxds_held_endpoint_ref(h), memory_order_release);
}

/* --- Pages --- */

static uint64_t hash(const gxds_session_table *t, const gxds_address *a) {
  return XXH3_64bits_withSeed(a->ip, sizeof a->ip, t->seed ^ a->port);
}

static bool equal(const gxds_address *a, const gxds_address *b) {
  return a->port == b->port && a->is_ipv6 == b->is_ipv6 && memcmp(a->ip, b->ip, sizeof a->ip) == 0;
}

static size_t page_number(const gxds_session_table *t, uint64_t h) {
  return t->bits > 0 ? (size_t)(h >> (64 - t->bits)) : 0;
}

/* The slot of that address, or the free slot for it. */
static slot *find_slot(page *p, uint64_t h, const gxds_address *a) {
  size_t at = (size_t)h & p->mask;
  while (p->slots[at].endpoint && !equal(&p->slots[at].address, a)) at = (at + 1) & p->mask;
  return &p->slots[at];
}

static void unref_page(page *p) {
  if (!p || !gxds_ref_dec(&p->refs)) return;
  for (size_t i = 0; i <= p->mask; i++) {
    if (p->slots[i].endpoint) gxds_session_endpoint_unref(p->slots[i].endpoint);
  }
  gxds_free(p);
}

/* Replaces *p (NULL: an empty page) by a copy that only t has, without the slot `but` (NULL: with
 * all slots). size is the number of slots of the copy: a power of two. */
static void renew_page(const gxds_session_table *t, page **p, size_t size, const slot *but) {
  page *from = *p;
  page *to = gxds_calloc(1, sizeof *to + size * sizeof *to->slots);
  gxds_ref_init(&to->refs);
  to->mask = (uint32_t)size - 1;
  for (size_t i = 0; from && i <= from->mask; i++) {
    const slot *s = &from->slots[i];
    if (!s->endpoint || s == but) continue;
    gxds_ref_inc(&s->endpoint->refs);
    *find_slot(to, hash(t, &s->address), &s->address) = *s;
    to->count++;
  }
  unref_page(from);
  *p = to;
}

static size_t size_of(const page *p) { return p ? (size_t)p->mask + 1 : 0; }

static bool is_shared(const page *p) {
  return __atomic_load_n(&p->refs.count, __ATOMIC_ACQUIRE) > 1;
}

/* --- The table --- */

static gxds_session_table *create(const gxds_session_source *of, unsigned bits, uint64_t seed) {
  gxds_session_table *t = gxds_calloc(1, sizeof *t + ((size_t)1 << bits) * sizeof(page *));
  gxds_ref_init(&t->refs);
  t->of = *of;
  if (of->endpoints) gxds_resource_ref(&of->endpoints->base);
  t->seed = seed;
  t->bits = bits;
  return t;
}

static unsigned bits_for(size_t count) {
  unsigned bits = 0;
  while (count > (size_t)ADDRESSES_OF_A_PAGE << bits) bits++;
  return bits;
}

gxds_session_table *gxds_session_table_create(const gxds_session_source *of, size_t count,
                                              uint64_t seed) {
  return create(of, bits_for(count), seed);
}

gxds_session_table *gxds_session_table_copy(const gxds_session_table *t,
                                            const gxds_session_source *of) {
  gxds_session_table *copy = create(of, t->bits, t->seed);
  copy->count = t->count;
  for (size_t i = 0; i < (size_t)1 << t->bits; i++) {
    copy->pages[i] = t->pages[i];
    if (copy->pages[i]) gxds_ref_inc(&copy->pages[i]->refs);
  }
  return copy;
}

gxds_session_table *gxds_session_table_ref(gxds_session_table *t) {
  gxds_ref_inc(&t->refs);
  return t;
}

void gxds_session_table_unref(gxds_session_table *t) {
  if (!t || !gxds_ref_dec(&t->refs)) return;
  for (size_t i = 0; i < (size_t)1 << t->bits; i++) unref_page(t->pages[i]);
  if (t->of.endpoints) gxds_resource_unref(&t->of.endpoints->base);
  gxds_free(t);
}

void gxds_session_table_put(gxds_session_table *t, const gxds_address *address,
                            gxds_session_endpoint *e) {
  const uint64_t h = hash(t, address);
  page **p = &t->pages[page_number(t, h)];
  gxds_session_endpoint *before = *p ? find_slot(*p, h, address)->endpoint : NULL;
  if (before == e) return;
  const bool is_full = !before && (!*p || ((size_t)(*p)->count + 1) * 2 > size_of(*p));
  if (is_full) {
    renew_page(t, p, *p ? 2 * size_of(*p) : 4, NULL);
  } else if (is_shared(*p)) {
    renew_page(t, p, size_of(*p), NULL);
  }
  slot *s = find_slot(*p, h, address);
  gxds_ref_inc(&e->refs);
  *s = (slot){*address, e};
  if (before) {
    gxds_session_endpoint_unref(before);
  } else {
    (*p)->count++;
    t->count++;
  }
}

void gxds_session_table_remove(gxds_session_table *t, const gxds_address *address,
                               const gxds_session_endpoint *e) {
  const uint64_t h = hash(t, address);
  page **p = &t->pages[page_number(t, h)];
  const slot *s = *p ? find_slot(*p, h, address) : NULL;
  if (!s || s->endpoint != e) return;
  renew_page(t, p, size_of(*p), s);
  t->count--;
}

gxds_session_table *gxds_session_table_fit(gxds_session_table *t) {
  const size_t pages = (size_t)1 << t->bits;
  if (t->count <= 4 * ADDRESSES_OF_A_PAGE * pages &&
      (t->bits == 0 || t->count >= ADDRESSES_OF_A_PAGE / 4 * pages)) {
    return t;
  }
  gxds_session_table *other = gxds_session_table_create(&t->of, t->count, t->seed);
  for (size_t i = 0; i < pages; i++) {
    const page *p = t->pages[i];
    for (size_t k = 0; p && k <= p->mask; k++) {
      const slot *s = &p->slots[k];
      if (s->endpoint) gxds_session_table_put(other, &s->address, s->endpoint);
    }
  }
  gxds_session_table_unref(t);
  return other;
}

gxds_session_endpoint *gxds_session_table_find(const gxds_session_table *t,
                                               const gxds_address *address) {
  const uint64_t h = hash(t, address);
  page *p = t->pages[page_number(t, h)];
  return p ? find_slot(p, h, address)->endpoint : NULL;
}

const gxds_session_source *gxds_session_table_source(const gxds_session_table *t) { return &t->of; }
