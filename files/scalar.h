/* One scalar of proto3 JSON: whether a node is one, and its JSON text. Private to files/. */
#ifndef GRPC_XDS_FILES_SCALAR_H_
#define GRPC_XDS_FILES_SCALAR_H_

#include "files/node.h"

#ifdef __cplusplus
extern "C" {
#endif

struct upb_EnumDef;
struct upb_FieldDef;

/* Adds the node to json as a value of the field (of one element when it is repeated; never a
 * message). False: it is none, and what was expected is in *expected (appended). */
bool gxds_scalar_write(const struct upb_FieldDef *f, const gxds_file_node *node, gxds_text *json,
                       gxds_text *expected);
/* The same for a key of a map: f is the entry's key field. */
bool gxds_scalar_write_key(const struct upb_FieldDef *f, gxds_str key, gxds_text *json,
                           gxds_text *expected);
/* Adds "a value of E (A, B, ...)", for an error. */
void gxds_scalar_expect_enum(const struct upb_EnumDef *e, gxds_text *expected);
/* Whether the text is a Duration, such as "1.5s". */
bool gxds_scalar_is_duration(gxds_str text);
/* A finite number in JSON's syntax, as it stands in a NUMBER node. */
bool gxds_scalar_is_finite(gxds_str number);

#ifdef __cplusplus
}
#endif

#endif
