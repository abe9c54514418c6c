/* Converts a node of a resource file to a message, by the rules of proto3 JSON.
 *
 * Every field is checked against the message's descriptor first, so that all errors are found, each
 * with its line and path. Then upb's JSON codec makes the message. Pure; confined to the thread of
 * the schema. */
#ifndef GRPC_XDS_FILES_CONVERT_H_
#define GRPC_XDS_FILES_CONVERT_H_

#include "files/node.h"
#include "files/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most messages nested in each other, including map entries. upb's decoders stop at 64, so no
 * client could read more. The contents of an Any are counted from 0 again. */
#define GXDS_MESSAGE_DEPTH_MAX 60

/* Makes the message of type m that the node describes, in the arena, and its serialized form in
 * *bytes, which is borrowed: valid as long as the arena. Ignores the node's own key "@type". If
 * there are errors, adds them to errors and returns NULL. */
void *gxds_file_convert(const gxds_schema *schema, const struct upb_MessageDef *m,
                        const gxds_file_node *node, struct upb_Arena *arena,
                        gxds_file_errors *errors, gxds_str *bytes);

#ifdef __cplusplus
}
#endif

#endif
