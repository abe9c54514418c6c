/* Reads the resources of a DiscoveryResponse in binary form. Pure; confined like the schema. */
#ifndef GRPC_XDS_FILES_BINARY_READER_H_
#define GRPC_XDS_FILES_BINARY_READER_H_

#include "files/file_reader.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls `found` for each resource, which the callee owns, as gxds_file_read_each() does. Adds all
 * errors to errors, with paths from the response. If the response was converted from text, nodes
 * has the text's node for each resource; otherwise it is NULL. */
void gxds_binary_read(const gxds_schema *schema, gxds_str bytes, const gxds_file_node *const *nodes,
                      gxds_file_found_fn found, void *arg, gxds_file_errors *errors);

#ifdef __cplusplus
}
#endif

#endif
