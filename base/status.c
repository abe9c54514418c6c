#include "base/status.h"

#include "base/check.h"

gxds_status gxds_status_ok(void) { return (gxds_status){GXDS_OK, {NULL, 0}}; }

gxds_status gxds_status_make(gxds_code code, const char *format, ...) {
  GXDS_CHECK(code != GXDS_OK);
  gxds_text message = {0};
  GXDS_TEXT_ADD_ARGS(&message, format);
  gxds_text shown = {0};
  gxds_text_add_printable(&shown, gxds_text_str(&message));
  gxds_text_fini(&message);
  return (gxds_status){code, gxds_text_take(&shown)};
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

void gxds_status_set(gxds_status *to, gxds_status take) {
  gxds_status_fini(to);
  *to = take;
}

gxds_status gxds_status_of_cause(const char *text, const gxds_status *cause) {
  gxds_text rendered = {0};
  gxds_status_render(cause, &rendered);
  gxds_status status =
      gxds_status_make(GXDS_UNAVAILABLE, "%s%.*s", text, GXDS_STR_ARG(gxds_text_str(&rendered)));
  gxds_text_fini(&rendered);
  return status;
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
