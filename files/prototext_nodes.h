/* gxds_prototext_map: a message of a file in protobuf's text form as a gxds_file_node, made while
 * its fields are read, so that what is found in a resource can be told with its line.
 *
 * As in JSON: a field that may be given several times is a list, a map field a map, and what an Any
 * holds stands beside its "@type". Scalars have a line and no contents, but for "@type". Lives in
 * an arena; confined. */
#ifndef GRPC_XDS_FILES_PROTOTEXT_NODES_H_
#define GRPC_XDS_FILES_PROTOTEXT_NODES_H_

#include "files/node.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_prototext_map gxds_prototext_map;

/* arena: borrowed, valid as long as the map and its node. */
gxds_prototext_map *gxds_prototext_map_create(struct upb_Arena *arena, uint32_t line);
/* A scalar on that line. */
const gxds_file_node *gxds_prototext_scalar_node(struct upb_Arena *arena, uint32_t line);

/* A field that is given once. name: static; a field has one and the same. */
void gxds_prototext_map_set(gxds_prototext_map *m, const char *name, uint32_t line,
                            const gxds_file_node *value);
/* One value of a field that may have several. */
void gxds_prototext_map_append(gxds_prototext_map *m, const char *name,
                               const gxds_file_node *value);
/* One entry of a map field. key is copied. */
void gxds_prototext_map_put(gxds_prototext_map *m, const char *name, gxds_str key, uint32_t line,
                            const gxds_file_node *value);
/* What the Any holds. url is copied. */
void gxds_prototext_map_set_type(gxds_prototext_map *m, gxds_str url, uint32_t line);

/* All of it, when it is whole. */
const gxds_file_node *gxds_prototext_map_node(const gxds_prototext_map *m);

#ifdef __cplusplus
}
#endif

#endif
