#include "resources/cluster.h"

#include "base/memory.h"
#include "envoy/config/cluster/v3/circuit_breaker.upb.h"
#include "envoy/config/core/v3/base.upb.h"
#include "envoy/config/core/v3/config_source.upb.h"
#include "google/protobuf/wrappers.upb.h"
#include "resources/cluster_internal.h"

typedef envoy_config_cluster_v3_CircuitBreakers_Thresholds thresholds_message;

static void decode_lrs_server(const envoy_config_core_v3_ConfigSource *in,
                              const gxds_decode_context *context, gxds_errors *errors,
                              gxds_cluster *out) {
  if (envoy_config_core_v3_ConfigSource_has_self(in)) {
    out->lrs_server = context->server;
  } else {
    gxds_errors_add(errors, GXDS_FIELD(NULL, "lrs_server"), "ConfigSource is not self");
  }
}

/* A32: the first threshold of priority DEFAULT is used. */
static uint32_t decode_max_requests(const envoy_config_cluster_v3_CircuitBreakers *in) {
  size_t count = 0;
  const thresholds_message *const *list =
      in ? envoy_config_cluster_v3_CircuitBreakers_thresholds(in, &count) : NULL;
  for (size_t i = 0; i < count; i++) {
    if (envoy_config_cluster_v3_CircuitBreakers_Thresholds_priority(list[i]) !=
        envoy_config_core_v3_DEFAULT) {
      continue;
    }
    const google_protobuf_UInt32Value *max =
        envoy_config_cluster_v3_CircuitBreakers_Thresholds_max_requests(list[i]);
    return max ? google_protobuf_UInt32Value_value(max) : GXDS_CLUSTER_MAX_REQUESTS_DEFAULT;
  }
  return GXDS_CLUSTER_MAX_REQUESTS_DEFAULT;
}

static void validate(const envoy_config_cluster_v3_Cluster *in, gxds_str bytes,
                     const gxds_decode_context *context, upb_Arena *scratch, gxds_errors *errors,
                     gxds_cluster *out) {
  gxds_cluster_type_decode(in, scratch, errors, out);
  /* A75: an aggregate cluster's own LB policy is ignored. Envoy requires CLUSTER_PROVIDED there. */
  if (out->kind != GXDS_CLUSTER_AGGREGATE) {
    gxds_cluster_lb_decode(in, context, scratch, errors, out);
    gxds_lb_subsets_decode(in, bytes, context, scratch, errors, out);
  }
  gxds_cluster_sessions_decode(in, scratch, errors, out);
  /* As in grpc-go and grpc-java: without this field, connections that the control plane wants to be
   * secured would not be. */
  size_t socket_matches = 0;
  envoy_config_cluster_v3_Cluster_transport_socket_matches(in, &socket_matches);
  if (socket_matches > 0) {
    gxds_errors_add(errors, GXDS_FIELD(NULL, "transport_socket_matches"), "feature unsupported");
  }
  const envoy_config_core_v3_TransportSocket *transport_socket =
      envoy_config_cluster_v3_Cluster_transport_socket(in);
  if (transport_socket) {
    gxds_transport_socket_decode(transport_socket, context, scratch, errors, out);
  }
  const envoy_config_core_v3_ConfigSource *lrs_server =
      envoy_config_cluster_v3_Cluster_lrs_server(in);
  if (lrs_server) decode_lrs_server(lrs_server, context, errors, out);
  gxds_lrs_metrics_decode(bytes, scratch, out);
  out->max_concurrent_requests =
      decode_max_requests(envoy_config_cluster_v3_Cluster_circuit_breakers(in));
  const struct envoy_config_cluster_v3_OutlierDetection *outlier_detection =
      envoy_config_cluster_v3_Cluster_outlier_detection(in);
  if (outlier_detection) gxds_outlier_detection_decode(outlier_detection, errors, out);
}

gxds_cluster_rare *gxds_cluster_rare_get(gxds_cluster *c) {
  if (!c->rare) {
    upb_Arena *arena = gxds_arena_create();
    gxds_cluster_rare *rare = gxds_arena_calloc(arena, 1, sizeof *rare);
    rare->arena = arena;
    c->rare = rare;
  }
  return (gxds_cluster_rare *)c->rare;
}

upb_Arena *gxds_cluster_arena(gxds_cluster *c) { return gxds_cluster_rare_get(c)->arena; }

gxds_str gxds_cluster_dup(gxds_cluster *c, gxds_str s) {
  return s.size > 0 ? gxds_arena_dup(gxds_cluster_arena(c), s) : gxds_str_of(NULL, 0);
}

/* Makes the cluster in one allocation, with the name behind the struct. */
static gxds_cluster *create(gxds_str name, const gxds_bootstrap *bootstrap) {
  gxds_cluster *c = gxds_calloc(1, sizeof *c + name.size);
  gxds_ref_init(&c->base.refs);
  c->base.type = &gxds_cluster_type;
  if (name.size > 0) memcpy(c + 1, name.data, name.size);
  c->name = gxds_str_of((const char *)(c + 1), name.size);
  c->bootstrap = bootstrap ? gxds_bootstrap_ref(bootstrap) : NULL;
  return c;
}

static gxds_status decode(const gxds_decode_context *context, gxds_str bytes, gxds_decoded *out) {
  *out = (gxds_decoded){0};
  upb_Arena *scratch = gxds_arena_create();
  const envoy_config_cluster_v3_Cluster *in =
      GXDS_DECODE(envoy_config_cluster_v3_Cluster, bytes, scratch);
  if (!in) {
    upb_Arena_Free(scratch);
    return gxds_resource_unparsable("Cluster");
  }
  gxds_str name = gxds_pb_str(envoy_config_cluster_v3_Cluster_name(in));
  out->name = gxds_str_dup(name);
  gxds_cluster *cluster = create(name, context->bootstrap);
  gxds_errors errors = {0};
  validate(in, bytes, context, scratch, &errors, cluster);
  gxds_status status = gxds_errors_status(&errors, "errors validating Cluster resource");
  if (gxds_status_is_ok(&status)) {
    out->resource = &cluster->base;
  } else {
    gxds_resource_unref(&cluster->base);
  }
  out->errors = errors;
  upb_Arena_Free(scratch);
  return status;
}

static void destroy(gxds_resource *resource) {
  gxds_cluster *c = (gxds_cluster *)resource;
  if (c->bootstrap) gxds_bootstrap_unref(c->bootstrap);
  if (c->rare) upb_Arena_Free(c->rare->arena);
  gxds_free(c);
}

const gxds_resource_type gxds_cluster_type = {
    .type_url = "type.googleapis.com/envoy.config.cluster.v3.Cluster",
    .v2_type_url = "type.googleapis.com/envoy.api.v2.Cluster",
    .short_name = "CDS",
    .all_resources_required_in_sotw = true,
    .decode = decode,
    .destroy = destroy,
};
