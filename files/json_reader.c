#include "files/json_reader.h"

#include <stdio.h>

#include "base/utf8.h"

typedef struct reader {
  const char *at;
  const char *end;
  const char *line_start;
  uint32_t line;
  gxds_file_node_builder builder;
  gxds_text scratch; /* the string that is being read */
} reader;

/* Adds a syntax error. The parse ends there, because the text after it could be misread. */
static bool fail(reader *r, const char *expected) {
  unsigned column = (unsigned)(r->at - r->line_start) + 1;
  char found[32] = "the end of the file";
  if (r->at < r->end) {
    unsigned char c = (unsigned char)*r->at;
    snprintf(found, sizeof found, c < 0x80 ? "'%c'" : "the byte 0x%02x", c);
  }
  gxds_file_errors_add(r->builder.errors, r->line, NULL,
                       "syntax error at column %u: expected %s, found %s", column, expected, found);
  return false;
}

static void skip_space(reader *r) {
  for (; r->at < r->end; r->at++) {
    if (*r->at == '\n') {
      r->line++;
      r->line_start = r->at + 1;
    } else if (*r->at != ' ' && *r->at != '\t' && *r->at != '\r') {
      return;
    }
  }
}

static bool take(reader *r, char c) {
  if (r->at == r->end || *r->at != c) return false;
  r->at++;
  return true;
}

static bool read_hex4(reader *r, uint32_t *out) {
  uint32_t value = 0;
  for (int i = 0; i < 4; i++, r->at++) {
    const int digit = r->at == r->end ? -1 : gxds_hex_digit(*r->at);
    if (digit < 0) return fail(r, "four hexadecimal digits");
    value = value << 4 | (uint32_t)digit;
  }
  *out = value;
  return true;
}

static bool read_unicode_escape(reader *r) {
  uint32_t code;
  if (!read_hex4(r, &code)) return false;
  if (code >= 0xdc00 && code <= 0xdfff) return fail(r, "a high surrogate before this low one");
  if (code >= 0xd800 && code <= 0xdbff) {
    uint32_t low;
    if (r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u') {
      return fail(r, "a low surrogate (\\uDC00 to \\uDFFF)");
    }
    r->at += 2;
    if (!read_hex4(r, &low)) return false;
    if (low < 0xdc00 || low > 0xdfff) return fail(r, "a low surrogate (\\uDC00 to \\uDFFF)");
    code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
  }
  gxds_utf8_add(&r->scratch, code);
  return true;
}

static bool read_escape(reader *r) {
  static const char from[] = "\"\\/bfnrt";
  static const char to[] = "\"\\/\b\f\n\r\t";
  if (r->at == r->end) return fail(r, "an escape");
  if (take(r, 'u')) return read_unicode_escape(r);
  const char *found = memchr(from, *r->at, sizeof from - 1);
  if (!found) return fail(r, "one of \"\\/bfnrtu after a backslash");
  gxds_text_add(&r->scratch, gxds_str_of(to + (found - from), 1));
  r->at++;
  return true;
}

/* Reads a string, from its opening quote, into scratch. */
static bool read_string(reader *r) {
  gxds_text_clear(&r->scratch);
  r->at++;
  for (;;) {
    const char *start = r->at;
    while (r->at < r->end && *r->at != '"' && *r->at != '\\' && (unsigned char)*r->at >= 0x20) {
      r->at++;
    }
    gxds_str plain = gxds_str_of(start, (size_t)(r->at - start));
    size_t valid = gxds_utf8_valid_prefix(plain);
    if (valid < plain.size) {
      r->at = start + valid;
      return fail(r, "UTF-8");
    }
    gxds_text_add(&r->scratch, plain);
    if (r->at == r->end) return fail(r, "the end of the string");
    if (take(r, '"')) return true;
    if (!take(r, '\\')) return fail(r, "an escape for a control character in a string");
    if (!read_escape(r)) return false;
  }
}

static bool skip_digits(reader *r) {
  const char *start = r->at;
  while (r->at < r->end && *r->at >= '0' && *r->at <= '9') r->at++;
  return r->at > start || fail(r, "a digit");
}

static bool read_number(reader *r) {
  const char *start = r->at;
  take(r, '-');
  if (take(r, '0')) {
    if (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
      return fail(r, "no digit after a leading zero");
    }
  } else if (!skip_digits(r)) {
    return false;
  }
  if (take(r, '.') && !skip_digits(r)) return false;
  if (take(r, 'e') || take(r, 'E')) {
    if (!take(r, '+')) take(r, '-');
    if (!skip_digits(r)) return false;
  }
  return gxds_file_node_builder_scalar(&r->builder, GXDS_FILE_NODE_NUMBER,
                                       gxds_str_of(start, (size_t)(r->at - start)), r->line);
}

static bool read_word(reader *r, const char *word, gxds_file_node_kind kind) {
  gxds_str rest = gxds_str_of(r->at, (size_t)(r->end - r->at));
  if (!gxds_str_starts_with(rest, gxds_str_z(word))) return fail(r, "a value");
  r->at += strlen(word);
  return gxds_file_node_builder_scalar(&r->builder, kind, gxds_str_z(word), r->line);
}

static bool read_value(reader *r);

static bool read_list(reader *r) {
  r->at++;
  if (!gxds_file_node_builder_open(&r->builder, GXDS_FILE_NODE_LIST, r->line)) return false;
  skip_space(r);
  if (take(r, ']')) return gxds_file_node_builder_close(&r->builder);
  for (;;) {
    if (!read_value(r)) return false;
    skip_space(r);
    if (take(r, ']')) return gxds_file_node_builder_close(&r->builder);
    if (!take(r, ',')) return fail(r, "',' or ']'");
  }
}

static bool read_map(reader *r) {
  r->at++;
  if (!gxds_file_node_builder_open(&r->builder, GXDS_FILE_NODE_MAP, r->line)) return false;
  skip_space(r);
  if (take(r, '}')) return gxds_file_node_builder_close(&r->builder);
  for (;;) {
    skip_space(r);
    if (r->at == r->end || *r->at != '"') return fail(r, "a key in quotes");
    if (!read_string(r)) return false;
    gxds_file_node_builder_key(&r->builder, gxds_text_str(&r->scratch), r->line);
    skip_space(r);
    if (!take(r, ':')) return fail(r, "':'");
    if (!read_value(r)) return false;
    skip_space(r);
    if (take(r, '}')) return gxds_file_node_builder_close(&r->builder);
    if (!take(r, ',')) return fail(r, "',' or '}'");
  }
}

/* Recursion is bounded: the builder refuses to open more than GXDS_FILE_NODE_DEPTH_MAX levels. */
static bool read_value(reader *r) {
  skip_space(r);
  if (r->at == r->end) return fail(r, "a value");
  switch (*r->at) {
    case '{':
      return read_map(r);
    case '[':
      return read_list(r);
    case '"': {
      uint32_t line = r->line;
      return read_string(r) && gxds_file_node_builder_scalar(&r->builder, GXDS_FILE_NODE_STRING,
                                                             gxds_text_str(&r->scratch), line);
    }
    case 't':
      return read_word(r, "true", GXDS_FILE_NODE_BOOL);
    case 'f':
      return read_word(r, "false", GXDS_FILE_NODE_BOOL);
    case 'n':
      return read_word(r, "null", GXDS_FILE_NODE_NULL);
    default:
      if (*r->at == '-' || (*r->at >= '0' && *r->at <= '9')) return read_number(r);
      return fail(r, "a value");
  }
}

const gxds_file_node *gxds_file_json_read_duplicates(gxds_str text, struct upb_Arena *arena,
                                                     gxds_file_errors *errors) {
  /* A byte order mark is not JSON, but some editors write it. */
  if (gxds_str_starts_with(text, gxds_str_z("\xef\xbb\xbf"))) {
    text = gxds_str_from(text, 3);
  }
  reader r = {.at = text.data, .end = text.data + text.size, .line_start = text.data, .line = 1};
  if (text.size == 0) r.at = r.end = r.line_start = "";
  gxds_file_node_builder_init(&r.builder, arena, errors);
  const gxds_file_node *root = NULL;
  if (read_value(&r)) {
    skip_space(&r);
    if (r.at < r.end) {
      fail(&r, "the end of the file");
    } else {
      root = gxds_file_node_builder_take(&r.builder);
    }
  }
  gxds_file_node_builder_fini(&r.builder);
  gxds_text_fini(&r.scratch);
  return root;
}

const gxds_file_node *gxds_file_json_read(gxds_str text, struct upb_Arena *arena,
                                          gxds_file_errors *errors) {
  size_t before = errors->count;
  const gxds_file_node *root = gxds_file_json_read_duplicates(text, arena, errors);
  return errors->count == before ? root : NULL;
}
