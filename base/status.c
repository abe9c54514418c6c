#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/check.h"
#include "base/memory.h"

gxds_status gxds_status_ok(void) { return (gxds_status){GXDS_OK, {NULL, 0}}; }

/* Backslashes stay: parts of a message are often escaped already. */
static gxds_str printable(gxds_str taken) {
  gxds_text out = {NULL, 0, 0};
  for (gxds_str rest = taken;;) {
    const char *backslash = rest.size ? memchr(rest.data, '\\', rest.size) : NULL;
    size_t size = backslash ? (size_t)(backslash - rest.data) : rest.size;
    gxds_text_add_escaped(&out, gxds_str_of(rest.data, size));
    if (!backslash) break;
    gxds_text_add_z(&out, "\\");
    rest = gxds_str_of(backslash + 1, rest.size - size - 1);
  }
  gxds_str_free(&taken);
  return gxds_text_take(&out);
}

gxds_status gxds_status_make(gxds_code code, const char *format, ...) {
  GXDS_CHECK(code != GXDS_OK);
  va_list args;
  va_list again;
  va_start(args, format);
  va_copy(again, args);
  int size = vsnprintf(NULL, 0, format, args);
  va_end(args);
  GXDS_CHECK(size >= 0);
  char *message = gxds_calloc((size_t)size + 1, 1);
  vsnprintf(message, (size_t)size + 1, format, again);
  va_end(again);
  return (gxds_status){code, printable(gxds_str_of(message, (size_t)size))};
}

gxds_status gxds_status_copy(const gxds_status *s) {
  if (s->code == GXDS_OK) return gxds_status_ok();
  return (gxds_status){s->code, gxds_str_dup(s->message)};
}

bool gxds_status_equal(const gxds_status *a, const gxds_status *b) {
  return a->code == b->code && gxds_str_equal(a->message, b->message);
}

void gxds_status_fini(gxds_status *s) {
  gxds_str_free(&s->message);
  s->code = GXDS_OK;
}

void gxds_status_render(const gxds_status *s, gxds_text *out) {
  gxds_text_add_z(out, gxds_code_name(s->code));
  if (s->code == GXDS_OK) return;
  gxds_text_add_z(out, ": ");
  gxds_text_add(out, s->message);
}

const char *gxds_code_name(gxds_code code) {
  static const char *const names[] = {"OK",
                                      "CANCELLED",
                                      "UNKNOWN",
                                      "INVALID_ARGUMENT",
                                      "DEADLINE_EXCEEDED",
                                      "NOT_FOUND",
                                      "ALREADY_EXISTS",
                                      "PERMISSION_DENIED",
                                      "RESOURCE_EXHAUSTED",
                                      "FAILED_PRECONDITION",
                                      "ABORTED",
                                      "OUT_OF_RANGE",
                                      "UNIMPLEMENTED",
                                      "INTERNAL",
                                      "UNAVAILABLE",
                                      "DATA_LOSS",
                                      "UNAUTHENTICATED"};
  size_t index = (size_t)code;
  return index < sizeof names / sizeof names[0] ? names[index] : "UNKNOWN";
}
