#include "bootstrap/lines_internal.h"

#include "base/check.h"

#define NOT_FOUND ((size_t)-1)

/* The text is valid JSON, so running off its end would be a bug in this file. */
static char at(gxds_str json, size_t pos) {
  GXDS_CHECK(pos < json.size);
  return json.data[pos];
}

static size_t skip_space(gxds_str json, size_t pos) {
  while (pos < json.size && strchr(" \t\r\n", json.data[pos])) pos++;
  return pos;
}

static size_t skip_string(gxds_str json, size_t pos) {
  pos++;
  while (at(json, pos) != '"') pos += at(json, pos) == '\\' ? 2 : 1;
  return pos + 1;
}

/* Without recursion, because deep nesting could overflow the stack. */
static size_t skip_value(gxds_str json, size_t pos) {
  size_t depth = 0;
  do {
    pos = skip_space(json, pos);
    char c = at(json, pos);
    if (c == '"') {
      pos = skip_string(json, pos);
      continue;
    }
    if (c == '{' || c == '[') depth++;
    if (c == '}' || c == ']') depth--;
    pos++;
    if (strchr("{}[],:", c)) continue;
    while (pos < json.size && !strchr(" \t\r\n{}[],:\"", json.data[pos])) pos++;
  } while (depth > 0);
  return pos;
}

/* The position of a member's value in the object at pos. If a name occurs several times, the last
 * one counts, as in jansson. A name written with escapes is not found; then the line of the object
 * is used. */
static size_t member(gxds_str json, size_t pos, const char *name) {
  if (at(json, pos) != '{') return NOT_FOUND;
  size_t found = NOT_FOUND;
  pos = skip_space(json, pos + 1);
  while (at(json, pos) == '"') {
    size_t end = skip_string(json, pos);
    gxds_str key = gxds_str_of(json.data + pos + 1, end - pos - 2);
    pos = skip_space(json, end) + 1; /* the colon */
    pos = skip_space(json, pos);
    if (gxds_str_equal(key, gxds_str_z(name))) found = pos;
    pos = skip_space(json, skip_value(json, pos));
    if (at(json, pos) == ',') pos = skip_space(json, pos + 1);
  }
  return found;
}

static size_t element(gxds_str json, size_t pos, int64_t index) {
  if (at(json, pos) != '[') return NOT_FOUND;
  pos = skip_space(json, pos + 1);
  while (at(json, pos) != ']') {
    if (index-- == 0) return pos;
    pos = skip_space(json, skip_value(json, pos));
    if (at(json, pos) == ',') pos = skip_space(json, pos + 1);
  }
  return NOT_FOUND;
}

/* Whether the text has a value at the whole path. Sets *pos to the position of the innermost value
 * found. */
static bool find(gxds_str json, const gxds_path *path, size_t *pos) {
  if (!path) return true;
  if (!find(json, path->up, pos)) return false;
  size_t next = *pos;
  if (path->field && (next = member(json, next, path->field)) == NOT_FOUND) return false;
  *pos = next;
  if (path->index >= 0 && (next = element(json, next, path->index)) == NOT_FOUND) return false;
  *pos = next;
  if (path->key && (next = member(json, next, path->key)) == NOT_FOUND) return false;
  *pos = next;
  return true;
}

size_t gxds_json_line(gxds_str json, const gxds_path *path) {
  size_t pos = skip_space(json, 0);
  (void)find(json, path, &pos);
  size_t line = 1;
  for (size_t i = 0; i < pos; i++) line += json.data[i] == '\n';
  return line;
}
