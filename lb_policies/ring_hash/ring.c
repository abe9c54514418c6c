#include "lb_policies/ring_hash/ring.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define XXH_STATIC_LINKING_ONLY /* for the definition of XXH64_state_t */
#include <xxhash.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/ref.h"
#include "base/search.h"

typedef struct place {
  uint64_t hash;
  size_t member;
} place;

struct gxds_ring {
  gxds_ref refs;
  size_t size;
  size_t capacity;
  place *places; /* ordered by hash */
};

uint64_t gxds_ring_hash_text(gxds_str text) { return XXH64(text.data, text.size, 0); }

static double weight_of(const gxds_ring_member *m) { return m->weight ? (double)m->weight : 1; }

static int compare_places(const void *a, const void *b) {
  const place *left = a;
  const place *right = b;
  if (left->hash != right->hash) return left->hash < right->hash ? -1 : 1;
  return (left->member > right->member) - (left->member < right->member);
}

static void add_place(gxds_ring *r, uint64_t hash, size_t member) {
  if (r->size == r->capacity) {
    r->capacity = 2 * r->capacity;
    r->places = gxds_realloc(r->places, r->capacity, sizeof *r->places);
  }
  r->places[r->size++] = (place){hash, member};
}

/* How many places the ring has: enough that the member with the least weight has a whole number of
 * places, but at most max_size. */
static double scale_of(const gxds_ring_member *members, size_t count, double sum, uint64_t min_size,
                       uint64_t max_size) {
  double least = 1;
  for (size_t i = 0; i < count; i++) least = fmin(least, weight_of(&members[i]) / sum);
  return fmin(ceil(least * (double)min_size) / least, (double)max_size);
}

/* The state of a hash that has read the key. Keys come from the control plane and may be long. So
 * each key is read only once, not once for each of its places. */
static XXH64_state_t hash_key(gxds_str key) {
  XXH64_state_t state;
  XXH64_reset(&state, 0);
  if (key.size) XXH64_update(&state, key.data, key.size);
  return state;
}

/* The hash of "key_number". */
static uint64_t hash_place(const XXH64_state_t *key, uint64_t number) {
  char text[22]; /* room for "_", a number, and a zero byte */
  int length = snprintf(text, sizeof text, "_%" PRIu64, number);
  XXH64_state_t state = *key;
  XXH64_update(&state, text, (size_t)length);
  return XXH64_digest(&state);
}

/* Adds the places of all members: the hashes of "key_0", "key_1" and so on. As in Envoy, the
 * fraction of a place that is left over from one member counts for the next, so that fractions add
 * up to whole places. */
static void add_members(gxds_ring *r, const gxds_ring_member *members, size_t count, double sum,
                        double scale) {
  double placed = 0;
  double target = 0;
  for (size_t i = 0; i < count; i++) {
    XXH64_state_t key = hash_key(members[i].key);
    target += scale * (weight_of(&members[i]) / sum);
    uint64_t number = 0;
    while (placed < target) {
      add_place(r, hash_place(&key, number++), i);
      placed++;
    }
  }
}

const gxds_ring *gxds_ring_create(const gxds_ring_member *members, size_t count, uint64_t min_size,
                                  uint64_t max_size) {
  GXDS_CHECK(count > 0 && min_size > 0 && max_size > 0);
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += weight_of(&members[i]);
  double scale = scale_of(members, count, sum, min_size, max_size);
  gxds_ring *r = GXDS_NEW(gxds_ring);
  gxds_ref_init(&r->refs);
  r->capacity = (size_t)ceil(scale) + 1;
  r->places = gxds_calloc(r->capacity, sizeof *r->places);
  add_members(r, members, count, sum, scale);
  qsort(r->places, r->size, sizeof *r->places, compare_places);
  return r;
}

const gxds_ring *gxds_ring_ref(const gxds_ring *r) {
  gxds_ref_inc(&r->refs);
  return r;
}

void gxds_ring_unref(const gxds_ring *r) {
  if (!r || !gxds_ref_dec(&r->refs)) return;
  gxds_free(r->places);
  gxds_free((gxds_ring *)r);
}

size_t gxds_ring_size(const gxds_ring *r) { return r->size; }

size_t gxds_ring_find(const gxds_ring *r, uint64_t hash) {
  const size_t at = GXDS_LOWER_BOUND(i, 0, r->size, r->places[i].hash < hash);
  return at < r->size ? at : 0;
}

size_t gxds_ring_member_at(const gxds_ring *r, size_t index) { return r->places[index].member; }

uint64_t gxds_ring_hash_at(const gxds_ring *r, size_t index) { return r->places[index].hash; }
