#include "transport/reactor.h"

#include <grpc/grpc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "base/check.h"
#include "base/memory.h"
#include "transport/timer_heap.h"

/* Completions of one turn before timers get theirs: far more than streams have outstanding, so what
 * was ready when the turn began is handled first; but a server that never pauses cannot keep timers
 * from firing. */
enum { kCompletionsPerTurn = 1024 };

/* How long a fork waits for the reactor to leave gRPC. It leaves at its next turn; only a program
 * that forks inside a callback of gRPC's could hold it up. Then the fork goes on, as the host's
 * would with a thread of the program's own inside gRPC. */
enum { kParkSeconds = 5 };

/* One life of the thread, and what it alone owns. */
typedef struct loop {
  grpc_completion_queue *cq;
  grpc_channel *lame; /* never connects; only gives a call to wake the thread with */
  grpc_call *wake_call;
  pthread_t thread;
  atomic_bool ended; /* the thread's last act: joining it takes no time */
  struct loop *next; /* among those that are to be joined */
} loop;

typedef struct post {
  struct post *next;
  void (*fn)(void *arg);
  void *arg;
} post;

/* Any thread. Static, and not part of a loop: a poster may still look at them when what it posted
 * has already ended the loop. All accesses are sequentially consistent: "store work, then try to
 * wake" here against "become idle, then look for work" on the reactor. */
enum { kWakeIdle, kWakePending, kWakeStopped };
static atomic_int wake_state = kWakeStopped;
static _Atomic(post *) posts; /* newest first */
static atomic_int uses;
static atomic_bool park_wanted;
static atomic_bool leave_wanted;
static atomic_uint generation;

/* Written while wake_state is stopped; read by whoever made it pending, until the completion of
 * that wake-up is taken: without it the loop does not end. Atomic, as that order is made inside
 * gRPC, where the thread sanitizer does not see it. */
static _Atomic(grpc_call *) wake_call;

/* Under the lock. */
static pthread_mutex_t lifecycle = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t parked_or_stopped = PTHREAD_COND_INITIALIZER;
static pthread_cond_t resumed = PTHREAD_COND_INITIALIZER;
static loop *running;
static loop *ended_loops; /* to be joined */
static bool parked;
static bool fork_handlers_registered;

/* The reactor's thread. */
static _Thread_local loop *current;
static gxds_timer_heap timers;
static gxds_time turn_now;

static gxds_time clock_now(void) {
  struct timespec t;
  GXDS_CHECK(clock_gettime(CLOCK_MONOTONIC, &t) == 0);
  return (gxds_time)t.tv_sec * GXDS_SECOND + t.tv_nsec;
}

/* GPR_CLOCK_MONOTONIC is CLOCK_MONOTONIC. */
static gpr_timespec to_gpr(gxds_time t) {
  if (t == GXDS_TIME_NEVER) return gpr_inf_future(GPR_CLOCK_MONOTONIC);
  return (gpr_timespec){t / GXDS_SECOND, (int32_t)(t % GXDS_SECOND), GPR_CLOCK_MONOTONIC};
}

/* Waking: one zero-operation batch outstanding at a time. */

static void run_posts(void) {
  post *newest = atomic_exchange(&posts, NULL);
  post *oldest = NULL;
  while (newest) {
    post *next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  while (oldest) {
    post p = *oldest;
    gxds_free(oldest);
    oldest = p.next;
    p.fn(p.arg);
  }
}

static void on_woken(gxds_completion *self, bool ok) {
  (void)self;
  (void)ok;
  atomic_store(&wake_state, kWakeIdle);
  run_posts();
}

static gxds_completion woken = {on_woken};

static void wake(void) {
  int idle = kWakeIdle;
  if (!atomic_compare_exchange_strong(&wake_state, &idle, kWakePending)) return;
  grpc_call *call = atomic_load(&wake_call);
  GXDS_CHECK(grpc_call_start_batch(call, NULL, 0, &woken, NULL) == GRPC_CALL_OK);
}

void gxds_reactor_post(void (*fn)(void *arg), void *arg) {
  post *p = GXDS_NEW(post);
  p->fn = fn;
  p->arg = arg;
  p->next = atomic_load(&posts);
  while (!atomic_compare_exchange_weak(&posts, &p->next, p)) {
  }
  wake();
}

/* The thread. */

/* A fork is waiting. With the lock, nobody starts or stops a loop meanwhile. */
static void park(void) {
  pthread_mutex_lock(&lifecycle);
  parked = true;
  pthread_cond_broadcast(&parked_or_stopped);
  while (atomic_load(&park_wanted)) pthread_cond_wait(&resumed, &lifecycle);
  parked = false;
  pthread_mutex_unlock(&lifecycle);
}

static grpc_event next_event(loop *l, gxds_time deadline) {
  if (atomic_load(&park_wanted)) park();
  return grpc_completion_queue_next(l->cq, to_gpr(deadline), NULL);
}

static void run_completions(loop *l) {
  grpc_event e = next_event(l, gxds_timer_heap_deadline(&timers));
  for (int taken = 0; e.type == GRPC_OP_COMPLETE;) {
    turn_now = clock_now();
    gxds_completion *c = e.tag;
    c->done(c, e.success != 0);
    if (++taken == kCompletionsPerTurn) break;
    e = next_event(l, 0); /* what is ready already */
  }
}

static bool stop_if_unused(loop *l) {
  if (atomic_load(&uses) > 0) return false;
  pthread_mutex_lock(&lifecycle);
  int idle = kWakeIdle;
  /* A pending wake-up is on its way into the queue: it is taken first. */
  bool stop = atomic_load(&uses) == 0 && !atomic_load(&posts) &&
              atomic_compare_exchange_strong(&wake_state, &idle, kWakeStopped);
  if (stop) {
    GXDS_CHECK(timers.count == 0); /* whoever has a timer set holds a use */
    running = NULL;
    l->next = ended_loops;
    ended_loops = l;
    pthread_cond_broadcast(&parked_or_stopped);
  }
  pthread_mutex_unlock(&lifecycle);
  return stop;
}

/* From here on it touches nothing that a new loop uses, and takes no lock of ours: it may be joined
 * under it. */
static void tear_down(loop *l) {
  grpc_call_unref(l->wake_call);
  grpc_channel_destroy(l->lame);
  grpc_completion_queue_shutdown(l->cq);
  grpc_event e = grpc_completion_queue_next(l->cq, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
  GXDS_CHECK(e.type == GRPC_QUEUE_SHUTDOWN); /* whoever has a batch outstanding holds a use */
  grpc_completion_queue_destroy(l->cq);
  grpc_shutdown_blocking(); /* here, not in a thread of gRPC's: joined means done */
  atomic_store(&l->ended, true);
}

static void *run(void *arg) {
  loop *l = arg;
  current = l;
  while (!stop_if_unused(l)) {
    if (atomic_load(&leave_wanted)) return NULL;
    run_completions(l);
    turn_now = clock_now();
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

/* Under the lock. */
static void join_ended_loops(bool wait) {
  for (loop **at = &ended_loops; *at;) {
    loop *l = *at;
    if (wait || atomic_load(&l->ended)) {
      *at = l->next;
      join(l);
    } else {
      at = &l->next;
    }
  }
}

static void start_thread(loop *l) {
  /* Signals are for the program's own threads. */
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  GXDS_CHECK(pthread_create(&l->thread, NULL, run, l) == 0);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_setname_np(l->thread, "grpc_xds");
}

static void register_fork_handlers(void);

/* Under the lock. */
static void start(void) {
  grpc_init();
  register_fork_handlers();
  loop *l = GXDS_NEW(loop);
  l->cq = grpc_completion_queue_create_for_next(NULL);
  l->lame = grpc_lame_client_channel_create("grpc_xds", GRPC_STATUS_UNAVAILABLE, "wakes a thread");
  l->wake_call = grpc_channel_create_call(l->lame, NULL, GRPC_PROPAGATE_DEFAULTS, l->cq,
                                          grpc_slice_from_static_string("/wake"), NULL,
                                          gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
  atomic_store(&wake_call, l->wake_call);
  running = l;
  atomic_store(&wake_state, kWakeIdle);
  start_thread(l);
}

void gxds_reactor_acquire(void) {
  pthread_mutex_lock(&lifecycle);
  atomic_fetch_add(&uses, 1);
  join_ended_loops(false);
  if (!running && !atomic_load(&leave_wanted)) start();
  pthread_mutex_unlock(&lifecycle);
}

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

unsigned gxds_reactor_generation(void) { return atomic_load(&generation); }

/* Fork. pthread_atfork runs what was registered last first before the fork, and last after it; gRPC
 * registers at its first grpc_init, so the reactor is out before gRPC looks for threads inside it,
 * and goes on when gRPC is ready again. */

static void before_fork(void) {
  pthread_mutex_lock(&lifecycle);
  if (running && !current) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += kParkSeconds;
    for (int error = 0; running && !parked && error == 0;) {
      atomic_store(&park_wanted, true); /* each time: another fork may have ended meanwhile */
      wake();
      error = pthread_cond_timedwait(&parked_or_stopped, &lifecycle, &limit);
    }
  }
  join_ended_loops(true);
}

static void after_fork_in_parent(void) {
  atomic_store(&park_wanted, false);
  pthread_cond_broadcast(&resumed);
  pthread_mutex_unlock(&lifecycle);
}

/* The thread is gone, and with it all that it would have brought to an end: the loop (with its
 * grpc_init), and the uses of streams and clients that wait for it, stay. A loop is started by the
 * next acquire. */
static void after_fork_in_child(void) {
  atomic_store(&park_wanted, false);
  atomic_fetch_add(&generation, 1);
  atomic_store(&wake_state, kWakeStopped);
  atomic_store(&posts, NULL);
  gxds_timer_heap_clear(&timers);
  running = NULL;
  parked = false;
  current = NULL;
  /* They count waiters that do not exist here. */
  parked_or_stopped = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  resumed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  pthread_mutex_unlock(&lifecycle);
}

static void register_fork_handlers(void) {
  if (fork_handlers_registered) return;
  fork_handlers_registered = true;
  GXDS_CHECK(pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0);
}

/* When the process exits or the library is unloaded, no thread may be left in our code. A loop that
 * is still in use is left as it is: its batches are outstanding, and others still hold it. */
__attribute__((destructor)) static void leave(void) {
  if (current) return; /* exit() was called on the reactor */
  pthread_mutex_lock(&lifecycle);
  atomic_store(&leave_wanted, true);
  loop *l = running;
  if (l) wake();
  join_ended_loops(true);
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
  return current->cq;
}

void gxds_timer_set(gxds_timer *t, gxds_time deadline, void (*fire)(void *arg), void *arg) {
  GXDS_CHECK(current);
  gxds_timer_heap_set(&timers, t, deadline, fire, arg);
}

void gxds_timer_cancel(gxds_timer *t) {
  GXDS_CHECK(current);
  gxds_timer_heap_cancel(&timers, t);
}
