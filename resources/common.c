#include <stdio.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/wire.h"
#include "envoy/config/core/v3/config_source.upb.h"
#include "envoy/type/v3/percent.upb.h"
#include "resources/common_internal.h"
#include "resources/resources.h"
#include "xds/type/v3/typed_struct.upb.h"

const gxds_resource_type *const gxds_resource_types[GXDS_RESOURCE_TYPE_COUNT] = {
    &gxds_listener_type, &gxds_route_config_type, &gxds_cluster_type, &gxds_endpoints_type};

void *gxds_message_decode(gxds_str bytes, const upb_MiniTable *table, upb_Arena *scratch) {
  if (!gxds_wire_is_whole(bytes)) return NULL;
  return gxds_pb_decode(bytes, _upb_Message_New(table, scratch), table, scratch);
}

void *gxds_arena_calloc(upb_Arena *arena, size_t count, size_t size) {
  size_t bytes = 0;
  GXDS_CHECK(!__builtin_mul_overflow(count, size, &bytes));
  return memset(gxds_arena_alloc(arena, bytes), 0, bytes);
}

gxds_str gxds_quoted(gxds_str s) {
  enum { kMax = 256 };
  if (s.size <= kMax) return s;
  size_t size = kMax;
  while (size > 0 && ((unsigned char)s.data[size] & 0xc0) == 0x80) size--;
  return gxds_str_of(s.data, size);
}

gxds_str gxds_header_name_dup(upb_Arena *arena, gxds_str name) {
  gxds_str copy = gxds_arena_dup(arena, name);
  char *at = (char *)copy.data;
  for (size_t i = 0; i < copy.size; i++) at[i] = gxds_lower(at[i]);
  return copy;
}

gxds_status gxds_resource_unparsable(const char *message_name) {
  return gxds_status_make(GXDS_INVALID_ARGUMENT, "Can't parse %s resource.", message_name);
}

bool gxds_config_source_is_ads_or_self(const envoy_config_core_v3_ConfigSource *source) {
  return envoy_config_core_v3_ConfigSource_has_ads(source) ||
         envoy_config_core_v3_ConfigSource_has_self(source);
}

gxds_duration gxds_duration_decode(const google_protobuf_Duration *in, const gxds_path *at,
                                   gxds_errors *errors) {
  size_t before = errors->count;
  int64_t seconds = google_protobuf_Duration_seconds(in);
  if (seconds < 0 || seconds > 315576000000) {
    gxds_errors_add(errors, GXDS_FIELD(at, "seconds"),
                    "value must be in the range [0, 315576000000]");
  }
  int32_t nanos = google_protobuf_Duration_nanos(in);
  if (nanos < 0 || nanos > 999999999) {
    gxds_errors_add(errors, GXDS_FIELD(at, "nanos"), "value must be in the range [0, 999999999]");
  }
  if (errors->count != before) return 0;
  int64_t result = 0;
  if (__builtin_mul_overflow(seconds, GXDS_SECOND, &result) ||
      __builtin_add_overflow(result, nanos, &result)) {
    return INT64_MAX; /* 292 years or more do not fit */
  }
  return result;
}

uint32_t gxds_fraction_decode(const envoy_type_v3_FractionalPercent *in, const gxds_path *at,
                              const char *unknown_text, gxds_errors *errors) {
  uint64_t numerator = envoy_type_v3_FractionalPercent_numerator(in);
  switch (envoy_type_v3_FractionalPercent_denominator(in)) {
    case envoy_type_v3_FractionalPercent_HUNDRED:
      numerator *= 10000;
      break;
    case envoy_type_v3_FractionalPercent_TEN_THOUSAND:
      numerator *= 100;
      break;
    case envoy_type_v3_FractionalPercent_MILLION:
      break;
    default:
      gxds_errors_add(errors, GXDS_FIELD(at, "denominator"), "%s", unknown_text);
  }
  return numerator < 1000000 ? (uint32_t)numerator : 1000000;
}

/* Returns the type that a type URL names. If the URL has no type, adds an error and returns the
 * whole URL. */
static gxds_str type_of_url(gxds_str url, const gxds_path *at, gxds_errors *errors) {
  const gxds_path *at_url = GXDS_FIELD(at, "type_url");
  if (url.size == 0) {
    gxds_errors_add(errors, at_url, "field not present");
    return url;
  }
  const char *slash = memrchr(url.data, '/', url.size);
  size_t skipped = slash ? (size_t)(slash - url.data) + 1 : url.size;
  if (skipped == url.size) {
    gxds_errors_add(errors, at_url, "invalid value \"%.*s\"", GXDS_QUOTED(url));
    return url;
  }
  return gxds_str_from(url, skipped);
}

gxds_path gxds_bracketed_link(const gxds_path *up, const char *name, gxds_str text,
                              upb_Arena *scratch) {
  gxds_str shown = gxds_quoted(text);
  size_t size = strlen(name) + shown.size + sizeof "[]";
  char *field = gxds_arena_calloc(scratch, size, 1);
  snprintf(field, size, "%s[%.*s]", name, GXDS_STR_ARG(shown));
  return (gxds_path){.up = up, .field = field, .index = -1};
}

bool gxds_extension_open(const google_protobuf_Any *any, const gxds_path *at, upb_Arena *scratch,
                         gxds_errors *errors, gxds_extension *out) {
  if (!any) {
    gxds_errors_add(errors, at, "field not present");
    return false;
  }
  *out = (gxds_extension){.value = gxds_pb_str(google_protobuf_Any_value(any))};
  out->type = type_of_url(gxds_pb_str(google_protobuf_Any_type_url(any)), at, errors);
  out->links[0] = gxds_bracketed_link(at, "value", out->type, scratch);
  out->at = &out->links[0];
  if (!gxds_str_is(out->type, "xds.type.v3.TypedStruct") &&
      !gxds_str_is(out->type, "udpa.type.v1.TypedStruct")) {
    return true;
  }
  const xds_type_v3_TypedStruct *inner = GXDS_DECODE(xds_type_v3_TypedStruct, out->value, scratch);
  if (!inner) {
    gxds_errors_add(errors, out->at, "could not parse");
    return false;
  }
  gxds_str url = gxds_pb_str(xds_type_v3_TypedStruct_type_url(inner));
  out->type = type_of_url(url, out->at, errors);
  out->value = gxds_str_of(NULL, 0);
  out->typed_struct = true;
  out->structure = xds_type_v3_TypedStruct_value(inner);
  out->links[1] = gxds_bracketed_link(out->at, "value", out->type, scratch);
  out->at = &out->links[1];
  return true;
}
