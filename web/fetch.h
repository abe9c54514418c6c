/* gxds_web_request, gxds_web_answer: what is to be fetched from a web server, and what came of it:
 * values between those who know xDS (this folder) and those who know HTTP (transport/http.h). */
#ifndef GRPC_XDS_WEB_FETCH_H_
#define GRPC_XDS_WEB_FETCH_H_

#include "base/str.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_web_request {
  uint64_t id;     /* its answer has the same; never 0, never reused by one server */
  gxds_str path;   /* after the server's URI: "/v3/discovery:clusters"; owned */
  gxds_str body;   /* JSON, which is POSTed; empty: it is a GET; owned */
  gxds_str etag;   /* what If-None-Match says; empty: there is none; owned */
  size_t size_max; /* of the answer's body, after decompression */
} gxds_web_request;
/* Frees its strings and empties it. */
void gxds_web_request_fini(gxds_web_request *r);

/* Borrowed, all of it: during the call that tells it. */
typedef struct gxds_web_answer {
  uint64_t id;
  int code;       /* the status of HTTP; 0: no whole answer came */
  gxds_str error; /* with code 0: why not */
  bool too_long;  /* with code 0: its body was longer than size_max */
  gxds_str content_type;
  gxds_str etag;
  gxds_str body;
  gxds_duration max_age;     /* of Cache-Control, less the Age; 0: it says none */
  gxds_duration retry_after; /* 0: it says none */
} gxds_web_answer;

#ifdef __cplusplus
}
#endif

#endif
