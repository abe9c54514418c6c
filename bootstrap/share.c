#include "bootstrap/share.h"

#include <pthread.h>

#include "base/fork_lock.h"
#include "base/hash_table.h"
#include "base/memory.h"

struct gxds_bootstrap_share {
  gxds_str target;
  const gxds_bootstrap *bootstrap;
  size_t uses;
  UT_hash_handle hh;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static gxds_bootstrap_share *shares; /* guarded by lock; so are their use counts */

static void take_lock(void) { pthread_mutex_lock(&lock); }
static void release_lock(void) { pthread_mutex_unlock(&lock); }
GXDS_LOCK_OVER_FORKS(take_lock, release_lock, release_lock);

static gxds_bootstrap_share *use(gxds_str target) {
  gxds_bootstrap_share *s = NULL;
  HASH_FIND(hh, shares, target.data, target.size, s);
  if (s) s->uses++;
  return s;
}

gxds_bootstrap_share *gxds_bootstrap_share_find(gxds_str target) {
  pthread_mutex_lock(&lock);
  gxds_bootstrap_share *s = use(target);
  pthread_mutex_unlock(&lock);
  return s;
}

gxds_bootstrap_share *gxds_bootstrap_share_add(gxds_str target, const gxds_bootstrap *take) {
  pthread_mutex_lock(&lock);
  gxds_bootstrap_share *s = use(target);
  if (s) {
    gxds_bootstrap_unref(take);
  } else {
    s = GXDS_NEW(gxds_bootstrap_share);
    s->target = gxds_str_dup(target);
    s->bootstrap = take;
    s->uses = 1;
    HASH_ADD_KEYPTR(hh, shares, s->target.data, s->target.size, s);
  }
  pthread_mutex_unlock(&lock);
  return s;
}

const gxds_bootstrap *gxds_bootstrap_share_get(const gxds_bootstrap_share *s) {
  return s->bootstrap;
}

void gxds_bootstrap_share_end(gxds_bootstrap_share *s) {
  if (!s) return;
  pthread_mutex_lock(&lock);
  bool last = --s->uses == 0;
  if (last) HASH_DEL(shares, s);
  pthread_mutex_unlock(&lock);
  if (!last) return;
  gxds_bootstrap_unref(s->bootstrap);
  gxds_str_free(&s->target);
  gxds_free(s);
}
