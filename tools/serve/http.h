/* gxds_serve_http: the HTTP servers of `xds serve` (libmicrohttpd). Each has its own thread. */
#ifndef GRPC_XDS_TOOLS_SERVE_HTTP_H_
#define GRPC_XDS_TOOLS_SERVE_HTTP_H_

#include <microhttpd.h>

#include "base/status.h"
#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_serve_http gxds_serve_http;

/* A whole request; borrowed during the call. */
typedef struct gxds_serve_http_request {
  struct MHD_Connection *connection;
  const char *url;
  const char *method;
  gxds_text body;
  bool too_long; /* the body is too long, and not complete */
} gxds_serve_http_request;

typedef struct gxds_serve_http_options {
  const char *option; /* "--http": for errors about listen; static */
  const char *listen; /* "127.0.0.1:8080", "[::1]:0"; port 0 lets the kernel pick one */
  size_t body_max;    /* the largest body of a request, in bytes */
  /* Called on the thread. Queues the response. */
  enum MHD_Result (*on_request)(void *arg, const gxds_serve_http_request *request);
  void *arg;
} gxds_serve_http_options;

/* Starts to listen, and starts the thread. Sets *port to the bound port. On failure returns NULL,
 * and *status is the reason. */
gxds_serve_http *gxds_serve_http_start(const gxds_serve_http_options *options, int *port,
                                       gxds_status *status);
/* Ends the thread, and waits for it. h may be NULL. */
void gxds_serve_http_stop(gxds_serve_http *h);

#ifdef __cplusplus
}
#endif

#endif
