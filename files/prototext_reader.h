/* Reads the resources of a DiscoveryResponse in protobuf's text form
 * (https://protobuf.dev/reference/protobuf/textformat-spec/).
 *
 * upb has no parser for that form. libprotobuf has one, but then each program would load it,
 * perhaps beside a libprotobuf of its own. This parser fills in messages by their descriptors. It
 * treats extensions and groups as unknown fields; xDS has none of them. Pure; confined like the
 * schema. */
#ifndef GRPC_XDS_FILES_PROTOTEXT_READER_H_
#define GRPC_XDS_FILES_PROTOTEXT_READER_H_

#include "files/file_reader.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The deepest nesting of braces, including those of Anys, because each level costs stack. This
 * leaves room for a resource of the greatest depth (GXDS_MESSAGE_DEPTH_MAX), with Anys inside it,
 * in its wrapper, in the response. */
#define GXDS_PROTOTEXT_NESTING_MAX 100
/* The most values of one file, including messages: three bytes of text ("a{}") make a message of
 * some hundred bytes. This is the same limit as for a JSON file. */
#define GXDS_PROTOTEXT_VALUES_MAX GXDS_FILE_NODE_COUNT_MAX

/* Calls `found` for each resource, which the callee owns, as gxds_file_read_each() does. The
 * scalars of its node have no contents. At the top of the file, "[TYPE URL] {...}" is short for
 * "resources {[TYPE URL] {...}}". Adds all errors to errors, except those after a syntax error. */
void gxds_prototext_read(const gxds_schema *schema, gxds_str text, gxds_file_found_fn found,
                         void *arg, gxds_file_errors *errors);

#ifdef __cplusplus
}
#endif

#endif
