/* A DiscoveryResponse in protobuf's text form → the resources in it
 * (https://protobuf.dev/reference/protobuf/textformat-spec/).
 *
 * upb has no parser of it, and libprotobuf would be loaded into each program beside its own. This
 * one fills messages by their descriptors; extensions and groups, which xDS has none of, are no
 * fields to it. Pure; confined like the schema. */
#ifndef GRPC_XDS_FILES_PROTOTEXT_READER_H_
#define GRPC_XDS_FILES_PROTOTEXT_READER_H_

#include "files/file_reader.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Braces inside of each other, those of an Any counted too: each costs stack. A resource with the
 * depth that messages may have (GXDS_MESSAGE_DEPTH_MAX), in its wrapper, in the response, and with
 * Anys inside of it has room. */
#define GXDS_PROTOTEXT_NESTING_MAX 100
/* Values of one file, messages included: three bytes of text ("a{}") make a message of some
 * hundred. As many as the nodes of a JSON file, which has as many values. */
#define GXDS_PROTOTEXT_VALUES_MAX GXDS_FILE_NODE_COUNT_MAX

/* Calls found for each resource, which the callee owns, as gxds_file_read_each() does, with a node
 * whose scalars have no contents. At the top, "[TYPE URL] {...}" is short for "resources {[TYPE
 * URL]
 * {...}}". Adds what is wrong to errors, all of it but what follows a syntax error. */
void gxds_prototext_read(const gxds_schema *schema, gxds_str text, gxds_file_found_fn found,
                         void *arg, gxds_file_errors *errors);

#ifdef __cplusplus
}
#endif

#endif
