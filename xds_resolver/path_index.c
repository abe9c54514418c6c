#include "xds_resolver/path_index.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"

typedef struct gxds_path_chain {
  uint64_t hash;
  uint32_t first; /* the chain's first route; GXDS_PATH_CHAIN_END if the place is empty */
  uint32_t last;
} gxds_path_chain;

/* FNV-1a: not the best hash, but the computation of a text's hash also yields the hashes of all its
 * prefixes. Collisions on purpose are no concern, because the control plane, which chooses the
 * texts, is trusted. */
#define HASH_START 0xcbf29ce484222325u
#define HASH_PRIME 0x100000001b3u

static unsigned char folded(char c, bool ignore_case) {
  return (unsigned char)(ignore_case ? gxds_lower(c) : c);
}

static uint64_t hash_add(uint64_t state, char c, bool ignore_case) {
  return (state ^ folded(c, ignore_case)) * HASH_PRIME;
}

static uint64_t hash_text(gxds_str text, bool ignore_case) {
  uint64_t state = HASH_START;
  for (size_t i = 0; i < text.size; i++) state = hash_add(state, text.data[i], ignore_case);
  return state;
}

/* The hash of a chain: made from the hash of its text and from its kind, and spread over all
 * bits. */
static uint64_t hash_finish(uint64_t state, gxds_path_match_kind kind, bool ignore_case) {
  uint64_t h = state + (uint64_t)kind * 2 + (ignore_case ? 1 : 0);
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
  return h ^ (h >> 33);
}

static gxds_str text_of(const gxds_path_index *x, uint32_t number) {
  const gxds_path_match *p = &x->routes[number].path;
  return p->kind == GXDS_PATH_REGEX ? x->regex_prefixes[number] : p->text;
}

static bool ignores_case(const gxds_path_match *p) {
  return p->kind != GXDS_PATH_REGEX && !p->case_sensitive;
}

static bool chain_is(const gxds_path_index *x, const gxds_path_chain *c, gxds_path_match_kind kind,
                     bool ignore_case, gxds_str text) {
  const gxds_path_match *p = &x->routes[c->first].path;
  if (p->kind != kind || ignores_case(p) != ignore_case) return false;
  gxds_str own = text_of(x, c->first);
  return ignore_case ? gxds_str_equal_nocase(own, text) : gxds_str_equal(own, text);
}

/* The place of the chain, or the empty place where it would be. */
static gxds_path_chain *find_place(const gxds_path_index *x, uint64_t hash,
                                   gxds_path_match_kind kind, bool ignore_case, gxds_str text) {
  for (size_t i = hash & x->mask;; i = (i + 1) & x->mask) {
    gxds_path_chain *c = &x->chains[i];
    if (c->first == GXDS_PATH_CHAIN_END) return c;
    if (c->hash == hash && chain_is(x, c, kind, ignore_case, text)) return c;
  }
}

/* ---- make ---- */

static int compare_lengths(const void *a, const void *b) {
  size_t left = *(const size_t *)a;
  size_t right = *(const size_t *)b;
  return (left > right) - (left < right);
}

static void lengths_init(gxds_path_lengths *l, const gxds_path_index *x, size_t count,
                         gxds_path_match_kind kind, bool ignore_case) {
  size_t *items = gxds_calloc(count, sizeof *items);
  size_t found = 0;
  for (uint32_t i = 0; i < count; i++) {
    const gxds_path_match *p = &x->routes[i].path;
    if (p->kind == kind && ignores_case(p) == ignore_case) items[found++] = text_of(x, i).size;
  }
  if (found) qsort(items, found, sizeof *items, compare_lengths);
  size_t kept = 0;
  for (size_t i = 0; i < found; i++) {
    if (kept == 0 || items[kept - 1] != items[i]) items[kept++] = items[i];
  }
  l->items = gxds_realloc(items, kept, sizeof *items);
  l->count = kept;
}

static void add_route(gxds_path_index *x, uint32_t number) {
  const gxds_path_match *p = &x->routes[number].path;
  bool ignore_case = ignores_case(p);
  gxds_str text = text_of(x, number);
  uint64_t hash = hash_finish(hash_text(text, ignore_case), p->kind, ignore_case);
  gxds_path_chain *c = find_place(x, hash, p->kind, ignore_case, text);
  if (c->first == GXDS_PATH_CHAIN_END) {
    *c = (gxds_path_chain){hash, number, number};
  } else {
    x->next[c->last] = number;
    c->last = number;
  }
}

void gxds_path_index_init(gxds_path_index *x, const gxds_route *routes,
                          const gxds_str *regex_prefixes, size_t count) {
  GXDS_CHECK(count < UINT32_MAX);
  *x = (gxds_path_index){.routes = routes, .regex_prefixes = regex_prefixes};
  size_t places = 8;
  while (places < count * 2) places *= 2;
  x->mask = places - 1;
  x->chains = gxds_calloc(places, sizeof *x->chains);
  for (size_t i = 0; i < places; i++) x->chains[i].first = GXDS_PATH_CHAIN_END;
  x->next = gxds_calloc(count, sizeof *x->next);
  for (uint32_t i = 0; i < count; i++) {
    x->next[i] = GXDS_PATH_CHAIN_END;
    const gxds_path_match *p = &routes[i].path;
    if (p->kind == GXDS_PATH_EXACT) x->exact[p->case_sensitive ? 0 : 1] = true;
    add_route(x, i);
  }
  lengths_init(&x->prefix[0], x, count, GXDS_PATH_PREFIX, false);
  lengths_init(&x->prefix[1], x, count, GXDS_PATH_PREFIX, true);
  lengths_init(&x->segments[0], x, count, GXDS_PATH_SEGMENTS, false);
  lengths_init(&x->segments[1], x, count, GXDS_PATH_SEGMENTS, true);
  lengths_init(&x->regex, x, count, GXDS_PATH_REGEX, false);
  x->has_ignoring_case = x->exact[1] || x->prefix[1].count > 0;
  x->has_segments = x->segments[0].count + x->segments[1].count > 0;
  x->has_others = x->has_segments || x->regex.count > 0;
}

void gxds_path_index_fini(gxds_path_index *x) {
  gxds_free(x->next);
  gxds_free(x->chains);
  gxds_free(x->prefix[0].items);
  gxds_free(x->prefix[1].items);
  gxds_free(x->segments[0].items);
  gxds_free(x->segments[1].items);
  gxds_free(x->regex.items);
}

/* ---- ask ---- */

typedef struct found_chains {
  uint32_t *out;
  size_t count;
} found_chains;

static void found_add(found_chains *f, uint32_t first) {
  if (first == GXDS_PATH_CHAIN_END) return;
  if (f->count < GXDS_PATH_CHAINS_MAX) f->out[f->count] = first;
  f->count++;
}

static void look_up(const gxds_path_index *x, uint64_t state, gxds_path_match_kind kind,
                    bool ignore_case, gxds_str text, found_chains *f) {
  uint64_t hash = hash_finish(state, kind, ignore_case);
  found_add(f, find_place(x, hash, kind, ignore_case, text)->first);
}

/* A path with the hash of its first size bytes. */
typedef struct hashed_path {
  gxds_str path;
  bool ignore_case;
  uint64_t state;
  size_t size;
} hashed_path;

static void hash_up_to(hashed_path *h, size_t size) {
  for (; h->size < size; h->size++) {
    h->state = hash_add(h->state, h->path.data[h->size], h->ignore_case);
  }
}

/* Finds the chains of a kind whose texts are prefixes of the path. */
static void find_prefixes(const gxds_path_index *x, const gxds_path_lengths *lengths,
                          gxds_path_match_kind kind, hashed_path *h, found_chains *f) {
  for (size_t i = 0; i < lengths->count && lengths->items[i] <= h->path.size; i++) {
    hash_up_to(h, lengths->items[i]);
    look_up(x, h->state, kind, h->ignore_case, gxds_str_of(h->path.data, h->size), f);
  }
}

static void find_texts(const gxds_path_index *x, gxds_str path, bool ignore_case, found_chains *f) {
  hashed_path h = {path, ignore_case, HASH_START, 0};
  find_prefixes(x, &x->prefix[ignore_case ? 1 : 0], GXDS_PATH_PREFIX, &h, f);
  if (!x->exact[ignore_case ? 1 : 0]) return;
  hash_up_to(&h, path.size);
  look_up(x, h.state, GXDS_PATH_EXACT, ignore_case, path, f);
}

/* Finds the chains whose text is the whole path, or a prefix of it that a slash follows. */
static void find_segments(const gxds_path_index *x, gxds_str path, bool ignore_case,
                          found_chains *f) {
  const gxds_path_lengths *lengths = &x->segments[ignore_case ? 1 : 0];
  hashed_path h = {path, ignore_case, HASH_START, 0};
  for (size_t i = 0; i < lengths->count && lengths->items[i] <= path.size; i++) {
    size_t size = lengths->items[i];
    if (size < path.size && path.data[size] != '/') continue;
    hash_up_to(&h, size);
    look_up(x, h.state, GXDS_PATH_SEGMENTS, ignore_case, gxds_str_of(path.data, size), f);
  }
}

size_t gxds_path_index_find(const gxds_path_index *x, gxds_str path,
                            uint32_t out[GXDS_PATH_CHAINS_MAX]) {
  found_chains f = {out, 0};
  find_texts(x, path, false, &f);
  if (x->has_ignoring_case) find_texts(x, path, true, &f);
  if (!x->has_others) return f.count;
  if (x->has_segments) {
    find_segments(x, path, false, &f);
    find_segments(x, path, true, &f);
  }
  hashed_path h = {path, false, HASH_START, 0};
  find_prefixes(x, &x->regex, GXDS_PATH_REGEX, &h, &f);
  return f.count;
}
