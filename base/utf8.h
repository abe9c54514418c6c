/* UTF-8 and JSON strings. Pure; any thread. */
#ifndef GRPC_XDS_BASE_UTF8_H_
#define GRPC_XDS_BASE_UTF8_H_

#include <stdint.h>

#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes of the character that s begins with; 0 if there is none (RFC 3629: no surrogates, no
 * overlong forms). */
size_t gxds_utf8_character(gxds_str s);
/* The bytes of the control character that s begins with; 0: it begins with another one, or none. A
 * terminal takes U+009B for an escape and a bracket, so those of two bytes count. */
size_t gxds_utf8_control(gxds_str s);
/* How many bytes of s, from its start, are whole characters. */
size_t gxds_utf8_valid_prefix(gxds_str s);
/* Adds a character; code must be valid. */
void gxds_utf8_add(gxds_text *out, uint32_t code);
/* Adds s as a JSON string with its quotes, on one line and without control characters, including
 * those of terminals. Bytes that are not UTF-8 become U+FFFD. */
void gxds_utf8_add_json(gxds_text *out, gxds_str s);
/* Adds the member of a JSON object with that name, which needs no escapes, and that string. A comma
 * separates it from the member before. */
void gxds_utf8_add_member(gxds_text *out, const char *name, gxds_str s);
/* The same, unless s is empty. */
void gxds_utf8_add_member_if_any(gxds_text *out, const char *name, gxds_str s);
/* The same with a list of strings. */
void gxds_utf8_add_list(gxds_text *out, const char *name, const gxds_str *strings, size_t count);

#ifdef __cplusplus
}
#endif

#endif
