#include "transport/thread_pool.h"

#include <pthread.h>
#include <stddef.h>
#include <utlist.h>

#include "base/check.h"
#include "base/memory.h"
#include "transport/thread.h"

typedef struct piece {
  struct piece *prev;
  struct piece *next;
  void (*work)(void *arg);
  void *arg;
} piece;

struct gxds_thread_pool {
  pthread_mutex_t mutex;
  pthread_cond_t some;
  /* Under the mutex. */
  piece *first;
  size_t waiting;
  size_t idle;
  size_t threads;
};

static void *run(void *arg) {
  gxds_thread_pool *pool = arg;
  for (;;) {
    pthread_mutex_lock(&pool->mutex);
    pool->idle++;
    while (!pool->first) pthread_cond_wait(&pool->some, &pool->mutex);
    pool->idle--;
    piece *p = pool->first;
    DL_DELETE(pool->first, p);
    pool->waiting--;
    pthread_mutex_unlock(&pool->mutex);
    p->work(p->arg);
    gxds_free(p);
  }
  return NULL;
}

gxds_thread_pool *gxds_thread_pool_create(void) {
  gxds_thread_pool *pool = GXDS_NEW(gxds_thread_pool);
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->some, NULL);
  return pool;
}

void gxds_thread_pool_run(gxds_thread_pool *pool, void (*work)(void *arg), void *arg) {
  piece *p = GXDS_NEW(piece);
  p->work = work;
  p->arg = arg;
  pthread_mutex_lock(&pool->mutex);
  DL_APPEND(pool->first, p);
  if (++pool->waiting > pool->idle) {
    if (gxds_thread_start_detached("grpc_xds_pool", run, pool) == 0) pool->threads++;
    /* If the system has no more threads, the work waits for one of ours. */
    GXDS_CHECK(pool->threads > 0);
  } else {
    pthread_cond_signal(&pool->some);
  }
  pthread_mutex_unlock(&pool->mutex);
}
