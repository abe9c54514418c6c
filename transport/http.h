/* gxds_http: requests to one web server, by libcurl (7.85 or newer). The first request of the
 * process loads libcurl, so programs without a web server in their bootstrap don't load it.
 *
 * It only transfers bytes. It does not use redirects, cookies, passwords from .netrc, or protocols
 * other than http and https. It uses the same proxy as gRPC: the first of grpc_proxy, https_proxy
 * and http_proxy, which must be an http: URL, unless no_grpc_proxy or no_proxy name the host.
 * Privileged programs read none of these variables. Confined to one thread. */
#ifndef GRPC_XDS_TRANSPORT_HTTP_H_
#define GRPC_XDS_TRANSPORT_HTTP_H_

#include "bootstrap/tls_creds.h"
#include "web/fetch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_http gxds_http;

typedef struct gxds_http_options {
  gxds_str uri;              /* "https://host:port/path", without a slash at its end; copied */
  const gxds_tls_creds *tls; /* for https:; copied. NULL for http: */
  gxds_duration connect;     /* how long connecting may take, including DNS and TLS */
  gxds_duration slow;        /* how long a response may be slower than 1,000 bytes a second */
  gxds_duration whole;       /* how long a whole request may take */
} gxds_http_options;

/* By A57 a resource counts as missing after 15 s. With these limits, a server that cannot be
 * reached or does not respond is reported before that. A response of the largest size takes 25 s at
 * 10 MB/s. */
#define GXDS_HTTP_CONNECT (10 * GXDS_SECOND)
#define GXDS_HTTP_SLOW (10 * GXDS_SECOND)
#define GXDS_HTTP_WHOLE (60 * GXDS_SECOND)

/* On failure returns NULL, and adds to *error a reason that the user can read. One owner. */
gxds_http *gxds_http_create(const gxds_http_options *options, gxds_text *error);
/* Ends h and all its requests. h may be NULL. */
void gxds_http_destroy(gxds_http *h);

/* Starts a request, and owns its strings from now on. */
void gxds_http_start(gxds_http *h, gxds_web_request take_request);
/* Ends all requests, without calling on_fetched. */
void gxds_http_cancel_all(gxds_http *h);
/* Waits until there is something to do, until wake_fd is readable, or for that many milliseconds;
 * negative means for ever. It uses nothing but sockets, so the process may fork during the call. */
void gxds_http_wait(gxds_http *h, int wake_fd, int milliseconds);
/* Does all work that needs no waiting. Calls on_fetched for each request that ended; on_fetched
 * must not call h. */
void gxds_http_turn(gxds_http *h, void (*on_fetched)(void *arg, const gxds_web_response *response),
                    void *arg);

#ifdef __cplusplus
}
#endif

#endif
