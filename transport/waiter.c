#include "transport/waiter.h"

#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

#include "base/check.h"
#include "base/memory.h"
#include "transport/clock.h"
#include "transport/gpr_time.h"
#include "transport/host_batch.h"
#include "transport/host_epoll.h"
#include "transport/worker.h"

struct gxds_waiter {
  gxds_completion *woken;
  grpc_completion_queue *cq;
  gxds_worker *worker; /* NULL: the thread waits in the queue */

  /* With a worker. */
  grpc_completion_queue_functor on_cq_shut_down;
  sem_t cq_shut_down;

  /* Without a worker: a call on a channel that never connects. A batch without operations on it
   * completes at once. */
  grpc_channel *lame;
  grpc_call *wake_call;
};

/* They are static, and not part of a waiter, because a thread that wakes the waiter may still use
 * them when the woken thread has already ended. */
static sem_t wakes;
/* The call for wake-ups; NULL: the semaphore is used. It is written only while no thread wakes the
 * waiter. It is atomic for the thread sanitizer, which does not see the order that gRPC ensures
 * internally. */
static _Atomic(grpc_call *) wake_call;
static gxds_completion *_Atomic wake_tag;

static gxds_waiter *waiter_of(grpc_completion_queue_functor *shut_down) {
  return (gxds_waiter *)((char *)shut_down - offsetof(gxds_waiter, on_cq_shut_down));
}

static void on_cq_shut_down(grpc_completion_queue_functor *self, int ok) {
  (void)ok;
  GXDS_CHECK(sem_post(&waiter_of(self)->cq_shut_down) == 0);
}

static void wait_for(sem_t *s) {
  while (sem_wait(s) != 0) GXDS_CHECK(errno == EINTR);
}

static void use_semaphore(gxds_waiter *w) {
  w->on_cq_shut_down.functor_run = on_cq_shut_down;
  GXDS_CHECK(sem_init(&w->cq_shut_down, 0, 0) == 0);
  GXDS_CHECK(sem_init(&wakes, 0, 0) == 0);
  w->cq = grpc_completion_queue_create_for_callback(&w->on_cq_shut_down, NULL);
}

static void use_queue(gxds_waiter *w) {
  w->cq = grpc_completion_queue_create_for_next(NULL);
  w->lame = grpc_lame_client_channel_create("grpc_xds", GRPC_STATUS_UNAVAILABLE, "wakes a thread");
  w->wake_call = grpc_channel_create_call(w->lame, NULL, GRPC_PROPAGATE_DEFAULTS, w->cq,
                                          grpc_slice_from_static_string("/wake"), NULL,
                                          gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
}

gxds_waiter *gxds_waiter_create(gxds_completion *woken) {
  gxds_waiter *w = GXDS_NEW(gxds_waiter);
  w->woken = woken;
  /* The host calls completions on its own threads, which a child of a fork may not have. */
  int host_epoll = gxds_reactor_generation() > 0 ? -1 : gxds_host_epoll();
  if (host_epoll >= 0) w->worker = gxds_worker_create(host_epoll);
  if (w->worker) {
    use_semaphore(w);
  } else {
    use_queue(w);
  }
  atomic_store(&wake_call, w->wake_call);
  atomic_store(&wake_tag, woken);
  return w;
}

void gxds_waiter_leave(gxds_waiter *w) {
  if (w->worker) gxds_worker_destroy(w->worker);
  w->worker = NULL;
}

void gxds_waiter_destroy(gxds_waiter *w) {
  if (w->worker) {
    gxds_waiter_leave(w);
    grpc_completion_queue_shutdown(w->cq);
    wait_for(&w->cq_shut_down);
    sem_destroy(&w->cq_shut_down);
  } else {
    grpc_call_unref(w->wake_call);
    grpc_channel_destroy(w->lame);
    grpc_completion_queue_shutdown(w->cq);
    grpc_event e = grpc_completion_queue_next(w->cq, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
    GXDS_CHECK(e.type == GRPC_QUEUE_SHUTDOWN);
  }
  grpc_completion_queue_destroy(w->cq);
  gxds_free(w);
}

grpc_completion_queue *gxds_waiter_cq(const gxds_waiter *w) { return w->cq; }

void gxds_waiter_start_batch(gxds_waiter *w, grpc_call *call, const grpc_op *ops, size_t count,
                             gxds_completion *tag) {
  grpc_call_error error = w->worker ? gxds_host_batch_start(call, ops, count, &tag->functor)
                                    : grpc_call_start_batch(call, ops, count, tag, NULL);
  GXDS_CHECK(error == GRPC_CALL_OK);
}

/* Waits for the semaphore. False if the time is over. */
static bool wait_until(sem_t *s, gxds_time deadline) {
  if (deadline == 0) return sem_trywait(s) == 0;
  if (deadline == GXDS_TIME_NEVER) {
    wait_for(s);
    return true;
  }
  const struct timespec t = gxds_to_timespec(deadline);
  while (sem_clockwait(s, CLOCK_MONOTONIC, &t) != 0) {
    if (errno == ETIMEDOUT) return false;
    GXDS_CHECK(errno == EINTR);
  }
  return true;
}

gxds_completion *gxds_waiter_wait(gxds_waiter *w, gxds_time deadline) {
  if (w->worker) return wait_until(&wakes, deadline) ? w->woken : NULL;
  grpc_event e = grpc_completion_queue_next(w->cq, gxds_to_gpr(deadline), NULL);
  if (e.type != GRPC_OP_COMPLETE) return NULL;
  gxds_completion *c = e.tag;
  c->ok = e.success != 0;
  return c;
}

void gxds_waiter_wake(void) {
  grpc_call *call = atomic_load(&wake_call);
  if (!call) {
    GXDS_CHECK(sem_post(&wakes) == 0);
    return;
  }
  grpc_call_error error = grpc_call_start_batch(call, NULL, 0, atomic_load(&wake_tag), NULL);
  GXDS_CHECK(error == GRPC_CALL_OK);
}

bool gxds_waiter_park(gxds_waiter *w, const struct timespec *limit) {
  return !w->worker || gxds_worker_park(w->worker, limit);
}

void gxds_waiter_resume(gxds_waiter *w) {
  if (w->worker) gxds_worker_resume(w->worker);
}

void gxds_waiter_abandon(gxds_waiter *w) {
  if (w->worker) gxds_worker_abandon(w->worker);
}
