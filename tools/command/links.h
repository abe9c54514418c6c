/* What resources name: a listener its routes, these their clusters, a cluster its endpoints, found
 * in the bytes by field numbers. Whatever the bytes are, it only reads them. Pure. */
#ifndef GRPC_XDS_TOOLS_COMMAND_LINKS_H_
#define GRPC_XDS_TOOLS_COMMAND_LINKS_H_

#include <stdint.h>

#include "files/file_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tells each resource that the one of that type, name and bytes names, in the order of the bytes;
 * one that is named twice is told twice. */
void gxds_links_each(gxds_file_type type, gxds_str name, gxds_str bytes,
                     void (*fn)(void *arg, gxds_file_type type, gxds_str name), void *arg);

/* Tells each value that the field numbers in path, which ends with a zero, lead to. */
void gxds_links_follow(gxds_str message, const uint8_t *path, void (*fn)(void *arg, gxds_str value),
                       void *arg);
/* The last value of a field: of one with a size; of one that is a number (0: there is none). */
gxds_str gxds_links_bytes_at(gxds_str message, uint64_t number);
uint64_t gxds_links_number_at(gxds_str message, uint64_t number);

#ifdef __cplusplus
}
#endif

#endif
