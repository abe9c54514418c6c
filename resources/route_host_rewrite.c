#include "envoy/config/route/v3/route_components.upb.h"
#include "google/protobuf/wrappers.upb.h"
#include "resources/route_config_internal.h"

typedef envoy_config_route_v3_RouteAction action_message;
typedef envoy_config_route_v3_WeightedCluster_ClusterWeight weight_message;

bool gxds_host_rewrites_are_trusted(const gxds_decode_context *context) {
  return context->any_bootstrap || (context->server && context->server->trusted_xds_server);
}

/* Envoy accepts every valid value of a header. gRPC accepts only a host, with or without a port. */
static const gxds_host_rewrite *literal(const gxds_route_decoder *d, gxds_str text,
                                        const gxds_path *up) {
  if (gxds_authority_is_valid(text)) {
    gxds_host_rewrite *rewrite = gxds_arena_calloc(d->arena, 1, sizeof *rewrite);
    *rewrite = (gxds_host_rewrite){GXDS_HOST_REWRITE_LITERAL, gxds_arena_dup(d->arena, text)};
    return rewrite;
  }
  const gxds_path *at = GXDS_FIELD(up, "host_rewrite_literal");
  if (text.size == 0) {
    gxds_errors_add(d->errors, at, "must be a host, with or without a port; it is empty");
  } else {
    gxds_errors_add(d->errors, at,
                    "must be a host, with or without a port, of at most %u characters: \"%.*s\"",
                    GXDS_AUTHORITY_BYTES_MAX, GXDS_QUOTED(text));
  }
  return NULL;
}

void gxds_host_rewrite_decode(const gxds_route_decoder *d, const action_message *in,
                              const gxds_path *at, gxds_route_rare *out) {
  static const gxds_host_rewrite automatic = {.kind = GXDS_HOST_REWRITE_AUTO};
  if (!d->trusted) return;
  switch (envoy_config_route_v3_RouteAction_host_rewrite_specifier_case(in)) {
    case envoy_config_route_v3_RouteAction_host_rewrite_specifier_auto_host_rewrite:
      if (google_protobuf_BoolValue_value(envoy_config_route_v3_RouteAction_auto_host_rewrite(in)))
        out->host_rewrite = &automatic;
      return;
    case envoy_config_route_v3_RouteAction_host_rewrite_specifier_host_rewrite_literal:
      out->host_rewrite =
          literal(d, gxds_pb_str(envoy_config_route_v3_RouteAction_host_rewrite_literal(in)), at);
      return;
    default: /* host_rewrite_header and host_rewrite_path_regex are ignored: A81 has neither */
      return;
  }
}

void gxds_host_rewrite_decode_weighted(const gxds_route_decoder *d, const weight_message *in,
                                       const gxds_path *at, gxds_route_rare *out) {
  if (!d->trusted ||
      !envoy_config_route_v3_WeightedCluster_ClusterWeight_has_host_rewrite_literal(in)) {
    return;
  }
  out->host_rewrite = literal(
      d, gxds_pb_str(envoy_config_route_v3_WeightedCluster_ClusterWeight_host_rewrite_literal(in)),
      at);
}

static bool is_in_clusters(const envoy_config_route_v3_WeightedCluster *in) {
  size_t count = 0;
  const weight_message *const *list =
      in ? envoy_config_route_v3_WeightedCluster_clusters(in, &count) : NULL;
  for (size_t i = 0; i < count; i++) {
    if (envoy_config_route_v3_WeightedCluster_ClusterWeight_has_host_rewrite_literal(list[i])) {
      return true;
    }
  }
  return false;
}

bool gxds_host_rewrite_is_in(const action_message *in) {
  return envoy_config_route_v3_RouteAction_has_auto_host_rewrite(in) ||
         envoy_config_route_v3_RouteAction_has_host_rewrite_literal(in) ||
         is_in_clusters(envoy_config_route_v3_RouteAction_weighted_clusters(in));
}
