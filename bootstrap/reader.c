#include <stdlib.h>

#include "base/check.h"
#include "bootstrap/lines_internal.h"
#include "bootstrap/reader_internal.h"
#include "upb/upb.h"

void gxds_reader_fini(gxds_reader *r) {
  gxds_errors_fini(&r->errors);
  gxds_text_fini(&r->lines);
}

void *gxds_reader_alloc(gxds_reader *r, size_t count, size_t size) {
  GXDS_CHECK(size == 0 || count <= SIZE_MAX / size);
  void *memory = upb_Arena_Malloc(r->arena, count * size + 1);
  GXDS_CHECK(memory != NULL);
  return memset(memory, 0, count * size + 1);
}

gxds_str gxds_reader_copy(gxds_reader *r, gxds_str s) {
  char *copy = gxds_reader_alloc(r, s.size, 1);
  if (s.size) memcpy(copy, s.data, s.size);
  return gxds_str_of(copy, s.size);
}

gxds_str gxds_reader_dump(gxds_reader *r, const json_t *value) {
  char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
  GXDS_CHECK(text != NULL);
  gxds_str copy = gxds_reader_copy(r, gxds_str_z(text));
  free(text);
  return copy;
}

void gxds_reader_note_line(gxds_reader *r, const gxds_path *at) {
  if (r->errors.count > GXDS_ERRORS_MAX) return;
  if (r->lines.size) gxds_text_add_z(&r->lines, ", ");
  gxds_text path = {0};
  gxds_path_render(at, &path);
  gxds_text_add_escaped(&r->lines, gxds_text_str(&path));
  gxds_text_addf(&r->lines, "%sline %zu", path.size ? " " : "", gxds_json_line(r->json, at));
  gxds_text_fini(&path);
}

void gxds_reader_error(gxds_reader *r, const gxds_path *at, const char *format, ...) {
  gxds_text text = {0};
  GXDS_TEXT_ADD_ARGS(&text, format);
  gxds_errors_add(&r->errors, at, "%s", text.data);
  gxds_text_fini(&text);
  gxds_reader_note_line(r, at);
}

static json_t *field(gxds_reader *r, const json_t *object, const gxds_path *at, const char *name,
                     gxds_json_presence presence) {
  json_t *value = json_object_get(object, name);
  if (!value && presence == GXDS_JSON_REQUIRED) {
    gxds_reader_error(r, GXDS_FIELD(at, name), "field not present");
  }
  return value;
}

gxds_str gxds_reader_string(gxds_reader *r, const json_t *object, const gxds_path *at,
                            const char *name, gxds_json_presence presence) {
  const json_t *value = field(r, object, at, name, presence);
  if (value && !json_is_string(value)) {
    gxds_reader_error(r, GXDS_FIELD(at, name), "is not a string");
    value = NULL;
  }
  if (!value) return gxds_str_of("", 0);
  return gxds_reader_copy(r, gxds_json_text(value));
}

bool gxds_reader_bool(gxds_reader *r, const json_t *object, const gxds_path *at, const char *name) {
  const json_t *value = json_object_get(object, name);
  if (value && !json_is_boolean(value)) {
    gxds_reader_error(r, GXDS_FIELD(at, name), "is not a boolean");
  }
  return json_is_true(value);
}

bool gxds_reader_is_object(gxds_reader *r, const json_t *value, const gxds_path *at) {
  if (json_is_object(value)) return true;
  gxds_reader_error(r, at, "is not an object");
  return false;
}

json_t *gxds_reader_object(gxds_reader *r, const json_t *object, const gxds_path *at,
                           const char *name) {
  json_t *value = field(r, object, at, name, GXDS_JSON_OPTIONAL);
  if (!value || !gxds_reader_is_object(r, value, GXDS_FIELD(at, name))) return NULL;
  return value;
}

static bool count_allowed(gxds_reader *r, size_t count, size_t max, const gxds_path *at) {
  if (count <= max) return true;
  gxds_reader_error(r, at, "has %zu entries; at most %zu are allowed", count, max);
  return false;
}

json_t *gxds_reader_array(gxds_reader *r, const json_t *object, const gxds_path *at,
                          const char *name, gxds_json_presence presence, size_t max) {
  json_t *value = field(r, object, at, name, presence);
  if (!value) return NULL;
  const gxds_path *here = GXDS_FIELD(at, name);
  if (!json_is_array(value)) {
    gxds_reader_error(r, here, "is not an array");
    return NULL;
  }
  return count_allowed(r, json_array_size(value), max, here) ? value : NULL;
}

json_t *gxds_reader_map(gxds_reader *r, const json_t *bootstrap, const char *name) {
  json_t *value = gxds_reader_object(r, bootstrap, NULL, name);
  if (!value) return NULL;
  bool allowed =
      count_allowed(r, json_object_size(value), GXDS_BOOTSTRAP_MAP_MAX, GXDS_FIELD(NULL, name));
  return allowed ? value : NULL;
}
