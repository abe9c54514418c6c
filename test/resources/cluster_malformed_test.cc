// Every rule of a Cluster, broken.
#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

const std::string kEds = "'type':'EDS','eds_cluster_config':{'eds_config':{'ads':{}}}";

std::string Cluster(const std::string& json) {
  return Resource(gxds_cluster_type, "{'name':'foo'," + json + "}");
}
std::string Eds(const std::string& more) { return Cluster(kEds + "," + more); }
std::string Dns(const std::string& assignment) {
  return Cluster("'type':'LOGICAL_DNS'" + assignment);
}
std::string DnsEndpoint(const std::string& endpoint) {
  return Dns(",'load_assignment':{'endpoints':[{'lb_endpoints':[" + endpoint + "]}]}");
}
std::string DnsAddress(const std::string& address) {
  return DnsEndpoint("{'endpoint':{'address':{'socket_address':{" + address + "}}}}");
}
std::string RingHash(const std::string& config) {
  return Eds("'lb_policy':'RING_HASH','ring_hash_lb_config':{" + config + "}");
}
// A cluster with a cluster_type whose config is these bytes.
std::string Custom(const std::string& any) {
  return Field(1, "foo") + Field(38, Field(1, "name") + Field(2, any));
}
std::string Aggregate(const std::string& value) {
  return Custom(
      Any("type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig", value));
}
std::string TransportSocket(const std::string& any) {
  return Eds("'lb_policy':'ROUND_ROBIN'") + Field(24, Field(1, "tls") + Field(3, any));
}

std::string Bad(const std::string& errors) {
  return "errors validating Cluster resource: [" + errors + "]";
}
const std::string kAggregate =
    "field:cluster_type.typed_config.value[envoy.extensions.clusters.aggregate.v3.ClusterConfig]";
const std::string kAssignment = "field:load_assignment";
const std::string kSocket =
    "field:load_assignment.endpoints[0].lb_endpoints[0].endpoint.address.socket_address";

std::vector<Malformed> Types() {
  return {
      // A37.28
      {"Static", Cluster("'type':'STATIC'"), Bad("field:type error:unknown discovery type")},
      // A37.28
      {"StrictDns", Cluster("'type':'STRICT_DNS'"), Bad("field:type error:unknown discovery type")},
      // A37.28
      {"NotSet", Field(1, "foo"), Bad("field:type error:unknown discovery type")},
      // A27.23
      {"EdsWithoutConfig", Cluster("'type':'EDS'"),
       Bad("field:eds_cluster_config error:field not present")},
      // A27.23
      {"EdsWithoutSource", Cluster("'type':'EDS','eds_cluster_config':{}"),
       Bad("field:eds_cluster_config.eds_config error:field not present")},
      // A27.23
      {"EdsFromAFile", Cluster("'type':'EDS','eds_cluster_config':{'eds_config':{'path':'/whee'}}"),
       Bad("field:eds_cluster_config.eds_config error:ConfigSource is not ads or self")},
      // A37.29
      {"DnsWithoutAssignment", Dns(""),
       Bad(kAssignment + " error:field not present for LOGICAL_DNS cluster")},
      // A37.30
      {"DnsWithoutLocality", Dns(",'load_assignment':{}"),
       Bad(kAssignment + ".endpoints error:must contain exactly one locality for LOGICAL_DNS "
                         "cluster, found 0")},
      // A37.30
      {"DnsWithTwoLocalities", Dns(",'load_assignment':{'endpoints':[{},{}]}"),
       Bad(kAssignment + ".endpoints error:must contain exactly one locality for LOGICAL_DNS "
                         "cluster, found 2")},
      // A37.31
      {"DnsWithoutEndpoint", DnsEndpoint(""),
       Bad(kAssignment + ".endpoints[0].lb_endpoints error:must contain exactly one endpoint for "
                         "LOGICAL_DNS cluster, found 0")},
      // A37.31
      {"DnsWithTwoEndpoints", DnsEndpoint("{},{}"),
       Bad(kAssignment + ".endpoints[0].lb_endpoints error:must contain exactly one endpoint for "
                         "LOGICAL_DNS cluster, found 2")},
      // A37.32
      {"DnsEndpointEmpty", DnsEndpoint("{}"),
       Bad(kAssignment + ".endpoints[0].lb_endpoints[0].endpoint error:field not present")},
      // A37.33
      {"DnsWithoutAddress", DnsEndpoint("{'endpoint':{}}"),
       Bad(kAssignment + ".endpoints[0].lb_endpoints[0].endpoint.address error:field not present")},
      // A37.34
      {"DnsWithoutSocketAddress", DnsEndpoint("{'endpoint':{'address':{}}}"),
       Bad(kSocket + " error:field not present")},
      // A37.35
      {"DnsWithoutAnything", DnsAddress("'resolver_name':'r'"),
       Bad(kSocket + ".address error:field not present; " + kSocket +
           ".port_value error:field not present; " + kSocket +
           ".resolver_name error:LOGICAL_DNS clusters must NOT have a custom resolver name set")},
      {"DnsPortTooHigh", DnsAddress("'address':'a.example','port_value':65536"),
       Bad(kSocket + ".port_value error:invalid port")},
      // A37.36
      {"CustomWithoutConfig", Cluster("'cluster_type':{'name':'x'}"),
       Bad("field:cluster_type.typed_config error:field not present")},
      // A37.37
      {"CustomUnknown", Custom(Any("type.googleapis.com/my.Type", "")),
       Bad("field:cluster_type.typed_config.type_url error:unknown cluster_type extension: "
           "my.Type")},
      {"AggregateUnparsable", Aggregate(std::string(1, '\0')),
       Bad(kAggregate + " error:can't parse aggregate cluster config")},
      // A37.38
      {"AggregateOfNothing", Aggregate(""), Bad(kAggregate + ".clusters error:must be non-empty")},
      {"AggregateOfNoName", Aggregate(Field(1, "a") + Field(1, "")),
       Bad(kAggregate + ".clusters[1] error:empty cluster name")},
  };
}

std::vector<Malformed> Balancing() {
  const std::string ring = "field:ring_hash_lb_config";
  const std::string range = " error:must be in the range of 1 to 8388608";
  return {
      // A27.25
      {"PolicyUnsupported", Eds("'lb_policy':'RANDOM'"),
       Bad("field:lb_policy error:LB policy is not supported")},
      // A27.25
      {"PolicyUnknown", Eds("'lb_policy':77"),
       Bad("field:lb_policy error:LB policy is not supported")},
      // A48.2
      {"LeastRequestOfOneChoice",
       Eds("'lb_policy':'LEAST_REQUEST','least_request_lb_config':{'choice_count':1}"),
       Bad("field:least_request_lb_config.choice_count error:must be at least 2")},
      // E1.7
      {"SlowStartOfNoSense",
       Eds("'round_robin_lb_config':{'slow_start_config':{'slow_start_window':'-1s',"
           "'min_weight_percent':{'value':100.5}}}"),
       Bad("field:round_robin_lb_config.slow_start_config.min_weight_percent.value "
           "error:must be in the range [0, 100]; "
           "field:round_robin_lb_config.slow_start_config.slow_start_window.seconds error:value "
           "must be in the range [0, 315576000000]")},
      // E1.7
      {"SlowStartOfLeastRequestOfNoSense",
       Eds("'lb_policy':'LEAST_REQUEST','least_request_lb_config':{'slow_start_config':{"
           "'slow_start_window':'1s','min_weight_percent':{'value':-1}}}"),
       Bad("field:least_request_lb_config.slow_start_config.min_weight_percent.value error:must be "
           "in the range [0, 100]")},
      {"RingSizesZero", RingHash("'minimum_ring_size':'0','maximum_ring_size':'0'"),
       Bad(ring + ".maximum_ring_size" + range + "; " + ring + ".minimum_ring_size" + range)},
      // A42.12
      {"RingSizesTooGreat", RingHash("'minimum_ring_size':'8388609','maximum_ring_size':'8388609'"),
       Bad(ring + ".maximum_ring_size" + range + "; " + ring + ".minimum_ring_size" + range)},
      {"RingSizesCrossed", RingHash("'minimum_ring_size':'1025','maximum_ring_size':'1024'"),
       Bad(ring + ".minimum_ring_size error:cannot be greater than maximum_ring_size")},
      {"RingSizeTooGreatAndCrossed", RingHash("'minimum_ring_size':'8388609'"),
       Bad(ring + ".minimum_ring_size errors:[must be in the range of 1 to 8388608; cannot be "
                  "greater than maximum_ring_size]")},
      // A42.14
      {"RingHashFunction", RingHash("'hash_function':'MURMUR_HASH_2'"),
       Bad(ring + ".hash_function error:invalid hash function")},
  };
}

std::vector<Malformed> Others() {
  const std::string socket = "field:transport_socket.typed_config";
  const std::string tls = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext";
  return {
      // A27.26
      {"LrsServerIsAds", Eds("'lrs_server':{'ads':{}}"),
       Bad("field:lrs_server error:ConfigSource is not self")},
      {"TransportSocketEmpty", Eds("'transport_socket':{'name':'x'}"),
       Bad(socket + " error:field not present")},
      {"TransportSocketUnsupported",
       TransportSocket(Any("type.googleapis.com/envoy.config.cluster.v3.Cluster", "")),
       Bad(socket + ".value[envoy.config.cluster.v3.Cluster].type_url error:unsupported transport "
                    "socket type")},
      {"TransportSocketUnparsable",
       TransportSocket(Any("type.googleapis.com/" + tls, std::string(1, '\0'))),
       Bad(socket + ".value[" + tls + "] error:can't decode UpstreamTlsContext")},
      {"TransportSocketInATypedStruct",
       TransportSocket(Any("type.googleapis.com/xds.type.v3.TypedStruct",
                           Field(1, "type.googleapis.com/" + tls))),
       Bad(socket + ".value[xds.type.v3.TypedStruct].value[" + tls +
           "] error:can't decode UpstreamTlsContext")},
      {"TransportSocketMatches",
       Eds("'transport_socket_matches':[{'name':'tls','match':{},'transport_socket':{'name':'x'}}"
           "]"),
       Bad("field:transport_socket_matches error:feature unsupported")},
      {"FaultsOfManyKinds",
       Cluster("'type':'EDS','lb_policy':'MAGLEV','lrs_server':{},'transport_socket':{}"),
       Bad("field:eds_cluster_config error:field not present; "
           "field:lb_policy error:LB policy is not supported; "
           "field:lrs_server error:ConfigSource is not self; "
           "field:transport_socket.typed_config error:field not present")},
  };
}

std::vector<Malformed> Unparsable() {
  const char unparsable[] = "Can't parse Cluster resource.";
  std::string good = Eds("'lb_policy':'ROUND_ROBIN'");
  return {
      {"Truncated", good.substr(0, good.size() - 1), unparsable},
      {"ZeroByte", std::string(1, '\0'), unparsable},
      {"RandomBytes", RandomBytes(3, 400), unparsable},
      {"NameIsNoUtf8", Field(1, "\xed\xa0\x80"), unparsable},
  };
}

MALFORMED_SUITE(ClusterTypes, gxds_cluster_type, Types());
MALFORMED_SUITE(ClusterBalancing, gxds_cluster_type, Balancing());
MALFORMED_SUITE(ClusterOthers, gxds_cluster_type, Others());
MALFORMED_SUITE(ClusterUnparsable, gxds_cluster_type, Unparsable());

TEST(ClusterXdstp, EndpointsNeedANameOfTheirOwn) {  // A47.16
  const char json[] =
      "{'name':'xdstp://a/envoy.config.cluster.v3.Cluster/c','type':'EDS',"
      "'eds_cluster_config':{'eds_config':{'ads':{}}}}";
  Decoder decoder;
  Decoded result = decoder.Decode(gxds_cluster_type, Resource(gxds_cluster_type, json));
  EXPECT_EQ(result.message(),
            Bad("field:eds_cluster_config.service_name error:must be set if Cluster resource has "
                "an xdstp name"));
  EXPECT_EQ(result.name(), "xdstp://a/envoy.config.cluster.v3.Cluster/c");
}

}  // namespace
}  // namespace grpc_xds_test
