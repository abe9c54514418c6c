#include "test/transport/ads_server.h"

#include "envoy/config/cluster/v3/cluster.upb.h"
#include "envoy/config/core/v3/base.upb.h"
#include "envoy/config/core/v3/config_source.upb.h"
#include "envoy/config/endpoint/v3/load_report.upb.h"
#include "envoy/service/discovery/v3/discovery.upb.h"
#include "envoy/service/load_stats/v3/lrs.upb.h"
#include "google/protobuf/any.upb.h"
#include "google/protobuf/duration.upb.h"
#include "google/rpc/status.upb.h"
#include "upb/upb.hpp"

namespace grpc_xds {
namespace {

std::string ToString(upb_StringView s) { return std::string(s.data, s.size); }
upb_StringView ToUpb(const std::string &s) {
  return upb_StringView_FromDataAndSize(s.data(), s.size());
}

const char kClusterType[] = "type.googleapis.com/envoy.config.cluster.v3.Cluster";

std::string Cluster(const std::string &name, const std::string &filler) {
  upb::Arena arena;
  auto *c = envoy_config_cluster_v3_Cluster_new(arena.ptr());
  envoy_config_cluster_v3_Cluster_set_name(c, ToUpb(name));
  envoy_config_cluster_v3_Cluster_set_alt_stat_name(c, ToUpb(filler));
  envoy_config_cluster_v3_Cluster_set_type(c, envoy_config_cluster_v3_Cluster_EDS);
  auto *eds = envoy_config_cluster_v3_Cluster_mutable_eds_cluster_config(c, arena.ptr());
  auto *source =
      envoy_config_cluster_v3_Cluster_EdsClusterConfig_mutable_eds_config(eds, arena.ptr());
  envoy_config_core_v3_ConfigSource_mutable_ads(source, arena.ptr());
  size_t size;
  char *bytes = envoy_config_cluster_v3_Cluster_serialize(c, arena.ptr(), &size);
  return std::string(bytes, size);
}

}  // namespace

Request AdsStream::TakeRequest() {
  Request request;
  std::optional<std::string> bytes = stream_->Take();
  if (!bytes) return request;
  upb::Arena arena;
  auto *r =
      envoy_service_discovery_v3_DiscoveryRequest_parse(bytes->data(), bytes->size(), arena.ptr());
  EXPECT_NE(r, nullptr);
  if (r == nullptr) return request;
  request.type = ToString(envoy_service_discovery_v3_DiscoveryRequest_type_url(r));
  request.version = ToString(envoy_service_discovery_v3_DiscoveryRequest_version_info(r));
  request.nonce = ToString(envoy_service_discovery_v3_DiscoveryRequest_response_nonce(r));
  size_t count;
  const upb_StringView *names =
      envoy_service_discovery_v3_DiscoveryRequest_resource_names(r, &count);
  for (size_t i = 0; i < count; i++) request.names.insert(ToString(names[i]));
  const auto *error = envoy_service_discovery_v3_DiscoveryRequest_error_detail(r);
  if (error != nullptr) request.error = ToString(google_rpc_Status_message(error));
  EXPECT_EQ(request.error, "");
  return request;
}

void AdsStream::SendClusters(const std::string &version, const std::vector<std::string> &names,
                             const std::string &filler) {
  upb::Arena arena;
  auto *r = envoy_service_discovery_v3_DiscoveryResponse_new(arena.ptr());
  envoy_service_discovery_v3_DiscoveryResponse_set_version_info(r, ToUpb(version));
  envoy_service_discovery_v3_DiscoveryResponse_set_nonce(r, ToUpb(version));
  envoy_service_discovery_v3_DiscoveryResponse_set_type_url(
      r, upb_StringView_FromString(kClusterType));
  std::vector<std::string> clusters;
  for (const std::string &name : names) clusters.push_back(Cluster(name, filler));
  for (const std::string &cluster : clusters) {
    auto *any = envoy_service_discovery_v3_DiscoveryResponse_add_resources(r, arena.ptr());
    google_protobuf_Any_set_type_url(any, upb_StringView_FromString(kClusterType));
    google_protobuf_Any_set_value(any, ToUpb(cluster));
  }
  size_t size;
  char *bytes = envoy_service_discovery_v3_DiscoveryResponse_serialize(r, arena.ptr(), &size);
  stream_->Send(std::string(bytes, size));
}

Report LrsStream::TakeReport() {
  Report report;
  std::optional<std::string> bytes = stream_->Take();
  if (!bytes) {
    report.issued = UINT64_MAX;  // ends the wait for a report
    return report;
  }
  upb::Arena arena;
  auto *r =
      envoy_service_load_stats_v3_LoadStatsRequest_parse(bytes->data(), bytes->size(), arena.ptr());
  EXPECT_NE(r, nullptr);
  if (r == nullptr) return report;
  const auto *node = envoy_service_load_stats_v3_LoadStatsRequest_node(r);
  if (node != nullptr) report.node_id = ToString(envoy_config_core_v3_Node_id(node));
  size_t count;
  auto *clusters = envoy_service_load_stats_v3_LoadStatsRequest_cluster_stats(r, &count);
  for (size_t i = 0; i < count; i++) {
    report.cluster = ToString(envoy_config_endpoint_v3_ClusterStats_cluster_name(clusters[i]));
    size_t locality_count;
    auto *localities =
        envoy_config_endpoint_v3_ClusterStats_upstream_locality_stats(clusters[i], &locality_count);
    for (size_t j = 0; j < locality_count; j++) {
      const auto *l = localities[j];
      report.issued += envoy_config_endpoint_v3_UpstreamLocalityStats_total_issued_requests(l);
      report.failed += envoy_config_endpoint_v3_UpstreamLocalityStats_total_error_requests(l);
    }
  }
  return report;
}

void LrsStream::SendInterval(int milliseconds) {
  upb::Arena arena;
  auto *r = envoy_service_load_stats_v3_LoadStatsResponse_new(arena.ptr());
  envoy_service_load_stats_v3_LoadStatsResponse_set_send_all_clusters(r, true);
  auto *interval =
      envoy_service_load_stats_v3_LoadStatsResponse_mutable_load_reporting_interval(r, arena.ptr());
  google_protobuf_Duration_set_seconds(interval, milliseconds / 1000);
  google_protobuf_Duration_set_nanos(interval, milliseconds % 1000 * 1000000);
  size_t size;
  char *bytes = envoy_service_load_stats_v3_LoadStatsResponse_serialize(r, arena.ptr(), &size);
  stream_->Send(std::string(bytes, size));
}

AdsStream AdsServer::TakeAds() {
  auto stream = Take();
  EXPECT_EQ(stream->Method(),
            "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources");
  return AdsStream(stream);
}

LrsStream AdsServer::TakeLrs() {
  auto stream = Take();
  EXPECT_EQ(stream->Method(), "/envoy.service.load_stats.v3.LoadReportingService/StreamLoadStats");
  stream->FinishWithClient();
  return LrsStream(stream);
}

}  // namespace grpc_xds
