#include "files/convert.h"

#include <stdio.h>
#include <upb/def.h>
#include <upb/encode.h>
#include <upb/json_decode.h>
#include <upb/reflection.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "files/scalar.h"

/* Writes JSON for upb, one node on each line, so that the file's line can be found for upb's
 * errors. */
typedef struct converter {
  const gxds_schema *schema;
  gxds_file_errors *errors;
  gxds_text json;
  uint32_t *lines; /* for each line of the JSON, the line in the file */
  size_t line_count;
  size_t line_capacity;
  /* Strings that only upb can check, such as times and masks. The field is for the error if upb
   * refuses the string. */
  struct judged {
    size_t line; /* the current line of the JSON */
    gxds_str field;
  } * judged;
  size_t judged_count;
} converter;

static void begin_line(converter *c, const gxds_file_node *node) {
  GXDS_MAKE_ROOM(c->lines, c->line_count, c->line_capacity, 64);
  c->lines[c->line_count++] = node->line;
  gxds_text_add_z(&c->json, "\n");
}

static void write_message(converter *c, const upb_MessageDef *m, const gxds_file_node *node,
                          const gxds_path *at, int depth);

/* Whether the node may be a value that was added to an enum later. */
static bool is_newer_value(const converter *c, const upb_FieldDef *f, const gxds_file_node *node) {
  return gxds_schema_is_lenient(c->schema) && upb_FieldDef_CType(f) == kUpb_CType_Enum &&
         node->kind == GXDS_FILE_NODE_STRING;
}

static void write_scalar(converter *c, const upb_FieldDef *f, const gxds_file_node *node,
                         const gxds_path *at) {
  gxds_text expected = {0};
  begin_line(c, node);
  if (!gxds_scalar_write(f, node, &c->json, &expected)) {
    if (is_newer_value(c, f, node)) {
      /* On the wire it would be a number that nobody here knows. */
      gxds_text_addf(&c->json, "%d", INT32_MAX);
    } else {
      gxds_file_node_refuse(node, at, expected.data, c->errors);
    }
  }
  gxds_text_fini(&expected);
}

static bool deep_enough(converter *c, const gxds_file_node *node, const gxds_path *at, int depth) {
  if (depth <= GXDS_MESSAGE_DEPTH_MAX) return false;
  gxds_file_errors_add(c->errors, node->line, at, "more than %d messages inside of each other",
                       GXDS_MESSAGE_DEPTH_MAX);
  return true;
}

/* Writes a google.protobuf.Value, ListValue or Struct, which may hold any JSON. Each level of the
 * JSON is three nested messages: Struct, map entry, Value. */
static void write_free(converter *c, const gxds_file_node *node, const gxds_path *at, int depth) {
  begin_line(c, node);
  if (deep_enough(c, node, at, depth)) return;
  switch (node->kind) {
    case GXDS_FILE_NODE_STRING:
      gxds_utf8_add_json(&c->json, node->text);
      return;
    case GXDS_FILE_NODE_NUMBER:
      if (!gxds_scalar_is_finite(node->text)) {
        gxds_file_node_refuse(node, at, "a number that a double can hold", c->errors);
      }
      gxds_text_add(&c->json, node->text);
      return;
    case GXDS_FILE_NODE_LIST:
      gxds_text_add_z(&c->json, "[");
      for (size_t i = 0; i < node->count; i++) {
        if (i) gxds_text_add_z(&c->json, ",");
        write_free(c, node->items[i], GXDS_ITEM(at, NULL, i), depth + 3);
      }
      gxds_text_add_z(&c->json, "]");
      return;
    case GXDS_FILE_NODE_MAP:
      gxds_text_add_z(&c->json, "{");
      for (size_t i = 0; i < node->count; i++) {
        if (i) gxds_text_add_z(&c->json, ",");
        gxds_utf8_add_json(&c->json, node->entries[i].key);
        gxds_text_add_z(&c->json, ":");
        write_free(c, node->entries[i].value, GXDS_FIELD(at, node->entries[i].key.data), depth + 3);
      }
      gxds_text_add_z(&c->json, "}");
      return;
    default:
      gxds_text_add(&c->json, node->text);
  }
}

static void write_single(converter *c, const upb_FieldDef *f, const gxds_file_node *node,
                         const gxds_path *at, int depth) {
  if (upb_FieldDef_IsSubMessage(f)) {
    write_message(c, upb_FieldDef_MessageSubDef(f), node, at, depth + 1);
  } else {
    write_scalar(c, f, node, at);
  }
}

static void write_list(converter *c, const upb_FieldDef *f, const gxds_file_node *node,
                       const gxds_path *up, const char *name, int depth) {
  if (node->kind != GXDS_FILE_NODE_LIST) {
    gxds_file_node_refuse(node, GXDS_FIELD(up, name), "a list", c->errors);
    return;
  }
  begin_line(c, node);
  gxds_text_add_z(&c->json, "[");
  for (size_t i = 0; i < node->count; i++) {
    if (i) gxds_text_add_z(&c->json, ",");
    write_single(c, f, node->items[i], GXDS_ITEM(up, name, i), depth);
  }
  gxds_text_add_z(&c->json, "]");
}

static void write_map(converter *c, const upb_FieldDef *f, const gxds_file_node *node,
                      const gxds_path *up, const char *name, int depth) {
  if (node->kind != GXDS_FILE_NODE_MAP) {
    gxds_file_node_refuse(node, GXDS_FIELD(up, name), "an object", c->errors);
    return;
  }
  const upb_MessageDef *entry = upb_FieldDef_MessageSubDef(f);
  const upb_FieldDef *key_field = upb_MessageDef_FindFieldByNumber(entry, 1);
  const upb_FieldDef *value_field = upb_MessageDef_FindFieldByNumber(entry, 2);
  begin_line(c, node);
  gxds_text_add_z(&c->json, "{");
  for (size_t i = 0; i < node->count; i++) {
    const gxds_file_node_entry *e = &node->entries[i];
    const gxds_path *at = GXDS_KEY(up, name, e->key.data);
    gxds_text expected = {0};
    if (i) gxds_text_add_z(&c->json, ",");
    if (!gxds_scalar_write_key(key_field, e->key, &c->json, &expected)) {
      gxds_file_errors_add(c->errors, e->line, at, "expected a key that is %s", expected.data);
    }
    gxds_text_fini(&expected);
    gxds_text_add_z(&c->json, ":");
    write_single(c, value_field, e->value, at, depth + 1);
  }
  gxds_text_add_z(&c->json, "}");
}

static bool takes_null(const upb_FieldDef *f) {
  if (upb_FieldDef_IsRepeated(f)) return false;
  return upb_FieldDef_IsSubMessage(f) &&
         upb_MessageDef_WellKnownType(upb_FieldDef_MessageSubDef(f)) == kUpb_WellKnown_Value;
}

/* If an earlier field of the object is the same field (by its other name), or is in the same oneof,
 * adds an error and returns true. */
static bool clashes(converter *c, const upb_FieldDef *f, const upb_FieldDef *const *seen,
                    const gxds_file_node *node, size_t i, const gxds_path *at) {
  const upb_OneofDef *oneof = upb_FieldDef_RealContainingOneof(f);
  for (size_t j = 0; j < i; j++) {
    if (!seen[j]) continue;
    bool same = seen[j] == f;
    if (!same && (!oneof || upb_FieldDef_RealContainingOneof(seen[j]) != oneof)) continue;
    gxds_file_errors_add(c->errors, node->entries[i].line, at,
                         same ? "given twice: as %s on line %u too"
                              : "only one of a oneof may be given: %s stands on line %u",
                         node->entries[j].key.data, (unsigned)node->entries[j].line);
    return true;
  }
  return false;
}

/* Writes the fields of a message that has no JSON form of its own. first: nothing was written into
 * the object yet. */
static void write_fields(converter *c, const upb_MessageDef *m, const gxds_file_node *node,
                         const gxds_path *up, int depth, bool skip_type, bool first) {
  enum { kSeenMax = 256 }; /* no message of xDS has as many fields */
  const upb_FieldDef *seen[kSeenMax] = {NULL};
  for (size_t i = 0; i < node->count; i++) {
    const gxds_file_node_entry *e = &node->entries[i];
    if (skip_type && gxds_str_equal(e->key, gxds_str_z("@type"))) continue;
    const gxds_path *at = GXDS_FIELD(up, e->key.data);
    const upb_FieldDef *f = upb_MessageDef_FindByJsonNameWithSize(m, e->key.data, e->key.size);
    if (!f && gxds_schema_is_lenient(c->schema)) continue;
    if (!f) {
      gxds_file_errors_add(c->errors, e->line, at, "no such field in %s",
                           upb_MessageDef_FullName(m));
      continue;
    }
    if (e->value->kind == GXDS_FILE_NODE_NULL && !takes_null(f))
      continue; /* proto3 JSON: null means that the field is not set */
    if (i < kSeenMax) {
      if (clashes(c, f, seen, node, i, at)) continue;
      seen[i] = f;
    }
    if (!first) gxds_text_add_z(&c->json, ",");
    first = false;
    gxds_utf8_add_json(&c->json, gxds_str_z(upb_FieldDef_Name(f)));
    gxds_text_add_z(&c->json, ":");
    if (upb_FieldDef_IsMap(f)) {
      write_map(c, f, e->value, up, e->key.data, depth);
    } else if (upb_FieldDef_IsRepeated(f)) {
      write_list(c, f, e->value, up, e->key.data, depth);
    } else {
      write_single(c, f, e->value, at, depth);
    }
  }
}

/* Writes an Any whose type has its own JSON form: {"@type": …, "value": …}. */
static void write_any_value(converter *c, const upb_MessageDef *m, const gxds_file_node *node,
                            const gxds_path *at) {
  const gxds_file_node *value = NULL;
  for (size_t i = 0; i < node->count; i++) {
    const gxds_file_node_entry *e = &node->entries[i];
    if (gxds_str_equal(e->key, gxds_str_z("value"))) {
      value = e->value;
    } else if (!gxds_str_equal(e->key, gxds_str_z("@type"))) {
      gxds_file_errors_add(c->errors, e->line, GXDS_FIELD(at, e->key.data),
                           "a %s in an Any has nothing but \"value\"", upb_MessageDef_FullName(m));
    }
  }
  if (!value) {
    gxds_file_errors_add(c->errors, node->line, GXDS_FIELD(at, "value"), "must be set");
    return;
  }
  gxds_text_add_z(&c->json, ",\"value\":");
  write_message(c, m, value, GXDS_FIELD(at, "value"), 0);
}

static void write_any(converter *c, const gxds_file_node *node, const gxds_path *at) {
  if (node->kind != GXDS_FILE_NODE_MAP) {
    gxds_file_node_refuse(node, at, "an object with \"@type\"", c->errors);
    return;
  }
  begin_line(c, node);
  const gxds_file_node *type = gxds_file_node_get(node, "@type");
  if (!type || type->kind != GXDS_FILE_NODE_STRING) {
    const gxds_path *where = GXDS_FIELD(at, "@type");
    if (type) {
      gxds_file_node_refuse(type, where, "a type URL", c->errors);
    } else {
      gxds_file_errors_add(c->errors, node->line, where, "must be set");
    }
    return;
  }
  const upb_MessageDef *m = gxds_schema_find_any(c->schema, type->text);
  if (!m) {
    gxds_file_errors_add(c->errors, type->line, GXDS_FIELD(at, "@type"),
                         "no such type is known: %.*s", GXDS_STR_ARG(type->text));
    return;
  }
  gxds_text_add_z(&c->json, "{\"@type\":");
  gxds_utf8_add_json(&c->json, type->text);
  if (upb_MessageDef_WellKnownType(m) == kUpb_WellKnown_Unspecified) {
    write_fields(c, m, node, at, 0, true, false);
  } else {
    write_any_value(c, m, node, at);
  }
  gxds_text_add_z(&c->json, "}");
}

static void remember_field(converter *c, const gxds_path *at) {
  gxds_text path = {0};
  gxds_path_render(at, &path);
  c->judged = gxds_realloc(c->judged, c->judged_count + 1, sizeof *c->judged);
  c->judged[c->judged_count++] = (struct judged){c->line_count - 1, gxds_text_take(&path)};
}

static gxds_str field_of_line(const converter *c, size_t line) {
  for (size_t i = 0; i < c->judged_count; i++) {
    if (c->judged[i].line == line) return c->judged[i].field;
  }
  return gxds_str_of(NULL, 0);
}

/* Writes a string, which upb checks later. ok: whether the node is a valid string; if not, adds an
 * error. */
static void write_text(converter *c, const gxds_file_node *node, const gxds_path *at, bool ok,
                       const char *expected) {
  if (!ok) {
    gxds_file_node_refuse(node, at, expected, c->errors);
    return;
  }
  begin_line(c, node);
  remember_field(c, at);
  gxds_utf8_add_json(&c->json, node->text);
}

static void write_message(converter *c, const upb_MessageDef *m, const gxds_file_node *node,
                          const gxds_path *at, int depth) {
  if (deep_enough(c, node, at, depth)) return;
  bool is_text = node->kind == GXDS_FILE_NODE_STRING;
  switch (upb_MessageDef_WellKnownType(m)) {
    case kUpb_WellKnown_Any:
      write_any(c, node, at);
      return;
    case kUpb_WellKnown_Duration:
      write_text(c, node, at, is_text && gxds_scalar_is_duration(node->text),
                 "a duration such as \"1.5s\"");
      return;
    case kUpb_WellKnown_Timestamp:
      write_text(c, node, at, is_text, "a time such as \"2024-01-31T12:00:00Z\"");
      return;
    case kUpb_WellKnown_FieldMask:
      write_text(c, node, at, is_text, "a field mask such as \"a,b.c\"");
      return;
    case kUpb_WellKnown_Struct:
    case kUpb_WellKnown_ListValue: {
      bool is_struct = upb_MessageDef_WellKnownType(m) == kUpb_WellKnown_Struct;
      if (node->kind != (is_struct ? GXDS_FILE_NODE_MAP : GXDS_FILE_NODE_LIST)) {
        gxds_file_node_refuse(node, at, is_struct ? "an object" : "a list", c->errors);
        return;
      }
      write_free(c, node, at, depth);
      return;
    }
    case kUpb_WellKnown_Value:
      write_free(c, node, at, depth);
      return;
    case kUpb_WellKnown_Unspecified:
      if (node->kind != GXDS_FILE_NODE_MAP) {
        gxds_file_node_refuse(node, at, "an object", c->errors);
        return;
      }
      begin_line(c, node);
      gxds_text_add_z(&c->json, "{");
      write_fields(c, m, node, at, depth, depth == 0, true);
      gxds_text_add_z(&c->json, "}");
      return;
    default: /* a wrapper is written as its value */
      write_scalar(c, upb_MessageDef_FindFieldByNumber(m, 1), node, at);
  }
}

/* Adds an error that only upb found, such as a malformed time. upb writes it as "Error parsing JSON
 * @LINE:COLUMN: …". */
static void add_upb_error(converter *c, const upb_Status *status) {
  const char *text = upb_Status_ErrorMessage(status);
  unsigned line = 0;
  unsigned column = 0;
  int start = 0;
  if (sscanf(text, "Error parsing JSON @%u:%u: %n", &line, &column, &start) < 2) start = 0;
  /* The JSON begins with a newline, so the first node is on its second line. */
  bool known = line >= 2 && line - 2 < c->line_count;
  gxds_str field = known ? field_of_line(c, line - 2) : gxds_str_of(NULL, 0);
  gxds_file_errors_add(c->errors, known ? c->lines[line - 2] : 0,
                       field.size ? GXDS_FIELD(NULL, field.data) : NULL, "%s", text + start);
}

void *gxds_file_convert(const gxds_schema *schema, const upb_MessageDef *m,
                        const gxds_file_node *node, upb_Arena *arena, gxds_file_errors *errors,
                        gxds_str *bytes) {
  size_t before = errors->count;
  converter c = {.schema = schema, .errors = errors};
  upb_Message *msg = NULL;
  write_message(&c, m, node, NULL, 0);
  if (errors->count == before) {
    upb_Status status;
    upb_Status_Clear(&status);
    msg = upb_Message_New(m, arena);
    char *data = NULL;
    if (!upb_JsonDecode(c.json.data, c.json.size, msg, m, gxds_schema_pool(schema), 0, arena,
                        &status)) {
      add_upb_error(&c, &status);
      msg = NULL;
    } else if (upb_Encode(msg, upb_MessageDef_MiniTable(m), kUpb_EncodeOption_Deterministic, arena,
                          &data, &bytes->size) != kUpb_EncodeStatus_Ok) {
      gxds_file_errors_add(errors, node->line, NULL, "cannot be encoded as a message");
      msg = NULL;
    }
    bytes->data = data;
  }
  gxds_text_fini(&c.json);
  gxds_free(c.lines);
  for (size_t i = 0; i < c.judged_count; i++) gxds_str_free(&c.judged[i].field);
  gxds_free(c.judged);
  return msg;
}
