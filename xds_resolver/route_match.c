#include "xds_resolver/route_match.h"

#include "base/memory.h"

static void *regex_create(const gxds_host *host, gxds_str regex) {
  return host->regex_create ? host->regex_create(regex) : NULL;
}

static void regex_destroy(const gxds_host *host, void *regex) {
  if (regex) host->regex_destroy(regex);
}

static bool regex_match(const gxds_host *host, const void *regex, gxds_str text) {
  return regex && host->regex_full_match(regex, text);
}

static bool equal(gxds_str a, gxds_str b, bool case_sensitive) {
  return case_sensitive ? gxds_str_equal(a, b) : gxds_str_equal_nocase(a, b);
}

static gxds_str first(gxds_str s, size_t size) { return gxds_str_of(s.data, size); }

static gxds_str last(gxds_str s, size_t size) {
  return size ? gxds_str_of(s.data + (s.size - size), size) : first(s, 0);
}

static bool contains(gxds_str s, gxds_str part, bool case_sensitive) {
  for (size_t at = 0; at + part.size <= s.size; at++) {
    gxds_str here = part.size ? gxds_str_of(s.data + at, part.size) : first(s, 0);
    if (equal(here, part, case_sensitive)) return true;
  }
  return false;
}

bool gxds_route_matcher_other_path(const gxds_route_matcher *m, const gxds_host *host,
                                   gxds_str path) {
  const gxds_path_match *p = &m->route->path;
  switch (p->kind) {
    case GXDS_PATH_PREFIX:
      return path.size >= p->text.size &&
             equal(first(path, p->text.size), p->text, p->case_sensitive);
    case GXDS_PATH_EXACT:
      return equal(path, p->text, p->case_sensitive);
    case GXDS_PATH_REGEX:
      return regex_match(host, m->path_regex, path);
    case GXDS_PATH_SEGMENTS:
      return path.size >= p->text.size &&
             equal(first(path, p->text.size), p->text, p->case_sensitive) &&
             (path.size == p->text.size || path.data[p->text.size] == '/');
  }
  return false;
}

/* Reads a base-10 integer with an optional sign, and blanks around it. The whole text must be the
 * number. The host's number parser has the same rules. */
static bool parse_integer(gxds_str s, int64_t *out) {
  static const char blanks[] = " \t\n\v\f\r";
  while (s.size && memchr(blanks, s.data[0], sizeof blanks - 1)) s = last(s, s.size - 1);
  while (s.size && memchr(blanks, s.data[s.size - 1], sizeof blanks - 1)) s.size--;
  bool negative = s.size && s.data[0] == '-';
  if (s.size && (s.data[0] == '-' || s.data[0] == '+')) s = last(s, s.size - 1);
  if (s.size == 0) return false;
  int64_t value =
      0; /* the negated value, because negative numbers have a larger range than positive ones */
  for (size_t i = 0; i < s.size; i++) {
    if (s.data[i] < '0' || s.data[i] > '9') return false;
    if (__builtin_mul_overflow(value, 10, &value)) return false;
    if (__builtin_sub_overflow(value, s.data[i] - '0', &value)) return false;
  }
  if (!negative && value == INT64_MIN) return false;
  *out = negative ? value : -value;
  return true;
}

static bool compare(const gxds_header_match *h, const void *regex, const gxds_host *host,
                    gxds_str value) {
  size_t size = h->text.size;
  int64_t number;
  switch (h->kind) {
    case GXDS_HEADER_EXACT:
      return equal(value, h->text, h->case_sensitive);
    case GXDS_HEADER_PREFIX:
      return value.size >= size && equal(first(value, size), h->text, h->case_sensitive);
    case GXDS_HEADER_SUFFIX:
      return value.size >= size && equal(last(value, size), h->text, h->case_sensitive);
    case GXDS_HEADER_CONTAINS:
      return contains(value, h->text, h->case_sensitive);
    case GXDS_HEADER_REGEX:
      return regex_match(host, regex, value);
    case GXDS_HEADER_RANGE:
      return parse_integer(value, &number) && number >= h->range_start && number < h->range_end;
    case GXDS_HEADER_PRESENT:
      return h->present;
  }
  return false;
}

static bool value_matches(const gxds_header_match *h, const void *regex, const gxds_host *host,
                          gxds_str value) {
  return compare(h, regex, host, value) != h->invert;
}

/* Whether an RPC without the header matches. As in Envoy, a missing header matches no comparison,
 * inverted or not, unless a missing header counts as empty. */
static bool missing_matches(const gxds_header_match *h, const void *regex, const gxds_host *host) {
  if (h->missing_is_empty) return value_matches(h, regex, host, gxds_str_of(NULL, 0));
  return h->kind == GXDS_HEADER_PRESENT && h->present == h->invert;
}

/* Many routes match on the same header. If they share the bytes of its name, a comparison of
 * pointers is enough. */
static gxds_str shared_name(gxds_str name, const gxds_route_matcher *before) {
  if (!before || before->route->header_count == 0) return name;
  return gxds_str_equal(before->headers[0].name, name) ? before->headers[0].name : name;
}

void gxds_route_matcher_init(gxds_route_matcher *m, const gxds_route *route, const gxds_host *host,
                             const gxds_route_matcher *before) {
  *m = (gxds_route_matcher){.route = route};
  if (route->path.kind == GXDS_PATH_REGEX) m->path_regex = regex_create(host, route->path.text);
  m->headers = gxds_calloc(route->header_count, sizeof *m->headers);
  for (size_t i = 0; i < route->header_count; i++) {
    const gxds_header_match *h = &route->headers[i];
    gxds_header_matcher *out = &m->headers[i];
    out->name = shared_name(h->name, before);
    out->source = gxds_header_source_of(h->name);
    if (h->kind == GXDS_HEADER_REGEX) out->regex = regex_create(host, h->text);
    out->when_missing = missing_matches(h, out->regex, host);
  }
}

void gxds_route_matcher_fini(gxds_route_matcher *m, const gxds_host *host) {
  regex_destroy(host, m->path_regex);
  for (size_t i = 0; i < m->route->header_count; i++) regex_destroy(host, m->headers[i].regex);
  gxds_free(m->headers);
}

static void look_at(gxds_header_memo *memo, const gxds_route_request *request,
                    const gxds_header_matcher *m) {
  gxds_str name = m->name;
  bool same_place = memo->name.data == name.data && memo->name.size == name.size;
  if (memo->name.size && (same_place || gxds_str_equal(memo->name, name))) return;
  *memo = (gxds_header_memo){.name = name};
  memo->present = gxds_request_header(request, m->source, name, &memo->value);
}

bool gxds_route_matcher_conditions(const gxds_route_matcher *m, const gxds_host *host,
                                   const gxds_route_request *request, gxds_header_memo *memo) {
  const gxds_route *r = m->route;
  for (size_t i = 0; i < r->header_count; i++) {
    const gxds_header_matcher *h = &m->headers[i];
    look_at(memo, request, h);
    bool matches = memo->present ? value_matches(&r->headers[i], h->regex, host, memo->value)
                                 : h->when_missing;
    if (!matches) return false;
  }
  if (r->fraction_per_million < 0) return true;
  uint64_t drawn = gxds_random_next(request->random()) % 1000000;
  return drawn < (uint64_t)r->fraction_per_million;
}
