/* gxds_source_thread: starts the thread of a source (source.h), which watches the directory or asks
 * the web server. If the system has no thread for it, the server can't be reached: that is reported
 * once, and the start is tried again each second. Confined: the reactor's thread. */
#ifndef GRPC_XDS_TRANSPORT_SOURCE_THREAD_H_
#define GRPC_XDS_TRANSPORT_SOURCE_THREAD_H_

#include "base/status.h"
#include "transport/reactor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lives in the struct of the source. */
typedef struct gxds_source_thread {
  const char *name; /* as in gxds_thread_start() */
  void *(*run)(void *arg);
  /* Never called from within a function of the source; may destroy the source. status is borrowed
   * during the call. */
  void (*on_failed)(void *arg, const gxds_status *status);
  void *arg;
  gxds_timer timer;
  bool waits; /* the thread could not be started yet */
  bool reported;
} gxds_source_thread;

/* Starts the thread, which ends by itself. The fields above `timer` must be set, and the others
 * zero. */
void gxds_source_thread_start(gxds_source_thread *t);
/* Ends the attempts to start the thread. True if it never ran, and now never will. */
bool gxds_source_thread_give_up(gxds_source_thread *t);

#ifdef __cplusplus
}
#endif

#endif
