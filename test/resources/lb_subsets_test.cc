// Subsets by metadata (E5): of a Cluster, of routes, of endpoints.
#include "resources/lb_subsets.h"

#include "resources/cluster.h"
#include "resources/endpoints.h"
#include "resources/route_config.h"
#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

gxds_str View(const std::string& s) { return gxds_str_of(s.data(), s.size()); }

// ---- metadata ----

std::string Walk(const std::string& text) {
  std::string out;
  gxds_str name, value;
  for (gxds_str rest = View(text); gxds_metadata_next(&rest, &name, &value);) {
    out += ToString(name) + " is " + ToString(value) + "; ";
  }
  return out;
}

TEST(LbMetadata, MembersAreTakenOneByOne) {
  EXPECT_EQ(Walk(""), "");
  EXPECT_EQ(Walk("{}"), "");
  EXPECT_EQ(Walk(R"({"a":1})"), R"("a" is 1; )");
  EXPECT_EQ(Walk(R"({"a\"}":"x,}\\","b":{"c":[1,{"d":"]"}]},"e":[]})"),
            R"("a\"}" is "x,}\\"; "b" is {"c":[1,{"d":"]"}]}; "e" is []; )");
}

TEST(LbMetadata, WhatIsCutOffEndsTheWalk) {
  const std::string whole = R"({"a":"b","c":{"d":[1,2]}})";
  for (size_t size = 0; size < whole.size(); size++) Walk(whole.substr(0, size));
  EXPECT_EQ(Walk("[1]"), "");
}

TEST(LbMetadata, AllThatIsWantedMustBeThere) {  // E5.2, E5.7
  const std::string has = R"({"n":1,"stage":"prod","version":"v1"})";
  const auto matches = [&](const std::string& wanted, bool any = false) {
    return gxds_metadata_matches(View(has), View(wanted), any);
  };
  EXPECT_TRUE(matches(R"({"version":"v1"})"));
  EXPECT_TRUE(matches(R"({"n":1,"version":"v1"})"));
  EXPECT_TRUE(matches(has));
  EXPECT_FALSE(matches(R"({"version":"v2"})"));
  EXPECT_FALSE(matches(R"({"n":"1"})")) << "a number is no string";
  EXPECT_FALSE(matches(R"({"other":1,"version":"v1"})"));
  EXPECT_FALSE(gxds_metadata_matches(View(""), View(R"({"n":1})"), true));
}

TEST(LbMetadata, AnItemOfAListMatchesWhereThatIsConfigured) {  // E5.7
  const std::string has = R"({"version":["v1",{"a":[1]},"v2"]})";
  const auto matches = [&](const std::string& value, bool any) {
    return gxds_metadata_matches(View(has), View(R"({"version":)" + value + "}"), any);
  };
  EXPECT_TRUE(matches(R"("v2")", true));
  EXPECT_TRUE(matches(R"({"a":[1]})", true));
  EXPECT_FALSE(matches(R"("v3")", true));
  EXPECT_FALSE(matches("1", true)) << "of another list";
  EXPECT_FALSE(matches(R"("v2")", false));
  EXPECT_TRUE(matches(R"(["v1",{"a":[1]},"v2"])", false)) << "the list itself";
}

// ---- clusters ----

const std::string kEds = "'name':'foo','type':'EDS','eds_cluster_config':{'eds_config':{'ads':{}}}";

class Subsets {
 public:
  explicit Subsets(const std::string& config, bool on = true) {
    decoder_.UseSubsets(on);
    result_ = std::make_unique<Decoded>(
        decoder_.Good(gxds_cluster_type, "{" + kEds + ",'lb_subset_config':{" + config + "}}"));
  }
  const gxds_lb_subsets* get() const { return gxds_cluster_subsets(&result_->As<gxds_cluster>()); }
  const gxds_lb_subsets* operator->() const { return get(); }

 private:
  Decoder decoder_;
  std::unique_ptr<Decoded> result_;
};

std::string Keys(const gxds_subset_keys& keys) {
  std::string out;
  for (size_t i = 0; i < keys.count; i++) out += ToString(keys.keys[i]);
  return out;
}

TEST(LbSubsets, AreOffUnlessTheServerHasThatFeature) {  // E5.1
  EXPECT_EQ(Subsets("'subset_selectors':[{'keys':['a']}]", false).get(), nullptr);
  EXPECT_NE(Subsets("'subset_selectors':[{'keys':['a']}]").get(), nullptr);
}

TEST(LbSubsets, AreOffWithoutSelectors) {  // E5.8
  EXPECT_EQ(Subsets("'fallback_policy':'ANY_ENDPOINT'").get(), nullptr);
}

TEST(LbSubsets, AllFieldsAreRead) {  // E5.4, E5.6, E5.7, E5.9, E5.14
  Subsets s(
      "'fallback_policy':'DEFAULT_SUBSET','default_subset':{'v':'1','a':[true,null]},"
      "'subset_selectors':["
      "{'keys':['b','a','b'],'fallback_policy':'KEYS_SUBSET','fallback_keys_subset':['b']},"
      "{'keys':['c'],'fallback_policy':'NO_FALLBACK','single_host_per_subset':true},"
      "{'keys':['d'],'fallback_policy':'ANY_ENDPOINT'},"
      "{'keys':['e'],'fallback_policy':'DEFAULT_SUBSET'},{'keys':['f']}],"
      "'locality_weight_aware':true,'scale_locality_weight':true,'panic_mode_any':true,"
      "'list_as_any':true");
  EXPECT_EQ(s->fallback, GXDS_SUBSET_FALLBACK_DEFAULT);
  EXPECT_EQ(ToString(s->default_subset), R"({"a":[true,null],"v":"1"})");
  ASSERT_EQ(s->selector_count, 5u);
  EXPECT_EQ(Keys(s->selectors[0].keys), R"("a""b")");
  EXPECT_EQ(Keys(s->selectors[0].fallback_keys), R"("b")");
  EXPECT_EQ(s->selectors[0].fallback, GXDS_SUBSET_FALLBACK_KEYS);
  EXPECT_EQ(s->selectors[1].fallback, GXDS_SUBSET_FALLBACK_NONE);
  EXPECT_EQ(s->selectors[2].fallback, GXDS_SUBSET_FALLBACK_ANY);
  EXPECT_EQ(s->selectors[3].fallback, GXDS_SUBSET_FALLBACK_DEFAULT);
  EXPECT_EQ(s->selectors[4].fallback, GXDS_SUBSET_FALLBACK_CLUSTER);
  EXPECT_TRUE(s->locality_weight_aware && s->scale_locality_weight && s->panic_mode_any &&
              s->list_as_any);
  Subsets none("'subset_selectors':[{'keys':['a']}]");
  EXPECT_EQ(none->fallback, GXDS_SUBSET_FALLBACK_NONE);
  EXPECT_EQ(ToString(none->default_subset), "");
  EXPECT_FALSE(none->locality_weight_aware || none->scale_locality_weight || none->panic_mode_any ||
               none->list_as_any);
}

TEST(LbSubsets, KeysOfAMatchAreAllOfASelectors) {  // E5.2
  Subsets s("'subset_selectors':[{'keys':['b','a']}]");
  const auto are = [&](const std::string& match) {
    return gxds_subset_keys_are_of(&s->selectors[0].keys, View(match));
  };
  EXPECT_TRUE(are(R"({"a":1,"b":2})"));
  EXPECT_FALSE(are(R"({"a":1})"));
  EXPECT_FALSE(are(R"({"a":1,"b":2,"c":3})"));
  EXPECT_FALSE(are(R"({"a":1,"c":3})"));
}

std::string Refused(const std::string& bytes, bool on = true) {
  Decoder d;
  d.UseSubsets(on);
  return d.Decode(gxds_cluster_type, bytes).message();
}
std::string RefusedConfig(const std::string& config) {
  return Refused(Resource(gxds_cluster_type, "{" + kEds + ",'lb_subset_config':{" + config + "}}"));
}
std::string Bad(const std::string& errors) {
  return "errors validating Cluster resource: [" + errors + "]";
}
const std::string kField = "field:lb_subset_config";

TEST(LbSubsetsMalformed, FallbackPolicies) {  // E5.13
  const std::string kSelector = "field:lb_subset_config.subset_selectors[0].";
  EXPECT_EQ(RefusedConfig("'fallback_policy':7,'subset_selectors':[{'keys':['a'],"
                          "'fallback_policy':8}]"),
            Bad(kField + ".fallback_policy error:unknown policy; " + kSelector +
                "fallback_policy error:unknown policy"));
  for (const char* keys : {"[]", "['a','b']", "['c']"}) {
    EXPECT_EQ(
        RefusedConfig("'subset_selectors':[{'keys':['a','b'],'fallback_policy':"
                      "'KEYS_SUBSET','fallback_keys_subset':" +
                      std::string(keys) + "}]"),
        Bad(kSelector + "fallback_keys_subset error:must be some of the selector's keys, not all"))
        << keys;
  }
  EXPECT_EQ(RefusedConfig("'subset_selectors':[{'keys':['a','b'],'fallback_keys_subset':['a']}]"),
            Bad(kSelector +
                "fallback_keys_subset error:must be empty unless fallback_policy is KEYS_SUBSET"));
}

TEST(LbSubsetsMalformed, TheSameKeysTwice) {  // E5.13
  EXPECT_EQ(RefusedConfig("'subset_selectors':[{'keys':['a','b']},{'keys':['c']},"
                          "{'keys':['b','a']}]"),
            Bad(kField + ".subset_selectors[2].keys error:the same keys as subset_selectors[0]"));
}

TEST(LbSubsetsMalformed, Limits) {  // E5.13
  std::string keys, selectors;
  for (int i = 0; i <= 64; i++) {
    if (i <= 16) keys += (i ? ",'" : "'") + std::to_string(i) + "'";
    selectors += (i ? "," : "") + std::string("{'keys':['") + std::to_string(i) + "']}";
  }
  EXPECT_EQ(RefusedConfig("'subset_selectors':[{'keys':[" + keys + "]}]"),
            Bad(kField + ".subset_selectors[0].keys error:more than 16 keys"));
  EXPECT_EQ(RefusedConfig("'subset_selectors':[" + selectors + "]"),
            Bad(kField + ".subset_selectors error:more than 64 selectors"));
  EXPECT_EQ(
      RefusedConfig("'subset_selectors':[{'keys':['a']}],'default_subset':{'a':'" +
                    std::string(4090, 'x') + "'}"),
      Bad(kField + ".default_subset error:envoy.lb has more than 4096 bytes, written as JSON"));
}

TEST(LbSubsetsMalformed, WhatWouldSendRpcsElsewhereIsRefused) {  // E5.13
  const std::string selectors = "'subset_selectors':[{'keys':['a']}]";
  const std::string policy = Field(
      41, Field(1, Field(4, Field(1, "x") +
                                Field(2, Any("type.googleapis.com/envoy.extensions.load_balancing_"
                                             "policies.ring_hash.v3.RingHash",
                                             "\x08\x01")))));
  EXPECT_EQ(
      Refused(Resource(gxds_cluster_type, "{" + kEds + ",'lb_subset_config':{" + selectors + "}}") +
              policy),
      Bad(kField + " error:cannot be combined with load_balancing_policy"));
  const std::string by_list = Resource(gxds_cluster_type, "{" + kEds + "}") +
                              Field(22, Field(3, Field(1, "a")) + std::string("\x40\x01"));
  EXPECT_EQ(Refused(by_list),
            Bad(kField + ".metadata_fallback_policy error:FALLBACK_LIST is not supported"));
  EXPECT_EQ(Refused(by_list, false), "") << "without the feature, it is ignored (E5.1)";
  const std::string no_list = Resource(gxds_cluster_type, "{" + kEds + "}") +
                              Field(22, Field(3, Field(1, "a")) + std::string("\x40\x00", 2));
  EXPECT_EQ(Refused(no_list), "");
  const std::string in_two_bytes =
      Resource(gxds_cluster_type, "{" + kEds + "}") +
      Field(22, Field(3, Field(1, "a")) + std::string("\x40\x81\x00", 3));
  EXPECT_EQ(Refused(in_two_bytes), Refused(by_list));
  EXPECT_EQ(Refused(Resource(gxds_cluster_type,
                             "{'name':'foo','type':'LOGICAL_DNS','load_assignment':{'endpoints':[{"
                             "'lb_endpoints':[{'endpoint':{'address':{'socket_address':{"
                             "'address':'a.example','port_value':80}}}}]}]},'lb_subset_config':{" +
                                 selectors + "}}")),
            Bad(kField + " error:is not supported in a LOGICAL_DNS cluster"));
}

// ---- routes ----

std::string Labels(const std::string& fields) {
  return "'metadata_match':{'filter_metadata':{'envoy.lb':{" + fields + "},'other':{'x':1}}}";
}
std::string RouteConfig(const std::string& action) {
  return "{'name':'foo','virtual_hosts':[{'domains':['*'],'routes':[{'match':{'prefix':''},"
         "'route':{" +
         action + "}}]}]}";
}
std::string Show(const gxds_metadata_match* match) {
  if (!match) return "none";
  EXPECT_EQ(match->hash, gxds_metadata_hash(match->text));
  return ToString(match->text);
}
const gxds_route& RouteOf(const Decoded& d) {
  return d.As<gxds_route_config>().virtual_hosts[0].routes[0];
}

TEST(MetadataMatch, IsOfTheRoute) {  // E5.1, E5.2
  Decoder d;
  const std::string json =
      RouteConfig("'cluster':'c'," + Labels("'version':'v1','canary':true,'n':1.5"));
  EXPECT_EQ(Show(RouteOf(d.Good(gxds_route_config_type, json)).rare->metadata_match), "none");
  d.UseSubsets();
  EXPECT_EQ(Show(RouteOf(d.Good(gxds_route_config_type, json)).rare->metadata_match),
            R"({"canary":true,"n":1.5,"version":"v1"})");
  EXPECT_EQ(Show(RouteOf(d.Good(gxds_route_config_type, RouteConfig("'cluster':'c'," + Labels(""))))
                     .rare->metadata_match),
            "none");
}

TEST(MetadataMatch, OfAWeightedClusterIsMergedOverTheRoutes) {  // E5.3
  Decoder d;
  d.UseSubsets();
  Decoded result = d.Good(
      gxds_route_config_type,
      RouteConfig(Labels("'stage':'prod','version':'v1'") +
                  ",'weighted_clusters':{'clusters':[{'name':'a','weight':1,"
                  "'metadata_match':{'filter_metadata':{'envoy.lb':{'version':'v2','a':1}}}},"
                  "{'name':'b','weight':1}]}"));
  const gxds_route& route = RouteOf(result);
  EXPECT_EQ(Show(route.rare->metadata_match), R"({"stage":"prod","version":"v1"})");
  EXPECT_EQ(Show(route.clusters[0].rare->metadata_match),
            R"({"a":1,"stage":"prod","version":"v2"})");
  EXPECT_EQ(Show(route.clusters[1].rare->metadata_match), "none");
}

TEST(MetadataMatch, OfAnotherServerIsAnother) {  // E5.1
  Decoder d;
  const std::string json = RouteConfig("'cluster':'c'," + Labels("'version':'v1'"));
  Decoded before = d.Good(gxds_route_config_type, json);
  d.UseSubsets();
  Decoded after = d.Good(gxds_route_config_type, json, before.resource());
  EXPECT_NE(Show(RouteOf(after).rare->metadata_match), "none");
  EXPECT_FALSE(gxds_virtual_host_equal(&before.As<gxds_route_config>().virtual_hosts[0],
                                       &after.As<gxds_route_config>().virtual_hosts[0]));
}

TEST(MetadataMatch, TooLongIsRefused) {  // E5.13
  Decoder d;
  d.UseSubsets();
  const std::string bytes =
      Resource(gxds_route_config_type,
               RouteConfig("'cluster':'c'," + Labels("'a':'" + std::string(5000, 'x') + "'")));
  EXPECT_EQ(d.Decode(gxds_route_config_type, bytes).message(),
            "errors validating RouteConfiguration resource: "
            "[field:virtual_hosts[0].routes[0].route.metadata_match error:envoy.lb has more than "
            "4096 bytes, written as JSON]");
  d.UseSubsets(false);
  EXPECT_EQ(d.Decode(gxds_route_config_type, bytes).message(), "");
}

// ---- endpoints ----

std::string Endpoint(int port, const std::string& labels) {
  return "{'endpoint':{'address':{'socket_address':{'address':'10.0.0.1','port_value':" +
         std::to_string(port) + "}}}" +
         (labels.empty() ? "" : ",'metadata':{'filter_metadata':{'envoy.lb':{" + labels + "}}}") +
         "}";
}
std::string Assignment(const std::string& endpoints) {
  return "{'cluster_name':'foo','endpoints':[{'locality':{'zone':'z'},'load_balancing_weight':1,"
         "'lb_endpoints':[" +
         endpoints + "]}]}";
}
std::string Labels(const gxds_locality* l) {
  std::string out;
  for (uint32_t i = 0; i < l->endpoint_count; i++) {
    out += (i ? " " : "") + ToString(gxds_locality_metadata(l, i));
  }
  return out;
}
const gxds_locality* LocalityOf(const Decoded& d) {
  return d.As<gxds_endpoints>().priorities[0].localities[0];
}

TEST(EndpointMetadata, IsKeptIfTheServerHasThatFeature) {  // E5.1, E5.2
  Decoder d;
  const std::string json = Assignment(Endpoint(1, "'v':'1','hash_key':'k'") + "," +
                                      Endpoint(2, "") + "," + Endpoint(3, "'v':'2'"));
  Decoded off = d.Good(gxds_endpoints_type, json);
  EXPECT_EQ(LocalityOf(off)->rare->metadata, nullptr);
  d.UseSubsets();
  Decoded on = d.Good(gxds_endpoints_type, json, off.resource());
  EXPECT_EQ(Labels(LocalityOf(on)), R"({"hash_key":"k","v":"1"}  {"v":"2"})")
      << "of a server without the feature, nothing is known";
  EXPECT_EQ(ToString(gxds_locality_hash_key(LocalityOf(on), 0)), "k");
  Decoded plain = d.Good(gxds_endpoints_type, Assignment(Endpoint(1, "")));
  EXPECT_EQ(LocalityOf(plain)->rare, nullptr);
}

TEST(EndpointMetadata, MakesADifference) {  // E5.12
  Decoder d;
  d.UseSubsets();
  Decoded one = d.Good(gxds_endpoints_type, Assignment(Endpoint(1, "'v':'1'")));
  Decoded same = d.Good(gxds_endpoints_type, Assignment(Endpoint(1, "'v':'1'")), one.resource());
  Decoded other = d.Good(gxds_endpoints_type, Assignment(Endpoint(1, "'v':'2'")), one.resource());
  EXPECT_EQ(LocalityOf(same), LocalityOf(one));
  EXPECT_NE(LocalityOf(other), LocalityOf(one));
}

TEST(EndpointMetadata, SomeOfALocalityAreAsTheyWere) {
  Decoder d;
  d.UseSubsets();
  Decoded all =
      d.Good(gxds_endpoints_type, Assignment(Endpoint(1, "'v':'1'") + "," + Endpoint(2, "") + "," +
                                             Endpoint(3, "'v':'2','hash_key':'k'")));
  const uint32_t places[] = {0, 2};
  const gxds_locality* some = gxds_locality_select(LocalityOf(all), places, 2, 7);
  EXPECT_EQ(some->weight, 7u);
  EXPECT_EQ(ToString(some->zone), "z");
  ASSERT_EQ(some->endpoint_count, 2u);
  EXPECT_EQ(gxds_locality_endpoint(some, 1).address.port, 3);
  EXPECT_EQ(Labels(some), R"({"v":"1"} {"hash_key":"k","v":"2"})");
  EXPECT_EQ(ToString(gxds_locality_hash_key(some, 1)), "k");
  EXPECT_EQ(some->rare->hostnames, nullptr);
  gxds_locality_unref(some);
}

TEST(EndpointMetadata, TooLongIsRefused) {  // E5.13
  Decoder d;
  d.UseSubsets();
  const std::string bytes = Resource(
      gxds_endpoints_type, Assignment(Endpoint(1, "'v':'" + std::string(5000, 'x') + "'")));
  EXPECT_EQ(d.Decode(gxds_endpoints_type, bytes).message(),
            "errors parsing EDS resource: [field:endpoints[0].lb_endpoints[0].metadata "
            "error:envoy.lb has more than 4096 bytes, written as JSON]");
  d.UseSubsets(false);
  EXPECT_EQ(d.Decode(gxds_endpoints_type, bytes).message(), "");
}

}  // namespace
}  // namespace grpc_xds_test
