/* gxds_text: a string that grows. Lives in the caller's struct; zero-initialised, it is empty. */
#ifndef GRPC_XDS_BASE_TEXT_H_
#define GRPC_XDS_BASE_TEXT_H_

#include <stdarg.h>

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_text {
  char *data; /* zero-terminated; NULL until something is added */
  size_t size;
  size_t capacity;
} gxds_text;

/* Frees the text's contents and empties it. */
void gxds_text_fini(gxds_text *t);
/* Empties the text and keeps its memory. */
void gxds_text_clear(gxds_text *t);
void gxds_text_add(gxds_text *t, gxds_str s);
void gxds_text_add_z(gxds_text *t, const char *z);
__attribute__((format(printf, 2, 3))) void gxds_text_addf(gxds_text *t, const char *format, ...);
__attribute__((format(printf, 2, 0))) void gxds_text_addv(gxds_text *t, const char *format,
                                                          va_list args);
/* The text as a string that ends with a zero, and that the caller frees with gxds_str_free(). */
__attribute__((format(printf, 1, 2))) gxds_str gxds_str_format(const char *format, ...);
/* For a function with arguments like gxds_text_addf(): adds them. format is the function's last
 * parameter before them. */
#define GXDS_TEXT_ADD_ARGS(t, format)   \
  do {                                  \
    va_list args_;                      \
    va_start(args_, format);            \
    gxds_text_addv((t), format, args_); \
    va_end(args_);                      \
  } while (0)
/* Adds s with control characters and backslashes as \xNN: for text from the network. */
void gxds_text_add_escaped(gxds_text *t, gxds_str s);
/* Like gxds_text_add_escaped(), but keeps backslashes: for a message with parts that are escaped
 * already. */
void gxds_text_add_printable(gxds_text *t, gxds_str s);
/* Adds at most max bytes of a text from the network. Whatever s holds, the result is valid UTF-8
 * without control characters. Backslashes stay, because parts of s may be escaped already. */
void gxds_text_add_untrusted(gxds_text *t, gxds_str s, size_t max);
/* Adds s with each byte that may not stay as %XX (RFC 3986). */
void gxds_text_add_percent_encoded(gxds_text *t, gxds_str s, bool (*may_stay)(char c));
/* Adds what fd has, to its end or until t is larger than max. Reads part by part, without asking
 * for a size, so that pipes and /proc work too. False, with errno, if reading fails. */
bool gxds_text_add_file(gxds_text *t, int fd, size_t max);
/* Borrowed: valid until the next call on t. */
gxds_str gxds_text_str(const gxds_text *t);
/* The contents, given to the caller, who frees them with gxds_str_free(); t is empty afterwards. */
gxds_str gxds_text_take(gxds_text *t);

#ifdef __cplusplus
}
#endif

#endif
