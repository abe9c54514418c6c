/* One scalar of protobuf's text form → the value of a field. Pure; confined like the schema.
 * Private to files/. */
#ifndef GRPC_XDS_FILES_PROTOTEXT_SCALAR_H_
#define GRPC_XDS_FILES_PROTOTEXT_SCALAR_H_

#include <upb/reflection.h>

#include "files/prototext_lexer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The token, behind a '-' when negative, as a value of the field (of one element when it is
 * repeated; never a message). Strings are copied to the arena. False: it is none, and what was
 * expected is in *expected (appended). */
bool gxds_prototext_scalar_read(const upb_FieldDef *f, bool negative,
                                const gxds_prototext_token *token, upb_Arena *arena,
                                upb_MessageValue *out, gxds_text *expected);

#ifdef __cplusplus
}
#endif

#endif
