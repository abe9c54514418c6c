#include "resources/lb_metadata.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t gxds_metadata_hash(gxds_str text) { return XXH3_64bits(text.data, text.size); }

/* The end of the string that begins at `at`, after its closing quote. */
static size_t end_of_string(gxds_str s, size_t at) {
  for (at++; at < s.size && s.data[at] != '"'; at++) {
    if (s.data[at] == '\\') at++;
  }
  return at < s.size ? at + 1 : s.size;
}

/* The end of the value that begins at `at`: the place of the comma or bracket that follows it. */
static size_t end_of_value(gxds_str s, size_t at) {
  size_t depth = 0;
  while (at < s.size) {
    switch (s.data[at]) {
      case '"':
        at = end_of_string(s, at);
        continue;
      case '{':
      case '[':
        depth++;
        break;
      case '}':
      case ']':
        if (depth == 0) return at;
        depth--;
        break;
      case ',':
        if (depth == 0) return at;
        break;
      default:
        break;
    }
    at++;
  }
  return at;
}

/* Skips "{", "[" or ",". False if no member or item follows. */
static bool enter(gxds_str *rest) {
  if (rest->size < 2 || rest->data[1] == '}' || rest->data[1] == ']') return false;
  *rest = gxds_str_from(*rest, 1);
  return true;
}

bool gxds_metadata_next(gxds_str *rest, gxds_str *name, gxds_str *value) {
  if (rest->size == 0 || (rest->data[0] != '{' && rest->data[0] != ',') || !enter(rest)) {
    return false;
  }
  const size_t colon = end_of_string(*rest, 0);
  if (colon >= rest->size) return false;
  const size_t end = end_of_value(*rest, colon + 1);
  *name = gxds_str_of(rest->data, colon);
  *value = gxds_str_of(rest->data + colon + 1, end - colon - 1);
  *rest = gxds_str_from(*rest, end);
  return true;
}

bool gxds_metadata_next_item(gxds_str *rest, gxds_str *value) {
  if (rest->size == 0 || (rest->data[0] != '[' && rest->data[0] != ',') || !enter(rest)) {
    return false;
  }
  const size_t end = end_of_value(*rest, 0);
  *value = gxds_str_of(rest->data, end);
  *rest = gxds_str_from(*rest, end);
  return true;
}

static bool value_matches(gxds_str value, gxds_str wanted, bool list_as_any) {
  if (gxds_str_equal(value, wanted)) return true;
  if (!list_as_any) return false;
  gxds_str item;
  for (gxds_str rest = value; gxds_metadata_next_item(&rest, &item);) {
    if (gxds_str_equal(item, wanted)) return true;
  }
  return false;
}

static bool has_member(gxds_str of_endpoint, gxds_str wanted_name, gxds_str wanted,
                       bool list_as_any) {
  gxds_str name;
  gxds_str value;
  for (gxds_str rest = of_endpoint; gxds_metadata_next(&rest, &name, &value);) {
    if (gxds_str_equal(name, wanted_name)) return value_matches(value, wanted, list_as_any);
  }
  return false;
}

bool gxds_metadata_matches(gxds_str of_endpoint, gxds_str wanted, bool list_as_any) {
  if (gxds_str_equal(of_endpoint, wanted)) return true;
  gxds_str name;
  gxds_str value;
  for (gxds_str rest = wanted; gxds_metadata_next(&rest, &name, &value);) {
    if (!has_member(of_endpoint, name, value, list_as_any)) return false;
  }
  return true;
}
