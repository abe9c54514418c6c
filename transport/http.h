/* gxds_http: requests to one web server, by libcurl (7.85 or newer), which is loaded with the first
 * of them: programs that name no web server in their bootstrap don't carry it.
 *
 * It carries bytes: no redirects, cookies, passwords of .netrc or protocols but http and https. A
 * proxy is the one that gRPC would use: the first of grpc_proxy, https_proxy and http_proxy, which
 * must be an http: URL, unless no_grpc_proxy or no_proxy have the host; privileged programs read
 * none of them. Confined to one thread. */
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
  const gxds_tls_creds *tls; /* of https:; copied. NULL: it is http: */
  gxds_duration connect;     /* how long a connection may take, with name and TLS */
  gxds_duration slow;        /* how long an answer may come at less than 1,000 bytes a second */
  gxds_duration whole;       /* how long all of it may take */
} gxds_http_options;

/* A57 gives a resource up for missing after 15 s: a server that can't be reached, or doesn't
 * answer, is told as that before. A whole answer of the largest size takes 25 s at 10 MB/s. */
#define GXDS_HTTP_CONNECT (10 * GXDS_SECOND)
#define GXDS_HTTP_SLOW (10 * GXDS_SECOND)
#define GXDS_HTTP_WHOLE (60 * GXDS_SECOND)

/* NULL: *error (added to) says why, in words for the user. */
gxds_http *gxds_http_create(const gxds_http_options *options, gxds_text *error);
/* Ends it with all that is on its way. NULL is allowed. */
void gxds_http_destroy(gxds_http *h);

/* Starts one. request: borrowed, valid during the call. */
void gxds_http_start(gxds_http *h, const gxds_web_request *request);
/* Ends all that are on their way, without an answer. */
void gxds_http_cancel_all(gxds_http *h);
/* Waits until there is something to do, for at most that long (negative: for ever), or until
 * wake_fd is readable. Touches nothing but sockets: a fork may happen meanwhile. */
void gxds_http_wait(gxds_http *h, int wake_fd, int milliseconds);
/* Does what can be done without waiting. on_answer is told of what came to its end; it may not call
 * h. */
void gxds_http_turn(gxds_http *h, void (*on_answer)(void *arg, const gxds_web_answer *answer),
                    void *arg);

#ifdef __cplusplus
}
#endif

#endif
