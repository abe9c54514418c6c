#include "transport/listener.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/check.h"

/* One for metrics, one for the status. */
enum { kListenersMax = 2, kPatienceSeconds = 5 };

typedef struct listener {
  int fd; /* -1: none */
  void (*answer)(int connection);
} listener;

static listener listeners[kListenersMax] = {{-1, NULL}, {-1, NULL}};

void gxds_listener_send(int connection, gxds_str s) {
  while (s.size > 0) {
    ssize_t sent = send(connection, s.data, s.size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    s = gxds_str_of(s.data + sent, s.size - (size_t)sent);
  }
}

static void *serve(void *arg) {
  const listener l = *(const listener *)arg;
  const struct timeval patience = {.tv_sec = kPatienceSeconds};
  for (;;) {
    int fd = accept4(l.fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) {
      (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
      (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
      l.answer(fd);
      close(fd);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
      sleep(1); /* the program is out of them: it may have some again */
    } else if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK) {
      return NULL; /* the program closed what it did not open */
    }
  }
}

/* No thread accepts in the child, and its copy would keep the port from whoever wants it next. */
static void after_fork_in_child(void) {
  for (int i = 0; i < kListenersMax; i++) {
    if (listeners[i].fd >= 0) close(listeners[i].fd);
    listeners[i].fd = -1;
  }
}

static void forget_in_children(void) { pthread_atfork(NULL, NULL, after_fork_in_child); }

/* Signals are the program's. */
static int start_thread(listener *l) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  int error = pthread_create(&thread, NULL, serve, l);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error == 0) pthread_detach(thread);
  return error;
}

bool gxds_listener_start(int take_fd, void (*answer)(int connection), const char **why) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, forget_in_children);
  listener *l = listeners[0].fd < 0 ? &listeners[0] : &listeners[1];
  GXDS_CHECK(l->fd < 0);
  *l = (listener){take_fd, answer};
  int error = start_thread(l);
  if (error == 0) return true;
  *why = strerrordesc_np(error);
  l->fd = -1;
  close(take_fd);
  return false;
}
