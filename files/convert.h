/* A node of a resource file → a message, by the rules of proto3 JSON.
 *
 * Every field is checked against the message's descriptor first, so that all errors are found, each
 * with its line and path; then upb's JSON codec makes the message. Pure; confined like the schema.
 */
#ifndef GRPC_XDS_FILES_CONVERT_H_
#define GRPC_XDS_FILES_CONVERT_H_

#include "files/node.h"
#include "files/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Messages inside of messages, map entries counted: upb's decoders stop at 64, so nobody could read
 * more. What is in an Any counts anew. */
#define GXDS_MESSAGE_DEPTH_MAX 60

/* The message of type m that the node describes, made in the arena, and its serialized form in
 * *bytes (borrowed: valid as long as the arena). A key "@type" of the node itself is passed over.
 * NULL when there are errors, which are added to errors. */
void *gxds_file_convert(const gxds_schema *schema, const struct upb_MessageDef *m,
                        const gxds_file_node *node, struct upb_Arena *arena,
                        gxds_file_errors *errors, gxds_str *bytes);

#ifdef __cplusplus
}
#endif

#endif
