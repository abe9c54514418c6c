#include "transport/fork.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/check.h"
#include "transport/hand_over.h"

/* The stage of hand_over.h takes part from the start, because any thread may hand work over, even
 * for the first time while another thread forks. */
static _Atomic(const gxds_fork_handlers *) stages[GXDS_FORK_STAGE_COUNT] = {
    [GXDS_FORK_HAND_OVER] = &gxds_hand_over_fork_handlers,
};

/* The handlers that take part in the fork that this thread is making. */
static _Thread_local const gxds_fork_handlers *at_fork[GXDS_FORK_STAGE_COUNT];

static void before_fork(void) {
  for (int i = GXDS_FORK_STAGE_COUNT - 1; i >= 0; i--) {
    at_fork[i] = atomic_load(&stages[i]);
    if (at_fork[i] && at_fork[i]->before) at_fork[i]->before();
  }
}

static void after_fork_in_parent(void) {
  for (int i = 0; i < GXDS_FORK_STAGE_COUNT; i++) {
    if (at_fork[i] && at_fork[i]->after_in_parent) at_fork[i]->after_in_parent();
  }
}

static void after_fork_in_child(void) {
  for (int i = 0; i < GXDS_FORK_STAGE_COUNT; i++) {
    if (at_fork[i] && at_fork[i]->after_in_child) at_fork[i]->after_in_child();
  }
}

static void register_once(void) {
  GXDS_CHECK(pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0);
}

void gxds_fork_register(gxds_fork_stage stage, const gxds_fork_handlers *handlers) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, register_once);
  const gxds_fork_handlers *known = atomic_exchange(&stages[stage], handlers);
  GXDS_CHECK(!known || known == handlers);
}
