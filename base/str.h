/* gxds_str: a view of bytes that somebody else owns, or an owned copy where a header says so.
 * Immutable. Only a string made by gxds_str_dup(), or by a function whose comment says so, is
 * zero-terminated. The data of an empty string may be NULL. */
#ifndef GRPC_XDS_BASE_STR_H_
#define GRPC_XDS_BASE_STR_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_str {
  const char *data;
  size_t size;
} gxds_str;

/* For printf: printf("%.*s", GXDS_STR_ARG(s)). */
#define GXDS_STR_ARG(s) (int)(s).size, (s).size ? (s).data : ""

static inline gxds_str gxds_str_of(const char *data, size_t size) {
  gxds_str s = {data, size};
  return s;
}
/* A view of a zero-terminated string; NULL is empty. Borrowed: valid as long as z lives. */
static inline gxds_str gxds_str_z(const char *z) { return gxds_str_of(z, z ? strlen(z) : 0); }

/* The letter in lower case, if it is one of ASCII's. Unlike tolower(), it is the same in every
 * locale: in a Turkish one "I" is no capital "i". */
static inline char gxds_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* The part of s from index at on. at is at most the size of s. */
static inline gxds_str gxds_str_from(gxds_str s, size_t at) {
  return gxds_str_of(s.data + at, s.size - at);
}
/* Takes size bytes off the front of *rest, which must have that many. */
static inline gxds_str gxds_str_take(gxds_str *rest, size_t size) {
  const gxds_str taken = gxds_str_of(rest->data, size);
  *rest = gxds_str_from(*rest, size);
  return taken;
}

static inline bool gxds_str_empty(gxds_str s) { return s.size == 0; }
bool gxds_str_equal(gxds_str a, gxds_str b);
/* Whether both are equal if the case of ASCII letters is ignored. */
bool gxds_str_equal_nocase(gxds_str a, gxds_str b);
/* <0, 0, >0: the order of the bytes; a prefix comes first. */
int gxds_str_compare(gxds_str a, gxds_str b);
/* gxds_str_compare() for qsort() and bsearch() on an array of gxds_str, or of structs whose first
 * member is one. */
int gxds_str_compare_items(const void *a, const void *b);
bool gxds_str_starts_with(gxds_str s, gxds_str prefix);
bool gxds_str_ends_with(gxds_str s, gxds_str suffix);

/* s without the spaces, tabs and line ends around it. Borrowed: a part of s. */
gxds_str gxds_str_trim(gxds_str s);

/* The value of a hexadecimal digit in upper or lower case; -1 if c is not a hexadecimal digit. */
int gxds_hex_digit(char c);

/* Reads digits of that base, 2 to 16, without a sign. False, and *out is unchanged, for any other
 * text, and for a number of more than 64 bits. */
bool gxds_str_to_uint64(gxds_str s, unsigned base, uint64_t *out);

/* Whether s is UTF-8 from end to end (RFC 3629: no surrogates, no overlong forms). */
bool gxds_str_is_utf8(gxds_str s);

/* An owned, zero-terminated copy; free with gxds_str_free(). Never has data NULL. */
gxds_str gxds_str_dup(gxds_str s);
/* Frees a copy that gxds_str_dup() made and empties *s; an empty {NULL, 0} is allowed. */
void gxds_str_free(gxds_str *s);
/* An owned array with owned copies; free with gxds_strs_free(). */
gxds_str *gxds_strs_dup(const gxds_str *items, size_t count);
/* Frees an array of gxds_calloc() and its copies, as above. */
void gxds_strs_free(gxds_str *items, size_t count);
/* Whether two arrays have the same strings in the same order. */
bool gxds_strs_equal(const gxds_str *a, size_t a_count, const gxds_str *b, size_t b_count);
/* Frees *s as above, and makes it a copy of from. from may be a part of *s. */
void gxds_str_set(gxds_str *s, gxds_str from);

/* Percent-decodes s (RFC 3986). Keeps a "%" that does not begin a triplet, like the host. The
 * result ends with a zero; free it with gxds_str_free(). */
gxds_str gxds_percent_decode(gxds_str s);

#ifdef __cplusplus
}
#endif

#endif
