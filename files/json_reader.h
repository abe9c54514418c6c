/* Reads JSON text into nodes (RFC 8259, strictly). An error in a resource names the line of the
 * value. No JSON library of the distribution keeps lines. Pure; any thread. */
#ifndef GRPC_XDS_FILES_JSON_READER_H_
#define GRPC_XDS_FILES_JSON_READER_H_

#include "files/node.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the document, in the arena. If there are errors, adds them to errors with their lines,
 * and returns NULL. */
const gxds_file_node *gxds_file_json_read(gxds_str text, struct upb_Arena *arena,
                                          gxds_file_errors *errors);
/* The same, but returns the document also if the only errors are duplicate keys. It then has all
 * the entries of such a key; clients that read a bootstrap use the last one. */
const gxds_file_node *gxds_file_json_read_duplicates(gxds_str text, struct upb_Arena *arena,
                                                     gxds_file_errors *errors);

#ifdef __cplusplus
}
#endif

#endif
