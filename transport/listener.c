#include "transport/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "transport/clock.h"
#include "transport/fork.h"
#include "transport/thread.h"

/* One for metrics, one for the status. */
enum { kListenersMax = 2 };

typedef struct listener {
  int fd;      /* -1: none */
  ino_t inode; /* the inode of fd */
  gxds_connections connections;
} listener;

static listener listeners[kListenersMax] = {{.fd = -1}, {.fd = -1}};

/* A program may close descriptors that it did not open. Then the same number may refer to another
 * file. */
static bool is_still_there(const listener *l) {
  return l->fd >= 0 && gxds_socket_inode(l->fd) == l->inode;
}

/* Waits until a connection can continue, or a client connects. New clients are accepted only from
 * accept_from on. */
static void await(const listener *l, gxds_time accept_from) {
  struct pollfd events[GXDS_CONNECTIONS_MAX + 1];
  size_t count = gxds_connections_events(&l->connections, events);
  gxds_time until = gxds_connections_deadline(&l->connections);
  const gxds_time now = gxds_clock_now();
  if (now >= accept_from) {
    events[count++] = (struct pollfd){.fd = l->fd, .events = POLLIN};
  } else if (accept_from < until) {
    until = accept_from;
  }
  const gxds_duration left = until > now ? until - now : 0;
  const struct timespec wait = gxds_to_timespec(left);
  ppoll(events, count, until == GXDS_TIME_NEVER ? NULL : &wait, NULL);
}

/* Accepts one connection in each turn, so that its request is read before the next connection,
 * which might take its place. False if no client can connect any more. */
static bool accept_one(listener *l, gxds_time *accept_from) {
  if (gxds_clock_now() < *accept_from) return true;
  int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd >= 0) {
    gxds_connections_add(&l->connections, fd, gxds_clock_now());
  } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
    /* The program is out of descriptors or memory, but may have some again later. */
    *accept_from = gxds_clock_now() + GXDS_SECOND;
  } else if (errno == EINVAL) {
    return false; /* the program has shut the socket down */
  }
  return true;
}

static void *serve(void *arg) {
  listener *l = arg;
  gxds_time accept_from = 0;
  while (is_still_there(l) && accept_one(l, &accept_from)) {
    await(l, accept_from);
    gxds_connections_turn(&l->connections, gxds_clock_now());
  }
  gxds_connections_end(&l->connections);
  return NULL;
}

/* In the child no thread accepts, and its copy of the socket would keep the port in use. */
static void after_fork_in_child(void) {
  for (int i = 0; i < kListenersMax; i++) {
    if (is_still_there(&listeners[i])) close(listeners[i].fd);
    listeners[i].fd = -1;
    gxds_connections_leave_to_parent(&listeners[i].connections);
  }
}

static const gxds_fork_handlers fork_handlers = {NULL, NULL, after_fork_in_child};

bool gxds_listener_start(int take_fd, const gxds_service *service, const char **why) {
  gxds_fork_register(GXDS_FORK_LISTENER, &fork_handlers);
  listener *l = listeners[0].fd < 0 ? &listeners[0] : &listeners[1];
  GXDS_CHECK(l->fd < 0);
  *l = (listener){take_fd, gxds_socket_inode(take_fd), {.service = service}};
  int error = fcntl(take_fd, F_SETFL, O_NONBLOCK) == 0
                  ? gxds_thread_start_detached("grpc_xds_http", serve, l)
                  : errno;
  if (error == 0) return true;
  *why = strerrordesc_np(error);
  l->fd = -1;
  close(take_fd);
  return false;
}
