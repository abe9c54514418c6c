#include "base/index.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/check.h"
#include "base/memory.h"

/* The table doubles when each bucket has this many objects on average. */
#define LOAD_MAX 2
#define FIRST_BUCKET_COUNT 4

uint64_t gxds_index_hash(gxds_str key) { return XXH3_64bits(key.data, key.size); }

static size_t bucket_of(const gxds_index *x, uint64_t hash) { return hash & (x->bucket_count - 1); }

static void put(gxds_index *x, gxds_index_link *link) {
  gxds_index_link **bucket = &x->buckets[bucket_of(x, link->hash)];
  link->next = *bucket;
  *bucket = link;
}

static void grow(gxds_index *x) {
  gxds_index before = *x;
  x->bucket_count = before.bucket_count ? 2 * before.bucket_count : FIRST_BUCKET_COUNT;
  x->buckets = gxds_calloc(x->bucket_count, sizeof(gxds_index_link *));
  for (size_t i = 0; i < before.bucket_count; i++) {
    while (before.buckets[i]) {
      gxds_index_link *link = before.buckets[i];
      before.buckets[i] = link->next;
      put(x, link);
    }
  }
  gxds_free((void *)before.buckets);
}

void gxds_index_add(gxds_index *x, gxds_index_link *link, uint64_t hash) {
  if (x->count >= LOAD_MAX * x->bucket_count) grow(x);
  link->hash = hash;
  put(x, link);
  x->count++;
}

void gxds_index_remove(gxds_index *x, gxds_index_link *link) {
  GXDS_CHECK(x->count > 0);
  gxds_index_link **at = &x->buckets[bucket_of(x, link->hash)];
  while (*at != link) {
    GXDS_CHECK(*at != NULL);
    at = &(*at)->next;
  }
  *at = link->next;
  if (--x->count > 0) return;
  gxds_free((void *)x->buckets);
  *x = (gxds_index){0};
}

static gxds_index_link *skip_others(gxds_index_link *link, uint64_t hash) {
  while (link && link->hash != hash) link = link->next;
  return link;
}

gxds_index_link *gxds_index_find(const gxds_index *x, uint64_t hash) {
  return x->count > 0 ? skip_others(x->buckets[bucket_of(x, hash)], hash) : NULL;
}

gxds_index_link *gxds_index_find_next(const gxds_index_link *link) {
  return skip_others(link->next, link->hash);
}

gxds_index_link *gxds_index_next(const gxds_index *x, const gxds_index_link *link) {
  if (link && link->next) return link->next;
  size_t bucket = link ? bucket_of(x, link->hash) + 1 : 0;
  while (bucket < x->bucket_count && !x->buckets[bucket]) bucket++;
  return bucket < x->bucket_count ? x->buckets[bucket] : NULL;
}
