// Every rule of a RouteConfiguration, broken.
#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

const char kRouter[] = "envoy.extensions.filters.http.router.v3.Router";
const char kFault[] = "envoy.extensions.filters.http.fault.v3.HTTPFault";
const char kRbacPerRoute[] = "envoy.extensions.filters.http.rbac.v3.RBACPerRoute";
const char kUnknown[] = "envoy.config.listener.v3.Listener";

std::string Config(const std::string& virtual_hosts) {
  return Resource(gxds_route_config_type, "{'name':'foo','virtual_hosts':[" + virtual_hosts + "]}");
}
std::string Routes(const std::string& routes) {
  return Config("{'domains':['*'],'routes':[" + routes + "]}");
}
const std::string kGood = "{'match':{'prefix':''},'route':{'cluster':'c'}}";
std::string Match(const std::string& match) {
  return Routes("{'match':{" + match + "},'route':{'cluster':'c'}}");
}
std::string Header(const std::string& header) {
  return Match("'prefix':'','headers':[{'name':'h'" + header + "}]");
}
std::string Action(const std::string& action) {
  return Routes("{'match':{'prefix':''},'route':{" + action + "}}");
}
std::string Weighted(const std::string& clusters) {
  return Action("'weighted_clusters':{'clusters':[" + clusters + "]}");
}
std::string Config(const std::string& key, const std::string& value) {
  return "'typed_per_filter_config':{'" + key + "':{" + value + "}}";
}
std::string TypeOf(const std::string& type) { return "'@type':'type.googleapis.com/" + type + "'"; }
std::string Overrides(const std::string& config) {
  return Config("{'domains':['*'],'routes':[" + kGood + "]," + config + "}");
}
std::string Wrapped(const std::string& more) {
  return Config("f", TypeOf("envoy.config.route.v3.FilterConfig") + more);
}
// A virtual host with an override of filter "f" that is these bytes.
std::string RawOverride(const std::string& any) {
  std::string host =
      Proto("envoy.config.route.v3.VirtualHost", "{'domains':['*'],'routes':[" + kGood + "]}");
  return Field(1, "foo") + Field(2, host + Field(15, Field(1, "f") + Field(2, any)));
}

std::string Bad(const std::string& errors) {
  return "errors validating RouteConfiguration resource: [" + errors + "]";
}
const std::string kHost = "field:virtual_hosts[0]";
const std::string kRoute = kHost + ".routes[0]";

std::vector<Malformed> Hosts() {
  return {
      {"NoDomains", Config("{'routes':[" + kGood + "]}"),
       Bad(kHost + ".domains error:VirtualHost has no domains")},
      {"DomainEmpty", Config("{'domains':[''],'routes':[" + kGood + "]}"),
       Bad(kHost + ".domains[0] error:Invalid domain pattern \"\".")},
      {"DomainWithAnAsteriskInTheMiddle",
       Config("{'domains':['a.example','a.*.example'],'routes':[" + kGood + "]}"),
       Bad(kHost + ".domains[1] error:Invalid domain pattern \"a.*.example\".")},
      {"SecondHost", Config("{'domains':['*'],'routes':[" + kGood + "]},{}"),
       Bad("field:virtual_hosts[1].domains error:VirtualHost has no domains")},
  };
}

std::vector<Malformed> Matches() {
  const std::string headers = kRoute + ".match.headers[0]";
  const std::string segments = kRoute + ".match.path_separated_prefix";
  return {
      // A28.15
      {"NoMatch", Routes("{'route':{'cluster':'c'}}"),
       Bad(kRoute + ".match error:Match can't be null.")},
      // A28.15
      {"NoPath", Match("'headers':[]"),
       Bad(kRoute + ".match error:Invalid route path specifier specified.")},
      // A28.19
      {"PathUnsupported", Match("'connect_matcher':{}"),
       Bad(kRoute + ".match error:Invalid route path specifier specified.")},
      {"SegmentsEmpty", Match("'path_separated_prefix':''"),
       Bad(segments + " error:must have at least two characters")},
      {"SegmentsOfOneCharacter", Match("'path_separated_prefix':'\xc3\xa9'"),
       Bad(segments + " error:must have at least two characters")},
      {"SegmentsOfASlash", Match("'path_separated_prefix':'/'"),
       Bad(segments + " errors:[must have at least two characters; must not end with '/']")},
      {"SegmentsWithASlashAtTheEnd", Match("'path_separated_prefix':'/a/'"),
       Bad(segments + " error:must not end with '/'")},
      {"SegmentsWithAQuery", Match("'path_separated_prefix':'/a?b'"),
       Bad(segments + " error:must not contain '?' or '#'")},
      {"SegmentsWithAFragment", Match("'path_separated_prefix':'x#/'"),
       Bad(segments + " errors:[must not contain '?' or '#'; must not end with '/']")},
      // A28.18
      {"PathRegexInvalid", Match("'safe_regex':{'google_re2':{},'regex':'a(b'}"),
       Bad(kRoute + ".match.safe_regex error:path matcher: Invalid regex string specified in "
                    "matcher.")},
      {"HeaderWithoutMatch", Header(""),
       Bad(headers + " error:Invalid route header matcher specified.")},
      // A28.18
      {"HeaderRegexInvalid", Header(",'safe_regex_match':{'regex':'('}"),
       Bad(headers + ".safe_regex_match error:header matcher: Invalid regex string specified in "
                     "matcher.")},
      {"HeaderRange", Header(",'range_match':{'start':'2','end':'1'}"),
       Bad(headers + ".range_match error:header matcher: Invalid range specifier specified: end "
                     "cannot be smaller than start.")},
      {"HeaderStringMatchEmpty", Header(",'string_match':{}"),
       Bad(headers + ".string_match error:Invalid route header matcher specified.")},
      {"HeaderStringRegexInvalid", Header(",'string_match':{'safe_regex':{'regex':'('}}"),
       Bad(headers + ".string_match.safe_regex error:header matcher: Invalid regex string "
                     "specified in matcher.")},
      {"FractionOfWhat",
       Match("'prefix':'','runtime_fraction':{'default_value':{'numerator':1,'denominator':5}}"),
       Bad(kRoute + ".match.runtime_fraction.default_value.denominator error:Unknown denominator "
                    "type")},
  };
}

std::vector<Malformed> Actions() {
  const std::string clusters = kRoute + ".route.weighted_clusters";
  const std::string duration = kRoute + ".route.max_stream_duration";
  const std::string range = ".seconds error:value must be in the range [0, 315576000000]";
  return {
      {"ClusterNameEmpty", Action("'cluster':''"),
       Bad(kRoute + ".route.cluster error:RouteAction cluster contains empty cluster name.")},
      {"WeightedClusterNameEmpty", Weighted("{'weight':1}"),
       Bad(clusters + ".clusters[0].name error:RouteAction weighted_cluster cluster contains empty "
                      "cluster name.")},
      {"WeightMissing", Weighted("{'name':'a','weight':1},{'name':'b'}"),
       Bad(clusters + ".clusters[1].weight error:RouteAction weighted_cluster cluster missing "
                      "weight")},
      {"WeightsOfNothing", Weighted(""),
       Bad(clusters + " error:RouteAction weighted_cluster has no valid clusters specified.")},
      {"WeightsAllZero", Weighted("{'name':'a','weight':0},{'name':'b','weight':0}"),
       Bad(clusters + " error:RouteAction weighted_cluster has no valid clusters specified.")},
      {"WeightSum", Weighted("{'name':'a','weight':4294967295},{'name':'b','weight':1}"),
       Bad(clusters + " error:sum of cluster weights exceeds uint32 max")},
      // A31.19
      {"MaxStreamDuration",
       Action("'cluster':'c','max_stream_duration':{'max_stream_duration':'-1s'}"),
       Bad(duration + ".max_stream_duration" + range)},
      // A31.19
      {"GrpcTimeoutHeaderMax",
       Action("'cluster':'c','max_stream_duration':{'grpc_timeout_header_max':'-1s'}"),
       Bad(duration + ".grpc_timeout_header_max" + range)},
  };
}

std::vector<Malformed> Filters() {
  const std::string at = kHost + ".typed_per_filter_config[f]";
  return {
      {"NameEmpty", Overrides(Config("", TypeOf(kFault))),
       Bad(kHost + ".typed_per_filter_config error:empty filter name in map")},
      {"NameIsNoUtf8",
       Field(1, "foo") + Field(2, Proto("envoy.config.route.v3.VirtualHost",
                                        "{'domains':['*'],'routes':[" + kGood + "]}") +
                                      Field(15, Field(1, "\xff") + Field(2, Any("a/b", "")))),
       kDecodesKeys
           ? "Can't parse RouteConfiguration resource."
           : Bad(kHost + ".typed_per_filter_config error:filter name in map is not UTF-8")},
      {"ConfigEmpty", RawOverride(""),
       Bad(at + " error:no filter config specified for filter name f")},
      {"TypeUrlWithoutSlash", RawOverride(Any("MyType", "")),
       Bad(at + ".type_url error:invalid value \"MyType\"; " + at +
           ".value[MyType] error:no filter registered for config type MyType")},
      {"Unknown", Overrides(Config("f", TypeOf(kUnknown))),
       Bad(at + ".value[" + kUnknown + "] error:no filter registered for config type " + kUnknown)},
      {"Router", Overrides(Config("f", TypeOf(kRouter))),
       Bad(at + ".value[" + kRouter + "] error:router filter does not support config override")},
      {"FaultUnparsable",
       RawOverride(Any(std::string("type.googleapis.com/") + kFault, std::string(1, '\0'))),
       Bad(at + ".value[" + kFault + "] error:could not parse fault injection filter config")},
      {"RbacUnparsable",
       RawOverride(Any(std::string("type.googleapis.com/") + kRbacPerRoute, std::string(1, '\0'))),
       Bad(at + ".value[" + kRbacPerRoute + "] error:could not parse RBACPerRoute")},
      {"WrapperUnparsable",
       RawOverride(
           Any("type.googleapis.com/envoy.config.route.v3.FilterConfig", std::string(1, '\0'))),
       Bad(at + " error:could not parse FilterConfig wrapper for f")},
      {"WrapperOfNothing", Overrides(Wrapped("")),
       Bad(at + " error:no filter config specified for filter name f")},
      {"WrapperOfUnknown", Overrides(Wrapped(",'config':{" + TypeOf(kUnknown) + "}")),
       Bad(at + ".value[" + kUnknown + "] error:no filter registered for config type " + kUnknown)},
      {"OfARoute",
       Routes("{'match':{'prefix':''},'route':{'cluster':'c'}," + Config("f", TypeOf(kRouter)) +
              "}"),
       Bad(kRoute + ".typed_per_filter_config[f].value[" + kRouter +
           "] error:router filter does not support config override")},
      {"OfAWeightedCluster",
       Weighted("{'name':'a','weight':1," + Config("f", TypeOf(kRouter)) + "}"),
       Bad(kRoute + ".route.weighted_clusters.clusters[0].typed_per_filter_config[f].value[" +
           kRouter + "] error:router filter does not support config override")},
  };
}

std::vector<Malformed> Several() {
  return {
      {"FaultsOfManyKinds",
       Config("{'domains':['*','x*y'],'routes':["
              "{'route':{'cluster':''}},"
              "{'match':{'safe_regex':{'regex':'('},'headers':[{'name':'a'},"
              "{'name':'b','exact_match':'x'},{'name':'c','range_match':{'start':'1'}}]},"
              "'route':{'weighted_clusters':{'clusters':[{},{'name':'x'}]}}}]},{}"),
       Bad(kHost + ".domains[1] error:Invalid domain pattern \"x*y\".; " + kRoute +
           ".match error:Match can't be null.; " + kRoute +
           ".route.cluster error:RouteAction cluster contains empty cluster name.; " + kHost +
           ".routes[1].match.headers[0] error:Invalid route header matcher specified.; " + kHost +
           ".routes[1].match.headers[2].range_match error:header matcher: Invalid range specifier "
           "specified: end cannot be smaller than start.; " +
           kHost +
           ".routes[1].match.safe_regex error:path matcher: Invalid regex string specified in "
           "matcher.; " +
           kHost +
           ".routes[1].route.weighted_clusters.clusters[0].name error:RouteAction weighted_cluster "
           "cluster contains empty cluster name.; " +
           kHost +
           ".routes[1].route.weighted_clusters.clusters[0].weight error:RouteAction "
           "weighted_cluster cluster missing weight; " +
           kHost +
           ".routes[1].route.weighted_clusters.clusters[1].weight error:RouteAction "
           "weighted_cluster cluster missing weight; "
           "field:virtual_hosts[1].domains error:VirtualHost has no domains")},
  };
}

std::vector<Malformed> Unparsable() {
  const char unparsable[] = "Can't parse RouteConfiguration resource.";
  std::string good = Routes(kGood);
  return {
      {"Truncated", good.substr(0, good.size() - 1), unparsable},
      {"ZeroByte", std::string(1, '\0'), unparsable},
      {"RandomBytes", RandomBytes(4, 500), unparsable},
      {"DomainIsNoUtf8", Field(1, "foo") + Field(2, Field(2, "\xfe")), unparsable},
  };
}

MALFORMED_SUITE(RouteConfigHosts, gxds_route_config_type, Hosts());
MALFORMED_SUITE(RouteConfigMatches, gxds_route_config_type, Matches());
MALFORMED_SUITE(RouteConfigActions, gxds_route_config_type, Actions());
MALFORMED_SUITE(RouteConfigFilters, gxds_route_config_type, Filters());
MALFORMED_SUITE(RouteConfigSeveral, gxds_route_config_type, Several());
MALFORMED_SUITE(RouteConfigUnparsable, gxds_route_config_type, Unparsable());

}  // namespace
}  // namespace grpc_xds_test
