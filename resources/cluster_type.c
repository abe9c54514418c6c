#include "envoy/config/core/v3/address.upb.h"
#include "envoy/config/endpoint/v3/endpoint.upb.h"
#include "envoy/config/endpoint/v3/endpoint_components.upb.h"
#include "envoy/extensions/clusters/aggregate/v3/cluster.upb.h"
#include "resources/cluster_internal.h"

typedef envoy_config_cluster_v3_Cluster cluster_message;
typedef envoy_config_core_v3_SocketAddress socket_message;

static void decode_eds(const cluster_message *in, gxds_errors *errors, gxds_cluster *out) {
  const gxds_path *at = GXDS_FIELD(NULL, "eds_cluster_config");
  out->kind = GXDS_CLUSTER_EDS;
  const envoy_config_cluster_v3_Cluster_EdsClusterConfig *config =
      envoy_config_cluster_v3_Cluster_eds_cluster_config(in);
  if (!config) {
    gxds_errors_add(errors, at, "field not present");
    return;
  }
  const gxds_path *at_source = GXDS_FIELD(at, "eds_config");
  const struct envoy_config_core_v3_ConfigSource *source =
      envoy_config_cluster_v3_Cluster_EdsClusterConfig_eds_config(config);
  if (!source) {
    gxds_errors_add(errors, at_source, "field not present");
  } else if (!gxds_config_source_is_ads_or_self(source)) {
    gxds_errors_add(errors, at_source, "ConfigSource is not ads or self");
  }
  gxds_str name =
      gxds_pb_str(envoy_config_cluster_v3_Cluster_EdsClusterConfig_service_name(config));
  if (name.size == 0 && gxds_str_starts_with(out->name, gxds_str_z("xdstp:"))) {
    /* A47: an xdstp name contains the resource type, so a cluster's name can't also be the name of
     * an endpoints resource. */
    gxds_errors_add(errors, GXDS_FIELD(at, "service_name"),
                    "must be set if Cluster resource has an xdstp name");
  }
  out->eds_service_name = gxds_str_equal(name, out->name) ? out->name : gxds_cluster_dup(out, name);
}

static void decode_dns_address(const socket_message *in, const gxds_path *at, gxds_errors *errors,
                               gxds_cluster *out) {
  if (envoy_config_core_v3_SocketAddress_resolver_name(in).size != 0) {
    gxds_errors_add(errors, GXDS_FIELD(at, "resolver_name"),
                    "LOGICAL_DNS clusters must NOT have a custom resolver name set");
  }
  gxds_str host = gxds_pb_str(envoy_config_core_v3_SocketAddress_address(in));
  if (host.size == 0) gxds_errors_add(errors, GXDS_FIELD(at, "address"), "field not present");
  gxds_cluster_rare_get(out)->dns_host = gxds_cluster_dup(out, host);
  const gxds_path *at_port = GXDS_FIELD(at, "port_value");
  uint32_t port = envoy_config_core_v3_SocketAddress_port_value(in);
  if (!envoy_config_core_v3_SocketAddress_has_port_value(in)) {
    gxds_errors_add(errors, at_port, "field not present");
  } else if (port > UINT16_MAX) {
    gxds_errors_add(errors, at_port, "invalid port");
  }
  out->dns_port = (uint16_t)port;
}

/* Finds the address of the only endpoint of a LOGICAL_DNS cluster (A37). NULL after an error. Fills
 * links with the path to the address, whose last link is &links[5]. */
static const socket_message *find_dns_address(const cluster_message *in, gxds_path links[6],
                                              gxds_errors *errors) {
  links[0] = *GXDS_FIELD(NULL, "load_assignment");
  const envoy_config_endpoint_v3_ClusterLoadAssignment *assignment =
      envoy_config_cluster_v3_Cluster_load_assignment(in);
  if (!assignment) {
    gxds_errors_add(errors, &links[0], "field not present for LOGICAL_DNS cluster");
    return NULL;
  }
  size_t count = 0;
  const envoy_config_endpoint_v3_LocalityLbEndpoints *const *localities =
      envoy_config_endpoint_v3_ClusterLoadAssignment_endpoints(assignment, &count);
  if (count != 1) {
    gxds_errors_add(errors, GXDS_FIELD(&links[0], "endpoints"),
                    "must contain exactly one locality for LOGICAL_DNS cluster, found %zu", count);
    return NULL;
  }
  links[1] = *GXDS_ITEM(&links[0], "endpoints", 0);
  const envoy_config_endpoint_v3_LbEndpoint *const *endpoints =
      envoy_config_endpoint_v3_LocalityLbEndpoints_lb_endpoints(localities[0], &count);
  if (count != 1) {
    gxds_errors_add(errors, GXDS_FIELD(&links[1], "lb_endpoints"),
                    "must contain exactly one endpoint for LOGICAL_DNS cluster, found %zu", count);
    return NULL;
  }
  links[2] = *GXDS_ITEM(&links[1], "lb_endpoints", 0);
  links[3] = *GXDS_FIELD(&links[2], "endpoint");
  links[4] = *GXDS_FIELD(&links[3], "address");
  links[5] = *GXDS_FIELD(&links[4], "socket_address");
  const envoy_config_endpoint_v3_Endpoint *endpoint =
      envoy_config_endpoint_v3_LbEndpoint_endpoint(endpoints[0]);
  const envoy_config_core_v3_Address *address =
      endpoint ? envoy_config_endpoint_v3_Endpoint_address(endpoint) : NULL;
  const socket_message *socket =
      address ? envoy_config_core_v3_Address_socket_address(address) : NULL;
  if (!socket) {
    const gxds_path *missing = !endpoint ? &links[3] : !address ? &links[4] : &links[5];
    gxds_errors_add(errors, missing, "field not present");
  }
  return socket;
}

static void decode_logical_dns(const cluster_message *in, gxds_errors *errors, gxds_cluster *out) {
  out->kind = GXDS_CLUSTER_LOGICAL_DNS;
  gxds_path links[6];
  const socket_message *socket = find_dns_address(in, links, errors);
  if (socket) decode_dns_address(socket, &links[5], errors, out);
}

static void decode_aggregate(gxds_str bytes, const gxds_path *up, upb_Arena *scratch,
                             gxds_errors *errors, gxds_cluster *out) {
  const gxds_path *at =
      GXDS_FIELD(up, "value[envoy.extensions.clusters.aggregate.v3.ClusterConfig]");
  out->kind = GXDS_CLUSTER_AGGREGATE;
  const envoy_extensions_clusters_aggregate_v3_ClusterConfig *config =
      GXDS_DECODE(envoy_extensions_clusters_aggregate_v3_ClusterConfig, bytes, scratch);
  if (!config) {
    gxds_errors_add(errors, at, "can't parse aggregate cluster config");
    return;
  }
  size_t count = 0;
  const upb_StringView *names =
      envoy_extensions_clusters_aggregate_v3_ClusterConfig_clusters(config, &count);
  if (count == 0) { /* A37 */
    gxds_errors_add(errors, GXDS_FIELD(at, "clusters"), "must be non-empty");
  }
  gxds_str *copies = gxds_arena_calloc(gxds_cluster_arena(out), count, sizeof *copies);
  for (size_t i = 0; i < count; i++) {
    if (names[i].size == 0) {
      gxds_errors_add(errors, GXDS_ITEM(at, "clusters", i), "empty cluster name");
    }
    copies[i] = gxds_cluster_dup(out, gxds_pb_str(names[i]));
  }
  out->aggregate = copies;
  out->aggregate_count = (uint32_t)count;
}

static void decode_custom(const cluster_message *in, upb_Arena *scratch, gxds_errors *errors,
                          gxds_cluster *out) {
  const gxds_path *at = GXDS_FIELD(GXDS_FIELD(NULL, "cluster_type"), "typed_config");
  const google_protobuf_Any *config =
      envoy_config_cluster_v3_Cluster_CustomClusterType_typed_config(
          envoy_config_cluster_v3_Cluster_cluster_type(in));
  if (!config) {
    gxds_errors_add(errors, at, "field not present");
    return;
  }
  gxds_str prefix = gxds_str_z("type.googleapis.com/");
  gxds_str type = gxds_pb_str(google_protobuf_Any_type_url(config));
  if (gxds_str_starts_with(type, prefix)) {
    type = gxds_str_from(type, prefix.size);
  }
  if (gxds_str_is(type, "envoy.extensions.clusters.aggregate.v3.ClusterConfig")) {
    decode_aggregate(gxds_pb_str(google_protobuf_Any_value(config)), at, scratch, errors, out);
  } else {
    gxds_errors_add(errors, GXDS_FIELD(at, "type_url"), "unknown cluster_type extension: %.*s",
                    GXDS_QUOTED(type));
  }
}

void gxds_cluster_type_decode(const cluster_message *in, upb_Arena *scratch, gxds_errors *errors,
                              gxds_cluster *out) {
  int32_t type = envoy_config_cluster_v3_Cluster_type(in);
  if (type == envoy_config_cluster_v3_Cluster_EDS) {
    decode_eds(in, errors, out);
  } else if (type == envoy_config_cluster_v3_Cluster_LOGICAL_DNS) {
    decode_logical_dns(in, errors, out);
  } else if (envoy_config_cluster_v3_Cluster_has_cluster_type(in)) {
    decode_custom(in, scratch, errors, out);
  } else {
    gxds_errors_add(errors, GXDS_FIELD(NULL, "type"), "unknown discovery type");
  }
}
