/* gxds_prototext_map: a message of a file in protobuf's text form as a gxds_file_node. It is made
 * while the message's fields are read, so that errors in a resource can name their line.
 *
 * The node is as in JSON: a repeated field is a list, a map field is a map, and the contents of an
 * Any are beside its "@type". Scalars have a line but no contents, except "@type". Lives in an
 * arena; confined. */
#ifndef GRPC_XDS_FILES_PROTOTEXT_NODES_H_
#define GRPC_XDS_FILES_PROTOTEXT_NODES_H_

#include "files/node.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_prototext_map gxds_prototext_map;

/* arena is borrowed: valid as long as the map and its node. */
gxds_prototext_map *gxds_prototext_map_create(struct upb_Arena *arena, uint32_t line);
/* Makes a scalar on that line. */
const gxds_file_node *gxds_prototext_scalar_node(struct upb_Arena *arena, uint32_t line);

/* Adds a field that is not repeated. name is static: always the same pointer for one field. */
void gxds_prototext_map_set(gxds_prototext_map *m, const char *name, uint32_t line,
                            const gxds_file_node *value);
/* Adds one value to a repeated field. */
void gxds_prototext_map_append(gxds_prototext_map *m, const char *name,
                               const gxds_file_node *value);
/* Adds one entry to a map field. key is copied. */
void gxds_prototext_map_put(gxds_prototext_map *m, const char *name, gxds_str key, uint32_t line,
                            const gxds_file_node *value);
/* Adds the "@type" of an Any. url is copied. */
void gxds_prototext_map_set_type(gxds_prototext_map *m, gxds_str url, uint32_t line);

/* The node of the whole message. Call it when all fields were added. */
const gxds_file_node *gxds_prototext_map_node(const gxds_prototext_map *m);

#ifdef __cplusplus
}
#endif

#endif
