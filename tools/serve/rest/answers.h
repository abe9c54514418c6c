/* What `xds serve --rest` answers: xDS over REST-JSON, and resource files with their index. Pure;
 * confined like the schema. */
#ifndef GRPC_XDS_TOOLS_SERVE_REST_ANSWERS_H_
#define GRPC_XDS_TOOLS_SERVE_REST_ANSWERS_H_

#include "files/dir.h"
#include "tools/serve/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An answer of HTTP. The caller ends it with gxds_rest_answer_fini(). */
typedef struct gxds_rest_answer {
  unsigned code;
  gxds_str body; /* JSON with 200; else words, or nothing */
  bool has_event;
  gxds_serve_event event; /* with has_event: a push or a NACK, without the peer */
} gxds_rest_answer;
void gxds_rest_answer_fini(gxds_rest_answer *a);

/* The type whose requests are POSTed there ("/v3/discovery:clusters"); GXDS_FILE_TYPE_COUNT: none.
 */
gxds_file_type gxds_rest_type_of(const char *url);

/* Answers a DiscoveryRequest in JSON with the resources of that type that it names, or with all of
 * them when it names none: 200 with a DiscoveryResponse, 304 when it tells the version of just
 * those, or 400 with words. set: NULL: there is none yet, 503. */
gxds_rest_answer gxds_rest_answer_request(const gxds_schema *schema, const gxds_file_set *set,
                                          gxds_file_type type, gxds_str json);

/* The set as files, one DiscoveryResponse in binary for each type; ends with gxds_dir_files_fini().
 */
gxds_dir_files gxds_rest_files_of(const gxds_file_set *set);

#ifdef __cplusplus
}
#endif

#endif
