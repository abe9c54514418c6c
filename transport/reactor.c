#include "transport/reactor.h"

#include <grpc/grpc.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/mpsc_list.h"
#include "transport/clock.h"
#include "transport/fork.h"
#include "transport/thread.h"
#include "transport/timer_heap.h"
#include "transport/waiter.h"

/* How many completions a turn handles before the timers. It is far more than streams have
 * outstanding, so all that was ready when the turn began comes before the timers. But a server that
 * never pauses can't keep timers from firing. */
enum { kCompletionsPerTurn = 1024 };

/* How long a fork waits for the reactor to leave gRPC. The reactor leaves at its next turn; only a
 * program that forks inside a callback of gRPC can delay that. Then the fork continues anyway, as
 * gRPC's own fork handlers do if a thread of the program is inside gRPC. */
enum { kParkSeconds = 5 };

/* How long the reactor may take to end after its last channel is closed. A fork waits that long, so
 * that the host can be shut down before the fork, and the child inherits nothing. If the reactor
 * still runs after this time, something else uses it (an RPC that outlives its channel) for an
 * unknown time. */
static const gxds_time kEnding = GXDS_SECOND;

/* One run of the reactor's thread. */
typedef struct loop {
  gxds_waiter *waiter;
  pthread_t thread;
  atomic_bool ended; /* the last thing that the thread sets: it can be joined now without a wait */
  struct loop *next; /* the next loop that must be joined */
} loop;

typedef struct post {
  gxds_mpsc_link link;
  void (*fn)(void *arg);
  void *arg;
} post;

/* For any thread. They are static, and not part of a loop, because a poster may still use them when
 * its post has already ended the loop. All accesses are sequentially consistent: a poster stores
 * work and then tries to wake the reactor, which becomes idle and then looks for work. */
enum { kWakeIdle, kWakePending, kWakeStopped };
static atomic_int wake_state = kWakeStopped;
static gxds_mpsc_list posts;
static atomic_int uses;
static atomic_int channels;
static _Atomic(gxds_time) closed_at; /* when a channel was last closed */
static atomic_uint parks_wanted;
static atomic_bool leave_wanted;
static atomic_uint generation;

/* Under the lock. */
static pthread_mutex_t lifecycle = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t parked_or_stopped = PTHREAD_COND_INITIALIZER;
static pthread_cond_t resumed = PTHREAD_COND_INITIALIZER;
static loop *running;
static loop *ended_loops; /* loops that must be joined */
static bool parked;
static bool never_ends; /* this is a child, which inherited uses that are never released */

/* The reactor's thread. */
static _Thread_local loop *current;
static gxds_timer_heap timers;
static gxds_time turn_now;

/* Waking: one wake-up outstanding at a time. */

static void run_posts(void) {
  for (post *oldest = (post *)gxds_mpsc_list_take(&posts); oldest;) {
    post p = *oldest;
    gxds_free(oldest);
    oldest = (post *)p.link.next;
    p.fn(p.arg);
  }
}

static void on_woken(gxds_completion *self, bool ok) {
  (void)self;
  (void)ok;
  atomic_store(&wake_state, kWakeIdle);
  run_posts();
}

static gxds_completion woken = {.done = on_woken};

static void wake(void) {
  int idle = kWakeIdle;
  if (atomic_compare_exchange_strong(&wake_state, &idle, kWakePending)) gxds_waiter_wake();
}

void gxds_reactor_post(void (*fn)(void *arg), void *arg) {
  post *p = GXDS_NEW(post);
  p->fn = fn;
  p->arg = arg;
  (void)gxds_mpsc_list_push(&posts, &p->link);
  wake();
}

void gxds_reactor_make_way(void) {
  if (gxds_waiter_must_make_way()) wake();
}

/* Completions. A thread that gets a completion posts it to the reactor. */

static void run_completion(void *arg) {
  gxds_completion *c = arg;
  c->done(c, c->ok);
}

static void post_completion(grpc_completion_queue_functor *functor, int ok) {
  gxds_completion *c = (gxds_completion *)functor;
  unsigned expected = __atomic_load_n(&c->generation, __ATOMIC_ACQUIRE);
  if (expected != atomic_load(&generation)) return;
  c->ok = ok != 0;
  gxds_reactor_post(run_completion, c);
}

gxds_completion gxds_completion_make(void (*done)(gxds_completion *self, bool ok)) {
  return (gxds_completion){.functor = {.functor_run = post_completion}, .done = done};
}

/* gRPC ensures the order internally, where the thread sanitizer does not see it. This release and
 * the acquire that reads it make the order visible. */
gxds_completion *gxds_completion_expect(gxds_completion *c) {
  __atomic_store_n(&c->generation, atomic_load(&generation), __ATOMIC_RELEASE);
  return c;
}

/* The thread. */

/* Waits until the fork is over. The thread that forks holds the lock, so no loop starts or stops
 * during the fork. */
static void park(void) {
  pthread_mutex_lock(&lifecycle);
  parked = true;
  pthread_cond_broadcast(&parked_or_stopped);
  while (atomic_load(&parks_wanted) > 0) pthread_cond_wait(&resumed, &lifecycle);
  parked = false;
  pthread_mutex_unlock(&lifecycle);
}

static gxds_completion *next_completion(loop *l, gxds_time deadline) {
  if (atomic_load(&parks_wanted) > 0) park();
  return gxds_waiter_wait(l->waiter, deadline);
}

static void run_completions(loop *l) {
  gxds_completion *c = next_completion(l, gxds_timer_heap_deadline(&timers));
  for (int taken = 0; c && current;) {
    turn_now = gxds_clock_now();
    c->done(c, c->ok);
    if (++taken == kCompletionsPerTurn) break;
    c = next_completion(l, 0); /* completions that are already ready */
  }
}

static bool stop_if_unused(loop *l) {
  if (atomic_load(&uses) > 0) return false;
  pthread_mutex_lock(&lifecycle);
  int idle = kWakeIdle;
  /* If a wake-up is on its way to the queue, it must be taken before the end. */
  bool stop = atomic_load(&uses) == 0 && gxds_mpsc_list_is_empty(&posts) &&
              atomic_compare_exchange_strong(&wake_state, &idle, kWakeStopped);
  if (stop) {
    GXDS_CHECK(gxds_timer_heap_deadline(&timers) ==
               GXDS_TIME_NEVER); /* no timer is set, because the owner of a set timer has a use */
    running = NULL;
    l->next = ended_loops;
    ended_loops = l;
    pthread_cond_broadcast(&parked_or_stopped);
  }
  pthread_mutex_unlock(&lifecycle);
  return stop;
}

/* Ends everything that the loop owns, and touches nothing that a new loop uses. */
static void tear_down(loop *l) {
  gxds_waiter_destroy(l->waiter); /* no batch is outstanding, because its owner would have a use */
  grpc_shutdown_blocking();       /* on this thread, so that it is done when the thread is joined */
  atomic_store(&l->ended, true);
}

static void *run(void *arg) {
  loop *l = arg;
  current = l;
  while (!stop_if_unused(l)) {
    if (atomic_load(&leave_wanted)) return NULL;
    run_completions(l);
    if (!current) return NULL; /* the child of a fork that this thread made */
    turn_now = gxds_clock_now();
    gxds_timer_heap_fire(&timers, turn_now);
  }
  tear_down(l);
  return NULL;
}

/* Life. */

static void join(loop *l) {
  GXDS_CHECK(pthread_join(l->thread, NULL) == 0);
  gxds_free(l);
}

/* Joins the loops that have ended; with wait, also those that are ending. Under the lock, which is
 * released while it waits. */
static void join_ended_loops(bool wait) {
  for (loop **at = &ended_loops; *at;) {
    loop *l = *at;
    if (wait) {
      *at = l->next;
      pthread_mutex_unlock(&lifecycle);
      join(l);
      pthread_mutex_lock(&lifecycle);
      at = &ended_loops;
    } else if (atomic_load(&l->ended)) {
      *at = l->next;
      join(l);
    } else {
      at = &l->next;
    }
  }
}

/* Under the lock. */
static void start(void) {
  grpc_init();
  gxds_reactor_expect_forks();
  loop *l = GXDS_NEW(loop);
  l->waiter = gxds_waiter_create(&woken);
  running = l;
  atomic_store(&wake_state, kWakeIdle);
  GXDS_CHECK(gxds_thread_start(&l->thread, "grpc_xds", run, l) == 0);
}

void gxds_reactor_acquire(void) {
  pthread_mutex_lock(&lifecycle);
  atomic_fetch_add(&uses, 1);
  if (!atomic_load(&leave_wanted)) {
    join_ended_loops(false);
    if (!running) start();
  }
  pthread_mutex_unlock(&lifecycle);
}

void gxds_reactor_acquire_more(void) { GXDS_CHECK(atomic_fetch_add(&uses, 1) > 0); }

bool gxds_reactor_acquire_running(void) {
  pthread_mutex_lock(&lifecycle);
  bool runs = running && !atomic_load(&leave_wanted);
  if (runs) atomic_fetch_add(&uses, 1);
  pthread_mutex_unlock(&lifecycle);
  return runs;
}

void gxds_reactor_release(void) {
  int before = atomic_fetch_sub(&uses, 1);
  GXDS_CHECK(before > 0);
  if (before == 1) wake();
}

unsigned gxds_reactor_channel_opened(void) {
  pthread_mutex_lock(&lifecycle);
  atomic_fetch_add(&channels, 1);
  pthread_cond_broadcast(&parked_or_stopped); /* a fork does not wait for the end any more */
  pthread_mutex_unlock(&lifecycle);
  return atomic_load(&generation);
}

void gxds_reactor_channel_closed(unsigned opened_in) {
  if (opened_in != atomic_load(&generation)) return;
  atomic_store(&closed_at, gxds_clock_now());
  atomic_fetch_sub(&channels, 1);
}

unsigned gxds_reactor_generation(void) { return atomic_load(&generation); }

/* Fork (fork.h): the reactor leaves gRPC before gRPC looks for threads inside it, and continues
 * when gRPC is ready again. */

/* Waits for the end of a reactor without channels. Under the lock, which is released while it
 * waits. */
static void let_end(void) {
  gxds_time left = atomic_load(&closed_at) + kEnding - gxds_clock_now();
  if (never_ends || left <= 0) return;
  struct timespec limit = gxds_clock_limit(left);
  while (running && atomic_load(&channels) == 0 && !atomic_load(&leave_wanted) &&
         pthread_cond_timedwait(&parked_or_stopped, &lifecycle, &limit) == 0) {
  }
}

static void before_fork(void) {
  pthread_mutex_lock(&lifecycle);
  if (current) return;
  let_end();
  struct timespec limit = gxds_clock_limit(kParkSeconds * GXDS_SECOND);
  atomic_fetch_add(&parks_wanted, 1);
  if (atomic_load(&leave_wanted)) return; /* the process exits: leave() joins the loops */
  join_ended_loops(true);
  while (running && !parked) {
    wake();
    if (pthread_cond_timedwait(&parked_or_stopped, &lifecycle, &limit) != 0) break;
    join_ended_loops(true);
  }
}

static void after_fork_in_parent(void) {
  if (!current) atomic_fetch_sub(&parks_wanted, 1);
  pthread_cond_broadcast(&resumed);
  pthread_mutex_unlock(&lifecycle);
}

/* The child does not have the reactor's thread. So all that the thread would have ended stays: the
 * loop (with its grpc_init), and the uses of streams and clients that wait for it. The next acquire
 * starts a new loop. */
static void after_fork_in_child(void) {
  atomic_store(&parks_wanted, 0);
  atomic_store(&channels, 0);
  never_ends = atomic_load(&uses) > 0;
  atomic_fetch_add(&generation, 1);
  atomic_store(&wake_state, kWakeStopped);
  (void)gxds_mpsc_list_take(&posts);
  gxds_timer_heap_clear(&timers);
  if (running) gxds_waiter_abandon(running->waiter);
  running = NULL;
  parked = false;
  current = NULL;
  /* The old values count waiters that do not exist here. */
  parked_or_stopped = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  resumed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  pthread_mutex_unlock(&lifecycle);
}

void gxds_reactor_expect_forks(void) {
  static const gxds_fork_handlers handlers = {before_fork, after_fork_in_parent,
                                              after_fork_in_child};
  gxds_fork_register(GXDS_FORK_REACTOR, &handlers);
}

/* When the process exits or the library is unloaded, no thread may be left in our code. A loop that
 * is still in use is left as it is, because it has outstanding batches and other users. */
__attribute__((destructor)) static void leave(void) {
  if (current) return; /* the reactor's thread called exit() */
  pthread_mutex_lock(&lifecycle);
  atomic_store(&leave_wanted, true);
  if (running) wake();
  join_ended_loops(true);
  loop *l = running; /* read only now, because the loop may have ended while the lock was
                        released */
  pthread_mutex_unlock(&lifecycle);
  if (l) pthread_join(l->thread, NULL);
}

/* On the reactor. */

bool gxds_reactor_is_current(void) { return current != NULL; }

gxds_time gxds_reactor_now(void) {
  GXDS_CHECK(current);
  return turn_now;
}

grpc_completion_queue *gxds_reactor_cq(void) {
  GXDS_CHECK(current);
  return gxds_waiter_cq(current->waiter);
}

void gxds_reactor_start_batch(grpc_call *call, const grpc_op *ops, size_t count,
                              gxds_completion *c) {
  GXDS_CHECK(current);
  gxds_waiter_start_batch(current->waiter, call, ops, count, gxds_completion_expect(c));
}

void gxds_timer_set(gxds_timer *t, gxds_time deadline, void (*fire)(void *arg), void *arg) {
  GXDS_CHECK(current);
  gxds_timer_heap_set(&timers, t, deadline, fire, arg);
}

void gxds_timer_cancel(gxds_timer *t) {
  GXDS_CHECK(current);
  gxds_timer_heap_cancel(&timers, t);
}
