#include "transport/metrics_server.h"

#include <errno.h>
#include <grpc/support/log.h>
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "transport/dump.h"
#include "transport/listener.h"

static const char variable[] = "GRPC_XDS_METRICS_ADDRESS";

/* ---- one connection ---- */

static bool is_whole(gxds_str request) {
  static const char end[] = "\r\n\r\n";
  return request.size > 0 && memmem(request.data, request.size, end, sizeof end - 1) != NULL;
}

static void give(gxds_http_response *out, const char *status, const char *type,
                 gxds_str take_body) {
  gxds_text_addf(&out->head,
                 "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                 "Connection: close\r\n\r\n",
                 status, type, take_body.size);
  out->body = take_body;
}

static bool asks_for_metrics(gxds_str request) {
  return gxds_str_starts_with(request, gxds_str_z("GET /metrics ")) ||
         gxds_str_starts_with(request, gxds_str_z("GET /metrics?"));
}

static void respond(int fd, gxds_str request, gxds_http_response *out) {
  static const char plain[] = "text/plain; charset=utf-8";
  (void)fd;
  if (!asks_for_metrics(request)) {
    give(out, "404 Not Found", plain, gxds_str_dup(gxds_str_z("there is GET /metrics\n")));
    return;
  }
  gxds_str metrics;
  if (gxds_clients_dump(GXDS_DUMP_METRICS, gxds_str_of(NULL, 0), &metrics)) {
    give(out, "200 OK", "text/plain; version=0.0.4; charset=utf-8", metrics);
    return;
  }
  gxds_str_free(&metrics);
  give(out, "503 Service Unavailable", plain,
       gxds_str_dup(gxds_str_z("the xDS clients are busy\n")));
}

static const gxds_service service = {is_whole, respond};

/* ---- start ---- */

/* Divides "127.0.0.1:9464" or "[::1]:9464" into its parts, which the caller frees. */
static bool split(const char *address, char **host, char **port) {
  const char *colon = strrchr(address, ':');
  if (!colon || colon == address || colon[1] == 0) return false;
  /* getaddrinfo() would silently use the low 16 bits of a larger port. */
  if (strtoul(colon + 1, NULL, 10) > UINT16_MAX) return false;
  bool bracketed = address[0] == '[' && colon[-1] == ']';
  const char *begin = bracketed ? address + 1 : address;
  *host = strndup(begin, (size_t)(colon - begin) - (bracketed ? 1 : 0));
  *port = strdup(colon + 1);
  if (!*host || !*port) abort();
  return true;
}

/* A listening socket. On errors returns -1, and *why is the reason. */
static int listen_on(const char *address, const char **why) {
  char *host;
  char *port;
  *why = "expected ADDRESS:PORT, the port at most 65535";
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

static void start(void) {
  const char *address = secure_getenv(variable);
  if (!address || !*address) return;
  const char *why;
  int fd = listen_on(address, &why);
  if (fd < 0) {
    gpr_log(GPR_ERROR, "grpc_xds: no metrics: cannot listen on %s=%s: %s", variable, address, why);
    return;
  }
  log_address(fd);
  if (!gxds_listener_start(fd, &service, &why)) {
    gpr_log(GPR_ERROR, "grpc_xds: no metrics: no thread for them: %s", why);
  }
}

void gxds_metrics_server_start(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start);
}
