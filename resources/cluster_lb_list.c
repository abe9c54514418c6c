#include <inttypes.h>

#include "base/utf8.h"
#include "base/wire.h"
#include "envoy/config/core/v3/extension.upb.h"
#include "envoy/extensions/load_balancing_policies/ring_hash/v3/ring_hash.upb.h"
#include "envoy/extensions/load_balancing_policies/wrr_locality/v3/wrr_locality.upb.h"
#include "google/protobuf/wrappers.upb.h"
#include "resources/cluster_internal.h"
#include "resources/json_internal.h"

typedef envoy_config_cluster_v3_LoadBalancingPolicy list_message;
typedef envoy_config_cluster_v3_LoadBalancingPolicy_Policy policy_message;
typedef envoy_extensions_load_balancing_policies_ring_hash_v3_RingHash ring_hash_message;
typedef envoy_extensions_load_balancing_policies_wrr_locality_v3_WrrLocality wrr_locality_message;

/* A52: how deep lists may be nested. */
enum { kNestingMax = 16 };

typedef struct lb_decoder {
  const gxds_decode_context *context;
  upb_Arena *scratch;
  gxds_errors *errors;
  gxds_text *json;
  int depth;      /* of the list in other lists */
  bool in_subset; /* the list is below a policy that uses only some of the cluster's addresses */
} lb_decoder;

static void decode_list(const lb_decoder *d, const list_message *in, const gxds_path *at);

static void decode_ring_hash(const lb_decoder *d, const void *message,
                             const gxds_extension *config) {
  const ring_hash_message *in = message;
  int32_t function =
      envoy_extensions_load_balancing_policies_ring_hash_v3_RingHash_hash_function(in);
  if (function != envoy_extensions_load_balancing_policies_ring_hash_v3_RingHash_XX_HASH &&
      function != envoy_extensions_load_balancing_policies_ring_hash_v3_RingHash_DEFAULT_HASH) {
    gxds_errors_add(d->errors, GXDS_FIELD(config->at, "hash_function"),
                    "unsupported value (must be XX_HASH)");
  }
  gxds_ring_hash_decode(
      envoy_extensions_load_balancing_policies_ring_hash_v3_RingHash_minimum_ring_size(in),
      envoy_extensions_load_balancing_policies_ring_hash_v3_RingHash_maximum_ring_size(in),
      "value must be in the range [1, 8388608]", config->at, d->errors, d->json);
}

static void decode_round_robin(const lb_decoder *d, const void *message,
                               const gxds_extension *config) {
  gxds_round_robin_decode(message, d->context, config->at, d->errors, d->json);
}

static void decode_least_request(const lb_decoder *d, const void *message,
                                 const gxds_extension *config) {
  gxds_least_request_decode(message, config->at, d->errors, d->json);
}

static void decode_pick_first(const lb_decoder *d, const void *message,
                              const gxds_extension *config) {
  (void)config;
  bool shuffled = google_protobuf_BoolValue_value(message); /* A62 */
  gxds_text_add_z(d->json,
                  shuffled
                      ? "[{\"grpc_xds_shuffled\":{\"childPolicy\":[{\"grpc_xds_pick_first\":{}}]}}]"
                      : "[{\"grpc_xds_pick_first\":{}}]");
}

/* RandomSubsetting (A68). If a field occurs several times, the last one counts. */
static void decode_random_subsetting(const lb_decoder *d, const void *message,
                                     const gxds_extension *config) {
  (void)message;
  enum { SUBSET_SIZE = 1, CHILD_POLICY = 2 };
  gxds_str size_bytes = gxds_wire_bytes_at(config->value, SUBSET_SIZE);
  const google_protobuf_UInt32Value *in_size =
      size_bytes.data ? GXDS_DECODE(google_protobuf_UInt32Value, size_bytes, d->scratch) : NULL;
  uint32_t size = in_size ? google_protobuf_UInt32Value_value(in_size) : 0;
  if (size == 0) {
    gxds_errors_add(d->errors, GXDS_FIELD(config->at, "subset_size"), "must be greater than 0");
  }
  const gxds_path *at = GXDS_FIELD(config->at, "child_policy");
  gxds_str child_bytes = gxds_wire_bytes_at(config->value, CHILD_POLICY);
  if (!child_bytes.data) {
    gxds_errors_add(d->errors, at, "field not present");
    return;
  }
  const list_message *child =
      GXDS_DECODE(envoy_config_cluster_v3_LoadBalancingPolicy, child_bytes, d->scratch);
  if (!child) {
    gxds_errors_add(d->errors, at, "can't decode LoadBalancingPolicy");
    return;
  }
  lb_decoder below = *d;
  below.depth++;
  below.in_subset = true;
  gxds_text_addf(
      d->json,
      "[{\"random_subsetting_experimental\":{\"subsetSize\":%" PRIu32 ",\"childPolicy\":", size);
  decode_list(&below, child, at);
  gxds_text_add_z(d->json, "}}]");
}

static void decode_weighted_round_robin(const lb_decoder *d, const void *message,
                                        const gxds_extension *config) {
  (void)message;
  gxds_weighted_round_robin_decode(config->value, config->at, d->scratch, d->errors, d->json);
}

static void decode_wrr_locality(const lb_decoder *d, const void *message,
                                const gxds_extension *config) {
  const wrr_locality_message *in = message;
  /* Our wrr_locality policy takes whole localities from the snapshot, so it would bypass the
   * subset. */
  if (d->in_subset) {
    gxds_errors_add(d->errors, config->at,
                    "not supported below RandomSubsetting: put that into endpoint_picking_policy");
    return;
  }
  const gxds_path *at = GXDS_FIELD(config->at, "endpoint_picking_policy");
  const list_message *child =
      envoy_extensions_load_balancing_policies_wrr_locality_v3_WrrLocality_endpoint_picking_policy(
          in);
  if (!child) {
    gxds_errors_add(d->errors, at, "field not present");
    return;
  }
  gxds_text_add_z(d->json, "[{\"xds_wrr_locality_experimental\":{\"childPolicy\":");
  lb_decoder below = *d;
  below.depth++;
  decode_list(&below, child, at);
  gxds_text_add_z(d->json, "}}]");
}

typedef struct lb_type {
  const char *name; /* the full name of the message */
  /* NULL: the host has no table of the message, so decode() reads its fields from the bytes. */
  const upb_MiniTable *table;
  /* message: what `table` decoded; NULL without a table. Then the bytes are a whole message. */
  void (*decode)(const lb_decoder *d, const void *message, const gxds_extension *config);
} lb_type;

/* The host has no tables of LeastRequest, PickFirst and RoundRobin. The configs in a Cluster, and
 * BoolValue, have the same fields with the same numbers, as far as they are used. */
static const lb_type lb_types[] = {
    {"envoy.extensions.load_balancing_policies.client_side_weighted_round_robin.v3."
     "ClientSideWeightedRoundRobin",
     NULL, decode_weighted_round_robin},
    {"envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest",
     &envoy_config_cluster_v3_Cluster_LeastRequestLbConfig_msginit, decode_least_request},
    {"envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst",
     &google_protobuf_BoolValue_msginit, decode_pick_first},
    {"envoy.extensions.load_balancing_policies.random_subsetting.v3.RandomSubsetting", NULL,
     decode_random_subsetting},
    {"envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash",
     &envoy_extensions_load_balancing_policies_ring_hash_v3_RingHash_msginit, decode_ring_hash},
    {"envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin",
     &envoy_config_cluster_v3_Cluster_RoundRobinLbConfig_msginit, decode_round_robin},
    {"envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality",
     &envoy_extensions_load_balancing_policies_wrr_locality_v3_WrrLocality_msginit,
     decode_wrr_locality},
};

static void decode_with(const lb_type *type, const lb_decoder *d, const gxds_extension *config) {
  const void *message =
      type->table ? gxds_message_decode(config->value, type->table, d->scratch) : NULL;
  if (type->table ? message != NULL : gxds_wire_is_whole(config->value)) {
    type->decode(d, message, config);
  } else {
    gxds_errors_add(d->errors, config->at, "can't decode %s LB policy config",
                    strrchr(type->name, '.') + 1);
  }
}

/* Adds a policy of the program's own, under its name in the host's registry. False if the registry
 * has no policy of that name. */
static bool decode_custom(const lb_decoder *d, const gxds_extension *config) {
  const gxds_host *host = d->context->host;
  if (!host || !host->lb_policy_exists || !host->lb_policy_exists(config->type)) return false;
  gxds_text_add_z(d->json, "[{");
  gxds_utf8_add_json(d->json, config->type);
  gxds_text_add_z(d->json, ":");
  const char *error = gxds_json_add_struct(d->json, config->structure, d->scratch);
  if (error) {
    gxds_errors_add(d->errors, config->at, "error encoding google::Protobuf::Struct as JSON: %s",
                    error);
  }
  gxds_text_add_z(d->json, "}]");
  return true;
}

/* False if the policy is not supported. */
static bool decode_config(const lb_decoder *d, const gxds_extension *config) {
  if (config->typed_struct) return decode_custom(d, config);
  for (size_t i = 0; i < sizeof lb_types / sizeof lb_types[0]; i++) {
    if (!gxds_str_is(config->type, lb_types[i].name)) continue;
    decode_with(&lb_types[i], d, config);
    return true;
  }
  return false;
}

/* Adds the first policy of the list that is supported (A52). An error ends the search. */
static void decode_list(const lb_decoder *d, const list_message *in, const gxds_path *at) {
  if (d->depth >= kNestingMax) {
    gxds_errors_add(d->errors, at, "exceeded max recursion depth of %d", kNestingMax);
    return;
  }
  size_t before = d->errors->count;
  size_t count = 0;
  const policy_message *const *list =
      envoy_config_cluster_v3_LoadBalancingPolicy_policies(in, &count);
  for (size_t i = 0; i < count; i++) {
    const gxds_path *at_extension =
        GXDS_FIELD(GXDS_ITEM(at, "policies", i), "typed_extension_config");
    const gxds_path *at_config = GXDS_FIELD(at_extension, "typed_config");
    const envoy_config_core_v3_TypedExtensionConfig *in_extension =
        envoy_config_cluster_v3_LoadBalancingPolicy_Policy_typed_extension_config(list[i]);
    if (!in_extension) {
      gxds_errors_add(d->errors, at_extension, "field not present");
      return;
    }
    gxds_extension extension;
    if (!gxds_extension_open(envoy_config_core_v3_TypedExtensionConfig_typed_config(in_extension),
                             at_config, d->scratch, d->errors, &extension)) {
      return;
    }
    if (decode_config(d, &extension)) return;
  }
  if (d->errors->count == before) {
    gxds_errors_add(d->errors, at, "no supported load balancing policy config found");
  }
}

void gxds_lb_list_decode(const list_message *in, const gxds_decode_context *context,
                         const gxds_path *at, upb_Arena *scratch, gxds_errors *errors,
                         gxds_text *json) {
  const lb_decoder d = {.context = context, .scratch = scratch, .errors = errors, .json = json};
  decode_list(&d, in, at);
}
