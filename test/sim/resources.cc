#include "test/sim/resources.h"

#include <cstring>

#include "envoy/config/cluster/v3/circuit_breaker.upb.h"
#include "envoy/config/cluster/v3/cluster.upb.h"
#include "envoy/config/core/v3/address.upb.h"
#include "envoy/config/core/v3/base.upb.h"
#include "envoy/config/core/v3/config_source.upb.h"
#include "envoy/config/core/v3/extension.upb.h"
#include "envoy/config/core/v3/health_check.upb.h"
#include "envoy/config/core/v3/protocol.upb.h"
#include "envoy/config/endpoint/v3/endpoint.upb.h"
#include "envoy/config/endpoint/v3/endpoint_components.upb.h"
#include "envoy/config/listener/v3/api_listener.upb.h"
#include "envoy/config/listener/v3/listener.upb.h"
#include "envoy/config/route/v3/route.upb.h"
#include "envoy/config/route/v3/route_components.upb.h"
#include "envoy/extensions/clusters/aggregate/v3/cluster.upb.h"
#include "envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.upb.h"
#include "envoy/type/v3/percent.upb.h"
#include "google/protobuf/any.upb.h"
#include "google/protobuf/duration.upb.h"
#include "google/protobuf/struct.upb.h"
#include "google/protobuf/wrappers.upb.h"
#include "test/sim/outliers.h"
#include "upb/upb.h"

#define HCM(suffix) envoy_extensions_filters_network_http_connection_manager_v3_##suffix

namespace gxds_sim {
namespace {

struct NameTable {
  std::string canonical[kTypeCount][kNameCount];
  std::string other[kTypeCount][kNameCount];
  std::string dns[kDnsCount];
  NameTable() {
    for (int type = 0; type < kTypeCount; type++) {
      std::string url = TypeOf(type).type_url;
      std::string prefix = "xdstp://a/" + url.substr(url.find('/') + 1) + "/n";
      for (int name = 0; name < kNameCount; name++) {
        std::string id = std::to_string(name);
        bool old = name < kOldNameCount;
        canonical[type][name] = old ? "n" + id : prefix + id + "?x=1&y=2";
        other[type][name] = old ? "n" + id : prefix + id + "?y=2&x=1";
      }
    }
    for (int i = 0; i < kDnsCount; i++) dns[i] = "h" + std::to_string(i) + ":80";
  }
};

const NameTable &Names() {
  static const NameTable *table = new NameTable;
  return *table;
}

upb_StringView View(const std::string &s) {
  return upb_StringView_FromDataAndSize(s.data(), s.size());
}
upb_StringView View(const char *s) { return upb_StringView_FromDataAndSize(s, strlen(s)); }

constexpr char kManagerUrl[] =
    "type.googleapis.com/"
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
constexpr char kRouterUrl[] = "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router";
constexpr char kWeightedRoundRobinUrl[] =
    "type.googleapis.com/envoy.extensions.load_balancing_policies.client_side_weighted_round_robin."
    "v3.ClientSideWeightedRoundRobin";
constexpr char kPickFirstUrl[] =
    "type.googleapis.com/envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst";
constexpr char kAggregateUrl[] =
    "type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig";

void SetAds(envoy_config_core_v3_ConfigSource *source, upb_Arena *arena) {
  envoy_config_core_v3_ConfigSource_mutable_ads(source, arena);
}

// Routes to the clusters. The first route matches a header with the number.
void FillRoutes(envoy_config_route_v3_RouteConfiguration *out, const Content &c, int number,
                upb_Arena *arena) {
  auto *host = envoy_config_route_v3_RouteConfiguration_add_virtual_hosts(out, arena);
  envoy_config_route_v3_VirtualHost_set_name(host, View("host"));
  const char *domain = c.fault == kInvalid ? "a*b" : c.kind == kRoutesElsewhere ? "elsewhere" : "*";
  envoy_config_route_v3_VirtualHost_add_domains(host, View(domain), arena);
  for (int i = 0; i < c.ref_count || i == 0; i++) {
    auto *route = envoy_config_route_v3_VirtualHost_add_routes(host, arena);
    auto *match = envoy_config_route_v3_Route_mutable_match(route, arena);
    envoy_config_route_v3_RouteMatch_set_prefix(match, View(i ? "/" : ""));
    if (c.ref_count == 0) {
      envoy_config_route_v3_Route_mutable_non_forwarding_action(route, arena);
    } else {
      auto *action = envoy_config_route_v3_Route_mutable_route(route, arena);
      envoy_config_route_v3_RouteAction_set_cluster(action, View(NameOf(kCds, c.refs[i])));
    }
    if (i > 0) continue;
    auto *header = envoy_config_route_v3_RouteMatch_add_headers(match, arena);
    envoy_config_route_v3_HeaderMatcher_set_name(header, View("number"));
    char *text = static_cast<char *>(upb_Arena_Malloc(arena, 16));
    snprintf(text, 16, "%d", number);
    envoy_config_route_v3_HeaderMatcher_set_exact_match(header, View(text));
  }
}

// Messages for which the host has no tables, written byte by byte.
std::string Varint(size_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
  return out;
}
std::string Field(size_t number, const std::string &bytes) {
  return Varint(number << 3 | 2) + Varint(bytes.size()) + bytes;
}
std::string AnyOf(const std::string &type, const std::string &bytes) {
  return Field(1, "type.googleapis.com/envoy.extensions." + type) + Field(2, bytes);
}
void SetAny(google_protobuf_Any *any, const std::string &type, const std::string &bytes,
            upb_Arena *arena) {
  const std::string url = "type.googleapis.com/envoy.extensions." + type;
  char *memory = static_cast<char *>(upb_Arena_Malloc(arena, url.size() + bytes.size()));
  memcpy(memory, url.data(), url.size());
  memcpy(memory + url.size(), bytes.data(), bytes.size());
  google_protobuf_Any_set_type_url(any, upb_StringView_FromDataAndSize(memory, url.size()));
  google_protobuf_Any_set_value(any,
                                upb_StringView_FromDataAndSize(memory + url.size(), bytes.size()));
}

// A55: RPCs have sessions, with a cookie "session".
void AddSessions(
    envoy_extensions_filters_network_http_connection_manager_v3_HttpConnectionManager *manager,
    upb_Arena *arena) {
  auto *filter = HCM(HttpConnectionManager_add_http_filters)(manager, arena);
  HCM(HttpFilter_set_name)(filter, View("sessions"));
  const std::string cookie = AnyOf("http.stateful_session.cookie.v3.CookieBasedSessionState",
                                   Field(1, Field(1, "session")));
  SetAny(HCM(HttpFilter_mutable_typed_config)(filter, arena),
         "filters.http.stateful_session.v3.StatefulSession",
         Field(1, Field(1, "cookie") + Field(2, cookie)), arena);
}

char *MakeListener(const Content &c, int number, upb_StringView name, upb_Arena *arena,
                   size_t *size) {
  auto *out = envoy_config_listener_v3_Listener_new(arena);
  envoy_config_listener_v3_Listener_set_name(out, name);
  if (c.kind == kListenerSocket) {
    auto *address = envoy_config_listener_v3_Listener_mutable_address(out, arena);
    auto *socket = envoy_config_core_v3_Address_mutable_socket_address(address, arena);
    envoy_config_core_v3_SocketAddress_set_port_value(socket, 1);
    if (c.fault == kValid) return envoy_config_listener_v3_Listener_serialize(out, arena, size);
  }
  auto *manager = HCM(HttpConnectionManager_new)(arena);
  if (c.kind == kListenerInline) {
    FillRoutes(HCM(HttpConnectionManager_mutable_route_config)(manager, arena), c, number, arena);
  } else {
    auto *rds = HCM(HttpConnectionManager_mutable_rds)(manager, arena);
    HCM(Rds_set_route_config_name)(rds, View(NameOf(kRds, c.refs[0])));
    SetAds(HCM(Rds_mutable_config_source)(rds, arena), arena);
  }
  auto *options = HCM(HttpConnectionManager_mutable_common_http_protocol_options)(manager, arena);
  auto *duration =
      envoy_config_core_v3_HttpProtocolOptions_mutable_max_stream_duration(options, arena);
  google_protobuf_Duration_set_seconds(duration, number);
  if (c.fault == kValid) {
    if (number % 3 == 0) AddSessions(manager, arena);
    auto *filter = HCM(HttpConnectionManager_add_http_filters)(manager, arena);
    HCM(HttpFilter_set_name)(filter, View("router"));
    auto *any = HCM(HttpFilter_mutable_typed_config)(filter, arena);
    google_protobuf_Any_set_type_url(any, View(kRouterUrl));
  }
  size_t manager_size;
  char *bytes = HCM(HttpConnectionManager_serialize)(manager, arena, &manager_size);
  auto *api = envoy_config_listener_v3_Listener_mutable_api_listener(out, arena);
  auto *any = envoy_config_listener_v3_ApiListener_mutable_api_listener(api, arena);
  google_protobuf_Any_set_type_url(any, View(kManagerUrl));
  google_protobuf_Any_set_value(any, upb_StringView_FromDataAndSize(bytes, manager_size));
  return envoy_config_listener_v3_Listener_serialize(out, arena, size);
}

char *MakeRoutes(const Content &c, int number, upb_StringView name, upb_Arena *arena,
                 size_t *size) {
  auto *out = envoy_config_route_v3_RouteConfiguration_new(arena);
  envoy_config_route_v3_RouteConfiguration_set_name(out, name);
  FillRoutes(out, c, number, arena);
  return envoy_config_route_v3_RouteConfiguration_serialize(out, arena, size);
}

void FillDns(envoy_config_cluster_v3_Cluster *out, int host, upb_Arena *arena) {
  envoy_config_cluster_v3_Cluster_set_type(out, envoy_config_cluster_v3_Cluster_LOGICAL_DNS);
  auto *assignment = envoy_config_cluster_v3_Cluster_mutable_load_assignment(out, arena);
  auto *locality = envoy_config_endpoint_v3_ClusterLoadAssignment_add_endpoints(assignment, arena);
  auto *lb = envoy_config_endpoint_v3_LocalityLbEndpoints_add_lb_endpoints(locality, arena);
  auto *endpoint = envoy_config_endpoint_v3_LbEndpoint_mutable_endpoint(lb, arena);
  auto *address = envoy_config_endpoint_v3_Endpoint_mutable_address(endpoint, arena);
  auto *socket = envoy_config_core_v3_Address_mutable_socket_address(address, arena);
  const std::string &name = DnsName(host);
  envoy_config_core_v3_SocketAddress_set_address(
      socket, upb_StringView_FromDataAndSize(name.data(), name.find(':')));
  envoy_config_core_v3_SocketAddress_set_port_value(socket, 80);
}

void FillAggregate(envoy_config_cluster_v3_Cluster *out, const Content &c, upb_Arena *arena) {
  auto *config = envoy_extensions_clusters_aggregate_v3_ClusterConfig_new(arena);
  for (int i = 0; i < c.ref_count; i++) {
    envoy_extensions_clusters_aggregate_v3_ClusterConfig_add_clusters(
        config, View(NameOf(kCds, c.refs[i])), arena);
  }
  size_t size;
  char *bytes =
      envoy_extensions_clusters_aggregate_v3_ClusterConfig_serialize(config, arena, &size);
  auto *custom = envoy_config_cluster_v3_Cluster_mutable_cluster_type(out, arena);
  auto *any = envoy_config_cluster_v3_Cluster_CustomClusterType_mutable_typed_config(custom, arena);
  google_protobuf_Any_set_type_url(any, View(kAggregateUrl));
  google_protobuf_Any_set_value(any, upb_StringView_FromDataAndSize(bytes, size));
}

// The policy with its defaults.
void SetPolicy(envoy_config_cluster_v3_Cluster *out, const char *url, upb_Arena *arena) {
  auto *policy = envoy_config_cluster_v3_LoadBalancingPolicy_add_policies(
      envoy_config_cluster_v3_Cluster_mutable_load_balancing_policy(out, arena), arena);
  auto *config = envoy_config_cluster_v3_LoadBalancingPolicy_Policy_mutable_typed_extension_config(
      policy, arena);
  auto *any = envoy_config_core_v3_TypedExtensionConfig_mutable_typed_config(config, arena);
  google_protobuf_Any_set_type_url(any, View(url));
}

// The fields that vary the policies. Only DNS clusters have pick_first; the policies of others
// distribute RPCs.
void FillBalancing(envoy_config_cluster_v3_Cluster *out, int number, bool is_dns,
                   upb_Arena *arena) {
  if (number % 2 == 0) {
    envoy_config_core_v3_ConfigSource_mutable_self(
        envoy_config_cluster_v3_Cluster_mutable_lrs_server(out, arena), arena);
  }
  if (number % 7 == 1) {
    SetPolicy(out, kWeightedRoundRobinUrl, arena);
  } else if (number % 7 == 2 && is_dns) {
    SetPolicy(out, kPickFirstUrl, arena);
  } else if (number % 7 == 3) {
    envoy_config_cluster_v3_Cluster_set_lb_policy(out, envoy_config_cluster_v3_Cluster_RING_HASH);
  } else if (number % 7 == 5) {
    envoy_config_cluster_v3_Cluster_set_lb_policy(out,
                                                  envoy_config_cluster_v3_Cluster_LEAST_REQUEST);
  } else if (number % 7 == 6) {
    auto *config = envoy_config_cluster_v3_Cluster_mutable_round_robin_lb_config(out, arena);
    auto *slow =
        envoy_config_cluster_v3_Cluster_RoundRobinLbConfig_mutable_slow_start_config(config, arena);
    auto *window =
        envoy_config_cluster_v3_Cluster_SlowStartConfig_mutable_slow_start_window(slow, arena);
    google_protobuf_Duration_set_seconds(window, 5);
  }
  FillOutlierDetection(out, number, arena);
}

// The fields for which the host has no tables.
std::string MoreOfCluster(const Content &c, int number) {
  const auto flag = [](size_t field, size_t value) { return Varint(field << 3) + Varint(value); };
  std::string more;
  if (HasSubsets(c, number)) {  // any endpoint without a version, else no fallback
    more += Field(22, flag(1, 1) + Field(3, Field(1, "version") + flag(2, 1)) + flag(4, 1));
  }
  if (AllowsDraining(number)) {
    const std::string statuses = Varint(0) + Varint(1) + Varint(3);
    more += Field(27, Field(8, Field(1, statuses)));
  }
  return more;
}

char *MakeCluster(const Content &c, int number, upb_StringView name, upb_Arena *arena,
                  size_t *size) {
  auto *out = envoy_config_cluster_v3_Cluster_new(arena);
  envoy_config_cluster_v3_Cluster_set_name(out, name);
  if (c.fault == kInvalid) {
    // a cluster without a type
  } else if (c.kind == kClusterEds) {
    envoy_config_cluster_v3_Cluster_set_type(out, envoy_config_cluster_v3_Cluster_EDS);
    auto *eds = envoy_config_cluster_v3_Cluster_mutable_eds_cluster_config(out, arena);
    SetAds(envoy_config_cluster_v3_Cluster_EdsClusterConfig_mutable_eds_config(eds, arena), arena);
    bool implied = c.refs[0] == c.name && c.name < kOldNameCount;
    if (!implied) {
      envoy_config_cluster_v3_Cluster_EdsClusterConfig_set_service_name(
          eds, View(NameOf(kEds, c.refs[0])));
    }
  } else if (c.kind == kClusterDns) {
    FillDns(out, c.refs[0], arena);
  } else {
    FillAggregate(out, c, arena);
  }
  FillBalancing(out, number, c.kind == kClusterDns, arena);
  // A75: an endpoint that no session uses for a minute is released.
  auto *upstream = envoy_config_cluster_v3_Cluster_mutable_upstream_config(out, arena);
  SetAny(envoy_config_core_v3_TypedExtensionConfig_mutable_typed_config(upstream, arena),
         "upstreams.http.v3.HttpProtocolOptions", Field(1, Field(1, Varint(1 << 3) + Varint(60))),
         arena);
  auto *breakers = envoy_config_cluster_v3_Cluster_mutable_circuit_breakers(out, arena);
  auto *threshold = envoy_config_cluster_v3_CircuitBreakers_add_thresholds(breakers, arena);
  auto *max =
      envoy_config_cluster_v3_CircuitBreakers_Thresholds_mutable_max_requests(threshold, arena);
  google_protobuf_UInt32Value_set_value(max, static_cast<uint32_t>(number));
  char *bytes = envoy_config_cluster_v3_Cluster_serialize(out, arena, size);
  const std::string more = MoreOfCluster(c, number);
  if (more.empty()) return bytes;
  char *all = static_cast<char *>(upb_Arena_Malloc(arena, *size + more.size()));
  memcpy(all, bytes, *size);
  memcpy(all + *size, more.data(), more.size());
  // In the order in which the serializer writes it.
  return envoy_config_cluster_v3_Cluster_serialize(
      envoy_config_cluster_v3_Cluster_parse(all, *size + more.size(), arena), arena, size);
}

uint32_t WeightOfZone(int number, int zone) {
  return 1 + static_cast<uint32_t>((number + zone) % 4);
}

bool HasSecondAddresses(int number) { return number % 6 == 2; }
// Whether the endpoint drains: only the last of a locality.
bool Drains(int number, int place, int count) {
  return number % 2 == 1 && place > 0 && place + 1 == count;
}

// The endpoint of the EDS resource of that name with that port.
envoy_config_endpoint_v3_Endpoint *MakeEndpoint(int name, int port, bool has_second,
                                                upb_Arena *arena) {
  const auto address = [&](int last_byte) {
    const std::string ip = "10.0." + std::to_string(name) + "." + std::to_string(last_byte);
    return Field(1, Field(2, ip) + Varint(3 << 3) + Varint(static_cast<size_t>(port)));
  };
  std::string bytes = Field(1, address(1)) + Field(3, HostnameOf(port));
  if (has_second) bytes += Field(4, Field(1, address(2)));
  char *memory = static_cast<char *>(upb_Arena_Malloc(arena, bytes.size()));
  memcpy(memory, bytes.data(), bytes.size());
  return envoy_config_endpoint_v3_Endpoint_parse(memory, bytes.size(), arena);
}

void SetLabel(envoy_config_endpoint_v3_LbEndpoint *lb, const std::string &version,
              upb_Arena *arena) {
  char *text = static_cast<char *>(upb_Arena_Malloc(arena, version.size()));
  memcpy(text, version.data(), version.size());
  auto *value = google_protobuf_Value_new(arena);
  google_protobuf_Value_set_string_value(value,
                                         upb_StringView_FromDataAndSize(text, version.size()));
  auto *labels = google_protobuf_Struct_new(arena);
  google_protobuf_Struct_fields_set(labels, View("version"), value, arena);
  envoy_config_core_v3_Metadata_filter_metadata_set(
      envoy_config_endpoint_v3_LbEndpoint_mutable_metadata(lb, arena), View("envoy.lb"), labels,
      arena);
}

// Each locality has a zone, ports with weights, and a weight of its own. Each has its own priority,
// or all have the first.
char *MakeEndpoints(const Content &c, int number, upb_StringView name, upb_Arena *arena,
                    size_t *size) {
  auto *out = envoy_config_endpoint_v3_ClusterLoadAssignment_new(arena);
  envoy_config_endpoint_v3_ClusterLoadAssignment_set_cluster_name(out, name);
  static const char *const zones[kRefMax] = {"z0", "z1", "z2", "z3"};
  for (int i = 0; i < c.ref_count; i++) {
    auto *locality = envoy_config_endpoint_v3_ClusterLoadAssignment_add_endpoints(out, arena);
    envoy_config_endpoint_v3_LocalityLbEndpoints_set_priority(
        locality, number % 2 == 0 ? 0 : static_cast<uint32_t>(i));
    auto *weight =
        envoy_config_endpoint_v3_LocalityLbEndpoints_mutable_load_balancing_weight(locality, arena);
    google_protobuf_UInt32Value_set_value(weight, WeightOfZone(number, i));
    auto *of = envoy_config_endpoint_v3_LocalityLbEndpoints_mutable_locality(locality, arena);
    envoy_config_core_v3_Locality_set_zone(of, View(zones[i]));
    for (int j = 0; j < c.refs[i]; j++) {
      auto *lb = envoy_config_endpoint_v3_LocalityLbEndpoints_add_lb_endpoints(locality, arena);
      google_protobuf_UInt32Value_set_value(
          envoy_config_endpoint_v3_LbEndpoint_mutable_load_balancing_weight(lb, arena),
          WeightOfEndpoint(number, static_cast<uint32_t>(j)));
      const int port = 1 + 100 * i + c.first + j;
      envoy_config_endpoint_v3_LbEndpoint_set_endpoint(
          lb, MakeEndpoint(c.name, port, HasSecondAddresses(number), arena));
      SetLabel(lb, VersionOf(port), arena);
      if (Drains(number, j, c.refs[i])) {
        envoy_config_endpoint_v3_LbEndpoint_set_health_status(lb, envoy_config_core_v3_DRAINING);
      }
    }
  }
  if (c.fault == kInvalid) {  // a gap in the priorities
    auto *locality = envoy_config_endpoint_v3_ClusterLoadAssignment_add_endpoints(out, arena);
    envoy_config_endpoint_v3_LocalityLbEndpoints_set_priority(locality, 9);
    auto *weight =
        envoy_config_endpoint_v3_LocalityLbEndpoints_mutable_load_balancing_weight(locality, arena);
    google_protobuf_UInt32Value_set_value(weight, 1);
    envoy_config_endpoint_v3_LocalityLbEndpoints_mutable_locality(locality, arena);
  }
  auto *policy = envoy_config_endpoint_v3_ClusterLoadAssignment_mutable_policy(out, arena);
  auto *drop =
      envoy_config_endpoint_v3_ClusterLoadAssignment_Policy_add_drop_overloads(policy, arena);
  envoy_config_endpoint_v3_ClusterLoadAssignment_Policy_DropOverload_set_category(drop,
                                                                                  View("number"));
  auto *percent =
      envoy_config_endpoint_v3_ClusterLoadAssignment_Policy_DropOverload_mutable_drop_percentage(
          drop, arena);
  envoy_type_v3_FractionalPercent_set_numerator(percent, static_cast<uint32_t>(number));
  envoy_type_v3_FractionalPercent_set_denominator(percent, envoy_type_v3_FractionalPercent_MILLION);
  return envoy_config_endpoint_v3_ClusterLoadAssignment_serialize(out, arena, size);
}

int NumberOfRoutes(const gxds_route_config *rc) {
  const gxds_route &route = rc->virtual_hosts[0].routes[0];
  return atoi(String(route.headers[0].text).c_str());
}

}  // namespace

uint32_t WeightOf(int number, const gxds_locality &locality) {
  return WeightOfZone(number, locality.zone.size == 2 ? locality.zone.data[1] - '0' : 0);
}

// In some contents all weights are equal. In some they are too large for gxds_small_endpoint.
uint32_t WeightOfEndpoint(int number, uint32_t place) {
  const uint32_t unit = number % 5 == 4 ? UINT8_MAX + 1 : 1;
  return unit * (1 + static_cast<uint32_t>(number % 3) * place);
}

int TypeIndex(const gxds_resource_type *type) {
  for (int i = 0; i < kTypeCount; i++) {
    if (gxds_resource_types[i] == type) return i;
  }
  return -1;
}

const std::string &NameOf(int type, int name) { return Names().canonical[type][name]; }
const std::string &OtherSpelling(int type, int name) { return Names().other[type][name]; }
std::string VersionOf(int port) { return "v" + std::to_string(port % 100 % 2); }

std::string FirstAddressOf(const std::string &address) {
  std::string first = address;
  const size_t last_byte = first.rfind(':') - 1;
  if (first.compare(last_byte - 1, 2, ".2") == 0) first[last_byte] = '1';
  return first;
}

bool HasSubsets(const Content &content, int number) {
  // Not together with a load_balancing_policy; see FillBalancing().
  return content.kind == kClusterEds && number % 5 == 2 && number % 7 != 1;
}

bool AllowsDraining(int number) { return number % 3 != 0; }

std::string HostnameOf(int port) {
  return port % 2 == 0 ? "" : "e" + std::to_string(port) + ".example";
}

const std::string &DnsName(int host) { return Names().dns[host]; }

int IdOf(int type, gxds_str text) {
  if (text.size == 2 && text.data[0] == 'n') {
    int id = text.data[1] - '0';
    return id >= 0 && id < kOldNameCount ? id : -1;
  }
  for (int name = kOldNameCount; name < kNameCount; name++) {
    if (gxds_str_equal(Str(NameOf(type, name)), text)) return name;
  }
  return -1;
}

Contents::Contents() : memory_(size_t{64} << 10) {}
Contents::~Contents() = default;

void Contents::Clear() {
  all_.clear();
  bytes_.clear();
}

gxds_str Contents::BytesOf(int number) const {
  const Content &c = at(number);
  return gxds_str_of(bytes_.data() + c.offset, c.size);
}

int Contents::Add(Content c) {
  int number = count();
  c.offset = bytes_.size();
  if (c.fault == kUndecodable) {
    bytes_ += "\x0f undecodable";  // a field with an invalid wire type
  } else {
    upb_Arena *arena = upb_Arena_Init(memory_.data(), memory_.size(), nullptr);
    const std::string &text =
        c.other_spelling ? OtherSpelling(c.type, c.name) : NameOf(c.type, c.name);
    static char *(*const make[])(const Content &, int, upb_StringView, upb_Arena *, size_t *) = {
        MakeListener, MakeRoutes, MakeCluster, MakeEndpoints};
    size_t size;
    const char *bytes = make[c.type](c, number, View(text), arena, &size);
    bytes_.append(bytes, size);
    upb_Arena_Free(arena);
  }
  c.size = bytes_.size() - c.offset;
  all_.push_back(c);
  return number;
}

int Contents::NumberOf(const gxds_resource *resource) {
  switch (TypeIndex(resource->type)) {
    case kLds: {
      const auto *l = reinterpret_cast<const gxds_listener *>(resource);
      if (l->kind == GXDS_LISTENER_SOCKET) return -1;  // contains no number
      return static_cast<int>(l->max_stream_duration / GXDS_SECOND);
    }
    case kRds:
      return NumberOfRoutes(reinterpret_cast<const gxds_route_config *>(resource));
    case kCds:
      return static_cast<int>(
          reinterpret_cast<const gxds_cluster *>(resource)->max_concurrent_requests);
    default:
      return static_cast<int>(
          reinterpret_cast<const gxds_endpoints *>(resource)->drops[0].per_million);
  }
}

std::string Contents::Describe(const Content &c) {
  static const char *const kinds[] = {"rds", "inline", "socket",    "routes",   "routes elsewhere",
                                      "eds", "dns",    "aggregate", "endpoints"};
  static const char *const faults[] = {"", " invalid", " undecodable"};
  std::string out = std::string(TypeOf(c.type).short_name) + " n" + std::to_string(c.name) + " " +
                    kinds[c.kind] + faults[c.fault] + " [";
  for (int i = 0; i < c.ref_count; i++) out += (i ? " " : "") + std::to_string(c.refs[i]);
  return out + "]";
}

namespace {

uint8_t DrawName(Random *random, Mask names) {
  int skip = random->Int(__builtin_popcount(names));
  while (skip-- > 0) names &= names - 1;
  return static_cast<uint8_t>(__builtin_ctz(names));
}

// Draws different clusters.
void DrawClusters(Random *random, int least, Mask names, Content *c) {
  int wanted = least + random->Int(kRefMax + 1 - least);
  for (c->ref_count = 0; c->ref_count < wanted && names; c->ref_count++) {
    uint8_t name = DrawName(random, names);
    c->refs[c->ref_count] = name;
    names &= ~Bit(name);
  }
}

}  // namespace

Content DrawContent(Random *random, int type, int name, Mask names, int endpoints_max) {
  Content c;
  c.type = static_cast<uint8_t>(type);
  c.name = static_cast<uint8_t>(name);
  c.other_spelling = random->OneIn(8);
  int draw = random->Int(16);
  switch (type) {
    case kLds:
      c.kind = draw == 0 ? kListenerSocket : draw < 5 ? kListenerInline : kListenerRds;
      if (c.kind == kListenerInline) {
        DrawClusters(random, 1, names, &c);
      } else {
        c.ref_count = 1;
        c.refs[0] = DrawName(random, names);
      }
      break;
    case kRds:
      c.kind = draw == 0 ? kRoutesElsewhere : kRoutes;
      DrawClusters(random, draw == 1 ? 0 : 1, names, &c);
      break;
    case kCds:
      c.kind = draw < 3 ? kClusterAggregate : draw < 5 ? kClusterDns : kClusterEds;
      c.ref_count = 1;
      if (c.kind == kClusterAggregate) {
        DrawClusters(random, 1, names, &c);
      } else if (c.kind == kClusterDns) {
        c.refs[0] = static_cast<uint8_t>(random->Int(kDnsCount));
      } else {
        c.refs[0] = random->OneIn(2) ? c.name : DrawName(random, names);
      }
      break;
    default:
      c.kind = kEndpoints;
      c.ref_count = static_cast<uint8_t>(draw == 0 ? 0 : 1 + random->Int(2));
      for (int i = 0; i < c.ref_count; i++) {
        c.refs[i] = static_cast<uint8_t>(random->Int(endpoints_max + 1));
      }
      if (endpoints_max > 2) c.first = static_cast<uint8_t>(random->Int(4));
  }
  return c;
}

}  // namespace gxds_sim
