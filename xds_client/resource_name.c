#include "xds_client/resource_name.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"

gxds_str gxds_type_name(gxds_str url) {
  static const char prefix[] = "type.googleapis.com/";
  size_t size = sizeof prefix - 1;
  if (!gxds_str_starts_with(url, gxds_str_of(prefix, size))) return url;
  return gxds_str_from(url, size);
}

/* The character classes of RFC 3986. */
static bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c != 0 && strchr("-._~", c) != NULL);
}
static bool is_in(char c, const char *more) {
  return is_unreserved(c) || (c != 0 && strchr(more, c) != NULL);
}
#define SUB_DELIMS "!$&'()*+,;="
static bool is_authority_char(char c) { return is_in(c, SUB_DELIMS ":[]@"); }
static bool is_path_char(char c) { return is_in(c, SUB_DELIMS ":@/"); }
static bool is_query_char(char c) { return is_in(c, SUB_DELIMS ":@/?"); }
static bool is_parameter_char(char c) { return c != '&' && c != '=' && is_query_char(c); }

static bool is_query(gxds_str s) {
  for (size_t i = 0; i < s.size; i++) {
    if (!is_query_char(s.data[i]) && s.data[i] != '%') return false;
  }
  return true;
}

/* Cuts the text before the first character of stops off *rest, and returns that text. */
static gxds_str cut(gxds_str *rest, const char *stops) {
  size_t size = 0;
  while (size < rest->size && (rest->data[size] == 0 || !strchr(stops, rest->data[size]))) size++;
  gxds_str head = gxds_str_of(rest->data, size);
  *rest = gxds_str_from(*rest, size);
  return head;
}

static bool consume(gxds_str *rest, const char *prefix) {
  gxds_str p = gxds_str_z(prefix);
  if (!gxds_str_starts_with(*rest, p)) return false;
  *rest = gxds_str_from(*rest, p.size);
  return true;
}

typedef struct parameter {
  gxds_str key; /* owned; so is the value */
  gxds_str value;
  size_t order;
} parameter;

static int by_key(const void *a, const void *b) {
  const parameter *x = a;
  const parameter *y = b;
  int order = gxds_str_compare(x->key, y->key);
  return order ? order : (x->order > y->order) - (x->order < y->order);
}

static void add_parameters(gxds_text *out, gxds_str query) {
  size_t capacity = 1;
  for (size_t i = 0; i < query.size; i++) capacity += query.data[i] == '&';
  parameter *parameters = gxds_calloc(capacity, sizeof *parameters);
  size_t count = 0;
  while (query.size > 0) {
    gxds_str value = cut(&query, "&");
    consume(&query, "&");
    gxds_str key = cut(&value, "=");
    if (key.size == 0) continue;
    consume(&value, "=");
    parameters[count] = (parameter){gxds_percent_decode(key), gxds_percent_decode(value), count};
    count++;
  }
  qsort(parameters, count, sizeof *parameters, by_key);
  char separator = '?';
  for (size_t i = 0; i < count; i++) {
    bool last = i + 1 == count || !gxds_str_equal(parameters[i].key, parameters[i + 1].key);
    if (last) {
      gxds_text_addf(out, "%c", separator);
      gxds_text_add_percent_encoded(out, parameters[i].key, is_parameter_char);
      gxds_text_add_z(out, "=");
      gxds_text_add_percent_encoded(out, parameters[i].value, is_parameter_char);
      separator = '&';
    }
  }
  for (size_t i = 0; i < count; i++) {
    gxds_str_free(&parameters[i].key);
    gxds_str_free(&parameters[i].value);
  }
  gxds_free(parameters);
}

static bool init_federated(gxds_resource_name *n, gxds_str rest, gxds_str type) {
  gxds_str authority = consume(&rest, "//") ? cut(&rest, "/?#") : gxds_str_z("");
  gxds_str raw_path = cut(&rest, "?#");
  bool has_query = consume(&rest, "?");
  gxds_str query = has_query ? cut(&rest, "#") : gxds_str_z("");
  if (has_query && (query.size == 0 || !is_query(query))) return false;
  if (consume(&rest, "#") && !is_query(rest)) return false;

  gxds_str path = gxds_percent_decode(raw_path);
  gxds_str id = path;
  consume(&id, "/");
  bool matches = gxds_str_equal(cut(&id, "/"), type);
  if (matches) {
    n->federated = true;
    n->authority = gxds_percent_decode(authority);
    gxds_text out = {0};
    gxds_text_add_z(&out, "xdstp://");
    gxds_text_add_percent_encoded(&out, n->authority, is_authority_char);
    gxds_text_add_z(&out, "/");
    gxds_text_add(&out, type);
    gxds_text_add_z(&out, "/");
    consume(&id, "/");
    gxds_text_add_percent_encoded(&out, id, is_path_char);
    add_parameters(&out, query);
    n->canonical = n->storage = gxds_text_take(&out);
  }
  gxds_str_free(&path);
  return matches;
}

bool gxds_resource_name_init(gxds_resource_name *n, gxds_str text, gxds_str type_url) {
  *n = (gxds_resource_name){.canonical = text};
  if (text.size == 0 || text.size > GXDS_RESOURCE_NAME_BYTES_MAX || !gxds_str_is_utf8(text))
    return false;
  if (!consume(&text, "xdstp:")) return true;
  return init_federated(n, text, gxds_type_name(type_url));
}

void gxds_resource_name_fini(gxds_resource_name *n) {
  gxds_str_free(&n->authority);
  gxds_str_free(&n->storage);
}
