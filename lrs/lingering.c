#include "lrs/lingering.h"

#include "base/check.h"
#include "lrs/load_store_internal.h"

/* With about this many lingering localities or fewer, the lists are short, and a generation is
 * seldom raised for another locality. */
#define BUCKET_BITS 10
#define BUCKETS (1 << BUCKET_BITS)

typedef struct bucket {
  _Alignas(64) uint32_t generation; /* atomic; alone in its line: every RPC reads it */
  pthread_mutex_t lock;             /* taken while a store's lock is held, or while no lock is
                                       held */
  gxds_locality_load *first;
  uint64_t looked_at;
} bucket;

static bucket buckets[BUCKETS] = {[0 ... BUCKETS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};

/* In the child of a fork a lock may be held by a thread of the parent, and a list may be half
 * changed. The counters in the lists are the parent's, which the child does not report. They stay
 * in memory. */
static void renew_in_child(void) {
  for (size_t i = 0; i < BUCKETS; i++) {
    buckets[i].lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    buckets[i].first = NULL;
  }
}

__attribute__((constructor)) static void expect_forks(void) {
  GXDS_CHECK(pthread_atfork(NULL, NULL, renew_in_child) == 0);
}

static bucket *bucket_of(const gxds_locality_load *l) {
  return &buckets[((uint64_t)(uintptr_t)l * 0x9e3779b97f4a7c15u) >> (64 - BUCKET_BITS)];
}

const uint32_t *gxds_lingering_generation(const gxds_locality_load *l) {
  return &bucket_of(l)->generation;
}

static void raise_generation(bucket *b) { __atomic_fetch_add(&b->generation, 1, __ATOMIC_SEQ_CST); }

void gxds_lingering_add(gxds_locality_load *take_l) {
  bucket *b = bucket_of(take_l);
  pthread_mutex_lock(&b->lock);
  take_l->next_lingering = b->first;
  b->first = take_l;
  pthread_mutex_unlock(&b->lock);
}

/* Removes l from its list and returns it, if it is in the list and all its RPCs have ended;
 * otherwise returns NULL. Counters in a list are not freed. If l was freed, new counters may have
 * the same address. If these linger, they are settled instead, which is harmless. */
static gxds_locality_load *take_settled(bucket *b, const gxds_locality_load *l) {
  gxds_locality_load *settled = NULL;
  pthread_mutex_lock(&b->lock);
  gxds_locality_load **place = &b->first;
  for (; *place && *place != l; place = &(*place)->next_lingering) b->looked_at++;
  if (*place) b->looked_at++;
  if (*place && gxds_locality_load_in_progress(*place) == 0) {
    settled = *place;
    *place = settled->next_lingering;
  }
  pthread_mutex_unlock(&b->lock);
  return settled;
}

void gxds_lingering_settle(const gxds_locality_load *l) {
  bucket *b = bucket_of(l);
  for (gxds_locality_load *settled; (settled = take_settled(b, l)) != NULL;) {
    if (gxds_load_store_settle(settled)) return;
    raise_generation(b);
  }
}

void gxds_lingering_given_up(const gxds_locality_load *l) {
  raise_generation(bucket_of(l));
  gxds_lingering_settle(l);
}

uint64_t gxds_lingering_looked_at(void) {
  uint64_t sum = 0;
  for (size_t i = 0; i < BUCKETS; i++) {
    pthread_mutex_lock(&buckets[i].lock);
    sum += buckets[i].looked_at;
    pthread_mutex_unlock(&buckets[i].lock);
  }
  return sum;
}
