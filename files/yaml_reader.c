#include "files/yaml_reader.h"

#include <yaml.h>

#include "base/memory.h"
#include "files/yaml_scalar.h"

typedef struct anchor {
  gxds_str name; /* owned */
  gxds_file_node *node;
} anchor;

typedef struct reader {
  gxds_file_node_builder builder;
  gxds_text canonical;
  anchor anchors[GXDS_FILE_NODE_ANCHORS_MAX]; /* the anchors of this document */
  size_t anchor_count;
  void (*on_document)(void *arg, const gxds_file_node *root);
  void *arg;
} reader;

static uint32_t line_of(const yaml_event_t *e) { return (uint32_t)e->start_mark.line + 1; }

static gxds_str view(const yaml_char_t *s) { return gxds_str_z((const char *)s); }

static void forget_anchors(reader *r) {
  for (size_t i = 0; i < r->anchor_count; i++) gxds_str_free(&r->anchors[i].name);
  r->anchor_count = 0;
}

static anchor *find_anchor(reader *r, gxds_str name) {
  for (size_t i = 0; i < r->anchor_count; i++) {
    if (gxds_str_equal(r->anchors[i].name, name)) return &r->anchors[i];
  }
  return NULL;
}

static bool set_anchor(reader *r, const yaml_char_t *name, gxds_file_node *node, uint32_t line) {
  if (!name) return true;
  anchor *known = find_anchor(r, view(name));
  if (known) { /* in YAML, a later anchor of a name replaces the earlier one */
    known->node = node;
    return true;
  }
  if (r->anchor_count == GXDS_FILE_NODE_ANCHORS_MAX) {
    gxds_file_errors_add(r->builder.errors, line, NULL, "more than %u anchors",
                         GXDS_FILE_NODE_ANCHORS_MAX);
    return false;
  }
  r->anchors[r->anchor_count++] = (anchor){gxds_str_dup(view(name)), node};
  return true;
}

static bool unknown_tag(reader *r, const yaml_char_t *tag, uint32_t line) {
  gxds_file_errors_add(r->builder.errors, line, NULL, "the tag %s means nothing here",
                       (const char *)tag);
  return false;
}

/* Applies a tag to a scalar whose kind was resolved as if it had none. False if the tag does not
 * fit. */
static bool apply_tag(const yaml_char_t *tag, gxds_file_node_kind *kind) {
  static const char prefix[] = "tag:yaml.org,2002:";
  gxds_str t = view(tag);
  if (gxds_str_equal(t, gxds_str_z("!"))) {
    *kind = GXDS_FILE_NODE_STRING;
    return true;
  }
  if (!gxds_str_starts_with(t, gxds_str_z(prefix))) return false;
  const char *name = (const char *)tag + sizeof prefix - 1;
  if (strcmp(name, "str") == 0) {
    *kind = GXDS_FILE_NODE_STRING;
    return true;
  }
  if (strcmp(name, "null") == 0) return *kind == GXDS_FILE_NODE_NULL;
  if (strcmp(name, "bool") == 0) return *kind == GXDS_FILE_NODE_BOOL;
  return (strcmp(name, "int") == 0 || strcmp(name, "float") == 0) && *kind == GXDS_FILE_NODE_NUMBER;
}

static bool on_scalar(reader *r, const yaml_event_t *e) {
  gxds_str value = gxds_str_of((const char *)e->data.scalar.value, e->data.scalar.length);
  uint32_t line = line_of(e);
  if (gxds_file_node_builder_wants_key(&r->builder)) {
    if (e->data.scalar.anchor) {
      gxds_file_errors_add(r->builder.errors, line, NULL, "a key with an anchor");
      return false;
    }
    gxds_file_node_builder_key(&r->builder, value, line);
    return true;
  }
  gxds_file_node_kind kind = GXDS_FILE_NODE_STRING;
  gxds_str text = value;
  const yaml_char_t *tag = e->data.scalar.tag;
  if (tag || e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
    kind = gxds_yaml_resolve(value, &r->canonical);
    if (tag && !apply_tag(tag, &kind)) return unknown_tag(r, tag, line);
    if (kind != GXDS_FILE_NODE_STRING) text = gxds_text_str(&r->canonical);
  }
  if (!gxds_file_node_builder_scalar(&r->builder, kind, text, line)) return false;
  return set_anchor(r, e->data.scalar.anchor, gxds_file_node_builder_last(&r->builder), line);
}

static bool on_open(reader *r, gxds_file_node_kind kind, const yaml_char_t *tag,
                    const yaml_char_t *name, uint32_t line) {
  const char *core = kind == GXDS_FILE_NODE_LIST ? YAML_SEQ_TAG : YAML_MAP_TAG;
  if (tag && strcmp((const char *)tag, core) != 0 && strcmp((const char *)tag, "!") != 0) {
    return unknown_tag(r, tag, line);
  }
  if (gxds_file_node_builder_wants_key(&r->builder)) {
    gxds_file_errors_add(r->builder.errors, line, NULL, "a key that is no scalar");
    return false;
  }
  gxds_file_node *node = gxds_file_node_builder_open(&r->builder, kind, line);
  return node && set_anchor(r, name, node, line);
}

static bool on_alias(reader *r, const yaml_event_t *e) {
  uint32_t line = line_of(e);
  if (gxds_file_node_builder_wants_key(&r->builder)) {
    gxds_file_errors_add(r->builder.errors, line, NULL, "an alias as a key");
    return false;
  }
  const anchor *a = find_anchor(r, view(e->data.alias.anchor));
  if (!a) {
    gxds_file_errors_add(r->builder.errors, line, NULL, "the alias *%s has no anchor before it",
                         (const char *)e->data.alias.anchor);
    return false;
  }
  return gxds_file_node_builder_alias(&r->builder, a->node, line);
}

/* False if the parse is to stop. */
static bool on_event(reader *r, const yaml_event_t *e) {
  switch (e->type) {
    case YAML_SCALAR_EVENT:
      return on_scalar(r, e);
    case YAML_ALIAS_EVENT:
      return on_alias(r, e);
    case YAML_SEQUENCE_START_EVENT:
      return on_open(r, GXDS_FILE_NODE_LIST, e->data.sequence_start.tag,
                     e->data.sequence_start.anchor, line_of(e));
    case YAML_MAPPING_START_EVENT:
      return on_open(r, GXDS_FILE_NODE_MAP, e->data.mapping_start.tag, e->data.mapping_start.anchor,
                     line_of(e));
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
      return gxds_file_node_builder_close(&r->builder);
    case YAML_DOCUMENT_END_EVENT: {
      const gxds_file_node *root = gxds_file_node_builder_take(&r->builder);
      forget_anchors(r);
      if (root) r->on_document(r->arg, root);
      return true;
    }
    case YAML_STREAM_END_EVENT:
      return false;
    default:
      return true;
  }
}

static void add_syntax_error(gxds_file_errors *errors, const yaml_parser_t *parser) {
  const char *problem = parser->problem ? parser->problem : "no memory";
  if (parser->error == YAML_READER_ERROR) {
    /* For this error libyaml gives only an offset. The mark has the line that its scanner had
     * reached. */
    gxds_file_errors_add(errors, (uint32_t)parser->mark.line + 1, NULL,
                         "syntax error at byte %zu: %s", parser->problem_offset, problem);
    return;
  }
  const char *context = parser->context ? parser->context : "";
  gxds_file_errors_add(errors, (uint32_t)parser->problem_mark.line + 1, NULL,
                       "syntax error at column %zu: %s%s%s", parser->problem_mark.column + 1,
                       context, *context ? ", " : "", problem);
}

bool gxds_yaml_read(gxds_str text, struct upb_Arena *arena, gxds_file_errors *errors,
                    void (*on_document)(void *arg, const gxds_file_node *root), void *arg) {
  size_t before = errors->count;
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) {
    gxds_file_errors_add(errors, 0, NULL, "no memory for the YAML parser");
    return false;
  }
  yaml_parser_set_input_string(&parser, (const unsigned char *)(text.size ? text.data : ""),
                               text.size);
  reader *r = GXDS_NEW(reader);
  r->on_document = on_document;
  r->arg = arg;
  gxds_file_node_builder_init(&r->builder, arena, errors);
  for (bool more = true; more;) {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser, &event)) {
      add_syntax_error(errors, &parser);
      break;
    }
    more = on_event(r, &event);
    yaml_event_delete(&event);
  }
  forget_anchors(r);
  gxds_file_node_builder_fini(&r->builder);
  gxds_text_fini(&r->canonical);
  gxds_free(r);
  yaml_parser_delete(&parser);
  return errors->count == before;
}
