#include <inttypes.h>

#include "google/protobuf/wrappers.upb.h"
#include "resources/cluster_internal.h"
#include "resources/ring_size.h"

typedef envoy_config_cluster_v3_Cluster_RingHashLbConfig ring_hash_message;

static uint64_t decode_ring_size(const google_protobuf_UInt64Value *in, uint64_t otherwise,
                                 const char *out_of_range, const gxds_path *at,
                                 gxds_errors *errors) {
  const uint64_t size = in ? google_protobuf_UInt64Value_value(in) : otherwise;
  if (!gxds_ring_size_is_valid(size)) gxds_errors_add(errors, at, "%s", out_of_range);
  return size;
}

void gxds_ring_hash_decode(const google_protobuf_UInt64Value *min,
                           const google_protobuf_UInt64Value *max, const char *out_of_range,
                           const gxds_path *at, gxds_errors *errors, gxds_text *json) {
  const gxds_path *at_min = GXDS_FIELD(at, "minimum_ring_size");
  const uint64_t most = decode_ring_size(max, GXDS_RING_SIZE_MAX, out_of_range,
                                         GXDS_FIELD(at, "maximum_ring_size"), errors);
  const uint64_t least =
      decode_ring_size(min, GXDS_RING_SIZE_MIN_DEFAULT, out_of_range, at_min, errors);
  if (min && least > most) {
    gxds_errors_add(errors, at_min, "cannot be greater than maximum_ring_size");
  }
  gxds_text_addf(json,
                 "[{\"ring_hash_experimental\":{\"maxRingSize\":%" PRIu64
                 ",\"minRingSize\":%" PRIu64 "}}]",
                 most, least);
}

static void decode_ring_hash(const ring_hash_message *in, const gxds_path *at, gxds_errors *errors,
                             gxds_text *json) {
  const google_protobuf_UInt64Value *min = NULL;
  const google_protobuf_UInt64Value *max = NULL;
  if (in) {
    min = envoy_config_cluster_v3_Cluster_RingHashLbConfig_minimum_ring_size(in);
    max = envoy_config_cluster_v3_Cluster_RingHashLbConfig_maximum_ring_size(in);
    if (envoy_config_cluster_v3_Cluster_RingHashLbConfig_hash_function(in) !=
        envoy_config_cluster_v3_Cluster_RingHashLbConfig_XX_HASH) {
      gxds_errors_add(errors, GXDS_FIELD(at, "hash_function"), "invalid hash function");
    }
  }
  gxds_ring_hash_decode(min, max, "must be in the range of 1 to 8388608", at, errors, json);
}

void gxds_least_request_decode(const envoy_config_cluster_v3_Cluster_LeastRequestLbConfig *in,
                               const gxds_path *at, gxds_errors *errors, gxds_text *json) {
  const google_protobuf_UInt32Value *choices =
      in ? envoy_config_cluster_v3_Cluster_LeastRequestLbConfig_choice_count(in) : NULL;
  uint32_t count = choices ? google_protobuf_UInt32Value_value(choices) : 2;
  if (count < 2) gxds_errors_add(errors, GXDS_FIELD(at, "choice_count"), "must be at least 2");
  gxds_text_addf(json, "[{\"least_request_experimental\":{\"choiceCount\":%" PRIu32, count);
  gxds_text slow_start = {0};
  if (in && gxds_slow_start_decode(
                envoy_config_cluster_v3_Cluster_LeastRequestLbConfig_slow_start_config(in),
                GXDS_FIELD(at, "slow_start_config"), errors, &slow_start)) {
    gxds_text_add_z(json, ",");
    gxds_text_add(json, gxds_text_str(&slow_start));
  }
  gxds_text_fini(&slow_start);
  gxds_text_add_z(json, "}}]");
}

/* Without the server feature, the weights of endpoints (E3) are ignored, because control planes
 * send weights that clients have ignored so far. */
static const char *round_robin_name(const gxds_decode_context *context, bool starts_slowly) {
  if (context->server && context->server->endpoint_weights) return "grpc_xds_endpoint_weights";
  return starts_slowly ? "grpc_xds_slow_start" : "round_robin";
}

void gxds_round_robin_decode(const envoy_config_cluster_v3_Cluster_RoundRobinLbConfig *in,
                             const gxds_decode_context *context, const gxds_path *at,
                             gxds_errors *errors, gxds_text *json) {
  gxds_text slow_start = {0};
  const bool starts_slowly =
      in && gxds_slow_start_decode(
                envoy_config_cluster_v3_Cluster_RoundRobinLbConfig_slow_start_config(in),
                GXDS_FIELD(at, "slow_start_config"), errors, &slow_start);
  gxds_text_addf(json, "[{\"%s\":{", round_robin_name(context, starts_slowly));
  gxds_text_add(json, gxds_text_str(&slow_start));
  gxds_text_add_z(json, "}}]");
  gxds_text_fini(&slow_start);
}

static void decode_round_robin(const envoy_config_cluster_v3_Cluster *in,
                               const gxds_decode_context *context, gxds_errors *errors,
                               gxds_text *json) {
  gxds_text_add_z(json, "[{\"xds_wrr_locality_experimental\":{\"childPolicy\":");
  gxds_round_robin_decode(envoy_config_cluster_v3_Cluster_round_robin_lb_config(in), context,
                          GXDS_FIELD(NULL, "round_robin_lb_config"), errors, json);
  gxds_text_add_z(json, "}}]");
}

/* A48: least_request picks within a locality, as round_robin does. */
static void decode_least_request(const envoy_config_cluster_v3_Cluster *in, const gxds_path *at,
                                 gxds_errors *errors, gxds_text *json) {
  gxds_text_add_z(json, "[{\"xds_wrr_locality_experimental\":{\"childPolicy\":");
  gxds_least_request_decode(envoy_config_cluster_v3_Cluster_least_request_lb_config(in), at, errors,
                            json);
  gxds_text_add_z(json, "}}]");
}

/* A52: refuses a config that the host's registry does not accept, so that no policy gets it. */
static void check_json(const gxds_host *host, const gxds_text *json, size_t errors_before,
                       const gxds_path *at, gxds_errors *errors) {
  if (host && host->lb_config_check && errors->count == errors_before) {
    host->lb_config_check(gxds_text_str(json), at, errors);
  }
}

/* Nearly all clusters have the same JSON, so that text is not copied for each of them. */
static gxds_str keep_json(gxds_str json, gxds_cluster *out) {
  static const char *const usual[] = {
      "[{\"xds_wrr_locality_experimental\":{\"childPolicy\":[{\"round_robin\":{}}]}}]",
      "[{\"xds_wrr_locality_experimental\":{\"childPolicy\":[{\"least_request_experimental\":{"
      "\"choiceCount\":2}}]}}]",
  };
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
    if (gxds_str_is(json, usual[i])) return gxds_str_z(usual[i]);
  }
  return gxds_cluster_dup(out, json);
}

void gxds_cluster_lb_decode(const envoy_config_cluster_v3_Cluster *in,
                            const gxds_decode_context *context, upb_Arena *scratch,
                            gxds_errors *errors, gxds_cluster *out) {
  const gxds_host *host = context->host;
  gxds_text json = {0};
  size_t before = errors->count;
  int32_t policy = envoy_config_cluster_v3_Cluster_lb_policy(in);
  const envoy_config_cluster_v3_LoadBalancingPolicy *list =
      envoy_config_cluster_v3_Cluster_load_balancing_policy(in);
  if (list) { /* A52: with a list, the older fields are ignored */
    const gxds_path *at = GXDS_FIELD(NULL, "load_balancing_policy");
    gxds_lb_list_decode(list, context, at, scratch, errors, &json);
    check_json(host, &json, before, at, errors);
  } else if (policy == envoy_config_cluster_v3_Cluster_ROUND_ROBIN) {
    decode_round_robin(in, context, errors, &json);
  } else if (policy == envoy_config_cluster_v3_Cluster_RING_HASH) {
    const gxds_path *at = GXDS_FIELD(NULL, "ring_hash_lb_config");
    decode_ring_hash(envoy_config_cluster_v3_Cluster_ring_hash_lb_config(in), at, errors, &json);
    check_json(host, &json, before, at, errors);
  } else if (policy == envoy_config_cluster_v3_Cluster_LEAST_REQUEST) {
    const gxds_path *at = GXDS_FIELD(NULL, "least_request_lb_config");
    decode_least_request(in, at, errors, &json);
    check_json(host, &json, before, at, errors);
  } else {
    gxds_errors_add(errors, GXDS_FIELD(NULL, "lb_policy"), "LB policy is not supported");
  }
  out->lb_policy_json = keep_json(gxds_text_str(&json), out);
  gxds_text_fini(&json);
}
