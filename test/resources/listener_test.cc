#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

const char kManager[] =
    "'@type':'type.googleapis.com/"
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager'";

std::string Filter(const std::string& name, const std::string& type, const std::string& more = "") {
  return "{'name':'" + name + "','typed_config':{'@type':'type.googleapis.com/" + type + "'}" +
         more + "}";
}
const std::string kRouter = Filter("router", "envoy.extensions.filters.http.router.v3.Router");
const std::string kRds = "'rds':{'route_config_name':'routes','config_source':{'ads':{}}}";

std::string Listener(const std::string& manager, const std::string& filters = kRouter) {
  return std::string("{'name':'foo','api_listener':{'api_listener':{") + kManager + "," + manager +
         ",'http_filters':[" + filters + "]}}}";
}

TEST(ListenerType, IsAsTheProtocolNamesIt) {
  EXPECT_STREQ(gxds_listener_type.type_url,
               "type.googleapis.com/envoy.config.listener.v3.Listener");
  EXPECT_STREQ(gxds_listener_type.v2_type_url, "type.googleapis.com/envoy.api.v2.Listener");
  EXPECT_STREQ(gxds_listener_type.short_name, "LDS");
  EXPECT_TRUE(gxds_listener_type.all_resources_required_in_sotw);
  EXPECT_EQ(gxds_resource_types[0], &gxds_listener_type);
}

TEST(Listener, NamesItsRoutes) {  // A27.18
  Decoder d;
  Decoded result = d.Good(gxds_listener_type, Listener(kRds));
  const auto& l = result.As<gxds_listener>();
  EXPECT_EQ(result.name(), "foo");
  EXPECT_EQ(l.base.type, &gxds_listener_type);
  EXPECT_EQ(ToString(l.name), "foo");
  EXPECT_EQ(l.kind, GXDS_LISTENER_API);
  EXPECT_EQ(ToString(l.rds_name), "routes");
  EXPECT_EQ(l.route_config, nullptr);
  EXPECT_EQ(l.max_stream_duration, -1);
}

TEST(Listener, TakesRoutesFromTheServerItself) {  // A47.18: self means the same server
  Decoder d;
  Decoded result =
      d.Good(gxds_listener_type,
             Listener("'rds':{'route_config_name':'routes','config_source':{'self':{}}}"));
  EXPECT_EQ(ToString(result.As<gxds_listener>().rds_name), "routes");
}

TEST(Listener, HoldsItsRoutes) {  // A27.18
  Decoder d;
  Decoded result =
      d.Good(gxds_listener_type,
             Listener("'route_config':{'name':'inside','virtual_hosts':[{'domains':['*'],"
                      "'routes':[{'match':{'prefix':''},'route':{'cluster':'c'}}]}]}"));
  const auto& l = result.As<gxds_listener>();
  EXPECT_EQ(ToString(l.rds_name), "");
  ASSERT_NE(l.route_config, nullptr);
  EXPECT_EQ(ToString(l.route_config->name), "inside");
  const gxds_virtual_host* host =
      gxds_route_config_find_virtual_host(l.route_config, gxds_str_z("any"));
  ASSERT_NE(host, nullptr);
  EXPECT_EQ(ToString(host->routes[0].clusters[0].name), "c");
}

TEST(Listener, InlineRoutesOutliveItWhenReferenced) {
  const gxds_route_config* kept = nullptr;
  {
    Decoder d;
    Decoded result =
        d.Good(gxds_listener_type,
               Listener("'route_config':{'name':'inside','virtual_hosts':[{'domains':['*'],"
                        "'routes':[{'match':{'prefix':''},'route':{'cluster':'c'}}]}]}"));
    kept = result.As<gxds_listener>().route_config;
    gxds_resource_ref(&kept->base);
  }
  EXPECT_EQ(ToString(kept->virtual_hosts[0].domains[0]), "*");
  gxds_resource_unref(&kept->base);
}

TEST(Listener, InlineRoutesMayBeEmpty) {
  Decoder d;
  Decoded result = d.Good(gxds_listener_type, Listener("'route_config':{}"));
  const auto& l = result.As<gxds_listener>();
  ASSERT_NE(l.route_config, nullptr);
  EXPECT_EQ(l.route_config->virtual_host_count, 0u);
  EXPECT_EQ(gxds_route_config_find_virtual_host(l.route_config, gxds_str_z("a")), nullptr);
}

TEST(Listener, MaxStreamDuration) {  // A31.15
  Decoder d;
  auto with = [&](const std::string& duration) {
    Decoded result =
        d.Good(gxds_listener_type,
               Listener(kRds + ",'common_http_protocol_options':{'max_stream_duration':'" +
                        duration + "'}"));
    return result.As<gxds_listener>().max_stream_duration;
  };
  EXPECT_EQ(with("5.000000003s"), 5 * GXDS_SECOND + 3);
  EXPECT_EQ(with("0s"), 0);
  EXPECT_EQ(with("315576000000s"), INT64_MAX) << "more than fits is the longest there is";
}

TEST(Listener, FiltersInOrder) {  // A39
  Decoder d;
  Decoded result =
      d.Good(gxds_listener_type,
             Listener(kRds, Filter("a", "envoy.extensions.filters.http.fault.v3.HTTPFault") + "," +
                                Filter("b", "envoy.extensions.filters.http.fault.v3.HTTPFault") +
                                "," + kRouter));
  const auto& l = result.As<gxds_listener>();
  ASSERT_EQ(l.filter_count, 3u);
  EXPECT_EQ(ToString(l.filters[0].name), "a");
  EXPECT_EQ(l.filters[0].kind, GXDS_HTTP_FILTER_FAULT);
  EXPECT_EQ(ToString(l.filters[1].name), "b");
  EXPECT_EQ(ToString(l.filters[2].name), "router");
  EXPECT_EQ(l.filters[2].kind, GXDS_HTTP_FILTER_ROUTER);
}

TEST(Listener, OptionalFiltersThatNobodyKnowsAreLeftOut) {  // A39.3
  const std::string optional = ",'is_optional':true";
  Decoder d;
  Decoded result = d.Good(
      gxds_listener_type,
      Listener(kRds, Filter("x", "envoy.config.listener.v3.Listener", optional) + "," +
                         Filter("y", "envoy.extensions.filters.http.rbac.v3.RBAC", optional) +
                         ",{'name':'z','is_optional':true}," + kRouter + "," +
                         Filter("last", "envoy.config.listener.v3.Listener", optional)));
  const auto& l = result.As<gxds_listener>();
  ASSERT_EQ(l.filter_count, 1u);
  EXPECT_EQ(ToString(l.filters[0].name), "router");
}

TEST(Listener, OfAServerIsNotLookedInto) {
  Decoder d;
  Decoded result = d.Good(gxds_listener_type,
                          "{'name':'foo','address':{'socket_address':{'port_value':99999}}}");
  EXPECT_EQ(result.As<gxds_listener>().kind, GXDS_LISTENER_SOCKET);
  EXPECT_EQ(result.As<gxds_listener>().route_config, nullptr);
}

TEST(Listener, WithBothAnAddressAndAnApiListenerIsAClients) {  // like Istio's
  Decoder d;
  std::string json = Listener(kRds);
  json.insert(json.size() - 1, ",'address':{'socket_address':{'port_value':1}}");
  Decoded result = d.Good(gxds_listener_type, json);
  EXPECT_EQ(result.As<gxds_listener>().kind, GXDS_LISTENER_API);
}

}  // namespace
}  // namespace grpc_xds_test
