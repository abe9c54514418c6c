/* UTF-8 and JSON strings. Pure; any thread. */
#ifndef GRPC_XDS_FILES_UTF8_H_
#define GRPC_XDS_FILES_UTF8_H_

#include <stdint.h>

#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many bytes of s, from its start, are whole valid characters (RFC 3629: no surrogates, no
 * overlong forms). */
size_t gxds_utf8_valid_prefix(gxds_str s);
/* Adds a character; code must be valid. */
void gxds_utf8_add(gxds_text *out, uint32_t code);
/* Adds s as a JSON string with its quotes, on one line and without control characters, those of
 * terminals among them. Bytes that are not UTF-8 become U+FFFD. */
void gxds_utf8_add_json(gxds_text *out, gxds_str s);

#ifdef __cplusplus
}
#endif

#endif
