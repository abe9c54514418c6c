/* The paths on a web server, relative to the URI of the bootstrap. */
#ifndef GRPC_XDS_WEB_PATHS_H_
#define GRPC_XDS_WEB_PATHS_H_

#include "files/dir.h"
#include "files/file_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "/v3/discovery:listeners": where a DiscoveryRequest for that type is POSTed (the "REST-JSON
 * polling" of the xDS protocol; Envoy's "api_type: REST"). */
extern const char *const gxds_web_rest_paths[GXDS_FILE_TYPE_COUNT]; /* rest.c */

/* The path of the index of a directory of resource files. */
#define GXDS_WEB_INDEX_PATH "/" GXDS_DIR_INDEX_NAME

#ifdef __cplusplus
}
#endif

#endif
