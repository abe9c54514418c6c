/* JSON text → nodes (RFC 8259, strictly). No JSON library of the distribution tells the line of
 * each value, which errors in a resource need. Pure; any thread. */
#ifndef GRPC_XDS_FILES_JSON_READER_H_
#define GRPC_XDS_FILES_JSON_READER_H_

#include "files/node.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The document, in the arena; NULL when there are errors, which are added to errors with their
 * lines. */
const gxds_file_node *gxds_file_json_read(gxds_str text, struct upb_Arena *arena,
                                          gxds_file_errors *errors);

#ifdef __cplusplus
}
#endif

#endif
