// HTTP filters: their configs (A33), and which config applies (A39).
#include "resources/http_filters.h"

#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

const char kFault[] = "envoy.extensions.filters.http.fault.v3.HTTPFault";
const char kRbac[] = "envoy.extensions.filters.http.rbac.v3.RBAC";
const char kRbacPerRoute[] = "envoy.extensions.filters.http.rbac.v3.RBACPerRoute";
const char kUnknown[] = "envoy.config.listener.v3.Listener";

std::string TypeOf(const std::string& type) { return "'@type':'type.googleapis.com/" + type + "'"; }
std::string Comma(const std::string& fields) { return fields.empty() ? "" : "," + fields; }
// The message of a fault filter.
std::string Fault(const std::string& fields) { return "{" + TypeOf(kFault) + Comma(fields) + "}"; }

std::string Listener(const std::string& fault) {
  return "{'name':'foo','api_listener':{'api_listener':{" +
         TypeOf(
             "envoy.extensions.filters.network.http_connection_manager.v3."
             "HttpConnectionManager") +
         ",'rds':{'route_config_name':'r','config_source':{'ads':{}}},'http_filters':["
         "{'name':'f','typed_config':" +
         fault + "},{'name':'router','typed_config':{" +
         TypeOf("envoy.extensions.filters.http.router.v3.Router") + "}}]}}}";
}
std::string Overrides(const std::string& overrides) {
  return "'typed_per_filter_config':{" + overrides + "}";
}
// A route configuration with overrides of a virtual host, a route, and a weighted cluster.
std::string Routes(const std::string& of_host, const std::string& of_route = "",
                   const std::string& of_cluster = "") {
  return "{'name':'foo','virtual_hosts':[{'domains':['*']" + Comma(of_host) +
         ",'routes':[{'match':{'prefix':''},'route':{'weighted_clusters':{'clusters':["
         "{'name':'c','weight':1" +
         Comma(of_cluster) + "}]}}" + Comma(of_route) + "}]}]}";
}

// The config that a listener's fault filter has.
std::string ConfigOf(const std::string& fields) {
  Decoder d;
  Decoded result = d.Good(gxds_listener_type, Listener(Fault(fields)));
  return ToString(result.As<gxds_listener>().filters[0].config_json);
}

TEST(FaultFilter, OfNothing) {  // A33
  EXPECT_EQ(ConfigOf(""), "{}");
  EXPECT_EQ(ConfigOf("'abort':{}"), Json("{'abortCode':'OK'}"));
  EXPECT_EQ(ConfigOf("'delay':{}"), "{}");
}

TEST(FaultFilter, Abort) {  // A33
  EXPECT_EQ(ConfigOf("'abort':{'grpc_status':14,'percentage':{'numerator':7}}"),
            Json("{'abortCode':'UNAVAILABLE','abortPercentageNumerator':7,"
                 "'abortPercentageDenominator':100}"));
  EXPECT_EQ(ConfigOf("'abort':{'grpc_status':16}"), Json("{'abortCode':'UNAUTHENTICATED'}"));
  EXPECT_EQ(ConfigOf("'abort':{'grpc_status':0}"), Json("{'abortCode':'OK'}"));
}

TEST(FaultFilter, AbortByHttpStatus) {  // A33.3
  const std::pair<int, const char*> codes[] = {
      {400, "INTERNAL"},      {401, "UNAUTHENTICATED"}, {403, "PERMISSION_DENIED"},
      {404, "UNIMPLEMENTED"}, {429, "UNAVAILABLE"},     {502, "UNAVAILABLE"},
      {503, "UNAVAILABLE"},   {504, "UNAVAILABLE"},     {500, "UNKNOWN"},
      {200, "UNKNOWN"},       {302, "UNKNOWN"}};
  for (const auto& [status, code] : codes) {
    EXPECT_EQ(ConfigOf("'abort':{'http_status':" + std::to_string(status) + "}"),
              Json("{'abortCode':'" + std::string(code) + "'}"))
        << status;
  }
}

TEST(FaultFilter, AbortByHeader) {  // A33
  EXPECT_EQ(ConfigOf("'abort':{'header_abort':{},'percentage':{'numerator':1,"
                     "'denominator':'TEN_THOUSAND'}}"),
            Json("{'abortCode':'OK','abortCodeHeader':'x-envoy-fault-abort-grpc-request',"
                 "'abortPercentageHeader':'x-envoy-fault-abort-request-percentage',"
                 "'abortPercentageNumerator':1,'abortPercentageDenominator':10000}"));
}

TEST(FaultFilter, Delay) {  // A33
  EXPECT_EQ(ConfigOf("'delay':{'fixed_delay':'1.5s','percentage':{'numerator':2000000,"
                     "'denominator':'MILLION'}}"),
            Json("{'delay':'1.500000000s','delayPercentageNumerator':2000000,"
                 "'delayPercentageDenominator':1000000}"));
  EXPECT_EQ(ConfigOf("'delay':{'header_delay':{}}"),
            Json("{'delayHeader':'x-envoy-fault-delay-request',"
                 "'delayPercentageHeader':'x-envoy-fault-delay-request-percentage'}"));
}

TEST(FaultFilter, PercentagesOfAnUnknownDenominatorAreOfAHundred) {  // A33
  EXPECT_EQ(ConfigOf("'delay':{'percentage':{'numerator':3,'denominator':9}}"),
            Json("{'delayPercentageNumerator':3,'delayPercentageDenominator':100}"));
}

TEST(FaultFilter, MaxActiveFaults) {  // A33
  EXPECT_EQ(ConfigOf("'max_active_faults':0"), Json("{'maxFaults':0}"));
  EXPECT_EQ(ConfigOf("'abort':{},'delay':{'fixed_delay':'0s'},'max_active_faults':5"),
            Json("{'abortCode':'OK','delay':'0.000000000s','maxFaults':5}"));
}

TEST(FaultFilter, RouterHasNoConfig) {  // A39
  Decoder d;
  Decoded result = d.Good(gxds_listener_type, Listener(Fault("")));
  EXPECT_EQ(ToString(result.As<gxds_listener>().filters[1].config_json), "");
}

TEST(FilterOverride, IsKeptWhereItIs) {  // A39
  auto faults = [](int max) {
    return Overrides("'f':" + Fault("'max_active_faults':" + std::to_string(max)));
  };
  Decoder d;
  Decoded result = d.Good(gxds_route_config_type, Routes(faults(1), faults(2), faults(3)));
  const gxds_virtual_host& host = result.As<gxds_route_config>().virtual_hosts[0];
  const gxds_http_filter_overrides* all[] = {&host.routes[0].clusters[0].rare->filter_overrides,
                                             &host.routes[0].rare->filter_overrides,
                                             &host.filter_overrides};
  for (size_t i = 0; i < 3; i++) {
    ASSERT_EQ(all[i]->count, 1u) << i;
    EXPECT_EQ(ToString(all[i]->items[0].name), "f");
    EXPECT_EQ(all[i]->items[0].kind, GXDS_HTTP_FILTER_FAULT);
    EXPECT_EQ(ToString(all[i]->items[0].config_json),
              Json("{'maxFaults':" + std::to_string(3 - i) + "}"));
  }
}

// The config that applies to a filter "f" of a listener.
std::string InForce(const std::vector<std::string>& overrides) {
  Decoder d;
  std::vector<Decoded> decoded;
  std::vector<const gxds_http_filter_overrides*> list;
  for (const std::string& o : overrides) {
    decoded.push_back(d.Good(gxds_route_config_type, Routes(o)));
  }
  for (const Decoded& result : decoded) {
    list.push_back(&result.As<gxds_route_config>().virtual_hosts[0].filter_overrides);
  }
  gxds_http_filter filter = {gxds_str_z("f"), GXDS_HTTP_FILTER_FAULT, gxds_str_z("its own"), {}};
  return ToString(gxds_http_filter_config(&filter, list.data(), list.size()));
}

TEST(FilterOverride, TheMostSpecificOneIsInForce) {  // A39.7
  const std::string a = Overrides("'f':" + Fault("'max_active_faults':1"));
  const std::string b = Overrides("'f':" + Fault("'max_active_faults':2"));
  const std::string other = Overrides("'g':" + Fault(""));
  EXPECT_EQ(InForce({}), "its own");
  EXPECT_EQ(InForce({a, b}), Json("{'maxFaults':1}"));
  EXPECT_EQ(InForce({"", other, b}), Json("{'maxFaults':2}"));
  EXPECT_EQ(InForce({other, ""}), "its own") << "no filter of the listener has that name";
}

TEST(FilterOverride, OfAFilterForServersIsNotKept) {  // A39.11, A41
  EXPECT_EQ(InForce({Overrides("'f':{" + TypeOf(kRbacPerRoute) + "}")}), "its own");
}

TEST(FilterOverride, AreFoundByName) {  // A39.8
  std::string many;
  for (char c = 'z'; c >= 'a'; c--) {
    many += (many.empty() ? "'" : ",'") + std::string(1, c) +
            "':" + Fault("'max_active_faults':" + std::to_string(c));
  }
  Decoder d;
  Decoded result = d.Good(gxds_route_config_type, Routes(Overrides(many)));
  const auto& o = result.As<gxds_route_config>().virtual_hosts[0].filter_overrides;
  ASSERT_EQ(o.count, 26u);
  for (char c = 'a'; c <= 'z'; c++) {
    const auto* found = gxds_http_filter_overrides_find(&o, gxds_str_of(&c, 1));
    ASSERT_NE(found, nullptr) << c;
    EXPECT_EQ(ToString(found->config_json), Json("{'maxFaults':" + std::to_string(c) + "}"));
  }
  EXPECT_EQ(gxds_http_filter_overrides_find(&o, gxds_str_z("")), nullptr);
  EXPECT_EQ(gxds_http_filter_overrides_find(&o, gxds_str_z("aa")), nullptr);
}

TEST(FilterOverride, InAWrapper) {  // A39.9
  const std::string wrapper = TypeOf("envoy.config.route.v3.FilterConfig");
  EXPECT_EQ(
      InForce({Overrides("'f':{" + wrapper + ",'config':" + Fault("'max_active_faults':4") + "}")}),
      Json("{'maxFaults':4}"));
  EXPECT_EQ(InForce({Overrides("'f':{" + wrapper + ",'is_optional':true,'config':" +
                               Fault("'max_active_faults':4") + "}")}),
            Json("{'maxFaults':4}"))
      << "optional, and known";
  EXPECT_EQ(InForce({Overrides("'f':{" + wrapper + ",'is_optional':true}")}), "its own");
  EXPECT_EQ(InForce({Overrides("'f':{" + wrapper + ",'is_optional':true,'config':{" +
                               TypeOf(kUnknown) + "}}")}),
            "its own");
}

Malformed BadListener(const char* name, const std::string& config, const std::string& errors) {
  return {name, Resource(gxds_listener_type, Listener(config)),
          "errors validating ApiListener: [" + errors + "]"};
}
Malformed BadRoutes(const char* name, const std::string& config, const std::string& errors) {
  return {name, Resource(gxds_route_config_type, config),
          "errors validating RouteConfiguration resource: [" + errors + "]"};
}

const std::string kAt =
    "field:api_listener.api_listener.value[envoy.extensions.filters.network."
    "http_connection_manager.v3.HttpConnectionManager].http_filters[0].typed_config.value[";

std::vector<Malformed> ListenerConfigs() {
  const std::string fault = kAt + kFault + "]";
  const std::string delay = fault + ".delay.fixed_delay";
  const std::string wrapped = "xds.type.v3.TypedStruct].value[";
  auto typed_struct = [](const std::string& type) {
    return "{" + TypeOf("xds.type.v3.TypedStruct") + ",'type_url':'type.googleapis.com/" + type +
           "'}";
  };
  return {
      BadListener("StatusUnknown", Fault("'abort':{'grpc_status':4294967295}"),
                  fault + ".abort.grpc_status error:invalid gRPC status code: -1"),
      BadListener("DelayTooLong", Fault("'delay':{'fixed_delay':'-1.5s'}"),
                  delay + ".nanos error:value must be in the range [0, 999999999]; " + delay +
                      ".seconds error:value must be in the range [0, 315576000000]"),
      BadListener("StatusAndDelay",
                  Fault("'abort':{'grpc_status':99},'delay':{'fixed_delay':'-1s'}"),
                  fault + ".abort.grpc_status error:invalid gRPC status code: 99; " + delay +
                      ".seconds error:value must be in the range [0, 315576000000]"),
      BadListener("FaultInATypedStruct", typed_struct(kFault),
                  kAt + wrapped + kFault + "] error:could not parse fault injection filter config"),
      BadListener("UnknownInATypedStruct", typed_struct("my.Filter"),
                  kAt + wrapped + "my.Filter] error:unsupported filter type"),
      BadListener("RbacOfARoute", "{" + TypeOf(kRbacPerRoute) + "}",
                  kAt + kRbacPerRoute + "] error:unsupported filter type"),
      BadListener("Rbac", "{" + TypeOf(kRbac) + "}",
                  kAt + kRbac + "] error:filter is not supported on clients"),
  };
}

std::vector<Malformed> OverrideConfigs() {
  const std::string host = "field:virtual_hosts[0]";
  const std::string map = ".typed_per_filter_config[f]";
  const std::string cluster = host + ".routes[0].route.weighted_clusters.clusters[0]";
  const std::string status =
      ".value[" + std::string(kFault) + "].abort.grpc_status error:invalid gRPC status code: 17";
  const std::string bad = Overrides("'f':" + Fault("'abort':{'grpc_status':17}"));
  const std::string wrapped =
      Overrides("'f':{" + TypeOf("envoy.config.route.v3.FilterConfig") +
                ",'is_optional':true,'config':" + Fault("'abort':{'grpc_status':17}") + "}");
  auto typed_struct = [](const std::string& type) {
    return Overrides("'f':{" + TypeOf("xds.type.v3.TypedStruct") +
                     ",'type_url':'type.googleapis.com/" + type + "'}");
  };
  const std::string in_struct = ".value[xds.type.v3.TypedStruct].value[";
  return {
      BadRoutes("OfAVirtualHost", Routes(bad), host + map + status),
      BadRoutes("OfARoute", Routes("", bad), host + ".routes[0]" + map + status),
      BadRoutes("OfAWeightedCluster", Routes("", "", bad), cluster + map + status),
      BadRoutes("OfEach", Routes(bad, bad, bad),
                host + ".routes[0].route.weighted_clusters.clusters[0]" + map + status + "; " +
                    host + ".routes[0]" + map + status + "; " + host + map + status),
      BadRoutes("OptionalButKnown", Routes(wrapped), host + map + status),
      BadRoutes("FaultInATypedStruct", Routes(typed_struct(kFault)),
                host + map + in_struct + kFault +
                    "] error:could not parse fault injection filter config"),
      BadRoutes("UnknownInATypedStruct", Routes(typed_struct("my.Filter")),
                host + map + in_struct +
                    "my.Filter] error:no filter registered for config type "
                    "my.Filter"),
      BadRoutes("RbacInATypedStruct", Routes(typed_struct(kRbacPerRoute)),
                host + map + in_struct + kRbacPerRoute + "] error:could not parse RBACPerRoute"),
      BadRoutes(
          "RbacOfAListener", Routes(Overrides("'f':{" + TypeOf(kRbac) + "}")),
          host + map + ".value[" + kRbac + "] error:no filter registered for config type " + kRbac),
      BadRoutes("TwoFilters",
                Routes(Overrides("'a':{" + TypeOf("envoy.config.listener.v3.Listener") +
                                 "},'b':" + Fault("'abort':{'grpc_status':17}"))),
                host + ".typed_per_filter_config[a].value[" + kUnknown +
                    "] error:no filter registered for config type " + kUnknown + "; " + host +
                    ".typed_per_filter_config[b]" + status),
  };
}

MALFORMED_SUITE(FilterConfigs, gxds_listener_type, ListenerConfigs());              // A33, A39
MALFORMED_SUITE(FilterOverrideConfigs, gxds_route_config_type, OverrideConfigs());  // A33, A39

}  // namespace
}  // namespace grpc_xds_test
