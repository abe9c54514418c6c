#include "transport/worker.h"

#include <grpc/grpc.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/check.h"
#include "base/memory.h"
#include "transport/clock.h"
#include "transport/gpr_time.h"
#include "transport/poll_policy.h"
#include "transport/thread.h"

struct gxds_worker {
  pthread_t thread;
  int host_epoll;
  int end;                   /* an eventfd, which is readable when the worker must end */
  grpc_completion_queue *cq; /* only to poll; nothing ever completes on it */

  pthread_mutex_t mutex;
  pthread_cond_t changed;
  /* Under the mutex. */
  unsigned parks;
  bool inside;
};

static _Thread_local bool is_worker;

/* Waits for the time, or until fds have events. */
static void wait_for(struct pollfd *fds, nfds_t count, gxds_duration time) {
  const struct timespec t = gxds_to_timespec(time);
  for (nfds_t i = 0; i < count; i++) fds[i].revents = 0;
  (void)ppoll(fds, count, &t, NULL);
}

static void enter(gxds_worker *w) {
  pthread_mutex_lock(&w->mutex);
  while (w->parks > 0) pthread_cond_wait(&w->changed, &w->mutex);
  w->inside = true;
  pthread_mutex_unlock(&w->mutex);
}

static void leave(gxds_worker *w) {
  pthread_mutex_lock(&w->mutex);
  w->inside = false;
  pthread_cond_broadcast(&w->changed);
  pthread_mutex_unlock(&w->mutex);
}

/* Whether there was something to do for half of the time, or more. */
static bool poll_host(gxds_worker *w, gxds_duration time) {
  enter(w);
  gxds_time before = gxds_clock_of_thread();
  gxds_time until = gxds_clock_now() + time;
  grpc_event e = grpc_completion_queue_next(w->cq, gxds_to_gpr(until), NULL);
  GXDS_CHECK(e.type == GRPC_QUEUE_TIMEOUT);
  bool busy = gxds_clock_of_thread() - before >= time / 2;
  leave(w);
  return busy;
}

static void *run(void *arg) {
  gxds_worker *w = arg;
  is_worker = true;
  struct pollfd fds[] = {{.fd = w->end, .events = POLLIN}, {.fd = w->host_epoll, .events = POLLIN}};
  gxds_poll_policy policy;
  gxds_poll_step step = gxds_poll_policy_init(&policy);
  while (!fds[0].revents) {
    bool busy = false;
    switch (step.kind) {
      case GXDS_POLL_WATCH:
        wait_for(fds, 2, step.time);
        break;
      case GXDS_POLL_PAUSE:
        wait_for(fds, 1, step.time);
        if (!fds[0].revents) wait_for(fds, 2, 0);
        break;
      case GXDS_POLL_POLL:
        busy = poll_host(w, step.time);
        break;
    }
    bool found = step.kind == GXDS_POLL_POLL ? busy : fds[1].revents != 0;
    step = gxds_poll_policy_next(&policy, found, gxds_clock_now());
  }
  return NULL;
}

/* w must have no thread. */
static void destroy(gxds_worker *w) {
  grpc_completion_queue_shutdown(w->cq);
  grpc_event e = grpc_completion_queue_next(w->cq, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
  GXDS_CHECK(e.type == GRPC_QUEUE_SHUTDOWN);
  grpc_completion_queue_destroy(w->cq);
  close(w->end);
  pthread_cond_destroy(&w->changed);
  pthread_mutex_destroy(&w->mutex);
  gxds_free(w);
}

gxds_worker *gxds_worker_create(int host_epoll) {
  int end = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (end < 0) return NULL;
  gxds_worker *w = GXDS_NEW(gxds_worker);
  w->host_epoll = host_epoll;
  w->end = end;
  w->cq = grpc_completion_queue_create_for_next(NULL);
  pthread_mutex_init(&w->mutex, NULL);
  pthread_cond_init(&w->changed, NULL);
  if (gxds_thread_start(&w->thread, "grpc_xds_poll", run, w) == 0) return w;
  destroy(w);
  return NULL;
}

void gxds_worker_destroy(gxds_worker *w) {
  GXDS_CHECK(eventfd_write(w->end, 1) == 0);
  GXDS_CHECK(pthread_join(w->thread, NULL) == 0);
  destroy(w);
}

bool gxds_worker_is_current(void) { return is_worker; }

bool gxds_worker_park(gxds_worker *w, const struct timespec *limit) {
  pthread_mutex_lock(&w->mutex);
  w->parks++;
  for (int error = 0; w->inside && error == 0;) {
    error = pthread_cond_timedwait(&w->changed, &w->mutex, limit);
  }
  bool outside = !w->inside;
  pthread_mutex_unlock(&w->mutex);
  return outside;
}

void gxds_worker_resume(gxds_worker *w) {
  pthread_mutex_lock(&w->mutex);
  w->parks--;
  pthread_cond_broadcast(&w->changed);
  pthread_mutex_unlock(&w->mutex);
}

void gxds_worker_abandon(gxds_worker *w) {
  is_worker = false; /* if the worker itself forked, the child's thread is not a worker any more */
  close(w->end);
}
