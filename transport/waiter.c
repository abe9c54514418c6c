#include "transport/waiter.h"

#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/check.h"
#include "base/memory.h"
#include "transport/clock.h"
#include "transport/gpr_time.h"
#include "transport/host_batch.h"
#include "transport/host_epoll.h"
#include "transport/poll_policy.h"

struct gxds_waiter {
  gxds_completion *woken;
  grpc_completion_queue *cq;     /* of calls and watches */
  grpc_completion_queue *inside; /* in which the thread waits inside gRPC; it may be cq */
  /* For wake-ups inside gRPC: a call on a channel that never connects. A batch without operations
   * on it completes at once. */
  grpc_channel *lame;
  grpc_call *wake_call;

  int host_epoll; /* -1: the thread never waits outside */

  /* With a host_epoll. */
  int wake_fd; /* an eventfd, for wake-ups outside */
  grpc_completion_queue_functor on_cq_shut_down;
  sem_t cq_shut_down;
  gxds_poll_policy policy;
  gxds_poll_step step;
  gxds_duration left; /* of the step's time */
  gxds_duration used; /* the CPU time that the step has used inside gRPC */
};

/* Where the thread is, and whether it is woken. A thread that wakes it chooses the way by that, and
 * the woken thread takes the wake-up from there. So when the wake-up has been taken, the waker uses
 * nothing of the waiter any more. All accesses are sequentially consistent. */
enum { kOutside, kInside, kWokenOutside, kWokenInside };
static atomic_int place;
/* These are written only while no thread wakes the waiter. They are atomic for the thread
 * sanitizer, which does not see the order that gRPC ensures internally. */
static atomic_int wake_fd;
static _Atomic(grpc_call *) wake_call;
static _Atomic(gxds_completion *) wake_tag;

/* Whether the thread carries out a STAY. It has its cache line for itself, because every RPC reads
 * it. A waiter that ends leaves it, because the next one may already have set it. */
static _Alignas(64) struct {
  atomic_bool now;
  char rest[63];
} stays;

static gxds_waiter *waiter_of(grpc_completion_queue_functor *shut_down) {
  return (gxds_waiter *)((char *)shut_down - offsetof(gxds_waiter, on_cq_shut_down));
}

static void on_cq_shut_down(grpc_completion_queue_functor *self, int ok) {
  (void)ok;
  GXDS_CHECK(sem_post(&waiter_of(self)->cq_shut_down) == 0);
}

/* Life. */

static void set_step(gxds_waiter *w, gxds_poll_step step) {
  w->step = step;
  w->left = step.time;
  w->used = 0;
  if (step.kind == GXDS_POLL_STAY) atomic_store(&stays.now, true);
}

/* False if the process has no file descriptor left, or if the host's sockets can't be watched. */
static bool can_wait_outside(gxds_waiter *w) {
  /* The host calls completions on its own threads, which a child of a fork may not have. */
  w->host_epoll = gxds_reactor_generation() > 0 ? -1 : gxds_host_epoll();
  w->wake_fd = w->host_epoll < 0 ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (w->wake_fd < 0) w->host_epoll = -1;
  return w->host_epoll >= 0;
}

gxds_waiter *gxds_waiter_create(gxds_completion *woken) {
  gxds_waiter *w = GXDS_NEW(gxds_waiter);
  w->woken = woken;
  w->inside = grpc_completion_queue_create_for_next(NULL);
  w->cq = w->inside;
  if (can_wait_outside(w)) {
    w->on_cq_shut_down.functor_run = on_cq_shut_down;
    GXDS_CHECK(sem_init(&w->cq_shut_down, 0, 0) == 0);
    w->cq = grpc_completion_queue_create_for_callback(&w->on_cq_shut_down, NULL);
    set_step(w, gxds_poll_policy_init(&w->policy));
  }
  w->lame = grpc_lame_client_channel_create("grpc_xds", GRPC_STATUS_UNAVAILABLE, "wakes a thread");
  w->wake_call = grpc_channel_create_call(w->lame, NULL, GRPC_PROPAGATE_DEFAULTS, w->inside,
                                          grpc_slice_from_static_string("/wake"), NULL,
                                          gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
  atomic_store(&place, w->host_epoll < 0 ? kInside : kOutside);
  atomic_store(&wake_fd, w->wake_fd);
  atomic_store(&wake_call, w->wake_call);
  atomic_store(&wake_tag, woken);
  return w;
}

static void end_outside(gxds_waiter *w) {
  grpc_completion_queue_shutdown(w->cq);
  while (sem_wait(&w->cq_shut_down) != 0) GXDS_CHECK(errno == EINTR);
  sem_destroy(&w->cq_shut_down);
  grpc_completion_queue_destroy(w->cq);
  close(w->wake_fd);
}

void gxds_waiter_destroy(gxds_waiter *w) {
  if (w->host_epoll >= 0) end_outside(w);
  grpc_call_unref(w->wake_call);
  grpc_channel_destroy(w->lame);
  grpc_completion_queue_shutdown(w->inside);
  grpc_event e = grpc_completion_queue_next(w->inside, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
  GXDS_CHECK(e.type == GRPC_QUEUE_SHUTDOWN);
  grpc_completion_queue_destroy(w->inside);
  gxds_free(w);
}

void gxds_waiter_abandon(gxds_waiter *w) {
  atomic_store(&stays.now, false);
  if (w->wake_fd >= 0) close(w->wake_fd);
  w->host_epoll = -1;
}

grpc_completion_queue *gxds_waiter_cq(const gxds_waiter *w) { return w->cq; }

void gxds_waiter_start_batch(gxds_waiter *w, grpc_call *call, const grpc_op *ops, size_t count,
                             gxds_completion *tag) {
  grpc_call_error error = w->host_epoll >= 0
                              ? gxds_host_batch_start(call, ops, count, &tag->functor)
                              : grpc_call_start_batch(call, ops, count, tag, NULL);
  GXDS_CHECK(error == GRPC_CALL_OK);
}

/* Waking. */

void gxds_waiter_wake(void) {
  int at = atomic_load(&place);
  while (!atomic_compare_exchange_weak(&place, &at, at == kInside ? kWokenInside : kWokenOutside)) {
  }
  if (at == kInside) {
    grpc_call_error error =
        grpc_call_start_batch(atomic_load(&wake_call), NULL, 0, atomic_load(&wake_tag), NULL);
    GXDS_CHECK(error == GRPC_CALL_OK);
  } else {
    GXDS_CHECK(eventfd_write(atomic_load(&wake_fd), 1) == 0);
  }
}

bool gxds_waiter_must_make_way(void) {
  return atomic_load_explicit(&stays.now, memory_order_relaxed) &&
         atomic_exchange(&stays.now, false);
}

/* Waiting inside gRPC. */

static gxds_completion *next(gxds_waiter *w, gxds_time deadline) {
  grpc_event e = grpc_completion_queue_next(w->inside, gxds_to_gpr(deadline), NULL);
  if (e.type != GRPC_OP_COMPLETE) return NULL;
  gxds_completion *c = e.tag;
  c->ok = e.success != 0;
  if (c == w->woken) atomic_store(&place, w->host_epoll < 0 ? kInside : kOutside);
  return c;
}

/* Waiting outside. */

static void wait_for(struct pollfd *fds, nfds_t count, gxds_duration time) {
  const struct timespec t = gxds_to_timespec(time > 0 ? time : 0);
  for (nfds_t i = 0; i < count; i++) fds[i].revents = 0;
  (void)ppoll(fds, count, &t, NULL);
}

/* Takes a wake-up that is on its way, or has come, through the wake_fd. */
static gxds_completion *take_wake(gxds_waiter *w) {
  struct pollfd fd = {.fd = w->wake_fd, .events = POLLIN};
  eventfd_t count;
  while (eventfd_read(w->wake_fd, &count) != 0) wait_for(&fd, 1, GXDS_SECOND);
  atomic_store(&place, kOutside);
  return w->woken;
}

/* Returns a wake-up. Otherwise returns NULL, and whether the set has events if it looks at it. */
static gxds_completion *wait_outside(gxds_waiter *w, bool look, gxds_duration time, bool *events) {
  struct pollfd fds[] = {{.fd = w->wake_fd, .events = POLLIN},
                         {.fd = w->host_epoll, .events = POLLIN}};
  wait_for(fds, look ? 2 : 1, time);
  if (fds[0].revents) return take_wake(w);
  *events = look && fds[1].revents;
  return NULL;
}

/* The steps of the policy. */

/* Returns a wake-up, or NULL when the time is over. */
static gxds_completion *visit_inside(gxds_waiter *w, gxds_time until) {
  int at = kOutside;
  if (!atomic_compare_exchange_strong(&place, &at, kInside)) return take_wake(w);
  gxds_time before = gxds_clock_of_thread();
  gxds_completion *c = next(w, until);
  if (w->host_epoll < 0) return c; /* abandoned meanwhile */
  at = kInside;
  if (!c && !atomic_compare_exchange_strong(&place, &at, kOutside)) c = next(w, GXDS_TIME_NEVER);
  w->used += gxds_clock_of_thread() - before;
  return c;
}

static bool is_inside(const gxds_waiter *w) {
  return w->step.kind == GXDS_POLL_POLL || w->step.kind == GXDS_POLL_STAY;
}

static void end_step(gxds_waiter *w, bool events, gxds_time now) {
  if (w->step.kind == GXDS_POLL_PAUSE) {
    struct pollfd set = {.fd = w->host_epoll, .events = POLLIN};
    wait_for(&set, 1, 0);
    events = set.revents != 0;
  }
  set_step(w, is_inside(w) ? gxds_poll_policy_polled(&w->policy, w->used, now)
                           : gxds_poll_policy_looked(&w->policy, events, now));
}

/* Carries out the step, and ends it if its time is over, or if it has found events. */
static gxds_completion *carry_out(gxds_waiter *w, gxds_time deadline, gxds_time *now) {
  if (w->step.kind == GXDS_POLL_STAY && !atomic_load(&stays.now)) {
    set_step(w, gxds_poll_policy_call_begins(&w->policy, *now));
  }
  gxds_duration time = deadline - *now < w->left ? deadline - *now : w->left;
  bool events = false;
  gxds_completion *c = is_inside(w)
                           ? visit_inside(w, *now + time)
                           : wait_outside(w, w->step.kind == GXDS_POLL_WATCH, time, &events);
  gxds_time after = gxds_clock_now();
  w->left -= after - *now;
  *now = after;
  if (events || w->left <= 0) end_step(w, events, after);
  return c;
}

gxds_completion *gxds_waiter_wait(gxds_waiter *w, gxds_time deadline) {
  if (w->host_epoll < 0) return next(w, deadline);
  if (deadline == 0) return atomic_load(&place) == kWokenOutside ? take_wake(w) : NULL;
  gxds_time now = gxds_clock_now();
  gxds_completion *c;
  do {
    c = carry_out(w, deadline, &now);
  } while (!c && now < deadline && w->host_epoll >= 0);
  return c;
}
