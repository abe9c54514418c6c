#include "transport/thread.h"

#include <signal.h>

int gxds_thread_start(pthread_t *thread, const char *name, void *(*run)(void *arg), void *arg) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(thread, NULL, run, arg);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error == 0) pthread_setname_np(*thread, name);
  return error;
}

int gxds_thread_start_detached(const char *name, void *(*run)(void *arg), void *arg) {
  pthread_t thread;
  int error = gxds_thread_start(&thread, name, run, arg);
  if (error == 0) pthread_detach(thread);
  return error;
}
