// Every rule of a client's Listener, broken.
#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

const char kManager[] =
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
const char kRouter[] = "envoy.extensions.filters.http.router.v3.Router";
const char kFault[] = "envoy.extensions.filters.http.fault.v3.HTTPFault";
const char kRbac[] = "envoy.extensions.filters.http.rbac.v3.RBAC";
const char kUnknown[] = "envoy.config.listener.v3.Listener";

std::string TypeOf(const std::string& type) { return "'@type':'type.googleapis.com/" + type + "'"; }

// One filter's JSON.
std::string Filter(const std::string& name, const std::string& type, const std::string& more = "") {
  return "{'name':'" + name + "','typed_config':{" + TypeOf(type) + "}" + more + "}";
}
const std::string kRouterFilter = Filter("router", kRouter);
const std::string kRds = "'rds':{'route_config_name':'routes','config_source':{'ads':{}}}";

std::string OfAny(const std::string& any) { return Field(1, "foo") + Field(19, Field(1, any)); }
std::string OfManager(const std::string& json) {
  return OfAny(
      Any(std::string("type.googleapis.com/") + kManager, Proto(kManager, "{" + json + "}")));
}
std::string WithFilters(const std::string& filters) {
  return OfManager(kRds + ",'http_filters':[" + filters + "]");
}
std::string WithRoutes(const std::string& routes) {
  return OfManager("'http_filters':[" + kRouterFilter + "]" + (routes.empty() ? "" : ",") + routes);
}
// A listener with a filter "f" of raw bytes before the router.
std::string WithRawFilter(const std::string& any) {
  std::string manager =
      Proto(kManager, "{" + kRds + "}") + Field(5, Field(1, "f") + Field(4, any)) +
      Field(5, Proto("envoy.extensions.filters.network.http_connection_manager.v3."
                     "HttpFilter",
                     kRouterFilter));
  return OfAny(Any(std::string("type.googleapis.com/") + kManager, manager));
}
std::string TypedStruct(const std::string& json) {
  return Any("type.googleapis.com/xds.type.v3.TypedStruct", Proto("xds.type.v3.TypedStruct", json));
}

std::string Bad(const std::string& errors) {
  return "errors validating ApiListener: [" + errors + "]";
}
const std::string kAt = "field:api_listener.api_listener";
const std::string kAtManager = kAt + ".value[" + kManager + "]";
const std::string kAtFilters = kAtManager + ".http_filters";

std::vector<Malformed> Outer() {
  return {
      // A27.17
      {"NothingAtAll", Field(1, "foo"), "Listener has neither address nor ApiListener"},
      {"ApiListenerEmpty", Field(1, "foo") + Field(19, ""), Bad(kAt + " error:field not present")},
      {"TypeUrlMissing", OfAny(Any("", "x")),
       Bad(kAt + ".type_url error:field not present; " + kAt +
           ".value[] error:unsupported filter type")},
      {"TypeUrlWithoutSlash", OfAny(Any("MyType", "")),
       Bad(kAt + ".type_url error:invalid value \"MyType\"; " + kAt +
           ".value[MyType] error:unsupported filter type")},
      {"TypeUrlWithoutType", OfAny(Any("type.googleapis.com/", "")),
       Bad(kAt + ".type_url error:invalid value \"type.googleapis.com/\"; " + kAt +
           ".value[type.googleapis.com/] error:unsupported filter type")},
      {"OfAnotherType", OfAny(Any(std::string("type.googleapis.com/") + kUnknown, "")),
       Bad(kAt + ".value[" + kUnknown + "] error:unsupported filter type")},
      {"ManagerUnparsable",
       OfAny(Any(std::string("type.googleapis.com/") + kManager, std::string(1, '\0'))),
       Bad(kAtManager + " error:could not parse HttpConnectionManager config")},
      {"ManagerInATypedStruct",
       OfAny(TypedStruct(std::string("{'type_url':'type.googleapis.com/") + kManager + "'}")),
       Bad(kAt + ".value[xds.type.v3.TypedStruct].value[" + kManager +
           "] error:could not parse HttpConnectionManager config")},
      {"TypedStructUnparsable",
       OfAny(Any("type.googleapis.com/udpa.type.v1.TypedStruct", std::string(1, '\0'))),
       Bad(kAt + ".value[udpa.type.v1.TypedStruct] error:could not parse")},
      {"TypedStructWithoutType", OfAny(TypedStruct("{'value':{'a':1}}")),
       Bad(kAt + ".value[xds.type.v3.TypedStruct].type_url error:field not present; " + kAt +
           ".value[xds.type.v3.TypedStruct].value[] error:unsupported filter type")},
      {"TypedStructWithTypeWithoutSlash", OfAny(TypedStruct("{'type_url':'MyType'}")),
       Bad(kAt + ".value[xds.type.v3.TypedStruct].type_url error:invalid value \"MyType\"; " + kAt +
           ".value[xds.type.v3.TypedStruct].value[MyType] error:unsupported filter type")},
  };
}

std::vector<Malformed> Manager() {
  const std::string filters = ",'http_filters':[" + kRouterFilter + "]";
  const std::string duration = kAtManager + ".common_http_protocol_options.max_stream_duration";
  return {
      {"TrustedHops", OfManager(kRds + filters + ",'xff_num_trusted_hops':1"),
       Bad(kAtManager + ".xff_num_trusted_hops error:must be zero")},
      {"IpDetection",
       OfManager(kRds + filters + ",'original_ip_detection_extensions':[{'name':'x'}]"),
       Bad(kAtManager + ".original_ip_detection_extensions error:must be empty")},
      // A31.19
      {"MaxStreamDurationNegative",
       OfManager(kRds + filters +
                 ",'common_http_protocol_options':{'max_stream_duration':'-1.5s'}"),
       Bad(duration + ".nanos error:value must be in the range [0, 999999999]; " + duration +
           ".seconds error:value must be in the range [0, 315576000000]")},
      // A27.18
      {"NeitherRdsNorRoutes", WithRoutes(""),
       Bad(kAtManager + " error:neither route_config nor rds fields are present")},
      // A27.19
      {"RdsWithoutSource", WithRoutes("'rds':{'route_config_name':'r'}"),
       Bad(kAtManager + ".rds.config_source error:field not present")},
      // A27.19
      {"RdsFromAFile", WithRoutes("'rds':{'route_config_name':'r','config_source':{'path':'/x'}}"),
       Bad(kAtManager + ".rds.config_source error:ConfigSource does not specify ADS or SELF")},
      {"RdsWithoutName", WithRoutes("'rds':{'config_source':{'self':{}}}"),
       Bad(kAtManager + ".rds.route_config_name error:field not present")},
      {"RoutesInvalid", WithRoutes("'route_config':{'virtual_hosts':[{'domains':['a*b','*']}]}"),
       Bad(kAtManager +
           ".route_config.virtual_hosts[0].domains[0] error:Invalid domain pattern \"a*b\".")},
      {"FaultsOfManyKinds",
       OfManager("'xff_num_trusted_hops':2,'rds':{},'common_http_protocol_options':"
                 "{'max_stream_duration':'-2s'}"),
       Bad(duration + ".seconds error:value must be in the range [0, 315576000000]; " + kAtFilters +
           " error:expected at least one HTTP filter; " + kAtManager +
           ".rds.config_source error:field not present; " + kAtManager +
           ".rds.route_config_name error:field not present; " + kAtManager +
           ".xff_num_trusted_hops error:must be zero")},
  };
}

std::vector<Malformed> Filters() {
  const std::string fault = Filter("fault", kFault);
  const std::string router_type = std::string("type.googleapis.com/") + kRouter;
  const std::string fault_type = std::string("type.googleapis.com/") + kFault;
  const std::string at_config = kAtFilters + "[0].typed_config";
  std::string many;
  for (int i = 0; i < 257; i++) many += Filter("f" + std::to_string(i), kFault) + ",";
  return {
      // A39.1
      {"None", OfManager(kRds), Bad(kAtFilters + " error:expected at least one HTTP filter")},
      {"OnlyUnknownOptionalOnes", WithFilters(Filter("x", kUnknown, ",'is_optional':true")),
       Bad(kAtFilters + " error:expected at least one HTTP filter")},
      {"NameEmpty", WithFilters(Filter("", kFault) + "," + kRouterFilter),
       Bad(kAtFilters + "[0].name error:empty filter name")},
      // A39.2
      {"NameTwice", WithFilters(fault + "," + fault + "," + kRouterFilter),
       Bad(kAtFilters + "[1].name error:duplicate HTTP filter name: fault")},
      {"ConfigMissing", WithFilters("{'name':'x'}," + kRouterFilter),
       Bad(at_config + " error:field not present")},
      {"ConfigTypeMissing", WithRawFilter(Any("", "")),
       Bad(at_config + ".type_url error:field not present; " + at_config +
           ".value[] error:unsupported filter type")},
      // A39.3
      {"Unknown", WithFilters(Filter("x", kUnknown) + "," + kRouterFilter),
       Bad(at_config + ".value[" + kUnknown + "] error:unsupported filter type")},
      {"UnknownLast", WithFilters(fault + "," + Filter("x", kUnknown)),
       Bad(kAtFilters + "[1].typed_config.value[" + kUnknown + "] error:unsupported filter type")},
      // A39.13
      {"ForServersOnly", WithFilters(Filter("x", kRbac) + "," + kRouterFilter),
       Bad(at_config + ".value[" + kRbac + "] error:filter is not supported on clients")},
      {"RouterUnparsable", WithRawFilter(Any(router_type, std::string(1, '\0'))),
       Bad(kAtFilters + " error:terminal filter for config type " + kRouter +
           " must be the last filter in the chain; " + at_config + ".value[" + kRouter +
           "] error:could not parse router filter config")},
      {"RouterInATypedStruct",
       WithFilters("{'name':'x','typed_config':{'@type':'type.googleapis.com/"
                   "xds.type.v3.TypedStruct','type_url':'" +
                   router_type + "'}}"),
       Bad(at_config + ".value[xds.type.v3.TypedStruct].value[" + kRouter +
           "] error:could not parse router filter config")},
      {"FaultUnparsable", WithRawFilter(Any(fault_type, std::string(1, '\0'))),
       Bad(at_config + ".value[" + kFault +
           "] error:could not parse fault injection filter config")},
      // A39.4
      {"FaultWithAnUnknownStatus",
       WithFilters("{'name':'f','typed_config':{" + TypeOf(kFault) +
                   ",'abort':{'grpc_status':17}}}," + kRouterFilter),
       Bad(at_config + ".value[" + kFault +
           "].abort.grpc_status error:invalid gRPC status code: 17")},
      {"FaultWithANegativeDelay",
       WithFilters("{'name':'f','typed_config':{" + TypeOf(kFault) +
                   ",'delay':{'fixed_delay':'-1s'}}}," + kRouterFilter),
       Bad(at_config + ".value[" + kFault +
           "].delay.fixed_delay.seconds error:value must be in the range [0, 315576000000]")},
      // A39.5
      {"RouterNotLast", WithFilters(kRouterFilter + "," + fault),
       Bad(kAtFilters + " errors:[terminal filter for config type " + kRouter +
           " must be the last filter in the chain; non-terminal filter for config type " + kFault +
           " is the last filter in the chain]")},
      // A39.5
      {"RouterMissing", WithFilters(fault),
       Bad(kAtFilters + " error:non-terminal filter for config type " + kFault +
           " is the last filter in the chain")},
      {"RouterTwice", WithFilters(kRouterFilter + "," + Filter("again", kRouter)),
       Bad(kAtFilters + " error:terminal filter for config type " + kRouter +
           " must be the last filter in the chain")},
      {"MoreThanACountable", WithFilters(many + kRouterFilter),
       Bad(kAtFilters + " error:more than 256 filters")},
  };
}

std::vector<Malformed> Unparsable() {
  const char unparsable[] = "Can't parse Listener resource.";
  std::string good = WithFilters(kRouterFilter);
  return {
      {"Truncated", good.substr(0, good.size() - 3), unparsable},
      {"ZeroByte", std::string(1, '\0'), unparsable},
      {"RandomBytes", RandomBytes(2, 300), unparsable},
      {"NameIsNoUtf8", Field(1, "\xc0"), unparsable},
  };
}

MALFORMED_SUITE(ListenerOuter, gxds_listener_type, Outer());
MALFORMED_SUITE(ListenerManager, gxds_listener_type, Manager());
MALFORMED_SUITE(ListenerFilters, gxds_listener_type, Filters());
MALFORMED_SUITE(ListenerUnparsable, gxds_listener_type, Unparsable());

}  // namespace
}  // namespace grpc_xds_test
