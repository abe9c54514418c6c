#include "lb_policies/cluster_impl/call_counter.h"

#include <pthread.h>

#include "base/check.h"
#include "base/fork_lock.h"
#include "base/memory.h"

/* One reference in `uses`, whose upper half counts references and whose lower half counts
 * requests. */
#define REFERENCE (UINT64_C(1) << 32)

/* All call counters of the process. */
static struct {
  pthread_mutex_t lock;
  gxds_call_counter **buckets;
  size_t bucket_count; /* a power of two, or 0 */
  size_t count;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void take_lock(void) { pthread_mutex_lock(&registry.lock); }
static void release_lock(void) { pthread_mutex_unlock(&registry.lock); }
GXDS_LOCK_OVER_FORKS(take_lock, release_lock, release_lock);

static uint64_t hash_bytes(uint64_t h, gxds_str s) {
  for (size_t i = 0; i < s.size; i++) h = (h ^ (unsigned char)s.data[i]) * 0x100000001b3u;
  return (h ^ 0xff) * 0x100000001b3u;
}

static gxds_call_counter **bucket_of(uint64_t hash) {
  return &registry.buckets[hash & (registry.bucket_count - 1)];
}

static void grow(void) {
  if (registry.count < registry.bucket_count) return;
  gxds_call_counter **old = registry.buckets;
  size_t old_count = registry.bucket_count;
  registry.bucket_count = old_count ? 2 * old_count : 16;
  registry.buckets = gxds_calloc(registry.bucket_count, sizeof *registry.buckets);
  for (size_t i = 0; i < old_count; i++) {
    for (gxds_call_counter *c = old[i], *next; c; c = next) {
      next = c->next;
      c->next = *bucket_of(c->hash);
      *bucket_of(c->hash) = c;
    }
  }
  gxds_free(old);
}

static gxds_call_counter *find(uint64_t hash, gxds_str cluster, gxds_str eds_service) {
  if (registry.bucket_count == 0) return NULL;
  for (gxds_call_counter *c = *bucket_of(hash); c; c = c->next) {
    if (c->hash == hash && gxds_str_equal(c->cluster, cluster) &&
        gxds_str_equal(c->eds_service, eds_service)) {
      return c;
    }
  }
  return NULL;
}

gxds_call_counter *gxds_call_counter_get(gxds_str cluster, gxds_str eds_service) {
  uint64_t hash = hash_bytes(hash_bytes(0xcbf29ce484222325u, cluster), eds_service);
  pthread_mutex_lock(&registry.lock);
  gxds_call_counter *c = find(hash, cluster, eds_service);
  if (!c) {
    grow();
    c = GXDS_NEW(gxds_call_counter);
    c->cluster = gxds_str_dup(cluster);
    c->eds_service = gxds_str_dup(eds_service);
    c->hash = hash;
    c->next = *bucket_of(hash);
    *bucket_of(hash) = c;
    registry.count++;
  }
  (void)gxds_call_counter_ref(c);
  pthread_mutex_unlock(&registry.lock);
  return c;
}

gxds_call_counter *gxds_call_counter_ref(gxds_call_counter *c) {
  __atomic_fetch_add(&c->uses, REFERENCE, __ATOMIC_RELAXED);
  return c;
}

/* Removes the counter from the registry and frees it. Under the lock. */
static void forget(gxds_call_counter *c) {
  gxds_call_counter **place = bucket_of(c->hash);
  while (*place != c) place = &(*place)->next;
  *place = c->next;
  if (--registry.count == 0) {
    gxds_free(registry.buckets);
    registry.buckets = NULL;
    registry.bucket_count = 0;
  }
  gxds_str_free(&c->cluster);
  gxds_str_free(&c->eds_service);
  gxds_free(c);
}

/* Not inlined, because every request ends a use, but very few end the last use. */
__attribute__((noinline)) static void end_last_use(gxds_call_counter *c, uint64_t use) {
  pthread_mutex_lock(&registry.lock);
  if (__atomic_fetch_sub(&c->uses, use, __ATOMIC_ACQ_REL) == use) forget(c);
  pthread_mutex_unlock(&registry.lock);
}

static void end_use(gxds_call_counter *c, uint64_t use) {
  uint64_t n = __atomic_load_n(&c->uses, __ATOMIC_RELAXED);
  while (n != use) {
    if (__atomic_compare_exchange_n(&c->uses, &n, n - use, true, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED)) {
      return;
    }
  }
  end_last_use(c, use);
}

void gxds_call_counter_unref(gxds_call_counter *c) {
  if (c) end_use(c, REFERENCE);
}

void gxds_call_counter_remove(gxds_call_counter *c) {
  GXDS_CHECK(gxds_call_counter_load(c) > 0);
  end_use(c, 1);
}
