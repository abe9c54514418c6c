#include "files/prototext_lexer.h"

#include "base/utf8.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_name(char c) {
  return is_digit(c) || c == '_' || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static bool is_one_of(char c, const char *set) { return c != 0 && strchr(set, c) != NULL; }

static bool is_at(const gxds_prototext_lexer *l, char c) { return l->at < l->end && *l->at == c; }

static void skip_space(gxds_prototext_lexer *l) {
  for (; l->at < l->end; l->at++) {
    if (*l->at == '#') {
      while (l->at < l->end && *l->at != '\n') l->at++;
      if (l->at == l->end) return;
    }
    if (*l->at == '\n') {
      l->line++;
      l->line_start = l->at + 1;
    } else if (!is_one_of(*l->at, " \t\r\v\f")) {
      return;
    }
  }
}

static void begin(gxds_prototext_lexer *l) {
  l->token.line = l->line;
  l->token.column = (uint32_t)(l->at - l->line_start) + 1;
}

static void finish(gxds_prototext_lexer *l, gxds_prototext_kind kind, const char *start) {
  l->token.kind = kind;
  l->token.text = gxds_str_of(start, (size_t)(l->at - start));
}

/* Fails: the token becomes the wrong character. */
static bool fail(gxds_prototext_lexer *l, const char *expected) {
  l->expected = expected;
  begin(l);
  const char *start = l->at;
  if (l->at < l->end) l->at++;
  finish(l, GXDS_PROTOTEXT_BROKEN, start);
  return false;
}

static bool read_hex(gxds_prototext_lexer *l, int least, int most, const char *expected,
                     uint32_t *out) {
  *out = 0;
  for (int i = 0; i < most; i++, l->at++) {
    int digit = l->at < l->end ? gxds_hex_digit(*l->at) : -1;
    if (digit < 0) return i >= least || fail(l, expected);
    *out = *out << 4 | (uint32_t)digit;
  }
  return true;
}

/* Reads the digits after "\u" or "\U". */
static bool read_unicode(gxds_prototext_lexer *l, bool is_long) {
  static const char low_expected[] = "a low surrogate (\\uDC00 to \\uDFFF)";
  uint32_t code;
  const char *start = l->at;
  if (!read_hex(l, is_long ? 8 : 4, is_long ? 8 : 4,
                is_long ? "eight hexadecimal digits" : "four hexadecimal digits", &code)) {
    return false;
  }
  if (code >= 0xd800 && code <= 0xdbff && !is_long) {
    uint32_t low;
    if (l->end - l->at < 2 || l->at[0] != '\\' || l->at[1] != 'u') return fail(l, low_expected);
    l->at += 2;
    const char *low_start = l->at;
    if (!read_hex(l, 4, 4, "four hexadecimal digits", &low)) return false;
    if (low < 0xdc00 || low > 0xdfff) {
      l->at = low_start;
      return fail(l, low_expected);
    }
    code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
  } else if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) {
    l->at = start;
    return fail(l, "a character of Unicode");
  }
  gxds_utf8_add(&l->string, code);
  return true;
}

static bool read_octal(gxds_prototext_lexer *l) {
  const char *start = l->at;
  unsigned value = 0;
  for (int i = 0; i < 3 && l->at < l->end && *l->at >= '0' && *l->at <= '7'; i++) {
    value = value * 8 + (unsigned)(*l->at++ - '0');
  }
  if (value > 0xff) {
    l->at = start;
    return fail(l, "at most \\377");
  }
  gxds_text_add(&l->string, gxds_str_of((const char[]){(char)value}, 1));
  return true;
}

/* Reads an escape, after its backslash. */
static bool read_escape(gxds_prototext_lexer *l) {
  static const char from[] = "abfnrtv?\\'\"";
  static const char to[] = "\a\b\f\n\r\t\v?\\'\"";
  if (l->at < l->end && *l->at >= '0' && *l->at <= '7') return read_octal(l);
  if (is_at(l, 'x') || is_at(l, 'X')) {
    uint32_t value;
    l->at++;
    if (!read_hex(l, 1, 2, "hexadecimal digits", &value)) return false;
    gxds_text_add(&l->string, gxds_str_of((const char[]){(char)value}, 1));
    return true;
  }
  if (is_at(l, 'u') || is_at(l, 'U')) {
    l->at++;
    return read_unicode(l, l->at[-1] == 'U');
  }
  const char *found = l->at < l->end ? memchr(from, *l->at, sizeof from - 1) : NULL;
  if (!found) return fail(l, "one of abfnrtv?\\'\"xuU or an octal digit after a backslash");
  gxds_text_add(&l->string, gxds_str_of(to + (found - from), 1));
  l->at++;
  return true;
}

/* Reads a string, from its opening quote. */
static bool read_string(gxds_prototext_lexer *l) {
  char quote = *l->at++;
  for (;;) {
    const char *start = l->at;
    while (l->at < l->end && *l->at != quote && *l->at != '\\' && *l->at != '\n') l->at++;
    gxds_text_add(&l->string, gxds_str_of(start, (size_t)(l->at - start)));
    if (l->at == l->end || *l->at == '\n') return fail(l, "the end of the string");
    if (*l->at++ == quote) return true;
    if (!read_escape(l)) return false;
  }
}

static void read_strings(gxds_prototext_lexer *l) {
  gxds_text_clear(&l->string);
  do {
    if (!read_string(l)) return;
    skip_space(l);
  } while (is_at(l, '"') || is_at(l, '\''));
  l->token.kind = GXDS_PROTOTEXT_STRING;
  l->token.text = gxds_text_str(&l->string);
}

/* Reads all characters that a number may have. Whether they are a number is checked later, when the
 * type of the field is known. */
static void read_number(gxds_prototext_lexer *l) {
  const char *start = l->at++;
  bool is_hex = is_at(l, 'x') || is_at(l, 'X');
  for (; l->at < l->end; l->at++) {
    bool exponent_sign = (*l->at == '+' || *l->at == '-') && !is_hex && (l->at[-1] | 32) == 'e';
    if (!is_name(*l->at) && *l->at != '.' && !exponent_sign) break;
  }
  finish(l, GXDS_PROTOTEXT_NUMBER, start);
}

void gxds_prototext_lexer_next(gxds_prototext_lexer *l) {
  skip_space(l);
  begin(l);
  const char *start = l->at;
  if (l->at == l->end) {
    finish(l, GXDS_PROTOTEXT_END, start);
  } else if (*l->at == '"' || *l->at == '\'') {
    read_strings(l);
  } else if (is_digit(*l->at) || (*l->at == '.' && l->end - start > 1 && is_digit(start[1]))) {
    read_number(l);
  } else if (is_name(*l->at)) {
    while (l->at < l->end && is_name(*l->at)) l->at++;
    finish(l, GXDS_PROTOTEXT_NAME, start);
  } else {
    l->at++;
    finish(l, GXDS_PROTOTEXT_MARK, start);
  }
}

void gxds_prototext_lexer_read_url(gxds_prototext_lexer *l) {
  skip_space(l);
  begin(l);
  const char *start = l->at;
  while (l->at < l->end && (is_name(*l->at) || is_one_of(*l->at, "./-~%"))) l->at++;
  const char *stop = l->at;
  skip_space(l);
  if (stop == start || !is_at(l, ']')) {
    fail(l, stop == start ? "the type URL of an Any" : "']'");
    return;
  }
  l->at = stop;
  finish(l, GXDS_PROTOTEXT_NAME, start);
  skip_space(l);
  l->at++;
}

bool gxds_prototext_lexer_is(const gxds_prototext_lexer *l, char mark) {
  return l->token.kind == GXDS_PROTOTEXT_MARK && l->token.text.data[0] == mark;
}

void gxds_prototext_lexer_init(gxds_prototext_lexer *l, gxds_str text) {
  /* A byte order mark is not a token, but some editors write it. */
  if (gxds_str_starts_with(text, gxds_str_z("\xef\xbb\xbf"))) {
    text = gxds_str_from(text, 3);
  }
  const char *data = text.size ? text.data : "";
  *l = (gxds_prototext_lexer){.at = data, .end = data + text.size, .line_start = data, .line = 1};
  gxds_prototext_lexer_next(l);
}

void gxds_prototext_lexer_fini(gxds_prototext_lexer *l) { gxds_text_fini(&l->string); }
