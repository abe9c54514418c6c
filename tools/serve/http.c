#include "tools/serve/http.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct gxds_serve_http {
  struct MHD_Daemon *daemon;
  gxds_serve_http_options options;
};

static void keep_body(const gxds_serve_http *h, gxds_serve_http_request *r, const char *data,
                      size_t size) {
  if (r->body.size + size > h->options.body_max) {
    r->too_long = true;
  } else {
    gxds_text_add(&r->body, gxds_str_of(data, size));
  }
}

static enum MHD_Result on_call(void *arg, struct MHD_Connection *c, const char *url,
                               const char *method, const char *version, const char *data,
                               size_t *size, void **context) {
  (void)version;
  const gxds_serve_http *h = arg;
  gxds_serve_http_request *r = *context;
  if (!r) { /* the headers have arrived; further calls have the body */
    *context = GXDS_NEW(gxds_serve_http_request);
    return MHD_YES;
  }
  if (*size) {
    keep_body(h, r, data, *size);
    *size = 0;
    return MHD_YES;
  }
  r->connection = c;
  r->url = url;
  r->method = method;
  return h->options.on_request(h->options.arg, r);
}

static void on_completed(void *arg, struct MHD_Connection *c, void **context,
                         enum MHD_RequestTerminationCode why) {
  (void)arg;
  (void)c;
  (void)why;
  gxds_serve_http_request *r = *context;
  if (!r) return;
  gxds_text_fini(&r->body);
  gxds_free(r);
}

/* Resolves "ADDRESS:PORT" or "[ADDRESS]:PORT". On failure returns NULL, and *status is the reason.
 * The caller ends it with freeaddrinfo(). */
static struct addrinfo *address_of(const gxds_serve_http_options *o, gxds_status *status) {
  const char *listen = o->listen;
  const char *colon = strrchr(listen, ':');
  struct addrinfo *address = NULL;
  struct addrinfo hints = {.ai_flags = AI_NUMERICSERV | AI_PASSIVE, .ai_socktype = SOCK_STREAM};
  char host[256] = "";
  size_t size = colon ? (size_t)(colon - listen) : 0;
  bool bracketed = size >= 2 && listen[0] == '[' && listen[size - 1] == ']';
  if (bracketed) size -= 2;
  int error = EAI_NONAME;
  if (size > 0 && size < sizeof host) {
    memcpy(host, listen + (bracketed ? 1 : 0), size);
    error = getaddrinfo(host, colon + 1, &hints, &address);
  }
  if (error == 0) return address;
  *status = gxds_status_make(GXDS_INVALID_ARGUMENT, "%s: expected ADDRESS:PORT, found %s (%s)",
                             o->option, listen, gai_strerror(error));
  return NULL;
}

static struct MHD_Daemon *start_daemon(gxds_serve_http *h, const struct addrinfo *address) {
  /* select(), the default, cannot watch a descriptor above 1,023. */
  unsigned flags = MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG;
  if (address->ai_family == AF_INET6) flags |= MHD_USE_IPv6;
  return MHD_start_daemon(flags, 0, NULL, NULL, on_call, h, MHD_OPTION_SOCK_ADDR, address->ai_addr,
                          MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL,
                          MHD_OPTION_CONNECTION_LIMIT, 64u, MHD_OPTION_CONNECTION_TIMEOUT, 30u,
                          MHD_OPTION_END);
}

gxds_serve_http *gxds_serve_http_start(const gxds_serve_http_options *options, int *port,
                                       gxds_status *status) {
  struct addrinfo *address = address_of(options, status);
  if (!address) return NULL;
  gxds_serve_http *h = GXDS_NEW(gxds_serve_http);
  h->options = *options;
  h->daemon = start_daemon(h, address);
  freeaddrinfo(address);
  if (!h->daemon) {
    *status = gxds_status_make(GXDS_UNAVAILABLE, "%s: cannot listen on %s: %s", options->option,
                               options->listen, strerror(errno));
    gxds_free(h);
    return NULL;
  }
  *port = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
  *status = gxds_status_ok();
  return h;
}

void gxds_serve_http_stop(gxds_serve_http *h) {
  if (!h) return;
  MHD_stop_daemon(h->daemon);
  gxds_free(h);
}
