#include "transport/source_thread.h"

#include <string.h>

#include "transport/thread.h"

static void try_again(void *arg) {
  gxds_source_thread *t = arg;
  int error = gxds_thread_start_detached(t->name, t->run, t->arg);
  t->waits = error != 0;
  if (!t->waits) return;
  gxds_timer_set(&t->timer, gxds_time_after(gxds_reactor_now(), GXDS_SECOND), try_again, t);
  if (t->reported) return;
  t->reported = true;
  gxds_status status = gxds_status_make(
      GXDS_UNAVAILABLE, "no thread for it (tried again each second): %s", strerror(error));
  t->on_failed(t->arg, &status);
  gxds_status_fini(&status);
}

void gxds_source_thread_start(gxds_source_thread *t) {
  t->waits = gxds_thread_start_detached(t->name, t->run, t->arg) != 0;
  if (t->waits) gxds_timer_set(&t->timer, gxds_reactor_now(), try_again, t);
}

bool gxds_source_thread_give_up(gxds_source_thread *t) {
  gxds_timer_cancel(&t->timer);
  return t->waits;
}
