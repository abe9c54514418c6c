#include "test/tools/messages.h"

#include <envoy/config/cluster/v3/cluster.upb.h>
#include <envoy/config/core/v3/base.upb.h>
#include <envoy/config/endpoint/v3/endpoint.upb.h>
#include <envoy/config/endpoint/v3/load_report.upb.h>
#include <envoy/config/listener/v3/listener.upb.h>
#include <envoy/config/route/v3/route.upb.h>
#include <envoy/service/discovery/v3/discovery.upb.h>
#include <envoy/service/load_stats/v3/lrs.upb.h>
#include <google/protobuf/any.upb.h>
#include <google/protobuf/duration.upb.h>
#include <google/protobuf/wrappers.upb.h>
#include <google/rpc/status.upb.h>
#include <upb/msg_internal.h>

#include <cstdio>

namespace xds_test {

namespace {

const char *const kNames[] = {"LDS", "RDS", "CDS", "EDS"};

struct Arena {
  upb_Arena *arena = upb_Arena_New();
  ~Arena() { upb_Arena_Free(arena); }
  operator upb_Arena *() { return arena; }
};

upb_StringView View(const std::string &s) { return {s.data(), s.size()}; }
std::string String(upb_StringView v) { return v.size ? std::string(v.data, v.size) : ""; }

void SetNode(envoy_config_core_v3_Node *node, const std::string &id, bool feature, Arena &arena) {
  envoy_config_core_v3_Node_set_id(node, View(id));
  if (!feature) return;
  envoy_config_core_v3_Node_add_client_features(
      node, upb_StringView_FromString("envoy.lrs.supports_send_all_clusters"), arena);
}

// The short form, "a=1", of a resource's bytes.
std::string ReadResource(Type type, upb_StringView bytes) {
  Arena arena;
  std::string name;
  std::string value;
  switch (type) {
    case LDS: {
      const auto *m = envoy_config_listener_v3_Listener_parse(bytes.data, bytes.size, arena);
      name = String(envoy_config_listener_v3_Listener_name(m));
      value = String(envoy_config_listener_v3_Listener_stat_prefix(m));
      break;
    }
    case RDS: {
      const auto *m = envoy_config_route_v3_RouteConfiguration_parse(bytes.data, bytes.size, arena);
      size_t count;
      const auto *headers =
          envoy_config_route_v3_RouteConfiguration_internal_only_headers(m, &count);
      name = String(envoy_config_route_v3_RouteConfiguration_name(m));
      value = count ? String(headers[0]) : "";
      break;
    }
    case CDS: {
      const auto *m = envoy_config_cluster_v3_Cluster_parse(bytes.data, bytes.size, arena);
      name = String(envoy_config_cluster_v3_Cluster_name(m));
      value = String(envoy_config_cluster_v3_Cluster_alt_stat_name(m));
      break;
    }
    case EDS: {
      const auto *m =
          envoy_config_endpoint_v3_ClusterLoadAssignment_parse(bytes.data, bytes.size, arena);
      const auto *policy = envoy_config_endpoint_v3_ClusterLoadAssignment_policy(m);
      const auto *factor =
          envoy_config_endpoint_v3_ClusterLoadAssignment_Policy_overprovisioning_factor(policy);
      name = String(envoy_config_endpoint_v3_ClusterLoadAssignment_cluster_name(m));
      value = std::to_string(google_protobuf_UInt32Value_value(factor));
      break;
    }
  }
  return name + "=" + value;
}

}  // namespace

const char *TypeUrl(Type type) {
  static const char *const urls[] = {
      "type.googleapis.com/envoy.config.listener.v3.Listener",
      "type.googleapis.com/envoy.config.route.v3.RouteConfiguration",
      "type.googleapis.com/envoy.config.cluster.v3.Cluster",
      "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment"};
  return urls[type];
}

std::string ResourceJson(const std::string &resource) {
  int type = LDS;
  while (resource.substr(0, 3) != kNames[type]) type++;
  size_t equals = resource.find('=');
  std::string name = resource.substr(4, equals - 4);
  std::string value = resource.substr(equals + 1);
  size_t bar = name.find('|');
  if (bar != std::string::npos) {
    std::string aliases = name.substr(bar + 1);
    for (size_t at = 0; (at = aliases.find('|', at)) != std::string::npos; at += 3) {
      aliases.replace(at, 1, "\",\"");
    }
    return "{\"@type\":\"type.googleapis.com/"
           "envoy.service.discovery.v3.Resource\",\"aliases\":[\"" +
           aliases + "\"],\"resource\":" +
           ResourceJson(resource.substr(0, 4) + name.substr(0, bar) + "=" + value) + "}";
  }
  std::string eds;
  size_t arrow = name.find('>');
  if (arrow != std::string::npos) {
    eds =
        R"("type":"EDS","eds_cluster_config":{"service_name":")" + name.substr(arrow + 1) + "\"},";
    name = name.substr(0, arrow);
  }
  std::string json = "{\"@type\":\"" + std::string(TypeUrl(static_cast<Type>(type))) + "\",\"" +
                     (type == EDS ? "cluster_name" : "name") + "\":\"" + name + "\",";
  switch (type) {
    case LDS:
      return json + "\"stat_prefix\":\"" + value + "\"}";
    case RDS:
      return json + "\"internal_only_headers\":[\"" + value + "\"]}";
    case CDS:
      return json + eds + "\"alt_stat_name\":\"" + value + "\"}";
    default:
      return json + "\"policy\":{\"overprovisioning_factor\":" + value + "}}";
  }
}

std::string FileJson(const std::vector<std::string> &resources) {
  std::string json;
  for (const auto &resource : resources) {
    json += (json.empty() ? "[" : ",\n") + ResourceJson(resource);
  }
  return json.empty() ? "[]" : json + "]\n";
}

std::string Encode(const Request &request) {
  Arena arena;
  auto *msg = envoy_service_discovery_v3_DiscoveryRequest_new(arena);
  envoy_service_discovery_v3_DiscoveryRequest_set_type_url(msg, View(request.type_url));
  envoy_service_discovery_v3_DiscoveryRequest_set_response_nonce(msg, View(request.nonce));
  envoy_service_discovery_v3_DiscoveryRequest_set_version_info(msg, View(request.version));
  for (const auto &name : request.names) {
    envoy_service_discovery_v3_DiscoveryRequest_add_resource_names(msg, View(name), arena);
  }
  if (!request.error.empty()) {
    auto *error = envoy_service_discovery_v3_DiscoveryRequest_mutable_error_detail(msg, arena);
    google_rpc_Status_set_code(error, 3);
    google_rpc_Status_set_message(error, View(request.error));
  }
  if (!request.node.empty()) {
    SetNode(envoy_service_discovery_v3_DiscoveryRequest_mutable_node(msg, arena), request.node,
            false, arena);
  }
  size_t size;
  const char *data = envoy_service_discovery_v3_DiscoveryRequest_serialize(msg, arena, &size);
  return std::string(data, size);
}

Response Decode(const std::string &bytes) {
  Arena arena;
  Response response;
  const auto *msg =
      envoy_service_discovery_v3_DiscoveryResponse_parse(bytes.data(), bytes.size(), arena);
  if (!msg) return response;
  std::string url = String(envoy_service_discovery_v3_DiscoveryResponse_type_url(msg));
  int type = LDS;
  while (type <= EDS && url != TypeUrl(static_cast<Type>(type))) type++;
  if (type > EDS) return response;
  response.type = kNames[type];
  response.version = String(envoy_service_discovery_v3_DiscoveryResponse_version_info(msg));
  response.nonce = String(envoy_service_discovery_v3_DiscoveryResponse_nonce(msg));
  size_t count;
  const auto *const *anys = envoy_service_discovery_v3_DiscoveryResponse_resources(msg, &count);
  for (size_t i = 0; i < count; i++) {
    response.resources.push_back(
        String(google_protobuf_Any_type_url(anys[i])) == url
            ? ReadResource(static_cast<Type>(type), google_protobuf_Any_value(anys[i]))
            : "another type");
  }
  return response;
}

std::string Encode(const DeltaRequest &request) {
  Arena arena;
  auto *msg = envoy_service_discovery_v3_DeltaDiscoveryRequest_new(arena);
  envoy_service_discovery_v3_DeltaDiscoveryRequest_set_type_url(msg, View(request.type_url));
  envoy_service_discovery_v3_DeltaDiscoveryRequest_set_response_nonce(msg, View(request.nonce));
  for (const auto &name : request.subscribe) {
    envoy_service_discovery_v3_DeltaDiscoveryRequest_add_resource_names_subscribe(msg, View(name),
                                                                                  arena);
  }
  for (const auto &name : request.unsubscribe) {
    envoy_service_discovery_v3_DeltaDiscoveryRequest_add_resource_names_unsubscribe(msg, View(name),
                                                                                    arena);
  }
  for (const auto &entry : request.versions) {
    envoy_service_discovery_v3_DeltaDiscoveryRequest_initial_resource_versions_set(
        msg, View(entry.first), View(entry.second), arena);
  }
  if (!request.error.empty()) {
    auto *error = envoy_service_discovery_v3_DeltaDiscoveryRequest_mutable_error_detail(msg, arena);
    google_rpc_Status_set_code(error, 3);
    google_rpc_Status_set_message(error, View(request.error));
  }
  if (!request.node.empty()) {
    SetNode(envoy_service_discovery_v3_DeltaDiscoveryRequest_mutable_node(msg, arena), request.node,
            false, arena);
  }
  size_t size;
  const char *data = envoy_service_discovery_v3_DeltaDiscoveryRequest_serialize(msg, arena, &size);
  return std::string(data, size);
}

Response DecodeDelta(const std::string &bytes) {
  Arena arena;
  Response response;
  const auto *msg =
      envoy_service_discovery_v3_DeltaDiscoveryResponse_parse(bytes.data(), bytes.size(), arena);
  if (!msg) return response;
  std::string url = String(envoy_service_discovery_v3_DeltaDiscoveryResponse_type_url(msg));
  int type = LDS;
  while (type <= EDS && url != TypeUrl(static_cast<Type>(type))) type++;
  if (type > EDS) return response;
  response.type = kNames[type];
  response.version =
      String(envoy_service_discovery_v3_DeltaDiscoveryResponse_system_version_info(msg));
  response.nonce = String(envoy_service_discovery_v3_DeltaDiscoveryResponse_nonce(msg));
  size_t count;
  const auto *const *all = envoy_service_discovery_v3_DeltaDiscoveryResponse_resources(msg, &count);
  for (size_t i = 0; i < count; i++) {
    std::string name = String(envoy_service_discovery_v3_Resource_name(all[i]));
    const auto *any = envoy_service_discovery_v3_Resource_resource(all[i]);
    response.versions[name] = String(envoy_service_discovery_v3_Resource_version(all[i]));
    std::string text = ReadResource(static_cast<Type>(type), google_protobuf_Any_value(any));
    bool right =
        String(google_protobuf_Any_type_url(any)) == url && text.substr(0, text.find('=')) == name;
    size_t alias_count;
    const upb_StringView *aliases =
        envoy_service_discovery_v3_Resource_aliases(all[i], &alias_count);
    std::string names = name;
    for (size_t k = 0; k < alias_count; k++) names += "|" + String(aliases[k]);
    response.resources.push_back(right ? names + text.substr(name.size()) : "another resource");
  }
  const upb_StringView *removed =
      envoy_service_discovery_v3_DeltaDiscoveryResponse_removed_resources(msg, &count);
  for (size_t i = 0; i < count; i++) response.removed.push_back(String(removed[i]));
  return response;
}

std::string Response::Text() const {
  std::string s = type;
  for (const auto &resource : resources) s += " " + resource;
  for (const auto &name : removed) s += " -" + name;
  return s;
}

std::string Encode(const Report &report) {
  Arena arena;
  auto *msg = envoy_service_load_stats_v3_LoadStatsRequest_new(arena);
  if (!report.node.empty()) {
    SetNode(envoy_service_load_stats_v3_LoadStatsRequest_mutable_node(msg, arena), report.node,
            report.all_clusters_feature, arena);
  }
  if (!report.cluster.empty()) {
    auto *cluster = envoy_service_load_stats_v3_LoadStatsRequest_add_cluster_stats(msg, arena);
    envoy_config_endpoint_v3_ClusterStats_set_cluster_name(cluster, View(report.cluster));
    envoy_config_endpoint_v3_ClusterStats_set_cluster_service_name(cluster,
                                                                   View(report.eds_service));
    for (const auto &l : report.localities) {
      auto *stats =
          envoy_config_endpoint_v3_ClusterStats_add_upstream_locality_stats(cluster, arena);
      auto *name = envoy_config_endpoint_v3_UpstreamLocalityStats_mutable_locality(stats, arena);
      envoy_config_core_v3_Locality_set_zone(name, View(l.zone));
      envoy_config_endpoint_v3_UpstreamLocalityStats_set_total_successful_requests(stats,
                                                                                   l.successful);
      envoy_config_endpoint_v3_UpstreamLocalityStats_set_total_error_requests(stats, l.error);
      envoy_config_endpoint_v3_UpstreamLocalityStats_set_total_requests_in_progress(stats,
                                                                                    l.in_progress);
      envoy_config_endpoint_v3_UpstreamLocalityStats_set_total_issued_requests(stats, l.issued);
      _upb_Message_AddUnknown(stats, l.more.data(), l.more.size(), arena);
    }
    uint64_t dropped = report.uncategorized_drops;
    for (const auto &drop : report.drops) {
      auto *d = envoy_config_endpoint_v3_ClusterStats_add_dropped_requests(cluster, arena);
      envoy_config_endpoint_v3_ClusterStats_DroppedRequests_set_category(d, View(drop.first));
      envoy_config_endpoint_v3_ClusterStats_DroppedRequests_set_dropped_count(d, drop.second);
      dropped += drop.second;
    }
    envoy_config_endpoint_v3_ClusterStats_set_total_dropped_requests(cluster, dropped);
  }
  size_t size;
  const char *data = envoy_service_load_stats_v3_LoadStatsRequest_serialize(msg, arena, &size);
  return std::string(data, size);
}

std::string DecodeLoadStatsResponse(const std::string &bytes) {
  Arena arena;
  const auto *msg =
      envoy_service_load_stats_v3_LoadStatsResponse_parse(bytes.data(), bytes.size(), arena);
  if (!msg) return "no LoadStatsResponse";
  const auto *interval = envoy_service_load_stats_v3_LoadStatsResponse_load_reporting_interval(msg);
  char text[64];
  snprintf(text, sizeof text, "interval %d.%09d",
           static_cast<int>(google_protobuf_Duration_seconds(interval)),
           google_protobuf_Duration_nanos(interval));
  std::string s = text;
  if (envoy_service_load_stats_v3_LoadStatsResponse_send_all_clusters(msg)) s += " all";
  size_t count;
  const upb_StringView *clusters =
      envoy_service_load_stats_v3_LoadStatsResponse_clusters(msg, &count);
  for (size_t i = 0; i < count; i++) s += " " + String(clusters[i]);
  return s;
}

}  // namespace xds_test
