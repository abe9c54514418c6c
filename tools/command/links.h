/* Finds the resources that a resource names: a listener its routes, routes their clusters, a
 * cluster its endpoints. It looks for field numbers in the bytes, which need not be valid. Pure. */
#ifndef GRPC_XDS_TOOLS_COMMAND_LINKS_H_
#define GRPC_XDS_TOOLS_COMMAND_LINKS_H_

#include <stdint.h>

#include "files/file_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls fn for each resource that the resource with that type, name and bytes names, in the order
 * of the bytes. A resource that is named twice is reported twice. */
void gxds_links_each(gxds_file_type type, gxds_str name, gxds_str bytes,
                     void (*fn)(void *arg, gxds_file_type type, gxds_str name), void *arg);

/* Calls fn for each value at the end of path, a list of field numbers that ends with a zero. */
void gxds_links_follow(gxds_str message, const uint8_t *path, void (*fn)(void *arg, gxds_str value),
                       void *arg);

#ifdef __cplusplus
}
#endif

#endif
