#include "transport/metrics_server.h"

#include <errno.h>
#include <grpc/support/log.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/text.h"
#include "transport/dump.h"

/* A scraper's request is some hundred bytes, and comes at once. */
enum { kRequestBytesMax = 8192, kPatienceSeconds = 5 };

static const char variable[] = "GRPC_XDS_METRICS_ADDRESS";

/* ---- one connection ---- */

/* Whether a whole request head came; it is then in buffer, zero-terminated. */
static bool read_head(int fd, char *buffer) {
  size_t size = 0;
  while (size < kRequestBytesMax) {
    ssize_t got = recv(fd, buffer + size, kRequestBytesMax - size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    size += (size_t)got;
    buffer[size] = 0;
    if (strstr(buffer, "\r\n\r\n")) return true;
  }
  return false;
}

static void send_all(int fd, gxds_str s) {
  while (s.size > 0) {
    ssize_t sent = send(fd, s.data, s.size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    s = gxds_str_of(s.data + sent, s.size - (size_t)sent);
  }
}

static void answer(int fd, const char *status, const char *type, gxds_str body) {
  gxds_text text = {0};
  gxds_text_addf(&text,
                 "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                 "Connection: close\r\n\r\n",
                 status, type, body.size);
  gxds_text_add(&text, body);
  send_all(fd, gxds_text_str(&text));
  gxds_text_fini(&text);
}

static bool asks_for_metrics(const char *head) {
  static const char path[] = "GET /metrics";
  if (strncmp(head, path, sizeof path - 1) != 0) return false;
  return head[sizeof path - 1] == ' ' || head[sizeof path - 1] == '?';
}

static void serve_one(int fd) {
  static const char plain[] = "text/plain; charset=utf-8";
  const struct timeval patience = {.tv_sec = kPatienceSeconds};
  (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  char head[kRequestBytesMax + 1];
  if (!read_head(fd, head)) return;
  if (!asks_for_metrics(head)) {
    answer(fd, "404 Not Found", plain, gxds_str_z("there is GET /metrics\n"));
    return;
  }
  gxds_str metrics;
  if (gxds_clients_dump(GXDS_DUMP_METRICS, gxds_str_of(NULL, 0), &metrics)) {
    answer(fd, "200 OK", "text/plain; version=0.0.4; charset=utf-8", metrics);
  } else {
    answer(fd, "503 Service Unavailable", plain, gxds_str_z("the xDS clients are busy\n"));
  }
  gxds_str_free(&metrics);
}

static void *serve(void *arg) {
  int listener = *(int *)arg;
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) {
      serve_one(fd);
      close(fd);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
      sleep(1); /* the program is out of them: it may have some again */
    } else if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK) {
      return NULL; /* the program closed what it did not open */
    }
  }
}

/* ---- start ---- */

/* "127.0.0.1:9464", "[::1]:9464" → its parts, which are the caller's. */
static bool split(const char *address, char **host, char **port) {
  const char *colon = strrchr(address, ':');
  if (!colon || colon == address || colon[1] == 0) return false;
  bool bracketed = address[0] == '[' && colon[-1] == ']';
  const char *begin = bracketed ? address + 1 : address;
  *host = strndup(begin, (size_t)(colon - begin) - (bracketed ? 1 : 0));
  *port = strdup(colon + 1);
  if (!*host || !*port) abort();
  return true;
}

/* A listening socket, or -1: *why says it. */
static int listen_on(const char *address, const char **why) {
  char *host;
  char *port;
  *why = "expected ADDRESS:PORT";
  if (!split(address, &host, &port)) return -1;
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                 .ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV};
  struct addrinfo *info = NULL;
  int error = getaddrinfo(host, port, &hints, &info);
  free(host);
  free(port);
  if (error != 0) {
    *why = gai_strerror(error);
    return -1;
  }
  int one = 1;
  int fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool ok = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
            bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, 16) == 0;
  if (!ok) *why = strerror(errno);
  freeaddrinfo(info);
  if (!ok && fd >= 0) close(fd);
  return ok ? fd : -1;
}

static void log_address(int fd) {
  struct sockaddr_storage at = {0};
  socklen_t size = sizeof at;
  char host[64];
  char port[16];
  if (getsockname(fd, (struct sockaddr *)&at, &size) != 0) return;
  if (getnameinfo((struct sockaddr *)&at, size, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return;
  }
  const char *format = at.ss_family == AF_INET6 ? "grpc_xds: metrics at http://[%s]:%s/metrics"
                                                : "grpc_xds: metrics at http://%s:%s/metrics";
  gpr_log(GPR_INFO, format, host, port);
}

/* Signals are the program's. */
static int start_thread(int *fd) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  int error = pthread_create(&thread, NULL, serve, fd);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error == 0) pthread_detach(thread);
  return error;
}

static int listening = -1; /* the thread's, from its start on */

/* No thread accepts in the child, and its copy would keep the port from whoever wants it next. */
static void after_fork_in_child(void) {
  if (listening >= 0) close(listening);
  listening = -1;
}

static void start(void) {
  const char *address = getenv(variable);
  if (!address || !*address) return;
  const char *why;
  listening = listen_on(address, &why);
  if (listening < 0) {
    gpr_log(GPR_ERROR, "grpc_xds: no metrics: cannot listen on %s=%s: %s", variable, address, why);
    return;
  }
  log_address(listening);
  pthread_atfork(NULL, NULL, after_fork_in_child);
  int error = start_thread(&listening);
  if (error == 0) return;
  gpr_log(GPR_ERROR, "grpc_xds: no metrics: no thread for them: %s", strerror(error));
  close(listening);
  listening = -1;
}

void gxds_metrics_server_start(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start);
}
