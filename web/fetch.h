/* gxds_web_request is a request to a web server, and gxds_web_response is the HTTP response. They
 * pass between this folder, which implements xDS, and transport/http.h, which implements HTTP. */
#ifndef GRPC_XDS_WEB_FETCH_H_
#define GRPC_XDS_WEB_FETCH_H_

#include "base/str.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_web_request {
  uint64_t id;     /* the response has the same id; never 0, and a server never uses an id twice */
  gxds_str path;   /* the path, which is appended to the server's URI: "/v3/discovery:clusters";
                      owned */
  gxds_str body;   /* JSON for a POST; empty for a GET; owned */
  gxds_str etag;   /* the value of If-None-Match; empty: no such header; owned */
  size_t size_max; /* the most bytes of the response's body, after decompression */
} gxds_web_request;
/* Frees its strings and empties it. */
void gxds_web_request_fini(gxds_web_request *r);

/* All fields are borrowed: valid during the call that reports the response. */
typedef struct gxds_web_response {
  uint64_t id;
  int code;       /* the HTTP status; 0 if no complete response came */
  gxds_str error; /* with code 0: the reason */
  bool too_long;  /* with code 0: the body was longer than size_max */
  gxds_str content_type;
  gxds_str etag;
  gxds_str body;
  gxds_duration max_age;     /* max-age of Cache-Control, less the Age; 0 if there is none */
  gxds_duration retry_after; /* 0: the response has no Retry-After */
} gxds_web_response;

#ifdef __cplusplus
}
#endif

#endif
