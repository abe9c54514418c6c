/* Reads one scalar of protobuf's text form as the value of a field. Pure; confined like the schema.
 * Private to files/. */
#ifndef GRPC_XDS_FILES_PROTOTEXT_SCALAR_H_
#define GRPC_XDS_FILES_PROTOTEXT_SCALAR_H_

#include <upb/reflection.h>

#include "files/prototext_lexer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the token as a value of the field, or as one element if the field is repeated. The field is
 * never a message. negative: the token follows a '-'. Strings are copied to the arena. False if the
 * token is not such a value; then adds what was expected to *expected. */
bool gxds_prototext_scalar_read(const upb_FieldDef *f, bool negative,
                                const gxds_prototext_token *token, upb_Arena *arena,
                                upb_MessageValue *out, gxds_text *expected);

#ifdef __cplusplus
}
#endif

#endif
