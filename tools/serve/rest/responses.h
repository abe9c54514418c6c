/* The responses of `xds serve --rest`: xDS over REST-JSON, and resource files with their index.
 * Pure; confined like the schema. */
#ifndef GRPC_XDS_TOOLS_SERVE_REST_RESPONSES_H_
#define GRPC_XDS_TOOLS_SERVE_REST_RESPONSES_H_

#include "files/dir.h"
#include "tools/serve/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An HTTP response. The caller ends it with gxds_rest_response_fini(). */
typedef struct gxds_rest_response {
  unsigned code;
  gxds_str body; /* JSON if the code is 200; otherwise a text, or empty */
  bool has_event;
  gxds_serve_event event; /* only if has_event is set: a push or a NACK, without the peer */
} gxds_rest_response;
void gxds_rest_response_fini(gxds_rest_response *a);

/* The type whose requests are POSTed to that path ("/v3/discovery:clusters"); GXDS_FILE_TYPE_COUNT
 * for other paths. */
gxds_file_type gxds_rest_type_of(const char *url);

/* Makes the response to a DiscoveryRequest in JSON. It has the resources of that type that the
 * request names, or all of them if it names none. The code is 200 with a DiscoveryResponse, 304 if
 * the request has the version of these resources already, or 400 with a text. If set is NULL, there
 * are no resources yet, and the code is 503. */
gxds_rest_response gxds_rest_respond(const gxds_schema *schema, const gxds_file_set *set,
                                     gxds_file_type type, gxds_str json);

/* The set as files, one DiscoveryResponse in binary for each type; ends with gxds_dir_files_fini().
 */
gxds_dir_files gxds_rest_files_of(const gxds_file_set *set);

#ifdef __cplusplus
}
#endif

#endif
