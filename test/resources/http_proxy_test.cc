// Endpoints that are reached through an HTTP proxy (A86): the cluster's transport_socket, and the
// metadata of endpoints and localities.
#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

const char kProxy[] =
    "envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport";
const char kTls[] = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext";
const char kKey[] = "envoy.http11_proxy_transport_socket.proxy_address";

std::string TypeUrl(const std::string& type) { return "type.googleapis.com/" + type; }
std::string Socket(const std::string& type, const std::string& fields = "") {
  return "'transport_socket':{'name':'s','typed_config':{'@type':'" + TypeUrl(type) + "'" + fields +
         "}}";
}
std::string Cluster(const std::string& fields) {
  return "{'name':'foo','type':'EDS','eds_cluster_config':{'eds_config':{'ads':{}}}," + fields +
         "}";
}
const char kGoodTls[] =
    ",'common_tls_context':{'validation_context':{'ca_certificate_provider_instance':"
    "{'instance_name':'a_provider'}}}";

TEST(HttpConnect, IsOffWithoutTheWrapper) {  // A86.1
  Decoder d;
  Decoded result = d.Good(gxds_cluster_type, Cluster(Socket(kTls, kGoodTls)));
  EXPECT_FALSE(result.As<gxds_cluster>().http_connect);
}

TEST(HttpConnect, IsOnWithTheWrapperAndHasNoTlsByItself) {  // A86.1
  Decoder d;
  Decoded result = d.Good(gxds_cluster_type, Cluster(Socket(kProxy)));
  EXPECT_TRUE(result.As<gxds_cluster>().http_connect);
  EXPECT_EQ(gxds_cluster_tls(&result.As<gxds_cluster>()), nullptr);
}

TEST(HttpConnect, TheTlsInsideIsThatOfTheCluster) {  // A86.2
  Decoder d;
  Decoded result = d.Good(gxds_cluster_type, Cluster(Socket(kProxy, "," + Socket(kTls, kGoodTls))));
  EXPECT_TRUE(result.As<gxds_cluster>().http_connect);
  ASSERT_NE(gxds_cluster_tls(&result.As<gxds_cluster>()), nullptr);
  EXPECT_EQ(ToString(gxds_cluster_tls(&result.As<gxds_cluster>())->ca.instance_name), "a_provider");
}

// A Cluster whose wrapper is these bytes.
std::string WrapperBytes(const std::string& bytes) {
  return Resource(gxds_cluster_type,
                  "{'name':'foo','type':'EDS','eds_cluster_config':{'eds_config':{'ads':{}}}}") +
         Field(24, Field(1, "s") + Field(3, Any(TypeUrl(kProxy), bytes)));
}

std::vector<Malformed> Wrappers() {
  const std::string at = "field:transport_socket.typed_config.value[" + std::string(kProxy) + "]";
  const std::string inner = at + ".transport_socket.typed_config";
  auto bad = [](const std::string& errors) {
    return "errors validating Cluster resource: [" + errors + "]";
  };
  auto wrapping = [](const std::string& fields) {
    return Resource(gxds_cluster_type, Cluster(Socket(kProxy, "," + fields)));
  };
  return {
      // A86.3
      {"OfAnythingButTls", wrapping(Socket("envoy.config.cluster.v3.Cluster")),
       bad(inner + ".value[envoy.config.cluster.v3.Cluster].type_url error:unsupported transport "
                   "socket type")},
      // A86.3
      {"OfAnotherWrapper", wrapping(Socket(kProxy)),
       bad(inner + ".value[" + std::string(kProxy) +
           "].type_url error:unsupported transport socket type")},
      // A86.3
      {"OfASocketWithoutConfig", wrapping("'transport_socket':{'name':'s'}"),
       bad(inner + " error:field not present")},
      // A86.2
      {"OfTlsWithoutAuthorities", wrapping(Socket(kTls)),
       bad(inner + ".value[" + std::string(kTls) +
           "].common_tls_context error:no CA certificate provider instance configured")},
      {"Unparsable", WrapperBytes(std::string(1, '\0')),
       bad(at + " error:can't decode Http11ProxyUpstreamTransport")},
      {"OfAnUnparsableSocket", WrapperBytes(Field(1, std::string(1, '\0'))),
       bad(at + " error:can't decode Http11ProxyUpstreamTransport")},
      {"InATypedStruct",
       Resource(gxds_cluster_type,
                Cluster(Socket("xds.type.v3.TypedStruct",
                               ",'type_url':'" + TypeUrl(kProxy) + "','value':{}"))),
       bad("field:transport_socket.typed_config.value[xds.type.v3.TypedStruct].value[" +
           std::string(kProxy) + "] error:can't decode Http11ProxyUpstreamTransport")},
  };
}
MALFORMED_SUITE(HttpConnectWrapper, gxds_cluster_type, Wrappers());

// ---- endpoints ----

std::string SocketAddress(const std::string& address, const std::string& port) {
  return "'socket_address':{'address':'" + address + "','port_value':" + port + "}";
}
std::string Metadata(const std::string& any, const std::string& key = kKey) {
  return "'metadata':{'typed_filter_metadata':{'" + key + "':" + any + "}}";
}
std::string AnyOf(const std::string& type, const std::string& fields) {
  return "{'@type':'" + TypeUrl(type) + "'" + (fields.empty() ? "" : "," + fields) + "}";
}
std::string ProxyAddress(const std::string& fields) {
  return AnyOf("envoy.config.core.v3.Address", fields);
}
std::string At(const std::string& address, const std::string& port = "3128") {
  return Metadata(ProxyAddress(SocketAddress(address, port)));
}
std::string Endpoint(const std::string& address, const std::string& more = "") {
  return "{'endpoint':{'address':{" + SocketAddress(address, "80") + "}}" +
         (more.empty() ? "" : "," + more) + "}";
}
std::string Locality(const std::string& zone, const std::string& endpoints,
                     const std::string& more = "") {
  return "{'locality':{'zone':'" + zone + "'},'lb_endpoints':[" + endpoints +
         "],'load_balancing_weight':1" + (more.empty() ? "" : "," + more) + "}";
}
std::string Assignment(const std::string& localities) {
  return "{'cluster_name':'foo','endpoints':[" + localities + "]}";
}
// The proxy of each endpoint: "a;;b".
std::string Proxies(const gxds_locality* l) {
  std::string out;
  for (uint32_t i = 0; i < l->endpoint_count; i++) {
    out += (i > 0 ? ";" : "") + ToString(gxds_locality_proxy(l, i));
  }
  return out;
}
const gxds_locality* First(const Decoded& of, size_t index = 0) {
  return of.As<gxds_endpoints>().priorities[0].localities[index];
}

TEST(HttpProxy, IsThatOfTheEndpointOrElseOfItsLocality) {  // A86.6
  Decoder d;
  Decoded result = d.Good(
      gxds_endpoints_type,
      Assignment(Locality("a", Endpoint("10.0.0.1", At("10.1.0.1")) + "," + Endpoint("10.0.0.2"),
                          At("::1", "80")) +
                 "," +
                 Locality("b", Endpoint("10.0.0.3") + "," + Endpoint("10.0.0.4", At("10.1.0.2"))) +
                 "," + Locality("c", Endpoint("10.0.0.5"))));
  EXPECT_EQ(Proxies(First(result, 0)), "10.1.0.1:3128;[::1]:80");
  EXPECT_EQ(Proxies(First(result, 1)), ";10.1.0.2:3128");
  EXPECT_EQ(First(result, 2)->rare, nullptr) << "no memory for what nobody has";
}

TEST(HttpProxy, IsNothingOfAnotherKeyOrType) {  // A86.5
  Decoder d;
  const std::string address = ProxyAddress(SocketAddress("10.1.0.1", "1"));
  const std::string another = AnyOf("google.protobuf.UInt32Value", "'value':1");
  const std::string structure =
      "'metadata':{'filter_metadata':{'" + std::string(kKey) + "':{'address':'10.1.0.1:1'}}}";
  Decoded result =
      d.Good(gxds_endpoints_type,
             Assignment(Locality("a",
                                 Endpoint("10.0.0.1", Metadata(address, "another.key")) + "," +
                                     Endpoint("10.0.0.2", Metadata(another)) + "," +
                                     Endpoint("10.0.0.3", structure),
                                 Metadata(another))));
  EXPECT_EQ(First(result)->rare, nullptr);
}

TEST(HttpProxy, OfAnotherTypeLeavesThatOfTheLocality) {  // A86.5, A86.6
  Decoder d;
  const std::string another = AnyOf("google.protobuf.UInt32Value", "'value':1");
  Decoded result =
      d.Good(gxds_endpoints_type,
             Assignment(Locality("a", Endpoint("10.0.0.1", Metadata(another)), At("10.1.0.1"))));
  EXPECT_EQ(Proxies(First(result)), "10.1.0.1:3128");
}

TEST(HttpProxy, IsThereForEndpointsInDraining) {  // A86.6
  Decoder d;
  Decoded result =
      d.Good(gxds_endpoints_type,
             Assignment(Locality(
                 "a", Endpoint("10.0.0.1") + "," +
                          Endpoint("10.0.0.2", "'health_status':'DRAINING'," + At("10.1.0.1")))));
  EXPECT_EQ(First(result)->rare->proxies, nullptr);
  ASSERT_NE(gxds_locality_draining(First(result)), nullptr);
  EXPECT_EQ(Proxies(gxds_locality_draining(First(result))), "10.1.0.1:3128");
}

TEST(HttpProxy, ThatAloneChangesTheLocality) {  // A86.6
  Decoder d;
  auto assignment = [](const std::string& proxy) {
    return Assignment(Locality("a", Endpoint("10.0.0.1", proxy)) + "," +
                      Locality("b", Endpoint("10.0.0.2", At("10.1.0.9"))));
  };
  Decoded first = d.Good(gxds_endpoints_type, assignment(At("10.1.0.1")));
  Decoded second = d.Good(gxds_endpoints_type, assignment(At("10.1.0.2")), first.resource());
  Decoded third = d.Good(gxds_endpoints_type, assignment(""), second.resource());
  EXPECT_NE(First(first), First(second));
  EXPECT_NE(First(second), First(third));
  EXPECT_FALSE(gxds_locality_endpoint_equal(First(first), 0, First(second), 0));
  EXPECT_FALSE(gxds_locality_equal(First(second), First(third)));
  EXPECT_EQ(First(first, 1), First(third, 1)) << "shared: it did not change";
}

TEST(HttpProxy, ComesAlongWithACopyAndASelection) {  // A86.6
  Decoder d;
  Decoded result = d.Good(
      gxds_endpoints_type,
      Assignment(Locality("a", Endpoint("10.0.0.1", At("10.1.0.1")) + "," + Endpoint("10.0.0.2") +
                                   "," + Endpoint("10.0.0.3", At("10.1.0.3")))));
  const gxds_locality* copy = gxds_locality_copy(First(result));
  EXPECT_TRUE(gxds_locality_equal(copy, First(result)));
  EXPECT_EQ(Proxies(copy), "10.1.0.1:3128;;10.1.0.3:3128");
  const uint32_t places[] = {2, 1};
  const gxds_locality* some = gxds_locality_select(copy, places, 2, 1);
  EXPECT_EQ(Proxies(some), "10.1.0.3:3128;");
  gxds_locality_unref(some);
  gxds_locality_unref(copy);
}

std::vector<Malformed> Addresses() {
  const std::string endpoint = "field:endpoints[0].lb_endpoints[0].metadata";
  const std::string value =
      ".typed_filter_metadata[\"" + std::string(kKey) + "\"].value[envoy.config.core.v3.Address]";
  auto of_endpoint = [](const std::string& any) {
    return Resource(gxds_endpoints_type,
                    Assignment(Locality("a", Endpoint("10.0.0.1", Metadata(any)))));
  };
  auto bad = [](const std::string& errors) {
    return "errors parsing EDS resource: [" + errors + "]";
  };
  return {
      // A86.4
      {"WithoutASocketAddress", of_endpoint(ProxyAddress("")),
       bad(endpoint + value + ".socket_address error:field not present")},
      // A86.4
      {"ThatIsAPipe", of_endpoint(ProxyAddress("'pipe':{'path':'p'}")),
       bad(endpoint + value + ".socket_address error:field not present")},
      // A86.4
      {"ThatIsAName", of_endpoint(ProxyAddress(SocketAddress("proxy.example", "1"))),
       bad(endpoint + value + ".socket_address error:Failed to parse address:proxy.example:1")},
      // A86.4
      {"WithoutAPort", of_endpoint(ProxyAddress("'socket_address':{'address':'10.1.0.1'}")),
       bad(endpoint + value + ".socket_address.port_value error:must be set")},
      // A86.4
      {"OfAPortTooGreat", of_endpoint(ProxyAddress(SocketAddress("10.1.0.1", "65536"))),
       bad(endpoint + value + ".socket_address.port_value error:invalid port")},
      // A86.4
      {"OfALocality",
       Resource(gxds_endpoints_type,
                Assignment(Locality("a", Endpoint("10.0.0.1"), Metadata(ProxyAddress(""))))),
       bad("field:endpoints[0].metadata" + value + ".socket_address error:field not present")},
      {"Unparsable",
       Field(1, "foo") +
           Field(2, Field(1, Field(2, "z")) + Field(3, Number(1, 1)) +
                        Field(9, Field(2, Field(1, kKey) +
                                              Field(2, Any(TypeUrl("envoy.config.core.v3.Address"),
                                                           std::string(1, '\0')))))),
       bad("field:endpoints[0].metadata" + value + " error:can't decode Address")},
  };
}
MALFORMED_SUITE(HttpProxyAddress, gxds_endpoints_type, Addresses());

#ifndef GXDS_HOST_HAS_LOCALITY_METADATA

TEST(HttpProxy, MetadataOfALocalityThatIsNoneIsAnError) {
  Decoder d;
  const std::string bytes =
      Field(1, "foo") +
      Field(2, Field(1, Field(2, "z")) + Field(3, Number(1, 1)) + Field(9, std::string(1, '\0')));
  EXPECT_EQ(d.Decode(gxds_endpoints_type, bytes).message(),
            "errors parsing EDS resource: [field:endpoints[0].metadata error:can't decode "
            "Metadata]");
}

#endif

}  // namespace
}  // namespace grpc_xds_test
