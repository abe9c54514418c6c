#include "transport/hand_over.h"

#include <pthread.h>
#include <stdbool.h>

#include "transport/clock.h"
#include "transport/fork.h"

/* How long an exit and a fork wait for such work. A fork waits less long, because it stops the
 * reactor, and because work that starts the reactor would in turn wait for the fork. */
static const gxds_duration kPatienceAtExit = 5 * GXDS_SECOND;
static const gxds_duration kPatienceAtFork = 500 * GXDS_MILLISECOND;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* Under the mutex. */
static pthread_cond_t none = PTHREAD_COND_INITIALIZER;
static long count;

/* Whether this thread is running such work. If the work forks or exits, it must not wait for
 * itself. */
static _Thread_local bool at_work;

/* Waits until there is no such work. Under the mutex, which is released while it waits. */
static void await_none(gxds_duration patience) {
  if (at_work) return;
  struct timespec limit = gxds_clock_limit(patience);
  while (count > 0 && pthread_cond_timedwait(&none, &mutex, &limit) == 0) {
  }
}

/* The mutex stays locked until after the fork. */
static void before_fork(void) {
  pthread_mutex_lock(&mutex);
  await_none(kPatienceAtFork);
}

static void after_fork_in_parent(void) { pthread_mutex_unlock(&mutex); }

static void after_fork_in_child(void) {
  count = at_work;                                 /* only the thread that forked exists here,
                                                      perhaps with its work */
  none = (pthread_cond_t)PTHREAD_COND_INITIALIZER; /* the old value counts waiters that do not exist
                                                      here */
  pthread_mutex_unlock(&mutex);
}

/* Runs after the reactor's destructor, which has no priority. */
__attribute__((destructor(101))) static void at_exit(void) {
  pthread_mutex_lock(&mutex);
  await_none(kPatienceAtExit);
  pthread_mutex_unlock(&mutex);
}

const gxds_fork_handlers gxds_hand_over_fork_handlers = {before_fork, after_fork_in_parent,
                                                         after_fork_in_child};

void gxds_hand_over_begin(void) {
  gxds_fork_register(GXDS_FORK_HAND_OVER, &gxds_hand_over_fork_handlers);
  pthread_mutex_lock(&mutex);
  count++;
  pthread_mutex_unlock(&mutex);
}

void gxds_hand_over_run(void (*work)(void *arg), void *arg) {
  at_work = true;
  work(arg);
  at_work = false;
  pthread_mutex_lock(&mutex);
  if (--count == 0) pthread_cond_broadcast(&none);
  pthread_mutex_unlock(&mutex);
}
