/* Checks one scalar of proto3 JSON, and writes it as JSON text. Private to files/. */
#ifndef GRPC_XDS_FILES_SCALAR_H_
#define GRPC_XDS_FILES_SCALAR_H_

#include "files/node.h"

#ifdef __cplusplus
extern "C" {
#endif

struct upb_EnumDef;
struct upb_FieldDef;

/* Adds the node to json as a value of the field, or as one element if the field is repeated. The
 * field is never a message. False if the node is not such a value; then adds what was expected to
 * *expected. */
bool gxds_scalar_write(const struct upb_FieldDef *f, const gxds_file_node *node, gxds_text *json,
                       gxds_text *expected);
/* Like gxds_scalar_write(), for a key of a map: f is the entry's key field. */
bool gxds_scalar_write_key(const struct upb_FieldDef *f, gxds_str key, gxds_text *json,
                           gxds_text *expected);
/* Adds "a value of E (A, B, ...)", for an error. */
void gxds_scalar_expect_enum(const struct upb_EnumDef *e, gxds_text *expected);
/* Whether the text is a Duration, such as "1.5s". */
bool gxds_scalar_is_duration(gxds_str text);
/* Whether the text of a NUMBER node, in JSON's syntax, is finite as a double. */
bool gxds_scalar_is_finite(gxds_str number);

#ifdef __cplusplus
}
#endif

#endif
