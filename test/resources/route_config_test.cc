#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

// The routes of one virtual host.
class Routes {
 public:
  explicit Routes(const std::string& json)
      : result_(decoder_.Good(
            gxds_route_config_type,
            "{'name':'foo','virtual_hosts':[{'domains':['*'],'routes':[" + json + "]}]}")) {}
  const gxds_virtual_host& host() const { return result_.As<gxds_route_config>().virtual_hosts[0]; }
  size_t size() const { return host().route_count; }
  const gxds_route& operator[](size_t i) const { return host().routes[i]; }

 private:
  Decoder decoder_;
  Decoded result_;
};

std::string Match(const std::string& match) {
  return "{'match':{" + match + "},'route':{'cluster':'c'}}";
}
std::string Header(const std::string& header) {
  return Match("'prefix':'','headers':[{'name':'h'," + header + "}]");
}
std::string Action(const std::string& action) {
  return "{'match':{'prefix':''},'route':{" + action + "}}";
}

TEST(RouteConfigType, IsAsTheProtocolNamesIt) {
  EXPECT_STREQ(gxds_route_config_type.type_url,
               "type.googleapis.com/envoy.config.route.v3.RouteConfiguration");
  EXPECT_STREQ(gxds_route_config_type.v2_type_url,
               "type.googleapis.com/envoy.api.v2.RouteConfiguration");
  EXPECT_STREQ(gxds_route_config_type.short_name, "RDS");
  EXPECT_FALSE(gxds_route_config_type.all_resources_required_in_sotw);
  EXPECT_EQ(gxds_resource_types[1], &gxds_route_config_type);
}

TEST(RouteConfig, KeepsHostsDomainsAndRoutesInOrder) {
  Decoder d;
  Decoded result =
      d.Good(gxds_route_config_type,
             "{'name':'foo','virtual_hosts':[{'domains':['a','*.b'],'routes':["
             "{'match':{'path':'/s/m'},'route':{'cluster':'c1'}},"
             "{'match':{'prefix':'/s/'},'route':{'cluster':'c2'}}]},"
             "{'domains':['*'],'routes':[{'match':{'prefix':''},'route':{'cluster':'c3'}}]}]}");
  const auto& rc = result.As<gxds_route_config>();
  EXPECT_EQ(result.name(), "foo");
  EXPECT_EQ(ToString(rc.name), "foo");
  EXPECT_EQ(rc.base.type, &gxds_route_config_type);
  ASSERT_EQ(rc.virtual_host_count, 2u);
  ASSERT_EQ(rc.virtual_hosts[0].domain_count, 2u);
  EXPECT_EQ(ToString(rc.virtual_hosts[0].domains[1]), "*.b");
  ASSERT_EQ(rc.virtual_hosts[0].route_count, 2u);
  EXPECT_EQ(ToString(rc.virtual_hosts[0].routes[0].clusters[0].name), "c1");
  EXPECT_EQ(ToString(rc.virtual_hosts[0].routes[1].clusters[0].name), "c2");
  EXPECT_EQ(ToString(rc.virtual_hosts[1].routes[0].clusters[0].name), "c3");
}

TEST(RouteConfig, MayBeEmpty) {
  Decoder d;
  Decoded result = d.Good(gxds_route_config_type, "{'name':'foo'}");
  EXPECT_EQ(result.As<gxds_route_config>().virtual_host_count, 0u);
}

// The second host would be lost too if the first one were refused.
TEST(RouteConfig, HostsMayHaveNoRouteThatGrpcCanUse) {
  Decoder d;
  for (const char* routes : {"", "{'match':{'prefix':'/api/v1/users'},'route':{'cluster':'c'}}",
                             "{'match':{'prefix':''},'route':{'cluster_header':'h'}}"}) {
    Decoded result =
        d.Good(gxds_route_config_type,
               "{'name':'foo','virtual_hosts':[{'domains':['a'],'routes':[" + std::string(routes) +
                   "]},{'domains':['b'],'routes':[" + Match("'prefix':''") + "]}]}");
    const auto& rc = result.As<gxds_route_config>();
    ASSERT_EQ(rc.virtual_host_count, 2u) << routes;
    EXPECT_EQ(rc.virtual_hosts[0].route_count, 0u) << routes;
    EXPECT_EQ(rc.virtual_hosts[1].route_count, 1u) << routes;
  }
}

TEST(RouteMatch, Paths) {  // A28.16
  Routes r(Match("'prefix':'/a/'") + "," + Match("'path':'/a/b','case_sensitive':false") + "," +
           Match("'safe_regex':{'regex':'/.*'}") + "," +
           Match("'prefix':'','case_sensitive':true"));
  ASSERT_EQ(r.size(), 4u);
  EXPECT_EQ(r[0].path.kind, GXDS_PATH_PREFIX);
  EXPECT_EQ(ToString(r[0].path.text), "/a/");
  EXPECT_TRUE(r[0].path.case_sensitive);
  EXPECT_EQ(r[1].path.kind, GXDS_PATH_EXACT);
  EXPECT_EQ(ToString(r[1].path.text), "/a/b");
  EXPECT_FALSE(r[1].path.case_sensitive);
  EXPECT_EQ(r[2].path.kind, GXDS_PATH_REGEX);
  EXPECT_EQ(ToString(r[2].path.text), "/.*");
  EXPECT_EQ(ToString(r[3].path.text), "");
  EXPECT_TRUE(r[3].path.case_sensitive);
  EXPECT_EQ(r[0].header_count, 0u);
  EXPECT_EQ(r[0].fraction_per_million, -1);
}

TEST(RouteMatch, PathSeparatedPrefixes) {
  Routes r(Match("'path_separated_prefix':'/a'") + "," +
           Match("'path_separated_prefix':'/a/b','case_sensitive':false"));
  ASSERT_EQ(r.size(), 2u);
  EXPECT_EQ(r[0].path.kind, GXDS_PATH_SEGMENTS);
  EXPECT_EQ(ToString(r[0].path.text), "/a");
  EXPECT_TRUE(r[0].path.case_sensitive);
  EXPECT_EQ(ToString(r[1].path.text), "/a/b");
  EXPECT_FALSE(r[1].path.case_sensitive);
}

TEST(RouteMatch, PathsThatNoRequestHasAreSkipped) {  // A28
  const char* const prefixes[] = {"a", "a/", "//", "//m", "/a/b/", "/a/b/c"};
  const char* const paths[] = {"", "a", "/", "/a", "/a/", "//b", "a/b", "/a/b/", "/a/b/c"};
  for (const char* prefix : prefixes) {
    Routes r(Match(std::string("'prefix':'") + prefix + "'") + "," + Match("'prefix':'/last'"));
    ASSERT_EQ(r.size(), 1u) << prefix;
    EXPECT_EQ(ToString(r[0].path.text), "/last");
  }
  for (const char* segments : {"aa", "//m", "/a/b/c", "a/b"}) {
    Routes r(Match(std::string("'path_separated_prefix':'") + segments + "'") + "," +
             Match("'prefix':'/last'"));
    ASSERT_EQ(r.size(), 1u) << segments;
    EXPECT_EQ(ToString(r[0].path.text), "/last");
  }
  for (const char* path : paths) {
    Routes r(Match(std::string("'path':'") + path + "'") + "," + Match("'prefix':'/last'"));
    ASSERT_EQ(r.size(), 1u) << path;
    EXPECT_EQ(ToString(r[0].path.text), "/last");
  }
}

TEST(RouteMatch, PathsThatRequestsHaveAreKept) {
  const char* const prefixes[] = {"", "/", "/a", "/a/", "/a/b"};
  for (const char* prefix : prefixes) {
    Routes r(Match(std::string("'prefix':'") + prefix + "'"));
    ASSERT_EQ(r.size(), 1u) << prefix;
    EXPECT_EQ(ToString(r[0].path.text), prefix);
  }
}

TEST(RouteMatch, QueryParametersNeverMatch) {  // A28.25
  Routes r(Match("'prefix':'','query_parameters':[{'name':'q'}]") + "," + Match("'prefix':'/k'"));
  ASSERT_EQ(r.size(), 1u);
  EXPECT_EQ(ToString(r[0].path.text), "/k");
}

TEST(RouteMatch, OfGrpcAndTlsAreIgnored) {  // A28.26
  Routes r(Match("'prefix':'/a','grpc':{},'tls_context':{'presented':true}"));
  ASSERT_EQ(r.size(), 1u);
  EXPECT_EQ(r[0].path.kind, GXDS_PATH_PREFIX);
  EXPECT_EQ(ToString(r[0].path.text), "/a");
  EXPECT_EQ(r[0].header_count, 0u);
}

TEST(RouteMatch, ProgramSizeOfARegexIsIgnored) {  // A28.23
  Routes r(Match("'safe_regex':{'google_re2':{'max_program_size':0},'regex':'/[ab]+'}") + "," +
           Header("'safe_regex_match':{'google_re2':{'max_program_size':0},'regex':'[ab]+'}"));
  ASSERT_EQ(r.size(), 2u);
  EXPECT_EQ(ToString(r[0].path.text), "/[ab]+");
  EXPECT_EQ(ToString(r[1].headers[0].text), "[ab]+");
}

TEST(RouteMatch, WhatIsSkippedIsNotValidated) {  // A27.16
  Routes r("{'match':{'prefix':'x','headers':[{}]},'route':{'cluster':''}}," +
           Match("'prefix':'/k'"));
  EXPECT_EQ(r.size(), 1u);
}

TEST(RouteMatch, HeaderTexts) {  // A28.20
  struct {
    const char* json;
    gxds_header_match_kind kind;
  } cases[] = {
      {"'exact_match':'v'", GXDS_HEADER_EXACT},
      {"'prefix_match':'v'", GXDS_HEADER_PREFIX},
      {"'suffix_match':'v'", GXDS_HEADER_SUFFIX},
      {"'contains_match':'v'", GXDS_HEADER_CONTAINS},
      {"'safe_regex_match':{'regex':'v'}", GXDS_HEADER_REGEX},
      {"'string_match':{'exact':'v'}", GXDS_HEADER_EXACT},
      {"'string_match':{'prefix':'v'}", GXDS_HEADER_PREFIX},
      {"'string_match':{'suffix':'v'}", GXDS_HEADER_SUFFIX},
      {"'string_match':{'contains':'v'}", GXDS_HEADER_CONTAINS},
      {"'string_match':{'safe_regex':{'regex':'v'}}", GXDS_HEADER_REGEX},
  };
  for (const auto& c : cases) {
    Routes r(Header(c.json));
    ASSERT_EQ(r[0].header_count, 1u);
    const gxds_header_match& h = r[0].headers[0];
    EXPECT_EQ(h.kind, c.kind) << c.json;
    EXPECT_EQ(ToString(h.name), "h");
    EXPECT_EQ(ToString(h.text), "v") << c.json;
    EXPECT_TRUE(h.case_sensitive);
    EXPECT_FALSE(h.invert);
  }
}

TEST(RouteMatch, HeaderTextsMayIgnoreCase) {  // A63
  Routes r(Header("'string_match':{'exact':'v','ignore_case':true}"));
  EXPECT_FALSE(r[0].headers[0].case_sensitive);
}

TEST(RouteMatch, AMissingHeaderMayCountAsAnEmptyOne) {
  Routes r(Header("'string_match':{'exact':'v'}") + "," +
           Header("'string_match':{'exact':'v'},'invert_match':true,"
                  "'treat_missing_header_as_empty':true"));
  EXPECT_FALSE(r[0].headers[0].missing_is_empty);
  EXPECT_TRUE(r[1].headers[0].missing_is_empty);
  EXPECT_TRUE(r[1].headers[0].invert);
}

TEST(RouteMatch, HeaderRangeAndPresence) {  // A28.20
  Routes r(
      Match("'prefix':'','headers':["
            "{'name':'a','range_match':{'start':'-5','end':'7'},'invert_match':true},"
            "{'name':'b','present_match':true},{'name':'c','present_match':false},"
            "{'name':'d','range_match':{}}]"));
  ASSERT_EQ(r[0].header_count, 4u);
  const gxds_header_match* h = r[0].headers;
  EXPECT_EQ(h[0].kind, GXDS_HEADER_RANGE);
  EXPECT_EQ(h[0].range_start, -5);
  EXPECT_EQ(h[0].range_end, 7);
  EXPECT_TRUE(h[0].invert);
  EXPECT_EQ(h[1].kind, GXDS_HEADER_PRESENT);
  EXPECT_TRUE(h[1].present);
  EXPECT_EQ(h[2].kind, GXDS_HEADER_PRESENT);
  EXPECT_FALSE(h[2].present);
  EXPECT_EQ(h[3].range_end, 0) << "an empty range is allowed";
}

TEST(RouteMatch, Fractions) {  // A28.24
  auto per_million = [](const std::string& value) {
    Routes r(Match("'prefix':'','runtime_fraction':{" + value + "}"));
    return r[0].fraction_per_million;
  };
  EXPECT_EQ(per_million("'default_value':{'numerator':5}"), 50000);
  EXPECT_EQ(per_million("'default_value':{'numerator':5,'denominator':'TEN_THOUSAND'}"), 500);
  EXPECT_EQ(per_million("'default_value':{'numerator':5,'denominator':'MILLION'}"), 5);
  EXPECT_EQ(per_million("'default_value':{}"), 0);
  EXPECT_EQ(per_million("'default_value':{'numerator':4294967295}"), 1000000);
  EXPECT_EQ(per_million("'runtime_key':'k'"), -1) << "gRPC has no runtime";
}

// As in Envoy. Keys of metadata are in lower case, so another name would match no RPC.
TEST(RouteMatch, HeaderNamesAreInLowerCase) {
  Routes r(Match("'prefix':'','headers':[{'name':'X-User-Id','exact_match':'Bob'}]"));
  ASSERT_EQ(r[0].header_count, 1u);
  EXPECT_EQ(ToString(r[0].headers[0].name), "x-user-id");
  EXPECT_EQ(ToString(r[0].headers[0].text), "Bob");
}

TEST(RouteAction, OneCluster) {  // A28.29
  Routes r(Action("'cluster':'c'"));
  EXPECT_EQ(r[0].action, GXDS_ROUTE_CLUSTERS);
  ASSERT_EQ(r[0].cluster_count, 1u);
  EXPECT_EQ(ToString(r[0].clusters[0].name), "c");
  EXPECT_EQ(r[0].clusters[0].weight, 1u);
  EXPECT_EQ(r[0].total_weight, 1u);
  EXPECT_EQ(r[0].max_stream_duration, -1);
}

TEST(RouteAction, WeightedClustersWithoutThoseOfNoWeight) {  // A28.30
  Routes r(
      Action("'weighted_clusters':{'clusters':[{'name':'a','weight':10},"
             "{'name':'zero','weight':0},{'name':'b','weight':4294967285}]}"));
  ASSERT_EQ(r[0].cluster_count, 2u);
  EXPECT_EQ(ToString(r[0].clusters[0].name), "a");
  EXPECT_EQ(r[0].clusters[0].weight, 10u);
  EXPECT_EQ(ToString(r[0].clusters[1].name), "b");
  EXPECT_EQ(r[0].total_weight, 4294967295u) << "as much as 32 bits hold";
}

TEST(RouteAction, TotalWeightIsTheSum) {  // A28
  for (const char* total : {"", "'total_weight':3,", "'total_weight':100,"}) {
    Routes r(Action("'weighted_clusters':{" + std::string(total) +
                    "'clusters':[{'name':'a','weight':1},{'name':'b','weight':2}]}"));
    EXPECT_EQ(r[0].total_weight, 3u) << total;
  }
}

TEST(RouteAction, WhatGrpcHasNoClusterForIsSkipped) {  // A28.32
  Routes r(Action("'cluster_header':'h'") + "," + Action("") + "," + Action("'cluster':'c'"));
  ASSERT_EQ(r.size(), 1u);
  EXPECT_EQ(ToString(r[0].clusters[0].name), "c");
}

TEST(RouteAction, OthersFailTheRpc) {  // A28.28
  Routes r(
      "{'match':{'prefix':''},'non_forwarding_action':{}},"
      "{'match':{'prefix':''},'redirect':{}},"
      "{'match':{'prefix':''},'direct_response':{'status':404}},{'match':{'prefix':''}}");
  ASSERT_EQ(r.size(), 4u);
  EXPECT_EQ(r[0].action, GXDS_ROUTE_NON_FORWARDING);
  EXPECT_EQ(r[1].action, GXDS_ROUTE_UNSUPPORTED);
  EXPECT_EQ(r[2].action, GXDS_ROUTE_UNSUPPORTED);
  EXPECT_EQ(r[3].action, GXDS_ROUTE_UNSUPPORTED);
  EXPECT_EQ(r[1].cluster_count, 0u);
}

TEST(RouteAction, MaxStreamDuration) {
  // A31.13, A31.14, A31.16: the limit of grpc-timeout takes precedence
  auto duration = [](const std::string& fields) {
    Routes r(Action("'cluster':'c','max_stream_duration':{" + fields + "}"));
    return r[0].max_stream_duration;
  };
  EXPECT_EQ(duration("'max_stream_duration':'2s'"), 2 * GXDS_SECOND);
  EXPECT_EQ(duration("'max_stream_duration':'2s','grpc_timeout_header_max':'3s'"), 3 * GXDS_SECOND);
  EXPECT_EQ(duration("'max_stream_duration':'2s','grpc_timeout_header_max':'0s'"), 0);
  EXPECT_EQ(duration(""), -1);
}

TEST(RouteAction, OtherTimeoutsAreIgnored) {  // A31.18
  Routes r(
      Action("'cluster':'c','timeout':'1s','max_grpc_timeout':'1s','grpc_timeout_offset':'1s'") +
      "," +
      Action("'cluster':'c','max_stream_duration':{'max_stream_duration':'3s',"
             "'grpc_timeout_header_offset':'1s'}"));
  ASSERT_EQ(r.size(), 2u);
  EXPECT_EQ(r[0].max_stream_duration, -1);
  EXPECT_EQ(r[1].max_stream_duration, 3 * GXDS_SECOND);
}

TEST(FilterOverrides, OfKnownAndOptionalFiltersAreAccepted) {  // A39
  const char overrides[] =
      "'typed_per_filter_config':{"
      "'fault':{'@type':'type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault'},"
      "'rbac':{'@type':'type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBACPerRoute'},"
      "'gone':{'@type':'type.googleapis.com/envoy.config.route.v3.FilterConfig',"
      "'is_optional':true},"
      "'new':{'@type':'type.googleapis.com/envoy.config.route.v3.FilterConfig','is_optional':true,"
      "'config':{'@type':'type.googleapis.com/envoy.config.listener.v3.Listener'}},"
      "'wrapped':{'@type':'type.googleapis.com/envoy.config.route.v3.FilterConfig',"
      "'config':{'@type':'type.googleapis.com/"
      "envoy.extensions.filters.http.fault.v3.HTTPFault'}}}";
  Routes r("{'match':{'prefix':''},'route':{'cluster':'c'}," + std::string(overrides) + "}");
  EXPECT_EQ(r.size(), 1u);
}

// The type of a message in an Any is what follows the last slash.
TEST(FilterOverrides, AWrapperIsKnownByItsTypeWhateverIsBeforeIt) {
  Decoder d;
  std::string wrapper = Any("types.example/envoy.config.route.v3.FilterConfig",
                            Proto("envoy.config.route.v3.FilterConfig", "{'is_optional':true}"));
  std::string host = Proto("envoy.config.route.v3.VirtualHost",
                           "{'domains':['*'],'routes':[" + Match("'prefix':''") + "]}");
  Decoded result = d.Decode(gxds_route_config_type,
                            Field(2, host + Field(15, Field(1, "f") + Field(2, wrapper))));
  EXPECT_EQ(result.message(), "");
}

TEST(RegexCheck, IsNotNeeded) {
  gxds_decode_context context = {};
  gxds_decoded decoded = {};
  std::string bytes =
      Resource(gxds_route_config_type, "{'virtual_hosts':[{'domains':['*'],'routes':[" +
                                           Match("'safe_regex':{'regex':'('}") + "]}]}");
  gxds_status status = gxds_route_config_type.decode(&context, ToGxds(bytes), &decoded);
  EXPECT_EQ(status.code, GXDS_OK);
  Decoded(status, decoded);
}

}  // namespace
}  // namespace grpc_xds_test
