#include "lb_policies/subset/subset_policy.h"

#include "lb_policies/round_robin/round_robin_policy.h"
#include "test/lb_policies/cluster_impl/tree_test.h"
#include "test/resources/decoding.h"

namespace memory {
namespace {

using grpc_xds_test::Decoded;
using grpc_xds_test::Decoder;
using snapshot::Entry;
using snapshot::MakeConfig;

// An endpoint 10.0.0.1:PORT, in the zone of its priority.
struct Endpoint {
  int port;
  std::string labels;  // JSON of "envoy.lb", with single quotes
  int priority = 0;
  std::string zone = "z";
};
std::string At(int port) { return "10.0.0.1:" + std::to_string(port); }

const char kByVersion[] = "'subset_selectors':[{'keys':['v']}],'fallback_policy':'ANY_ENDPOINT'";

class SubsetPolicyTest : public TreeTest {
 protected:
  SubsetPolicyTest() {
    decoder_.UseSubsets();
    host_.Register(&gxds_round_robin_policy);
    host_.Create(gxds_cds_policy);
  }

  // Updates cluster "c". rules: the fields of its lb_subset_config; empty: none.
  void Apply(const std::string& rules, const std::vector<Endpoint>& endpoints,
             const std::string& more = "") {
    const std::string config = rules.empty() ? "" : ",'lb_subset_config':{" + rules + "}";
    Decoded cluster =
        decoder_.Good(gxds_cluster_type,
                      "{'name':'c','type':'EDS','eds_cluster_config':{'eds_config':{'ads':{}}}" +
                          more + config + "}");
    std::map<std::pair<int, std::string>, std::string> lists;
    for (const Endpoint& e : endpoints) {
      std::string& list = lists[{e.priority, e.zone}];
      list += (list.empty() ? "" : ",") +
              std::string(
                  "{'endpoint':{'address':{'socket_address':{'address':'10.0.0.1',"
                  "'port_value':") +
              std::to_string(e.port) + "}}},'metadata':{'filter_metadata':{'envoy.lb':{" +
              e.labels + "}}}}";
    }
    std::string localities;
    for (const auto& [where, list] : lists) {
      localities += (localities.empty() ? "" : ",") + std::string("{'locality':{'zone':'") +
                    where.second +
                    "'},'load_balancing_weight':1,'priority':" + std::to_string(where.first) +
                    ",'lb_endpoints':[" + list + "]}";
    }
    auto now = std::make_unique<Decoded>(
        decoder_.Good(gxds_endpoints_type, "{'cluster_name':'c','endpoints':[" + localities + "]}",
                      endpoints_ ? endpoints_->resource() : nullptr));
    endpoints_ = std::move(now);
    Entry entry(gxds_cluster_entry_endpoints(gxds_str_z("c"), &cluster.As<gxds_cluster>(),
                                             &endpoints_->As<gxds_endpoints>(), nullptr));
    last_ = MakeConfig({entry.get()}, {"c"}, store_.get());
    Again();
  }
  void Again() { Take(Cds("c", false), last_); }
  void Ready(const std::vector<int>& ports) {
    for (int port : ports) host_.SetState(At(port), GRPC_CHANNEL_READY);
  }
  // The port that an RPC goes to whose route has that match (with single quotes; empty: none).
  std::string To(const std::string& match) {
    const std::string json = grpc_xds_test::Json(match);
    const gxds_metadata_match wanted = {View(json), gxds_metadata_hash(View(json))};
    Request request;
    request.cluster = "c";
    request.route.match = match.empty() ? nullptr : &wanted;
    std::string text = Pick(request);
    if (text == "queue") text = Pick(request);  // now the policy knows the subset
    return text.rfind("10.0.0.1:", 0) == 0 ? text.substr(9) : text;
  }
  std::set<std::string> AllTo(const std::string& match, int count = 8) {
    std::set<std::string> out;
    for (int i = 0; i < count; i++) out.insert(To(match));
    return out;
  }
  using Set = std::set<std::string>;

  Decoder decoder_;
  std::unique_ptr<Decoded> endpoints_;
  snapshot::Config last_;
};

const char kNowhere[] =
    "fail: UNAVAILABLE: cluster c: no endpoints have the route's metadata_match {\"v\":\"3\"}, "
    "and there are none to fall back to (cluster c)";

TEST_F(SubsetPolicyTest, AMatchChoosesTheEndpointsThatHaveIt) {  // E5.2
  Apply(kByVersion, {{1, "'v':'1'"}, {2, "'v':'2'"}, {3, "'v':'1','w':1"}, {4, ""}});
  EXPECT_EQ(accepted_, Status());
  Ready({1, 2, 3, 4});
  To("{'v':'1'}"), To("{'v':'2'}");
  Ready({1, 2, 3, 4});
  EXPECT_EQ(AllTo("{'v':'1'}"), (Set{"1", "3"}));
  EXPECT_EQ(AllTo("{'v':'2'}"), (Set{"2"}));
  EXPECT_EQ(AllTo(""), (Set{"1", "2", "3", "4"}));
}

class SubsetFallbackTest : public SubsetPolicyTest {
 protected:
  // The ports that RPCs with that match go to when all endpoints are connected.
  Set Go(const std::string& rules, const std::string& match) {
    Apply(rules, {{1, "'v':'1','s':'x'"}, {2, "'v':'2','s':'x'"}, {3, "'d':true"}});
    for (int i = 0; i < 2; i++) {
      Ready({1, 2, 3});
      To(match);
    }
    Ready({1, 2, 3});
    return AllTo(match);
  }
};

TEST_F(SubsetFallbackTest, OfTheCluster) {  // E5.4, E5.5, E5.6
  const std::string keys = "'subset_selectors':[{'keys':['v']}]";
  EXPECT_EQ(Go(keys + ",'fallback_policy':'ANY_ENDPOINT'", "{'v':'3'}"), (Set{"1", "2", "3"}));
  EXPECT_EQ(Go(keys, "{'v':'3'}"), (Set{kNowhere}));
  const std::string to_default =
      keys + ",'fallback_policy':'DEFAULT_SUBSET','default_subset':{'d':true}";
  EXPECT_EQ(Go(to_default, "{'v':'3'}"), (Set{"3"}));
  EXPECT_EQ(Go(to_default, ""), (Set{"3"})) << "a route without a match";
  EXPECT_EQ(Go(to_default, "{'other':1}"), (Set{"3"})) << "keys that no selector has";
  EXPECT_EQ(Go(to_default, "{'s':'x','v':'1'}"), (Set{"3"})) << "more keys than a selector has";
  const std::string to_nothing =
      keys + ",'fallback_policy':'DEFAULT_SUBSET','default_subset':{'d':false}";
  EXPECT_EQ(Go(to_nothing, "{'v':'3'}"), (Set{kNowhere}));
  EXPECT_EQ(Go(to_nothing + ",'panic_mode_any':true", "{'v':'3'}"), (Set{"1", "2", "3"}));
  EXPECT_EQ(Go(keys + ",'fallback_policy':'DEFAULT_SUBSET'", "{'v':'3'}"), (Set{"1", "2", "3"}));
  EXPECT_EQ(Go(keys, ""),
            (Set{"fail: UNAVAILABLE: cluster c: its subsets are for RPCs whose route has a "
                 "metadata_match, and its fallback has no endpoints for others (cluster c)"}));
}

TEST_F(SubsetFallbackTest, OfASelectorComesFirst) {  // E5.4
  const std::string any = ",'fallback_policy':'ANY_ENDPOINT','default_subset':{'d':true}";
  const auto rules = [&](const std::string& fallback) {
    return "'subset_selectors':[{'keys':['v'],'fallback_policy':'" + fallback + "'}]" + any;
  };
  EXPECT_EQ(Go(rules("NO_FALLBACK"), "{'v':'3'}"), (Set{kNowhere}));
  EXPECT_EQ(Go(rules("NO_FALLBACK"), ""), (Set{"1", "2", "3"}));
  EXPECT_EQ(Go(rules("DEFAULT_SUBSET"), "{'v':'3'}"), (Set{"3"}));
  EXPECT_EQ(Go(rules("NOT_DEFINED"), "{'v':'3'}"), (Set{"1", "2", "3"}));
  EXPECT_EQ(Go("'subset_selectors':[{'keys':['v'],'fallback_policy':'ANY_ENDPOINT'}]", "{'v':'3'}"),
            (Set{"1", "2", "3"}));
}

TEST_F(SubsetFallbackTest, ToSomeOfTheKeys) {  // E5.4
  const std::string keys =
      "'subset_selectors':[{'keys':['v','s'],'fallback_policy':'KEYS_SUBSET',"
      "'fallback_keys_subset':['v']},{'keys':['v'],'fallback_policy':'DEFAULT_SUBSET'}],"
      "'default_subset':{'d':true}";
  EXPECT_EQ(Go(keys, "{'s':'x','v':'1'}"), (Set{"1"}));
  EXPECT_EQ(Go(keys, "{'s':'y','v':'2'}"), (Set{"2"}));
  EXPECT_EQ(Go(keys, "{'s':'y','v':'3'}"), (Set{"3"})) << "and on, as that selector says";
}

TEST_F(SubsetPolicyTest, ASubsetWhoseEndpointsFailDoesNotFallBack) {  // E5.15
  Apply(kByVersion, {{1, "'v':'1'"}, {2, "'v':'2'"}});
  Ready({1, 2});
  To("{'v':'1'}");
  host_.SetState(At(1), GRPC_CHANNEL_TRANSIENT_FAILURE, Status(GXDS_UNAVAILABLE, "down"));
  Ready({2});
  EXPECT_NE(To("{'v':'1'}").find("down"), std::string::npos) << To("{'v':'1'}");
  EXPECT_EQ(AllTo(""), (Set{"2"}));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
}

TEST_F(SubsetPolicyTest, ASubsetFailsOverBetweenPrioritiesByItself) {  // E5.10
  Apply(kByVersion, {{1, "'v':'1'"}, {2, "'v':'2'", 1}});
  Ready({1});
  EXPECT_EQ(AllTo(""), (Set{"1"}));
  To("{'v':'2'}");
  Ready({2});
  EXPECT_EQ(AllTo("{'v':'2'}"), (Set{"2"})) << "only the second priority has any";
  EXPECT_EQ(AllTo(""), (Set{"1"}));
}

TEST_F(SubsetPolicyTest, AnEndpointMovesWithItsMetadata) {  // E5.12
  Apply(kByVersion, {{1, "'v':'1'"}, {2, "'v':'2'"}});
  Ready({1, 2});
  To("{'v':'1'}"), To("{'v':'2'}");
  Ready({1, 2});
  EXPECT_EQ(AllTo("{'v':'2'}"), (Set{"2"}));
  host_.shared[At(1)] = host_.shared[At(2)] = {GRPC_CHANNEL_READY, Status()};
  Apply(kByVersion, {{1, "'v':'2'"}, {2, "'v':'2'"}});
  EXPECT_EQ(AllTo("{'v':'2'}"), (Set{"1", "2"}));
  EXPECT_EQ(AllTo("{'v':'1'}"), (Set{"1", "2"})) << "nobody has it: any endpoint";
  Apply(kByVersion, {{1, "'v':'1'"}, {2, "'v':'2'"}});
  EXPECT_EQ(AllTo("{'v':'1'}"), (Set{"1"}));
  EXPECT_EQ(AllTo("{'v':'2'}"), (Set{"2"}));
}

TEST_F(SubsetPolicyTest, AnUpdateTouchesOnlyTheSubsetsThatItChanges) {  // E5.12
  Apply(kByVersion, {{1, "'v':'1'"}, {2, "'v':'2'"}});
  Ready({1, 2});
  To("{'v':'1'}"), To("{'v':'2'}");
  Ready({1, 2});
  const size_t made = host_.subchannels_made;
  const int published = host_.published;
  for (int i = 0; i < 5; i++) Again();
  EXPECT_EQ(host_.published, published);
  Apply(kByVersion, {{1, "'v':'1'"}, {2, "'v':'2'"}, {3, "'v':'2'"}});
  EXPECT_EQ(host_.subchannels_made, made + 2) << "of all endpoints, and of one subset";
  Ready({3});
  EXPECT_EQ(AllTo("{'v':'2'}"), (Set{"2", "3"}));
  EXPECT_EQ(AllTo("{'v':'1'}"), (Set{"1"}));
}

TEST_F(SubsetPolicyTest, ASubsetIsMadeWhenAnRpcWantsIt) {  // E5.11
  Apply(kByVersion, {{1, "'v':'1'"}, {2, "'v':'2'"}});
  EXPECT_EQ(host_.subchannels_made, 2u);
  Ready({1, 2});
  EXPECT_EQ(host_.subchannels_made, 2u);
  host_.shared[At(1)] = {GRPC_CHANNEL_READY, Status()};
  EXPECT_EQ(To("{'v':'1'}"), "1");
  EXPECT_EQ(host_.subchannels_made, 3u);
  for (const Subchannel* s : host_.subchannels()) {
    EXPECT_EQ(s->args, host_.subchannels()[0]->args) << "so the host's pool gives one connection";
  }
  EXPECT_EQ(To("{'v':'1'}"), "1");
  EXPECT_EQ(host_.subchannels_made, 3u);
}

TEST_F(SubsetPolicyTest, SubsetsThatNobodyWantsAnyMoreEnd) {
  const std::string to_default =
      "'subset_selectors':[{'keys':['v']}],'fallback_policy':'DEFAULT_SUBSET','default_subset':"
      "{'v':'2'}";
  Apply(to_default, {{1, "'v':'1'"}, {2, "'v':'2'"}});
  EXPECT_EQ(WatchedCount(), 3u) << "of all endpoints, and of the default subset";
  Apply(kByVersion, {{1, "'v':'1'"}, {2, "'v':'2'"}});
  EXPECT_EQ(WatchedCount(), 2u);
}

TEST_F(SubsetPolicyTest, SubsetsComeAndGoWithoutAGap) {  // E5.1
  const std::vector<Endpoint> endpoints = {{1, "'v':'1'"}, {2, "'v':'2'"}};
  Apply("", endpoints);
  Ready({1, 2});
  EXPECT_EQ(AllTo("{'v':'1'}"), (Set{"1", "2"})) << "without subsets nobody looks at it";
  host_.shared[At(1)] = host_.shared[At(2)] = {GRPC_CHANNEL_READY, Status()};
  Apply(kByVersion, endpoints);
  EXPECT_EQ(AllTo("{'v':'1'}"), (Set{"1"}));
  Apply("", endpoints);
  EXPECT_EQ(AllTo("{'v':'1'}"), (Set{"1", "2"}));
}

TEST_F(SubsetPolicyTest, LoadIsReportedByTheLocalityOfTheEndpoint) {  // E5.11
  Apply(kByVersion, {{1, "'v':'1'", 0, "x"}, {2, "'v':'2'", 0, "y"}});
  Ready({1, 2});
  To("{'v':'1'}");
  Ready({1});
  const std::string json = R"({"v":"1"})";
  const gxds_metadata_match wanted = {View(json), gxds_metadata_hash(View(json))};
  Request request;
  request.cluster = "c";
  request.route.match = &wanted;
  auto call = host_.Pick(request);
  EXPECT_EQ(call->Text(), At(1));
  EXPECT_TRUE(call->is_tracked());
}

TEST_F(SubsetPolicyTest, OfTooManyMatchesTheOldestIsForgotten) {
  Apply(kByVersion, {{1, "'v':'0'"}});
  Ready({1});
  To("{'v':'0'}");
  Ready({1});
  EXPECT_EQ(WatchedCount(), 2u);
  for (unsigned i = 1; i <= GXDS_SUBSET_MATCHES_MAX; i++) {
    ASSERT_EQ(To("{'v':" + std::to_string(i) + "}"), "1");
  }
  EXPECT_EQ(WatchedCount(), 1u) << "its subset ended, too";
  host_.shared[At(1)] = {GRPC_CHANNEL_READY, Status()};
  EXPECT_EQ(To("{'v':'0'}"), "1");
}

TEST_F(SubsetPolicyTest, HasNoConfigOfItsOwn) {
  host_.Register(&gxds_subset_policy);
  EXPECT_EQ(ParseError(R"([{"grpc_xds_subset":{}}])").message,
            "errors validating grpc_xds_subset LB policy config: [field: error:grpc_xds_subset "
            "cannot be configured: it is what a Cluster with lb_subset_config has above its "
            "priorities]");
}

}  // namespace
}  // namespace memory
