/* Writes messages of the discovery service as protobuf's JSON. Fields have the names of the .proto
 * files, which every reader of proto3 JSON accepts. Pure; confined to the thread of the schema. */
#ifndef GRPC_XDS_WEB_JSON_H_
#define GRPC_XDS_WEB_JSON_H_

#include "base/text.h"
#include "files/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds the JSON of a serialized message to *out. message is its type,
 * "envoy.service.discovery.v3.…". On failure adds the reason to *error, and returns false; then
 * *out is not valid. */
bool gxds_web_json_write(const gxds_schema *schema, const char *message, gxds_str bytes,
                         gxds_text *out, gxds_text *error);

#ifdef __cplusplus
}
#endif

#endif
