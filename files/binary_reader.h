/* A whole DiscoveryResponse in binary → the resources in it. Pure; confined like the schema. */
#ifndef GRPC_XDS_FILES_BINARY_READER_H_
#define GRPC_XDS_FILES_BINARY_READER_H_

#include "files/file_reader.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls found for each resource, which the callee owns, as gxds_file_read_each() does; there is no
 * node. Adds what is wrong to errors, without lines: fields are those of the response. */
void gxds_binary_read(const gxds_schema *schema, gxds_str bytes, gxds_file_found_fn found,
                      void *arg, gxds_file_errors *errors);

#ifdef __cplusplus
}
#endif

#endif
