/* gxds_prototext_lexer: splits protobuf's text form into tokens
 * (https://protobuf.dev/reference/protobuf/textformat-spec/). Lives in the caller's struct;
 * confined to one thread. */
#ifndef GRPC_XDS_FILES_PROTOTEXT_LEXER_H_
#define GRPC_XDS_FILES_PROTOTEXT_LEXER_H_

#include <stdint.h>

#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_prototext_kind {
  GXDS_PROTOTEXT_END,    /* the end of the text */
  GXDS_PROTOTEXT_NAME,   /* letters, digits and '_' */
  GXDS_PROTOTEXT_NUMBER, /* a token that begins like a number, without its sign; not validated */
  GXDS_PROTOTEXT_STRING, /* one string, or several in a row joined to one; without quotes, and with
                            escapes replaced */
  GXDS_PROTOTEXT_MARK,   /* any other character */
  GXDS_PROTOTEXT_BROKEN, /* the wrong byte in a string or URL; empty at the end of the text */
} gxds_prototext_kind;

typedef struct gxds_prototext_token {
  gxds_prototext_kind kind;
  gxds_str text;   /* borrowed: valid until the next token is read */
  uint32_t line;   /* where the token begins, from 1 */
  uint32_t column; /* where the token begins in its line, in bytes, from 1 */
} gxds_prototext_token;

typedef struct gxds_prototext_lexer {
  gxds_prototext_token token; /* the token that was read last */
  const char *expected;       /* if BROKEN: what was expected instead */
  const char *at;             /* the rest is private */
  const char *end;
  const char *line_start;
  uint32_t line;
  gxds_text string;
} gxds_prototext_lexer;

/* Reads the first token. text is borrowed: valid until _fini. */
void gxds_prototext_lexer_init(gxds_prototext_lexer *l, gxds_str text);
void gxds_prototext_lexer_fini(gxds_prototext_lexer *l);
/* Reads the next token. Don't call it after END or BROKEN. */
void gxds_prototext_lexer_next(gxds_prototext_lexer *l);
/* Reads a type URL in brackets, up to its ']'. Before the call, the token is a '[' where the name
 * of a field may be; after it, the token is the URL, as a NAME. */
void gxds_prototext_lexer_read_url(gxds_prototext_lexer *l);
/* Whether the token is this character. */
bool gxds_prototext_lexer_is(const gxds_prototext_lexer *l, char mark);

#ifdef __cplusplus
}
#endif

#endif
