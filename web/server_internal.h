/* Declarations that both forms of a web server share. */
#ifndef GRPC_XDS_WEB_SERVER_INTERNAL_H_
#define GRPC_XDS_WEB_SERVER_INTERNAL_H_

#include "base/random.h"
#include "base/text.h"
#include "web/server.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One of the two forms: the functions of server.h, while a stream is open. */
typedef struct gxds_web_form_functions {
  void (*open)(gxds_web_server *s, gxds_time now);
  void (*on_request)(gxds_web_server *s, gxds_str bytes, gxds_time now);
  bool (*was_sent)(gxds_web_server *s);
  bool (*next_fetch)(gxds_web_server *s, gxds_time now, gxds_web_request *out);
  void (*on_fetched)(gxds_web_server *s, const gxds_web_response *response, gxds_time now);
  bool (*next_response)(gxds_web_server *s, gxds_time now, gxds_str *out);
  gxds_time (*fetch_deadline)(const gxds_web_server *s);
  gxds_time (*response_deadline)(const gxds_web_server *s); /* NULL: never */
  void (*destroy)(gxds_web_server *s);
} gxds_web_form_functions;

extern const gxds_web_form_functions gxds_web_rest;  /* rest.c */
extern const gxds_web_form_functions gxds_web_files; /* files.c */

struct gxds_web_server {
  const gxds_web_form_functions *form;
  void *state; /* the state of the form */
  const gxds_bootstrap_server *server;
  const gxds_schema *schema;
  gxds_random random;
  bool open;
  uint64_t last_fetch;  /* the last id */
  gxds_time not_before; /* nothing is fetched before this time, because of Retry-After */
  gxds_str end;         /* why the stream ended; empty: it has not ended */
  gxds_str log;
};

/* A request with the next id. path is copied. */
gxds_web_request gxds_web_server_new_fetch(gxds_web_server *s, const char *path);
/* Ends the stream, with the reason "URL/path: message". */
__attribute__((format(printf, 3, 4))) void gxds_web_server_end(gxds_web_server *s, gxds_str path,
                                                               const char *format, ...);
/* Whether the response has the code 200, or 304 where that is allowed. If not, ends the stream with
 * the server's text. */
bool gxds_web_server_is_good(gxds_web_server *s, gxds_str path, const gxds_web_response *response,
                             bool may_be_unchanged);
/* When to send the next request after a good response. */
gxds_time gxds_web_server_next_poll(gxds_web_server *s, const gxds_web_response *response,
                                    gxds_time now);

#ifdef __cplusplus
}
#endif

#endif
