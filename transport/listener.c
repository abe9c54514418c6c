#include "transport/listener.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"

/* One for metrics, one for the status. Prometheus waits for ten seconds if not told otherwise. */
enum { kListenersMax = 2, kConnectionSeconds = 10 };

typedef struct listener {
  int fd;      /* -1: none */
  ino_t inode; /* of fd */
  void (*answer)(const gxds_connection *c);
} listener;

static listener listeners[kListenersMax] = {{.fd = -1}, {.fd = -1}};

/* ---- one connection ---- */

static gxds_time clock_now(void) {
  struct timespec t;
  GXDS_CHECK(clock_gettime(CLOCK_MONOTONIC, &t) == 0);
  return (gxds_time)t.tv_sec * GXDS_SECOND + t.tv_nsec;
}

/* Until there is what the events are of, or an error that the next call meets. False: the time is
 * over. */
static bool await(const gxds_connection *c, short events) {
  for (;;) {
    gxds_duration left = c->until - clock_now();
    if (left <= 0) return false;
    struct pollfd it = {.fd = c->fd, .events = events};
    const struct timespec wait = {left / GXDS_SECOND, left % GXDS_SECOND};
    int ready = ppoll(&it, 1, &wait, NULL);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

static bool is_passing(int error) { return error == EINTR || error == EAGAIN; }

size_t gxds_listener_receive(const gxds_connection *c, char *buffer, size_t size) {
  while (await(c, POLLIN)) {
    ssize_t got = recv(c->fd, buffer, size, MSG_DONTWAIT);
    if (got >= 0) return (size_t)got;
    if (!is_passing(errno)) return 0;
  }
  return 0;
}

void gxds_listener_send(const gxds_connection *c, gxds_str s) {
  while (s.size > 0 && await(c, POLLOUT)) {
    ssize_t sent = send(c->fd, s.data, s.size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      s = gxds_str_of(s.data + sent, s.size - (size_t)sent);
    } else if (!is_passing(errno)) {
      return;
    }
  }
}

/* ---- connections ---- */

/* 0: it is no socket. */
static ino_t inode_of(int fd) {
  struct stat file;
  return fstat(fd, &file) == 0 && S_ISSOCK(file.st_mode) ? file.st_ino : 0;
}

/* A program that closes what it did not open may have something else there since. */
static bool is_still_there(const listener *l) { return l->fd >= 0 && inode_of(l->fd) == l->inode; }

static void *serve(void *arg) {
  const listener l = *(const listener *)arg;
  while (is_still_there(&l)) {
    int fd = accept4(l.fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) {
      l.answer(&(gxds_connection){fd, clock_now() + kConnectionSeconds * GXDS_SECOND});
      close(fd);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
      sleep(1); /* the program is out of them: it may have some again */
    } else if (errno == EINVAL) {
      break; /* the program shut down what it did not open */
    }
  }
  return NULL;
}

/* No thread accepts in the child, and its copy would keep the port from whoever wants it next. */
static void after_fork_in_child(void) {
  for (int i = 0; i < kListenersMax; i++) {
    if (is_still_there(&listeners[i])) close(listeners[i].fd);
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

bool gxds_listener_start(int take_fd, void (*answer)(const gxds_connection *c), const char **why) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, forget_in_children);
  listener *l = listeners[0].fd < 0 ? &listeners[0] : &listeners[1];
  GXDS_CHECK(l->fd < 0);
  *l = (listener){take_fd, inode_of(take_fd), answer};
  int error = start_thread(l);
  if (error == 0) return true;
  *why = strerrordesc_np(error);
  l->fd = -1;
  close(take_fd);
  return false;
}
