/* Converts messages of libgrpc's own tables from JSON and back, so that tests can write resources,
 * requests and responses as JSON. An Any is written as {"@type": "type.googleapis.com/…", …}.
 *
 * The first call builds the pool, and is not thread-safe. */
#ifndef GRPC_XDS_TEST_SUPPORT_PROTO_JSON_H_
#define GRPC_XDS_TEST_SUPPORT_PROTO_JSON_H_

#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Serializes a message ("envoy.config.listener.v3.Listener") from its JSON text. The caller frees
 * *bytes with gxds_str_free(). Fields have a fixed order, so equal JSON gives equal bytes. False:
 * error says why. */
bool gxds_test_proto_from_json(const char *message, gxds_str json, gxds_str *bytes,
                               gxds_text *error);

/* Adds the JSON form of a serialized message to *json, with the field names of the .proto file.
 * False: error says why. */
bool gxds_test_proto_to_json(const char *message, gxds_str bytes, gxds_text *json,
                             gxds_text *error);

#ifdef __cplusplus
}
#endif

#endif
