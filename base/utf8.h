/* UTF-8 and JSON strings. Pure; any thread. */
#ifndef GRPC_XDS_BASE_UTF8_H_
#define GRPC_XDS_BASE_UTF8_H_

#include <stdint.h>

#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many bytes the first character of s has. 0 if s is empty or does not begin with a valid
 * character (RFC 3629: no surrogates, no overlong forms). */
size_t gxds_utf8_character(gxds_str s);
/* How many bytes the control character at the start of s has; 0 if s does not begin with one. The
 * control characters of two bytes (U+0080 to U+009F) count too, because a terminal reads U+009B as
 * an escape and a bracket. */
size_t gxds_utf8_control(gxds_str s);
/* How many bytes of s, from its start, are whole characters. */
size_t gxds_utf8_valid_prefix(gxds_str s);
/* Adds a character; code must be valid. */
void gxds_utf8_add(gxds_text *out, uint32_t code);
/* Adds s as a JSON string with its quotes, on one line and without control characters, including
 * those of terminals. Bytes that are not UTF-8 become U+FFFD. */
void gxds_utf8_add_json(gxds_text *out, gxds_str s);
/* Adds a member to a JSON object: the name, which must need no escapes, and the string s. Adds a
 * comma before it if it is not the first member. */
void gxds_utf8_add_member(gxds_text *out, const char *name, gxds_str s);
/* Like gxds_utf8_add_member(), but adds nothing if s is empty. */
void gxds_utf8_add_member_if_any(gxds_text *out, const char *name, gxds_str s);
/* Like gxds_utf8_add_member(), with a list of strings as the value. */
void gxds_utf8_add_list(gxds_text *out, const char *name, const gxds_str *strings, size_t count);

#ifdef __cplusplus
}
#endif

#endif
