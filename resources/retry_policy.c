#include "resources/retry_policy.h"

#include <inttypes.h>

#include "envoy/config/route/v3/route_components.upb.h"
#include "google/protobuf/wrappers.upb.h"
#include "resources/json_internal.h"
#include "resources/route_config_internal.h"

typedef envoy_config_route_v3_RetryPolicy policy_message;
typedef envoy_config_route_v3_RetryPolicy_RetryBackOff back_off_message;

typedef struct retry_condition {
  const char *name;
  gxds_code code;
} retry_condition;

/* The conditions of Envoy that gRPC supports; others are ignored. */
static const retry_condition conditions[] = {
    {"cancelled", GXDS_CANCELLED},     {"deadline-exceeded", GXDS_DEADLINE_EXCEEDED},
    {"internal", GXDS_INTERNAL},       {"resource-exhausted", GXDS_RESOURCE_EXHAUSTED},
    {"unavailable", GXDS_UNAVAILABLE},
};
enum { kConditionCount = sizeof conditions / sizeof conditions[0] };

static uint32_t bit_of(const retry_condition *c) { return 1u << (unsigned)c->code; }

/* Like Envoy, allows blanks around each condition. */
static uint32_t decode_codes(gxds_str list) {
  uint32_t codes = 0;
  while (list.size > 0) {
    const char *comma = memchr(list.data, ',', list.size);
    size_t size = comma ? (size_t)(comma - list.data) : list.size;
    const gxds_str name = gxds_str_trim(gxds_str_of(list.data, size));
    for (size_t i = 0; i < kConditionCount; i++) {
      if (gxds_str_is(name, conditions[i].name)) codes |= bit_of(&conditions[i]);
    }
    size += comma ? 1 : 0;
    list = gxds_str_from(list, size);
  }
  return codes;
}

static gxds_duration decode_interval(const google_protobuf_Duration *in, const gxds_path *at,
                                     gxds_errors *errors) {
  size_t before = errors->count;
  gxds_duration interval = gxds_duration_decode(in, at, errors);
  if (interval == 0 && errors->count == before) {
    gxds_errors_add(errors, at, "must be greater than 0");
  }
  return interval;
}

/* A44: one millisecond, unless the host needs more. */
static gxds_duration shortest_backoff(const gxds_host *host) {
  bool needs_more = host && host->shortest_retry_backoff > GXDS_MILLISECOND;
  return needs_more ? host->shortest_retry_backoff : GXDS_MILLISECOND;
}

static gxds_duration at_least(gxds_duration d, gxds_duration least) {
  return d > least ? d : least;
}

static void decode_back_off(const gxds_host *host, const back_off_message *in, const gxds_path *up,
                            gxds_errors *errors, gxds_retry_policy *out) {
  size_t before = errors->count;
  const gxds_path *at_base = GXDS_FIELD(up, "base_interval");
  const google_protobuf_Duration *base =
      envoy_config_route_v3_RetryPolicy_RetryBackOff_base_interval(in);
  if (base) {
    out->base_interval = decode_interval(base, at_base, errors);
  } else {
    gxds_errors_add(errors, at_base, "RouteAction RetryPolicy RetryBackoff missing base interval.");
  }
  const gxds_path *at_max = GXDS_FIELD(up, "max_interval");
  const google_protobuf_Duration *max =
      envoy_config_route_v3_RetryPolicy_RetryBackOff_max_interval(in);
  if (max) {
    out->max_interval = decode_interval(max, at_max, errors);
    if (errors->count == before && out->max_interval < out->base_interval) {
      gxds_errors_add(errors, at_max, "must not be less than base_interval");
    }
  } else if (__builtin_mul_overflow(out->base_interval, 10, &out->max_interval)) {
    out->max_interval = INT64_MAX;
  }
  const gxds_duration least = shortest_backoff(host);
  out->base_interval = at_least(out->base_interval, least);
  out->max_interval = at_least(out->max_interval, least);
}

const gxds_retry_policy *gxds_retry_policy_decode(const gxds_route_decoder *d,
                                                  const policy_message *in, const gxds_path *up) {
  const gxds_path *at = GXDS_FIELD(up, "retry_policy");
  gxds_retry_policy policy = {.num_retries = 1,
                              .base_interval = 25 * GXDS_MILLISECOND,
                              .max_interval = 250 * GXDS_MILLISECOND};
  policy.codes = decode_codes(gxds_pb_str(envoy_config_route_v3_RetryPolicy_retry_on(in)));
  const google_protobuf_UInt32Value *retries = envoy_config_route_v3_RetryPolicy_num_retries(in);
  if (retries) policy.num_retries = google_protobuf_UInt32Value_value(retries);
  if (policy.num_retries == 0) {
    gxds_errors_add(d->errors, GXDS_FIELD(at, "num_retries"),
                    "RouteAction RetryPolicy num_retries set to invalid value 0.");
  }
  const back_off_message *back_off = envoy_config_route_v3_RetryPolicy_retry_back_off(in);
  if (back_off) {
    decode_back_off(d->host, back_off, GXDS_FIELD(at, "retry_back_off"), d->errors, &policy);
  }
  if (policy.codes == 0) return NULL;
  gxds_retry_policy *out = gxds_arena_calloc(d->arena, 1, sizeof *out);
  *out = policy;
  return out;
}

void gxds_retry_policy_render_json(const gxds_retry_policy *r, gxds_text *out) {
  uint32_t attempts = r->num_retries < 4 ? r->num_retries + 1 : 5; /* A6: at most 5 */
  gxds_text_addf(out, "{\"maxAttempts\":%" PRIu32 ",\"initialBackoff\":", attempts);
  gxds_json_add_duration(out, r->base_interval);
  gxds_text_add_z(out, ",\"maxBackoff\":");
  gxds_json_add_duration(out, r->max_interval);
  gxds_text_add_z(out, ",\"backoffMultiplier\":2,\"retryableStatusCodes\":[");
  const char *before = "";
  for (size_t i = 0; i < kConditionCount; i++) {
    if (!(r->codes & bit_of(&conditions[i]))) continue;
    gxds_text_addf(out, "%s\"%s\"", before, gxds_code_name(conditions[i].code));
    before = ",";
  }
  gxds_text_add_z(out, "]}");
}
