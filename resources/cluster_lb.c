#include <inttypes.h>

#include "google/protobuf/wrappers.upb.h"
#include "resources/cluster_internal.h"

typedef envoy_config_cluster_v3_Cluster_RingHashLbConfig ring_hash_message;

/* A42: the limits of both sizes, and the protocol's defaults. */
enum { kRingSizeMax = 8388608, kRingSizeMinDefault = 1024 };

static uint64_t decode_ring_size(const google_protobuf_UInt64Value *in, uint64_t otherwise,
                                 const gxds_path *at, gxds_errors *errors) {
  if (!in) return otherwise;
  uint64_t size = google_protobuf_UInt64Value_value(in);
  if (size == 0 || size > kRingSizeMax) {
    gxds_errors_add(errors, at, "must be in the range of 1 to 8388608");
  }
  return size;
}

static void decode_ring_hash(const ring_hash_message *in, gxds_errors *errors, gxds_text *json) {
  uint64_t min = kRingSizeMinDefault;
  uint64_t max = kRingSizeMax;
  if (in) {
    const gxds_path *at = GXDS_FIELD(NULL, "ring_hash_lb_config");
    const gxds_path *at_min = GXDS_FIELD(at, "minimum_ring_size");
    max = decode_ring_size(envoy_config_cluster_v3_Cluster_RingHashLbConfig_maximum_ring_size(in),
                           max, GXDS_FIELD(at, "maximum_ring_size"), errors);
    const google_protobuf_UInt64Value *min_value =
        envoy_config_cluster_v3_Cluster_RingHashLbConfig_minimum_ring_size(in);
    min = decode_ring_size(min_value, min, at_min, errors);
    if (min_value && min > max) {
      gxds_errors_add(errors, at_min, "cannot be greater than maximum_ring_size");
    }
    if (envoy_config_cluster_v3_Cluster_RingHashLbConfig_hash_function(in) !=
        envoy_config_cluster_v3_Cluster_RingHashLbConfig_XX_HASH) {
      gxds_errors_add(errors, GXDS_FIELD(at, "hash_function"), "invalid hash function");
    }
  }
  gxds_text_addf(json,
                 "[{\"ring_hash_experimental\":{\"maxRingSize\":%" PRIu64
                 ",\"minRingSize\":%" PRIu64 "}}]",
                 max, min);
}

void gxds_cluster_lb_decode(const envoy_config_cluster_v3_Cluster *in, gxds_errors *errors,
                            gxds_cluster *out) {
  gxds_text json = {0};
  int32_t policy = envoy_config_cluster_v3_Cluster_lb_policy(in);
  if (policy == envoy_config_cluster_v3_Cluster_ROUND_ROBIN) {
    gxds_text_add_z(&json,
                    "[{\"xds_wrr_locality_experimental\":"
                    "{\"childPolicy\":[{\"round_robin\":{}}]}}]");
  } else if (policy == envoy_config_cluster_v3_Cluster_RING_HASH) {
    decode_ring_hash(envoy_config_cluster_v3_Cluster_ring_hash_lb_config(in), errors, &json);
  } else {
    gxds_errors_add(errors, GXDS_FIELD(NULL, "lb_policy"), "LB policy is not supported");
  }
  out->lb_policy_json = gxds_arena_dup(out->arena, gxds_text_str(&json));
  gxds_text_fini(&json);
}
