#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/utf8.h"

static void reserve(gxds_text *t, size_t more) {
  size_t needed = t->size + more + 1;
  if (needed <= t->capacity) return;
  size_t capacity = t->capacity ? t->capacity : 64;
  while (capacity < needed) capacity *= 2;
  t->data = gxds_realloc(t->data, capacity, 1);
  t->capacity = capacity;
}

void gxds_text_fini(gxds_text *t) {
  gxds_free(t->data);
  *t = (gxds_text){0};
}

void gxds_text_clear(gxds_text *t) {
  t->size = 0;
  if (t->data) t->data[0] = 0;
}

void gxds_text_add(gxds_text *t, gxds_str s) {
  reserve(t, s.size);
  if (s.size) memcpy(t->data + t->size, s.data, s.size);
  t->size += s.size;
  t->data[t->size] = 0;
}

void gxds_text_add_z(gxds_text *t, const char *z) { gxds_text_add(t, gxds_str_z(z)); }

void gxds_text_addf(gxds_text *t, const char *format, ...) { GXDS_TEXT_ADD_ARGS(t, format); }

gxds_str gxds_str_format(const char *format, ...) {
  gxds_text text = {0};
  GXDS_TEXT_ADD_ARGS(&text, format);
  return gxds_text_take(&text);
}

void gxds_text_addv(gxds_text *t, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int size = vsnprintf(NULL, 0, format, args);
  GXDS_CHECK(size >= 0);
  reserve(t, (size_t)size);
  vsnprintf(t->data + t->size, (size_t)size + 1, format, again);
  va_end(again);
  t->size += (size_t)size;
}

/* Adds s. Control characters become \xNN. So do backslashes and invalid UTF-8, if the arguments say
 * so. */
static void add_visible(gxds_text *t, gxds_str s, bool backslashes, bool invalid) {
  size_t run = 0; /* how many bytes of s are added as they are */
  while (run < s.size) {
    gxds_str rest = gxds_str_from(s, run);
    size_t character = invalid ? gxds_utf8_character(rest) : 1;
    size_t size = gxds_utf8_control(rest);
    if (character == 0 || (backslashes && rest.data[0] == '\\')) size = 1;
    if (size == 0) {
      run += character;
      continue;
    }
    gxds_text_add(t, gxds_str_of(s.data, run));
    for (size_t i = 0; i < size; i++) {
      gxds_text_addf(t, "\\x%02x", (unsigned)(unsigned char)rest.data[i]);
    }
    s = gxds_str_from(rest, size);
    run = 0;
  }
  gxds_text_add(t, s);
}

void gxds_text_add_escaped(gxds_text *t, gxds_str s) { add_visible(t, s, true, false); }

void gxds_text_add_printable(gxds_text *t, gxds_str s) { add_visible(t, s, false, false); }

void gxds_text_add_untrusted(gxds_text *t, gxds_str s, size_t max) {
  add_visible(t, s.size > max ? gxds_str_of(s.data, max) : s, false, true);
  if (s.size > max) gxds_text_add_z(t, "...");
}

void gxds_text_add_percent_encoded(gxds_text *t, gxds_str s, bool (*may_stay)(char c)) {
  for (size_t i = 0; i < s.size; i++) {
    if (may_stay(s.data[i])) {
      gxds_text_add(t, gxds_str_of(s.data + i, 1));
    } else {
      gxds_text_addf(t, "%%%02X", (unsigned)(unsigned char)s.data[i]);
    }
  }
}

bool gxds_text_add_file(gxds_text *t, int fd, size_t max) {
  enum { kPart = 1 << 16 };
  char *part = gxds_calloc(kPart, 1);
  ssize_t got = 1;
  while (got > 0 && t->size <= max) {
    got = read(fd, part, kPart);
    if (got > 0) gxds_text_add(t, gxds_str_of(part, (size_t)got));
    if (got < 0 && errno == EINTR) got = 1;
  }
  const int error = errno;
  gxds_free(part);
  errno = error;
  return got >= 0;
}

gxds_str gxds_text_str(const gxds_text *t) { return gxds_str_of(t->data, t->size); }

gxds_str gxds_text_take(gxds_text *t) {
  if (!t->data) return gxds_str_dup(gxds_str_of(NULL, 0));
  gxds_str s = gxds_text_str(t);
  *t = (gxds_text){0};
  return s;
}
