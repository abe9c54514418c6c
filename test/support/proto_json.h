/* Messages of libgrpc's own tables from JSON, and back: how tests write resources, requests and
 * responses. Any's are written as {"@type": "type.googleapis.com/…", …}.
 *
 * The pool is built at the first call; not thread-safe until then. */
#ifndef GRPC_XDS_TEST_SUPPORT_PROTO_JSON_H_
#define GRPC_XDS_TEST_SUPPORT_PROTO_JSON_H_

#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The serialized message ("envoy.config.listener.v3.Listener") that the JSON text describes; the
 * caller frees *bytes with gxds_str_free(). Fields in a fixed order, so equal JSON gives equal
 * bytes. False: error says why. */
bool gxds_test_proto_from_json(const char *message, gxds_str json, gxds_str *bytes,
                               gxds_text *error);

/* The JSON form of a serialized message, with the names of the .proto file, added to *json. False:
 * error says why. */
bool gxds_test_proto_to_json(const char *message, gxds_str bytes, gxds_text *json,
                             gxds_text *error);

#ifdef __cplusplus
}
#endif

#endif
