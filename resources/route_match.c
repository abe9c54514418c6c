#include "envoy/config/core/v3/base.upb.h"
#include "envoy/config/route/v3/route_components.upb.h"
#include "envoy/type/matcher/v3/regex.upb.h"
#include "envoy/type/matcher/v3/string.upb.h"
#include "envoy/type/v3/percent.upb.h"
#include "envoy/type/v3/range.upb.h"
#include "google/protobuf/wrappers.upb.h"
#include "resources/route_config_internal.h"

typedef envoy_config_route_v3_RouteMatch match_message;
typedef envoy_config_route_v3_HeaderMatcher header_message;

/* The index of the first slash at or after `from`; s.size if there is none. */
static size_t find_slash(gxds_str s, size_t from) {
  const char *slash = from < s.size ? memchr(s.data + from, '/', s.size - from) : NULL;
  return slash ? (size_t)(slash - s.data) : s.size;
}

/* The path has exactly two slashes, which are not adjacent. */
bool gxds_path_prefix_can_match(gxds_str prefix) {
  if (prefix.size == 0) return true;
  if (prefix.data[0] != '/') return false;
  size_t second = find_slash(prefix, 1);
  if (second == prefix.size) return true;
  return second > 1 && find_slash(prefix, second + 1) == prefix.size;
}

bool gxds_path_can_match(gxds_str path) {
  if (path.size == 0 || path.data[0] != '/') return false;
  size_t second = find_slash(path, 1);
  return second > 1 && second + 1 < path.size && find_slash(path, second + 1) == path.size;
}

/* Envoy's pattern for the field: ^[^?#]+[^?#/]$ */
static void check_segments(gxds_str text, const gxds_path *at, gxds_errors *errors) {
  size_t characters = 0;
  bool has_query = false;
  for (size_t i = 0; i < text.size; i++) {
    characters += ((unsigned char)text.data[i] & 0xc0) != 0x80;
    has_query |= text.data[i] == '?' || text.data[i] == '#';
  }
  if (characters < 2) gxds_errors_add(errors, at, "must have at least two characters");
  if (has_query) gxds_errors_add(errors, at, "must not contain '?' or '#'");
  if (text.size && text.data[text.size - 1] == '/') {
    gxds_errors_add(errors, at, "must not end with '/'");
  }
}

static gxds_str check_regex(const gxds_route_decoder *d,
                            const envoy_type_matcher_v3_RegexMatcher *in, const char *what,
                            const gxds_path *at) {
  gxds_str regex = gxds_pb_str(envoy_type_matcher_v3_RegexMatcher_regex(in));
  if (d->host && d->host->regex_check && !d->host->regex_check(regex)) {
    gxds_errors_add(d->errors, at, "%s: Invalid regex string specified in matcher.", what);
  }
  return regex;
}

static gxds_route_use decode_path(const gxds_route_decoder *d, const match_message *in,
                                  const gxds_path *at, gxds_path_match *out) {
  const google_protobuf_BoolValue *case_sensitive =
      envoy_config_route_v3_RouteMatch_case_sensitive(in);
  out->case_sensitive = !case_sensitive || google_protobuf_BoolValue_value(case_sensitive);
  gxds_str text = {NULL, 0};
  if (envoy_config_route_v3_RouteMatch_has_prefix(in)) {
    out->kind = GXDS_PATH_PREFIX;
    text = gxds_pb_str(envoy_config_route_v3_RouteMatch_prefix(in));
    if (!gxds_path_prefix_can_match(text)) return GXDS_ROUTE_SKIP;
  } else if (envoy_config_route_v3_RouteMatch_has_path_separated_prefix(in)) {
    out->kind = GXDS_PATH_SEGMENTS;
    text = gxds_pb_str(envoy_config_route_v3_RouteMatch_path_separated_prefix(in));
    size_t before = d->errors->count;
    check_segments(text, GXDS_FIELD(at, "path_separated_prefix"), d->errors);
    if (d->errors->count == before && !gxds_path_prefix_can_match(text)) return GXDS_ROUTE_SKIP;
  } else if (envoy_config_route_v3_RouteMatch_has_path(in)) {
    out->kind = GXDS_PATH_EXACT;
    text = gxds_pb_str(envoy_config_route_v3_RouteMatch_path(in));
    if (!gxds_path_can_match(text)) return GXDS_ROUTE_SKIP;
  } else if (envoy_config_route_v3_RouteMatch_has_safe_regex(in)) {
    out->kind = GXDS_PATH_REGEX;
    text = check_regex(d, envoy_config_route_v3_RouteMatch_safe_regex(in), "path matcher",
                       GXDS_FIELD(at, "safe_regex"));
  } else {
    gxds_errors_add(d->errors, at, "Invalid route path specifier specified.");
  }
  out->text = gxds_route_text(d, text);
  return GXDS_ROUTE_KEEP;
}

static const char invalid_header[] = "Invalid route header matcher specified.";

/* A63. */
static gxds_str decode_string_match(const gxds_route_decoder *d,
                                    const envoy_type_matcher_v3_StringMatcher *in,
                                    const gxds_path *up, gxds_header_match *out) {
  const gxds_path *at = GXDS_FIELD(up, "string_match");
  out->case_sensitive = !envoy_type_matcher_v3_StringMatcher_ignore_case(in);
  if (envoy_type_matcher_v3_StringMatcher_has_exact(in)) {
    out->kind = GXDS_HEADER_EXACT;
    return gxds_pb_str(envoy_type_matcher_v3_StringMatcher_exact(in));
  }
  if (envoy_type_matcher_v3_StringMatcher_has_prefix(in)) {
    out->kind = GXDS_HEADER_PREFIX;
    return gxds_pb_str(envoy_type_matcher_v3_StringMatcher_prefix(in));
  }
  if (envoy_type_matcher_v3_StringMatcher_has_suffix(in)) {
    out->kind = GXDS_HEADER_SUFFIX;
    return gxds_pb_str(envoy_type_matcher_v3_StringMatcher_suffix(in));
  }
  if (envoy_type_matcher_v3_StringMatcher_has_contains(in)) {
    out->kind = GXDS_HEADER_CONTAINS;
    return gxds_pb_str(envoy_type_matcher_v3_StringMatcher_contains(in));
  }
  if (envoy_type_matcher_v3_StringMatcher_has_safe_regex(in)) {
    out->kind = GXDS_HEADER_REGEX;
    out->case_sensitive = true; /* case_sensitive does not apply to a regular expression */
    return check_regex(d, envoy_type_matcher_v3_StringMatcher_safe_regex(in), "header matcher",
                       GXDS_FIELD(at, "safe_regex"));
  }
  gxds_errors_add(d->errors, at, invalid_header);
  return gxds_str_of(NULL, 0);
}

static void decode_range(const gxds_route_decoder *d, const envoy_type_v3_Int64Range *in,
                         const gxds_path *at, gxds_header_match *out) {
  out->kind = GXDS_HEADER_RANGE;
  out->range_start = envoy_type_v3_Int64Range_start(in);
  out->range_end = envoy_type_v3_Int64Range_end(in);
  if (out->range_start > out->range_end) {
    gxds_errors_add(d->errors, GXDS_FIELD(at, "range_match"),
                    "header matcher: Invalid range specifier specified: end cannot be smaller than "
                    "start.");
  }
}

/* Sets the kind of the match, and returns its text. */
static gxds_str decode_header_kind(const gxds_route_decoder *d, const header_message *in,
                                   const gxds_path *at, gxds_header_match *out) {
  switch (envoy_config_route_v3_HeaderMatcher_header_match_specifier_case(in)) {
    case envoy_config_route_v3_HeaderMatcher_header_match_specifier_exact_match:
      out->kind = GXDS_HEADER_EXACT;
      return gxds_pb_str(envoy_config_route_v3_HeaderMatcher_exact_match(in));
    case envoy_config_route_v3_HeaderMatcher_header_match_specifier_prefix_match:
      out->kind = GXDS_HEADER_PREFIX;
      return gxds_pb_str(envoy_config_route_v3_HeaderMatcher_prefix_match(in));
    case envoy_config_route_v3_HeaderMatcher_header_match_specifier_suffix_match:
      out->kind = GXDS_HEADER_SUFFIX;
      return gxds_pb_str(envoy_config_route_v3_HeaderMatcher_suffix_match(in));
    case envoy_config_route_v3_HeaderMatcher_header_match_specifier_contains_match:
      out->kind = GXDS_HEADER_CONTAINS;
      return gxds_pb_str(envoy_config_route_v3_HeaderMatcher_contains_match(in));
    case envoy_config_route_v3_HeaderMatcher_header_match_specifier_safe_regex_match:
      out->kind = GXDS_HEADER_REGEX;
      return check_regex(d, envoy_config_route_v3_HeaderMatcher_safe_regex_match(in),
                         "header matcher", GXDS_FIELD(at, "safe_regex_match"));
    case envoy_config_route_v3_HeaderMatcher_header_match_specifier_string_match:
      return decode_string_match(d, envoy_config_route_v3_HeaderMatcher_string_match(in), at, out);
    case envoy_config_route_v3_HeaderMatcher_header_match_specifier_range_match:
      decode_range(d, envoy_config_route_v3_HeaderMatcher_range_match(in), at, out);
      break;
    case envoy_config_route_v3_HeaderMatcher_header_match_specifier_present_match:
      out->kind = GXDS_HEADER_PRESENT;
      out->present = envoy_config_route_v3_HeaderMatcher_present_match(in);
      break;
    default:
      gxds_errors_add(d->errors, at, invalid_header);
  }
  return gxds_str_of(NULL, 0);
}

static void decode_headers(const gxds_route_decoder *d, const match_message *in,
                           const gxds_path *up, gxds_route *out) {
  size_t count = 0;
  const header_message *const *list = envoy_config_route_v3_RouteMatch_headers(in, &count);
  gxds_header_match *headers = gxds_arena_calloc(d->arena, count, sizeof *headers);
  for (size_t i = 0; i < count; i++) {
    gxds_header_match *h = &headers[i];
    h->case_sensitive = true;
    h->name = gxds_header_name_dup(d->arena,
                                   gxds_pb_str(envoy_config_route_v3_HeaderMatcher_name(list[i])));
    h->invert = envoy_config_route_v3_HeaderMatcher_invert_match(list[i]);
    h->missing_is_empty =
        envoy_config_route_v3_HeaderMatcher_treat_missing_header_as_empty(list[i]);
    gxds_str text = decode_header_kind(d, list[i], GXDS_ITEM(up, "headers", i), h);
    h->text = gxds_arena_dup(d->arena, text);
  }
  out->headers = headers;
  out->header_count = (uint32_t)count;
}

static void decode_fraction(const gxds_route_decoder *d, const match_message *in,
                            const gxds_path *up, gxds_route *out) {
  const envoy_config_core_v3_RuntimeFractionalPercent *runtime =
      envoy_config_route_v3_RouteMatch_runtime_fraction(in);
  const envoy_type_v3_FractionalPercent *fraction =
      runtime ? envoy_config_core_v3_RuntimeFractionalPercent_default_value(runtime) : NULL;
  if (!fraction) return;
  const gxds_path *at = GXDS_FIELD(GXDS_FIELD(up, "runtime_fraction"), "default_value");
  out->fraction_per_million =
      (int32_t)gxds_fraction_decode(fraction, at, "Unknown denominator type", d->errors);
}

gxds_route_use gxds_route_match_decode(const gxds_route_decoder *d, const match_message *in,
                                       const gxds_path *at, gxds_route *out) {
  size_t query_parameters = 0;
  (void)envoy_config_route_v3_RouteMatch_query_parameters(in, &query_parameters);
  if (query_parameters > 0) return GXDS_ROUTE_SKIP; /* A28: gRPC requests have no query */
  if (decode_path(d, in, at, &out->path) == GXDS_ROUTE_SKIP) return GXDS_ROUTE_SKIP;
  decode_headers(d, in, at, out);
  decode_fraction(d, in, at, out);
  return GXDS_ROUTE_KEEP;
}
