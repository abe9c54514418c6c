// The fields of a route besides its clusters: hash policies (A42), retries (A44), plugins (A74).
#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

std::string Action(const std::string& more) {
  return "{'match':{'prefix':''},'route':{'cluster':'c'" + more + "}}";
}
std::string Config(const std::string& routes, const std::string& of_host = "",
                   const std::string& of_config = "") {
  return "{'name':'foo'" + of_config + ",'virtual_hosts':[{'domains':['*']" + of_host +
         ",'routes':[" + routes + "]}]}";
}

// The routes of a virtual host.
class Routes {
 public:
  explicit Routes(const std::string& config)
      : result_(decoder_.Good(gxds_route_config_type, config)) {}
  const gxds_virtual_host& host() const { return result_.As<gxds_route_config>().virtual_hosts[0]; }
  size_t size() const { return host().route_count; }
  const gxds_route& operator[](size_t i) const { return host().routes[i]; }

 private:
  Decoder decoder_;
  Decoded result_;
};

std::string Bad(const std::string& errors) {
  return "errors validating RouteConfiguration resource: [" + errors + "]";
}
const std::string kHost = "field:virtual_hosts[0]";
const std::string kRoute = kHost + ".routes[0].route";

Malformed Rule(const char* name, const std::string& config, const std::string& errors) {
  return {name, Resource(gxds_route_config_type, config), Bad(errors)};
}

// ---- hash policies ----

TEST(HashPolicy, Header) {  // A42.4
  Routes r(
      Config(Action(",'hash_policy':[{'header':{'header_name':'h'},'terminal':true},"
                    "{'header':{'header_name':'i','regex_rewrite':{'pattern':{'regex':'a+'},"
                    "'substitution':'b'}}}]")));
  ASSERT_EQ(r[0].hash_policy_count, 2u);
  const gxds_hash_policy* p = r[0].hash_policies;
  EXPECT_EQ(p[0].kind, GXDS_HASH_HEADER);
  EXPECT_EQ(ToString(p[0].header), "h");
  EXPECT_TRUE(p[0].terminal);
  EXPECT_FALSE(p[0].has_rewrite);
  EXPECT_EQ(ToString(p[1].header), "i");
  EXPECT_FALSE(p[1].terminal);
  EXPECT_TRUE(p[1].has_rewrite);
  EXPECT_EQ(ToString(p[1].rewrite_regex), "a+");
  EXPECT_EQ(ToString(p[1].rewrite_text), "b");
}

// As in Envoy. Keys of metadata are in lower case, so another name would give no hash.
TEST(HashPolicy, HeaderNamesAreInLowerCase) {
  Routes r(Config(Action(",'hash_policy':[{'header':{'header_name':'X-User-Id'}}]")));
  ASSERT_EQ(r[0].hash_policy_count, 1u);
  EXPECT_EQ(ToString(r[0].hash_policies[0].header), "x-user-id");
}

TEST(HashPolicy, ChannelId) {  // A42.8
  Routes r(
      Config(Action(",'hash_policy':[{'filter_state':{'key':'io.grpc.channel_id'},'terminal':true},"
                    "{'filter_state':{'key':'other'}}]")));
  ASSERT_EQ(r[0].hash_policy_count, 1u);
  EXPECT_EQ(r[0].hash_policies[0].kind, GXDS_HASH_CHANNEL_ID);
  EXPECT_TRUE(r[0].hash_policies[0].terminal);
}

TEST(HashPolicy, OfOtherKindsNeverGiveAHash) {  // A42.9
  Routes r(
      Config(Action(",'hash_policy':[{'cookie':{'name':'x'}},{'connection_properties':{}},"
                    "{'query_parameter':{'name':'x'}},{},{'header':{'header_name':'h'}}]")));
  ASSERT_EQ(r[0].hash_policy_count, 1u);
  EXPECT_EQ(ToString(r[0].hash_policies[0].header), "h");
}

TEST(HashPolicy, NoneUnlessConfigured) {  // A42
  Routes r(Config(Action("")));
  EXPECT_EQ(r[0].hash_policy_count, 0u);
}

// Without its hash, the RPCs of a user would be spread without a sign.
std::vector<Malformed> HashPolicies() {
  auto policy = [](const std::string& header) {
    return Config(Action(",'hash_policy':[{'cookie':{'name':'x'}},{'header':{" + header + "}}]"));
  };
  const std::string at = kRoute + ".hash_policy[1].header";
  const std::string at_pattern = at + ".regex_rewrite.pattern";
  return {
      Rule("HeaderWithoutName", policy(""), at + ".header_name error:must be non-empty"),
      Rule("RewriteWithoutPattern", policy("'header_name':'h','regex_rewrite':{}"),
           at_pattern + " error:field not present"),
      Rule("RewriteWithoutRegex", policy("'header_name':'h','regex_rewrite':{'pattern':{}}"),
           at_pattern + ".regex error:field not present"),
      Rule("RewriteWithAnInvalidRegex",
           policy("'header_name':'h','regex_rewrite':{'pattern':{'regex':'('}}"),
           at_pattern + ".regex error:Invalid regex string specified in matcher."),
      Rule("SeveralFaults", policy("'regex_rewrite':{}"),
           at + ".header_name error:must be non-empty; " + at_pattern + " error:field not present"),
  };
}

MALFORMED_SUITE(HashPolicyRules, gxds_route_config_type, HashPolicies());  // A42

// ---- retries ----

std::string Retry(const std::string& fields) { return ",'retry_policy':{" + fields + "}"; }
std::string RenderJson(const gxds_retry_policy* policy) {
  if (policy == nullptr) return "none";
  gxds_text text = {};
  gxds_retry_policy_render_json(policy, &text);
  std::string out = ToString(gxds_text_str(&text));
  gxds_text_fini(&text);
  return out;
}

TEST(RetryPolicy, Defaults) {  // A44.3, A44.5
  Routes r(Config(Action(Retry("'retry_on':'unavailable'"))));
  const gxds_retry_policy* p = r[0].retry_policy;
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(p->codes, 1u << 14);
  EXPECT_EQ(p->num_retries, 1u);
  EXPECT_EQ(p->base_interval, 25 * GXDS_MILLISECOND);
  EXPECT_EQ(p->max_interval, 250 * GXDS_MILLISECOND);
}

TEST(RetryPolicy, IsNoneUnlessConfigured) {  // A44
  EXPECT_EQ(Routes(Config(Action("")))[0].retry_policy, nullptr);
}

TEST(RetryPolicy, InAMethodConfig) {  // A44
  Routes r(
      Config(Action(Retry("'retry_on':'cancelled,deadline-exceeded,internal,resource-exhausted,"
                          "unavailable','num_retries':3,'retry_back_off':{'base_interval':'1s',"
                          "'max_interval':'1.5s'}"))));
  EXPECT_EQ(RenderJson(r[0].retry_policy),
            Json("{'maxAttempts':4,'initialBackoff':'1.000000000s','maxBackoff':'1.500000000s',"
                 "'backoffMultiplier':2,'retryableStatusCodes':['CANCELLED','DEADLINE_EXCEEDED',"
                 "'INTERNAL','RESOURCE_EXHAUSTED','UNAVAILABLE']}"));
}

TEST(RetryPolicy, MoreThanFiveAttemptsAreFive) {  // A44.4, A6
  for (const char* retries : {"4", "5", "4294967295"}) {
    Routes r(Config(Action(Retry("'retry_on':'internal','num_retries':" + std::string(retries)))));
    EXPECT_EQ(RenderJson(r[0].retry_policy).rfind("{\"maxAttempts\":5,", 0), 0u) << retries;
  }
}

TEST(RetryPolicy, ConditionsThatGrpcDoesNotHaveAreIgnored) {  // A44.1
  Routes r(Config(Action(Retry("'retry_on':'5xx,cancelled,,gateway-error,Internal'"))));
  EXPECT_EQ(r[0].retry_policy->codes, 1u << 1);
}

// As in Envoy, grpc-go and grpc-java.
TEST(RetryPolicy, ConditionsMayHaveBlanksAroundThem) {
  Routes r(Config(Action(Retry("'retry_on':' cancelled , 5xx,\\tunavailable '"))));
  ASSERT_NE(r[0].retry_policy, nullptr);
  EXPECT_EQ(r[0].retry_policy->codes, 1u << 1 | 1u << 14);
}

TEST(RetryPolicy, WithoutConditionsIsNone) {  // A44.2
  EXPECT_EQ(Routes(Config(Action(Retry("'retry_on':'5xx'"))))[0].retry_policy, nullptr);
  EXPECT_EQ(Routes(Config(Action(Retry("'num_retries':2"))))[0].retry_policy, nullptr);
}

TEST(RetryPolicy, OfTheVirtualHostUnlessTheRouteHasItsOwn) {  // A44.9
  Routes r(Config(Action("") + "," + Action(Retry("'retry_on':'internal'")) + "," +
                      Action(Retry("'retry_on':'5xx'")),
                  Retry("'retry_on':'cancelled'")));
  ASSERT_EQ(r.size(), 3u);
  ASSERT_NE(r[0].retry_policy, nullptr);
  EXPECT_EQ(r[0].retry_policy->codes, 1u << 1);
  ASSERT_NE(r[1].retry_policy, nullptr);
  EXPECT_EQ(r[1].retry_policy->codes, 1u << 13);
  EXPECT_EQ(r[2].retry_policy, nullptr) << "one that tries nothing again counts too";
}

TEST(RetryPolicy, BackOff) {  // A44.6, A44.7
  auto back_off = [](const std::string& fields) {
    Routes r(Config(Action(Retry("'retry_on':'internal','retry_back_off':{" + fields + "}"))));
    return std::make_pair(r[0].retry_policy->base_interval, r[0].retry_policy->max_interval);
  };
  EXPECT_EQ(back_off("'base_interval':'2s'"), std::make_pair(2 * GXDS_SECOND, 20 * GXDS_SECOND))
      << "ten times as much";
  EXPECT_EQ(back_off("'base_interval':'2s','max_interval':'2s'"),
            std::make_pair(2 * GXDS_SECOND, 2 * GXDS_SECOND));
  EXPECT_EQ(back_off("'base_interval':'0.000000001s'"),
            std::make_pair(GXDS_MILLISECOND, GXDS_MILLISECOND))
      << "never less than a millisecond";
  EXPECT_EQ(back_off("'base_interval':'0.0000002s','max_interval':'0.000000300s'"),
            std::make_pair(GXDS_MILLISECOND, GXDS_MILLISECOND));
  EXPECT_EQ(back_off("'base_interval':'315576000000s'").second, INT64_MAX);
}

TEST(RetryPolicy, BackOffIsNeverShorterThanTheHostCanMakeIt) {
  Decoder decoder;
  decoder.SetShortestRetryBackoff(3 * GXDS_MILLISECOND);
  auto back_off = [&](const std::string& fields) {
    Decoded r = decoder.Good(
        gxds_route_config_type,
        Config(Action(Retry("'retry_on':'internal','retry_back_off':{" + fields + "}"))));
    const auto* rc = reinterpret_cast<const gxds_route_config*>(r.resource());
    const gxds_retry_policy* policy = rc->virtual_hosts[0].routes[0].retry_policy;
    return std::make_pair(policy->base_interval, policy->max_interval);
  };
  EXPECT_EQ(back_off("'base_interval':'0.001s','max_interval':'0.002s'"),
            std::make_pair(3 * GXDS_MILLISECOND, 3 * GXDS_MILLISECOND));
  EXPECT_EQ(back_off("'base_interval':'0.001s'"),
            std::make_pair(3 * GXDS_MILLISECOND, 10 * GXDS_MILLISECOND));
  EXPECT_EQ(back_off("'base_interval':'0.004s'"),
            std::make_pair(4 * GXDS_MILLISECOND, 40 * GXDS_MILLISECOND));
}

TEST(RetryPolicy, WhatGrpcDoesNotSupportIsIgnored) {  // A44.8
  Routes r(
      Config(Action(Retry("'retry_on':'internal','per_try_timeout':'-1s',"
                          "'host_selection_retry_max_attempts':'7','retriable_status_codes':[1],"
                          "'rate_limited_retry_back_off':{}"))));
  EXPECT_NE(r[0].retry_policy, nullptr);
}

std::vector<Malformed> Retries() {
  const std::string at = kRoute + ".retry_policy";
  const std::string at_base = at + ".retry_back_off.base_interval";
  const std::string at_max = at + ".retry_back_off.max_interval";
  const std::string missing = " error:RouteAction RetryPolicy RetryBackoff missing base interval.";
  const std::string zero = " error:RouteAction RetryPolicy num_retries set to invalid value 0.";
  const std::string seconds = ".seconds error:value must be in the range [0, 315576000000]";
  auto back_off = [](const std::string& fields) {
    return Config(Action(Retry("'retry_on':'internal','retry_back_off':{" + fields + "}")));
  };
  return {
      Rule("NoRetries", Config(Action(Retry("'num_retries':0"))), at + ".num_retries" + zero),
      Rule("BaseMissing", back_off(""), at_base + missing),
      Rule("BaseMissingBesideTheMost", back_off("'max_interval':'1s'"), at_base + missing),
      Rule("BaseNegative", back_off("'base_interval':'-1s'"), at_base + seconds),
      Rule("BaseZero", back_off("'base_interval':'0s'"), at_base + " error:must be greater than 0"),
      Rule("MostNegative", back_off("'base_interval':'1s','max_interval':'-1s'"), at_max + seconds),
      Rule("MostZero", back_off("'base_interval':'1s','max_interval':'0s'"),
           at_max + " error:must be greater than 0"),
      Rule("MostLessThanBase", back_off("'base_interval':'1s','max_interval':'0.999s'"),
           at_max + " error:must not be less than base_interval"),
      Rule("OfTheVirtualHost", Config(Action(""), Retry("'num_retries':0")),
           kHost + ".retry_policy.num_retries" + zero),
      Rule("FaultsOfManyKinds",
           Config(Action(Retry("'num_retries':0,'retry_back_off':{'max_interval':'-1.5s'}"))),
           at + ".num_retries" + zero + "; " + at_base + missing + "; " + at_max +
               ".nanos error:value must be in the range [0, 999999999]; " + at_max + seconds),
  };
}

MALFORMED_SUITE(RetryPolicies, gxds_route_config_type, Retries());  // A44

// ---- cluster specifier plugins ----

const char kRls[] = "grpc.lookup.v1.RouteLookupClusterSpecifier";
const char kUnknown[] = "envoy.config.listener.v3.Listener";

std::string Plugin(const std::string& name, const std::string& type, const std::string& config = "",
                   const std::string& more = "") {
  return "{'extension':{'name':'" + name + "','typed_config':{'@type':'type.googleapis.com/" +
         type + "'" + config + "}}" + more + "}";
}
std::string Rls(const std::string& name, const std::string& service = "s") {
  return Plugin(name, kRls, ",'route_lookup_config':{'lookup_service':'" + service + "'}");
}
std::string Plugins(const std::string& plugins) {
  return ",'cluster_specifier_plugins':[" + plugins + "]";
}
std::string Cluster(const std::string& name) {
  return "{'match':{'prefix':''},'route':{'cluster':'" + name + "'}}";
}
std::string To(const std::string& plugin) {
  return "{'match':{'prefix':''},'route':{'cluster_specifier_plugin':'" + plugin + "'}}";
}

TEST(ClusterSpecifierPlugin, RouteLookup) {  // A74: its cds children are dynamic
  Routes r(Config(To("p") + "," + To("p"), "",
                  Plugins(Plugin("p", kRls,
                                 ",'route_lookup_config':{'lookup_service':'s',"
                                 "'lookup_service_timeout':'2s','cache_size_bytes':'7',"
                                 "'grpc_keybuilders':[{'names':[{'service':'a'}],"
                                 "'headers':[{'key':'k','names':['n']}]}]}"))));
  ASSERT_EQ(r.size(), 2u);
  EXPECT_EQ(r[0].action, GXDS_ROUTE_PLUGIN);
  EXPECT_EQ(r[0].cluster_count, 0u);
  EXPECT_EQ(ToString(r[0].rare->plugin->name), "p");
  EXPECT_EQ(ToString(r[0].rare->plugin->server), "s");
  EXPECT_EQ(ToString(r[0].rare->plugin->lb_json),
            Json("[{'rls_experimental':{'routeLookupConfig':{'grpcKeybuilders':[{'names':["
                 "{'service':'a'}],'headers':[{'key':'k','names':['n']}]}],'lookupService':'s',"
                 "'lookupServiceTimeout':'2s','cacheSizeBytes':'7'},"
                 "'childPolicy':[{'cds_experimental':{'isDynamic':true}}],"
                 "'childPolicyConfigTargetFieldName':'cluster'}}]"));
  EXPECT_EQ(r[0].rare->plugin->lb_json.data, r[1].rare->plugin->lb_json.data)
      << "one text for a virtual host";
}

TEST(ClusterSpecifierPlugin, IsFoundByName) {
  Routes r(Config(To("b") + "," + To("a") + "," + To("c"), "",
                  Plugins(Rls("c", "of-c") + "," + Rls("a", "of-a") + "," + Rls("b", "of-b"))));
  const char* services[] = {"of-b", "of-a", "of-c"};
  for (size_t i = 0; i < 3; i++) {
    EXPECT_NE(ToString(r[i].rare->plugin->lb_json).find(services[i]), std::string::npos) << i;
  }
}

TEST(ClusterSpecifierPlugin, RoutesToOptionalUnknownOnesAreIgnored) {
  Routes r(Config(To("p") + "," + Action(""), "",
                  Plugins(Plugin("p", kUnknown, "", ",'is_optional':true"))));
  ASSERT_EQ(r.size(), 1u);
  EXPECT_EQ(r[0].action, GXDS_ROUTE_CLUSTERS);
}

TEST(ClusterSpecifierPlugin, HasWhatOtherRoutesHave) {
  Routes r(
      Config("{'match':{'prefix':''},'route':{'cluster_specifier_plugin':'p',"
             "'max_stream_duration':{'max_stream_duration':'1s'},"
             "'hash_policy':[{'header':{'header_name':'h'}}]" +
                 Retry("'retry_on':'internal'") + "}}",
             "", Plugins(Rls("p"))));
  EXPECT_EQ(r[0].max_stream_duration, GXDS_SECOND);
  EXPECT_EQ(r[0].hash_policy_count, 1u);
  EXPECT_NE(r[0].retry_policy, nullptr);
}

// A route configuration with a plugin "p" of raw bytes.
std::string RawPlugin(const std::string& any) {
  return Resource(gxds_route_config_type, Config(Action(""))) +
         Field(12, Field(1, Field(1, "p") + Field(2, any)));
}

std::vector<Malformed> PluginRules() {
  const std::string at = "field:cluster_specifier_plugins[0].extension";
  const std::string at_rls = at + ".typed_config.value[" + kRls + "]";
  const std::string rls = std::string("type.googleapis.com/") + kRls;
  const std::string at_route = kRoute + ".cluster_specifier_plugin";
  const std::string unknown =
      " error:RouteAction cluster contains cluster specifier plugin name "
      "not configured: ";
  const std::string named =
      "a name that begins with \"cluster_specifier_plugin:\" is a cluster specifier plugin's; "
      "expected a cluster's";
  return {
      Rule("ExtensionMissing", Config(Action(""), "", Plugins("{}")),
           at + " error:field not present"),
      Rule("ConfigMissing", Config(Action(""), "", Plugins("{'extension':{'name':'p'}}")),
           at + ".typed_config error:field not present"),
      {"TypeUrlMissing", RawPlugin(Any("", "")),
       Bad(at + ".typed_config.type_url error:field not present")},
      {"TypeUrlWithoutSlash", RawPlugin(Any("Rls", "")),
       Bad(at + ".typed_config.type_url error:invalid value \"Rls\"")},
      Rule("NameTwice", Config(To("p"), "", Plugins(Rls("p") + "," + Rls("q") + "," + Rls("p"))),
           "field:cluster_specifier_plugins[2].extension.name error:Duplicated definition of "
           "cluster_specifier_plugin p"),
      Rule("Unknown", Config(Action(""), "", Plugins(Plugin("p", kUnknown))),
           at + ".typed_config.value[" + kUnknown + "] error:Unknown ClusterSpecifierPlugin type " +
               kUnknown),
      Rule("UnknownIsReportedOnce", Config(To("p"), "", Plugins(Plugin("p", kUnknown))),
           at + ".typed_config.value[" + kUnknown + "] error:Unknown ClusterSpecifierPlugin type " +
               kUnknown),
      {"RlsUnparsable", RawPlugin(Any(rls, std::string(1, '\0'))),
       Bad(at_rls + " error:could not parse plugin config")},
      {"RlsInATypedStruct",
       RawPlugin(Any("type.googleapis.com/xds.type.v3.TypedStruct", Field(1, rls))),
       Bad(at + ".typed_config.value[xds.type.v3.TypedStruct].value[" + kRls +
           "] error:could not parse plugin config")},
      Rule("RlsOfNothing", Config(To("p"), "", Plugins(Plugin("p", kRls))),
           at_rls + " error:Could not get route lookup config from route lookup cluster specifier"),
      {"RlsThatJsonHasNoFormFor", RawPlugin(Any(rls, Field(1, Field(5, Number(1, 400000000000))))),
       Bad(at_rls + " error:failed to dump proto to JSON: bad duration")},
      {"RlsWithAKeyThatIsNoUtf8",
       RawPlugin(Any(rls, Field(1, Field(2, Field(4, Field(1, "\xff") + Field(2, "v")))))),
       Bad(at_rls + (kDecodesKeys ? " error:could not parse plugin config"
                                  : " error:failed to dump proto to JSON: not UTF-8"))},
      Rule("RlsRefusedByTheRegistry", Config(To("p"), "", Plugins(Rls("p", "bad"))),
           at_rls + " error:the registry's words"),
      Rule("RouteToAnEmptyName", Config(To("")),
           at_route + " error:RouteAction cluster contains empty cluster specifier plugin name."),
      Rule("RouteToNone", Config(To("p")), at_route + unknown + "p"),
      Rule("RouteToAnother", Config(To("p"), "", Plugins(Rls("a") + "," + Rls("q"))),
           at_route + unknown + "p"),
      Rule("RouteToAClusterThatIsNamedLikeOne", Config(Cluster("cluster_specifier_plugin:p")),
           kRoute + ".cluster error:" + named),
      Rule("RouteToClustersOfWhichOneIsNamedLikeOne",
           Config("{'match':{'prefix':''},'route':{'weighted_clusters':{'clusters':[{'name':'a',"
                  "'weight':1},{'name':'cluster_specifier_plugin:','weight':1}]}}}"),
           kRoute + ".weighted_clusters.clusters[1].name error:" + named),
  };
}

MALFORMED_SUITE(ClusterSpecifierPlugins, gxds_route_config_type, PluginRules());  // A28

}  // namespace
}  // namespace grpc_xds_test
