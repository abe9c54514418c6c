#include "files/prototext_reader.h"

#include <upb/def.h>
#include <upb/encode.h>
#include <upb/reflection.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/upb.h"
#include "files/binary_reader.h"
#include "files/convert.h"
#include "files/prototext_nodes.h"
#include "files/prototext_scalar.h"

enum { RESPONSE_RESOURCES = 2, ANY_TYPE_URL = 1, ANY_VALUE = 2, ENTRY_KEY = 1, ENTRY_VALUE = 2 };
/* How many fields of a message are checked for repetition; no xDS message has that many. */
enum { kFieldsMax = 256 };

typedef struct reader {
  gxds_prototext_lexer lexer;
  const gxds_schema *schema;
  gxds_file_errors *errors;
  uint32_t values; /* how many values the file has so far */
  int nesting;
  upb_Message *response;
  upb_Arena *nodes;
  const gxds_file_node **resources; /* the nodes of the response's resources, in the order of the
                                       file */
  size_t resource_count;
  size_t resource_capacity;
} reader;

/* A message that is being read. */
typedef struct message {
  /* NULL if the type is unknown. The error was added then, and the message is skipped. */
  const upb_MessageDef *def;
  upb_Message *msg;
  upb_Arena *arena;
  const gxds_path *at;
  gxds_prototext_map *map;        /* the nodes that were read; NULL: not needed */
  int depth;                      /* how many messages are around this one, up to an Any */
  uint64_t seen[kFieldsMax / 64]; /* a bit for each singular field that was given */
} message;

/* The outcome of reading a value. */
typedef enum outcome {
  BROKEN, /* a syntax error; the parse ends */
  WRONG,  /* the value does not fit the field; the error was added, and the parse continues */
  GOOD,
} outcome;

static bool is(const reader *r, char mark) { return gxds_prototext_lexer_is(&r->lexer, mark); }

static bool take(reader *r, char mark) {
  if (!is(r, mark)) return false;
  gxds_prototext_lexer_next(&r->lexer);
  return true;
}

/* The part of s that fits into an error, which is one line. */
static gxds_str shown(gxds_str s) {
  enum { kShown = 60 };
  return gxds_str_of(s.data, s.size < kShown ? s.size : kShown);
}

/* Adds a description of the token, for an error. negative: it follows a '-'. */
static void describe(const gxds_prototext_token *token, bool negative, gxds_text *out) {
  gxds_str text = token->text;
  switch (token->kind) {
    case GXDS_PROTOTEXT_STRING: {
      gxds_file_node node = {.kind = GXDS_FILE_NODE_STRING, .text = text};
      gxds_file_node_describe(&node, out);
      return;
    }
    case GXDS_PROTOTEXT_NUMBER:
    case GXDS_PROTOTEXT_NAME:
      gxds_text_addf(out, "%s%s%.*s", token->kind == GXDS_PROTOTEXT_NUMBER ? "the number " : "",
                     negative ? "-" : "", GXDS_STR_ARG(shown(text)));
      return;
    default:
      if (text.size == 0) {
        gxds_text_add_z(out, "the end of the file");
      } else {
        unsigned char c = (unsigned char)text.data[0];
        gxds_text_addf(out, c > 0 && c < 0x80 ? "'%c'" : "the byte 0x%02x", c);
      }
  }
}

static bool fail(reader *r, const char *expected) {
  const gxds_prototext_token *token = &r->lexer.token;
  bool broken = token->kind == GXDS_PROTOTEXT_BROKEN; /* the lexer's token says what was expected */
  gxds_text found = {0};
  describe(token, false, &found);
  gxds_file_errors_add(r->errors, token->line, NULL,
                       "syntax error at column %u: expected %s, found %s", (unsigned)token->column,
                       broken ? r->lexer.expected : expected, found.data);
  gxds_text_fini(&found);
  return false;
}

static outcome add_expected(reader *r, const gxds_prototext_token *where, const gxds_path *at,
                            const char *what, const char *found) {
  gxds_file_errors_add(r->errors, where->line, at, "at column %u: expected %s, found %s",
                       (unsigned)where->column, what, found);
  return WRONG;
}

static bool count_value(reader *r) {
  if (r->values++ < GXDS_PROTOTEXT_VALUES_MAX) return true;
  gxds_file_errors_add(r->errors, r->lexer.token.line, NULL, "more than %u values in one file",
                       GXDS_PROTOTEXT_VALUES_MAX);
  return false;
}

static bool read_field(reader *r, message *in);

/* Reads a message. The token is its opening mark. */
static bool read_message(reader *r, message *in) {
  char close = is(r, '{') ? '}' : '>';
  if (r->nesting == GXDS_PROTOTEXT_NESTING_MAX || in->depth > GXDS_MESSAGE_DEPTH_MAX) {
    gxds_file_errors_add(
        r->errors, r->lexer.token.line, in->at,
        "at column %u: more than %d messages inside of each other", (unsigned)r->lexer.token.column,
        in->depth > GXDS_MESSAGE_DEPTH_MAX ? GXDS_MESSAGE_DEPTH_MAX : GXDS_PROTOTEXT_NESTING_MAX);
    return false;
  }
  r->nesting++;
  gxds_prototext_lexer_next(&r->lexer);
  while (!take(r, close)) {
    if (r->lexer.token.kind != GXDS_PROTOTEXT_NAME && !is(r, '[')) {
      return fail(r, close == '}' ? "the name of a field or '}'" : "the name of a field or '>'");
    }
    if (!read_field(r, in)) return false;
  }
  r->nesting--;
  return true;
}

/* Reads a scalar; f is its field, or NULL if the field is unknown. */
static outcome read_scalar(reader *r, const upb_FieldDef *f, upb_Arena *arena, const gxds_path *at,
                           upb_MessageValue *out) {
  gxds_prototext_token first = r->lexer.token;
  bool negative = take(r, '-');
  const gxds_prototext_token *token = &r->lexer.token;
  bool ok = token->kind == GXDS_PROTOTEXT_NUMBER || token->kind == GXDS_PROTOTEXT_NAME ||
            (token->kind == GXDS_PROTOTEXT_STRING && !negative);
  if (!ok) {
    fail(r, negative ? "a number" : "a value");
    return BROKEN;
  }
  outcome result = GOOD;
  gxds_text what = {0};
  bool wants_message = f && upb_FieldDef_IsSubMessage(f);
  if (wants_message) gxds_text_add_z(&what, "a message in { }");
  if (wants_message || (f && !gxds_prototext_scalar_read(f, negative, token, arena, out, &what))) {
    gxds_text found = {0};
    describe(token, negative, &found);
    result = add_expected(r, &first, at, what.data, found.data);
    gxds_text_fini(&found);
  }
  gxds_text_fini(&what);
  gxds_prototext_lexer_next(&r->lexer);
  return result;
}

/* Reads one value; f is its field, or NULL if the field is unknown. has_colon: a ':' came before
 * the value; without one, only a message is allowed. */
static outcome read_value(reader *r, const upb_FieldDef *f, bool has_colon, const message *in,
                          const gxds_path *at, upb_MessageValue *out, const gxds_file_node **node) {
  if (!count_value(r)) return BROKEN;
  uint32_t line = r->lexer.token.line;
  if (!is(r, '{') && !is(r, '<')) {
    if (f) *node = gxds_prototext_scalar_node(r->nodes, line);
    if (has_colon) return read_scalar(r, f, in->arena, at, out);
    fail(r, f && !upb_FieldDef_IsSubMessage(f) ? "':'" : "':' or '{'");
    return BROKEN;
  }
  outcome result = GOOD;
  message inner = {.arena = in->arena,
                   .at = at,
                   .map = f ? gxds_prototext_map_create(r->nodes, line) : NULL,
                   .depth = in->depth + 1};
  if (f && upb_FieldDef_IsSubMessage(f)) {
    inner.def = upb_FieldDef_MessageSubDef(f);
    inner.msg = upb_Message_New(inner.def, in->arena);
    GXDS_CHECK(inner.msg != NULL);
    out->msg_val = inner.msg;
  } else if (f) {
    result = add_expected(r, &r->lexer.token, at, "no message", "one");
  }
  if (!read_message(r, &inner)) return BROKEN;
  if (f) *node = gxds_prototext_map_node(inner.map);
  return result;
}

/* Reads "[TYPE URL] {...}" in an Any. The message inside is built in its own arena, so that only
 * its serialized bytes are kept. */
static bool read_expanded(reader *r, const message *any) {
  gxds_prototext_token url = r->lexer.token;
  const upb_MessageDef *def = any->def ? gxds_schema_find(r->schema, url.text) : NULL;
  if (any->def && !def) {
    gxds_file_errors_add(r->errors, url.line, any->at, "at column %u: no such type is known: %.*s",
                         (unsigned)url.column, GXDS_STR_ARG(shown(url.text)));
  }
  gxds_prototext_lexer_next(&r->lexer);
  take(r, ':');
  if (!is(r, '{') && !is(r, '<')) return fail(r, "'{' behind the type of an Any");
  if (!count_value(r)) return false;
  if (any->map) gxds_prototext_map_set_type(any->map, url.text, url.line);
  message inner = {.def = def, .arena = upb_Arena_New(), .at = any->at, .map = any->map};
  inner.msg = def ? upb_Message_New(def, inner.arena) : NULL;
  size_t before = r->errors->count;
  bool ok = read_message(r, &inner);
  if (def && r->errors->count == before) {
    char *bytes = NULL;
    size_t size = 0;
    upb_EncodeStatus status =
        upb_Encode(inner.msg, upb_MessageDef_MiniTable(def), kUpb_EncodeOption_Deterministic,
                   any->arena, &bytes, &size);
    GXDS_CHECK(status == kUpb_EncodeStatus_Ok); /* the depth was limited while it was read */
    upb_Message_Set(
        any->msg, upb_MessageDef_FindFieldByNumber(any->def, ANY_TYPE_URL),
        (upb_MessageValue){.str_val = gxds_pb_view(gxds_arena_dup(any->arena, url.text))},
        any->arena);
    upb_Message_Set(any->msg, upb_MessageDef_FindFieldByNumber(any->def, ANY_VALUE),
                    (upb_MessageValue){.str_val = {bytes, size}}, any->arena);
  }
  upb_Arena_Free(inner.arena);
  return ok;
}

static void remember(reader *r, const gxds_file_node *resource) {
  GXDS_MAKE_ROOM(r->resources, r->resource_count, r->resource_capacity, 16);
  r->resources[r->resource_count++] = resource;
}

/* Adds a value to a repeated field. */
static void append(reader *r, const message *in, const upb_FieldDef *f, upb_MessageValue value,
                   const gxds_file_node *node) {
  if (in->msg == r->response && upb_FieldDef_Number(f) == RESPONSE_RESOURCES) remember(r, node);
  if (in->map) gxds_prototext_map_append(in->map, upb_FieldDef_Name(f), node);
  upb_Array *array = upb_Message_Mutable(in->msg, f, in->arena).array;
  GXDS_CHECK(array != NULL && upb_Array_Append(array, value, in->arena));
}

/* If this singular field, or another field of its oneof, was given before, adds an error and
 * returns true. */
static bool clashes(reader *r, message *in, const upb_FieldDef *f,
                    const gxds_prototext_token *where, const gxds_path *at) {
  uint32_t index = upb_FieldDef_Index(f);
  const upb_OneofDef *oneof = upb_FieldDef_RealContainingOneof(f);
  const upb_FieldDef *other = oneof ? upb_Message_WhichOneof(in->msg, oneof) : NULL;
  if (other && other != f) {
    gxds_file_errors_add(r->errors, where->line, at,
                         "at column %u: only one of a oneof may be given: %s is too",
                         (unsigned)where->column, upb_FieldDef_Name(other));
    return true;
  }
  if (index >= kFieldsMax) return false;
  uint64_t bit = (uint64_t)1 << index % 64;
  bool again = (in->seen[index / 64] & bit) != 0;
  in->seen[index / 64] |= bit;
  if (again) {
    gxds_file_errors_add(r->errors, where->line, at, "at column %u: given twice",
                         (unsigned)where->column);
  }
  return again;
}

/* The default value of a field. */
static upb_MessageValue default_of(const upb_FieldDef *f, upb_Arena *arena) {
  if (!upb_FieldDef_IsSubMessage(f)) return upb_FieldDef_Default(f);
  upb_Message *msg = upb_Message_New(upb_FieldDef_MessageSubDef(f), arena);
  GXDS_CHECK(msg != NULL);
  return (upb_MessageValue){.msg_val = msg};
}

/* Reads "{key: … value: …}". The token is the opening mark. upb has no message for a map entry, so
 * the key and the value are put into the map. */
static outcome read_entry(reader *r, const message *in, const upb_FieldDef *f,
                          const gxds_path *at) {
  const upb_MessageDef *entry = upb_FieldDef_MessageSubDef(f);
  upb_MessageValue values[2];
  for (int i = 0; i < 2; i++) {
    values[i] = default_of(upb_MessageDef_FindFieldByNumber(entry, (uint32_t)i + 1), in->arena);
  }
  gxds_prototext_token where = r->lexer.token;
  char close = is(r, '{') ? '}' : '>';
  message inner = {.arena = in->arena, .at = at, .depth = in->depth + 1};
  const gxds_file_node *nodes[2] = {NULL, gxds_prototext_scalar_node(r->nodes, where.line)};
  bool given[2] = {false, false};
  outcome result = GOOD;
  gxds_prototext_lexer_next(&r->lexer);
  while (!take(r, close)) {
    bool is_key = gxds_str_equal(r->lexer.token.text, gxds_str_z("key"));
    bool is_value = gxds_str_equal(r->lexer.token.text, gxds_str_z("value"));
    int which = is_value;
    if (r->lexer.token.kind != GXDS_PROTOTEXT_NAME || !(is_key || is_value) || given[which]) {
      fail(r, "\"key\" and \"value\", each once");
      return BROKEN;
    }
    given[which] = true;
    gxds_prototext_lexer_next(&r->lexer);
    bool has_colon = take(r, ':');
    outcome got =
        read_value(r, upb_MessageDef_FindFieldByNumber(entry, (uint32_t)which + 1), has_colon,
                   &inner, GXDS_FIELD(at, is_key ? "key" : "value"), &values[which], &nodes[which]);
    if (got == BROKEN) return BROKEN;
    if (got == WRONG) result = WRONG;
    if (!take(r, ',')) take(r, ';');
  }
  if (result != GOOD) return result;
  upb_Map *map = upb_Message_Mutable(in->msg, f, in->arena).map;
  GXDS_CHECK(map != NULL);
  if (upb_Map_Get(map, values[0], NULL)) {
    gxds_file_errors_add(r->errors, where.line, at, "at column %u: another entry has this key",
                         (unsigned)where.column);
    return WRONG;
  }
  GXDS_CHECK(upb_Map_Insert(map, values[0], values[1], in->arena) !=
             kUpb_MapInsertStatus_OutOfMemory);
  const upb_FieldDef *key = upb_MessageDef_FindFieldByNumber(entry, ENTRY_KEY);
  if (in->map && upb_FieldDef_CType(key) == kUpb_CType_String) {
    gxds_str text = gxds_str_of(values[0].str_val.data, values[0].str_val.size);
    gxds_prototext_map_put(in->map, upb_FieldDef_Name(f), text, where.line, nodes[1]);
  }
  return GOOD;
}

/* Reads one value of a field that is a list or a map; f is NULL if the field is unknown. */
static outcome read_item(reader *r, const message *in, const upb_FieldDef *f, bool has_colon,
                         const gxds_path *at) {
  if (f && upb_FieldDef_IsMap(f) && (is(r, '{') || is(r, '<'))) {
    return count_value(r) ? read_entry(r, in, f, at) : BROKEN;
  }
  upb_MessageValue value;
  const gxds_file_node *node = NULL;
  outcome got = read_value(r, f, has_colon, in, at, &value, &node);
  if (got == GOOD && f) append(r, in, f, value, node);
  return got;
}

static size_t count_of(const message *in, const upb_FieldDef *f) {
  upb_MessageValue value = upb_Message_Get(in->msg, f);
  if (upb_FieldDef_IsMap(f)) return value.map_val ? upb_Map_Size(value.map_val) : 0;
  return value.array_val ? upb_Array_Size(value.array_val) : 0;
}

/* Reads "[a, b]". The token is the bracket. f is a repeated field, or NULL. */
static bool read_list(reader *r, const message *in, const upb_FieldDef *f, bool has_colon,
                      const char *name) {
  gxds_prototext_lexer_next(&r->lexer);
  if (take(r, ']')) return true;
  size_t index = f ? count_of(in, f) : 0;
  for (;;) {
    if (read_item(r, in, f, has_colon, GXDS_ITEM(in->at, name, index++)) == BROKEN) return false;
    if (take(r, ']')) return true;
    if (!take(r, ',')) return fail(r, "',' or ']'");
  }
}

/* Reads what follows the name of a field; f is NULL if there is no such field. */
static bool read_values(reader *r, message *in, const upb_FieldDef *f,
                        const gxds_prototext_token *where, const char *name) {
  bool has_colon = take(r, ':');
  bool repeated = f && upb_FieldDef_IsRepeated(f);
  if (is(r, '[')) {
    if (f && !repeated) {
      add_expected(r, &r->lexer.token, GXDS_FIELD(in->at, name), "one value", "a list");
      f = NULL;
    }
    return read_list(r, in, f, has_colon, name);
  }
  if (repeated) {
    const gxds_path *at = GXDS_ITEM(in->at, name, count_of(in, f));
    return read_item(r, in, f, has_colon, at) != BROKEN;
  }
  const gxds_path *at = GXDS_FIELD(in->at, name);
  if (f && clashes(r, in, f, where, at)) f = NULL;
  upb_MessageValue value;
  const gxds_file_node *node = NULL;
  outcome got = read_value(r, f, has_colon, in, at, &value, &node);
  if (got == GOOD && f) {
    GXDS_CHECK(upb_Message_Set(in->msg, f, value, in->arena));
    if (in->map) gxds_prototext_map_set(in->map, name, where->line, node);
  }
  return got != BROKEN;
}

/* Reads a type URL in brackets, where the name of a field may be. */
static bool read_bracketed(reader *r, message *in) {
  gxds_prototext_token where = r->lexer.token;
  gxds_prototext_lexer_read_url(&r->lexer);
  if (r->lexer.token.kind != GXDS_PROTOTEXT_NAME) return fail(r, "");
  if (in->msg && in->msg == r->response) { /* a resource at the top of the file */
    const upb_FieldDef *f = upb_MessageDef_FindFieldByNumber(in->def, RESPONSE_RESOURCES);
    message any = {.def = upb_FieldDef_MessageSubDef(f),
                   .arena = in->arena,
                   .at = GXDS_ITEM(NULL, "resources", count_of(in, f)),
                   .map = gxds_prototext_map_create(r->nodes, where.line)};
    any.msg = upb_Message_New(any.def, in->arena);
    GXDS_CHECK(any.msg != NULL);
    if (!read_expanded(r, &any)) return false;
    append(r, in, f, (upb_MessageValue){.msg_val = any.msg}, gxds_prototext_map_node(any.map));
    return true;
  }
  if (in->def && upb_MessageDef_WellKnownType(in->def) == kUpb_WellKnown_Any) {
    const upb_FieldDef *url = upb_MessageDef_FindFieldByNumber(in->def, ANY_TYPE_URL);
    const upb_FieldDef *value = upb_MessageDef_FindFieldByNumber(in->def, ANY_VALUE);
    message unknown = {.arena = in->arena, .at = in->at};
    bool twice = clashes(r, in, url, &where, GXDS_FIELD(in->at, "type_url")) ||
                 clashes(r, in, value, &where, GXDS_FIELD(in->at, "value"));
    return read_expanded(r, twice ? &unknown : in);
  }
  if (in->def) {
    gxds_file_errors_add(r->errors, where.line, in->at,
                         "at column %u: a type in brackets stands only in an Any, and this is a %s",
                         (unsigned)where.column, upb_MessageDef_FullName(in->def));
  }
  gxds_prototext_lexer_next(&r->lexer);
  return read_values(r, in, NULL, &where, NULL);
}

/* Reads a field. The token is a name or '['. */
static bool read_field(reader *r, message *in) {
  bool ok;
  if (is(r, '[')) {
    ok = read_bracketed(r, in);
  } else {
    gxds_prototext_token name = r->lexer.token;
    const upb_FieldDef *f =
        in->def ? upb_MessageDef_FindFieldByNameWithSize(in->def, name.text.data, name.text.size)
                : NULL;
    if (in->def && !f) {
      gxds_str copy = gxds_str_dup(shown(name.text));
      gxds_file_errors_add(r->errors, name.line, GXDS_FIELD(in->at, copy.data),
                           "at column %u: no such field in %s", (unsigned)name.column,
                           upb_MessageDef_FullName(in->def));
      gxds_str_free(&copy);
    }
    gxds_prototext_lexer_next(&r->lexer);
    ok = read_values(r, in, f, &name, f ? upb_FieldDef_Name(f) : NULL);
  }
  if (ok && !take(r, ',')) take(r, ';');
  return ok;
}

static bool read_response(reader *r, message *in) {
  while (r->lexer.token.kind == GXDS_PROTOTEXT_NAME || is(r, '[')) {
    if (!read_field(r, in)) return false;
  }
  if (r->lexer.token.kind == GXDS_PROTOTEXT_END) return true;
  return fail(r, "the name of a field or the end of the file");
}

void gxds_prototext_read(const gxds_schema *schema, gxds_str text, gxds_file_found_fn found,
                         void *arg, gxds_file_errors *errors) {
  static const char type_url[] = "type.googleapis.com/envoy.service.discovery.v3.DiscoveryResponse";
  upb_Arena *arena = upb_Arena_New();
  reader r = {.schema = schema, .errors = errors, .nodes = arena};
  message response = {.def = gxds_schema_find(schema, gxds_str_z(type_url)), .arena = arena};
  r.response = response.msg = upb_Message_New(response.def, arena);
  GXDS_CHECK(response.msg != NULL);
  size_t before = errors->count;
  gxds_prototext_lexer_init(&r.lexer, text);
  bool whole = read_response(&r, &response);
  gxds_prototext_lexer_fini(&r.lexer);
  if (whole && errors->count == before) {
    char *bytes = NULL;
    size_t size = 0;
    GXDS_CHECK(upb_Encode(response.msg, upb_MessageDef_MiniTable(response.def), 0, arena, &bytes,
                          &size) == kUpb_EncodeStatus_Ok);
    gxds_binary_read(schema, gxds_str_of(bytes, size), r.resources, found, arg, errors);
  }
  gxds_free(r.resources);
  upb_Arena_Free(arena);
}
