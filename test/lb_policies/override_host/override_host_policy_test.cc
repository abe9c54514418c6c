#include "lb_policies/override_host/override_host_policy.h"

#include "lb_policies/round_robin/round_robin_policy.h"
#include "test/lb_policies/cluster_impl/tree_test.h"
#include "test/lb_policies/support/on_demand.h"
#include "test/metrics/read_metrics.h"
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
  std::string health = {};
  int priority = 0;
  std::string more = {};    // fields of its Endpoint, a comma before each
  std::string fields = {};  // the same, for its LbEndpoint
};
std::string At(int port) { return "10.0.0.1:" + std::to_string(port); }

const char kAllowsDraining[] =
    ",'common_lb_config':{'override_host_status':{'statuses':['UNKNOWN','HEALTHY','DRAINING']}}";

std::string IdleTimeout(int seconds) {
  return ",'upstream_config':{'name':'x','typed_config':{'@type':'type.googleapis.com/"
         "envoy.extensions.upstreams.http.v3.HttpProtocolOptions',"
         "'common_http_protocol_options':{'idle_timeout':'" +
         std::to_string(seconds) + "s'}}}";
}

class OverrideHostTest : public TreeTest {
 protected:
  OverrideHostTest() {
    host_.Register(&gxds_round_robin_policy);
    host_.Register(&gxds_override_host_policy);
    host_.Create(gxds_cds_policy);
  }

  // Updates cluster "c". more: fields of it, a comma before each.
  void Apply(const std::vector<Endpoint>& endpoints, const std::string& more = "") {
    Decoded cluster = decoder_.Good(
        gxds_cluster_type,
        "{'name':'c','type':'EDS','eds_cluster_config':{'eds_config':{'ads':{}}}" + more + "}");
    std::map<int, std::string> lists;
    for (const Endpoint& e : endpoints) {
      std::string& list = lists[e.priority];
      list += (list.empty() ? "" : ",") +
              std::string(
                  "{'endpoint':{'address':{'socket_address':{'address':'10.0.0.1',"
                  "'port_value':") +
              std::to_string(e.port) + "}}" + e.more + "}" +
              (e.health.empty() ? "" : ",'health_status':'" + e.health + "'") + e.fields + "}";
    }
    std::string localities;
    for (const auto& [priority, list] : lists) {
      localities += (localities.empty() ? "" : ",") + std::string("{'locality':{'zone':'z") +
                    std::to_string(priority) +
                    "'},'load_balancing_weight':1,'priority':" + std::to_string(priority) +
                    ",'lb_endpoints':[" + list + "]}";
    }
    auto now = std::make_unique<Decoded>(
        decoder_.Good(gxds_endpoints_type, "{'cluster_name':'c','endpoints':[" + localities + "]}",
                      endpoints_ ? endpoints_->resource() : nullptr));
    endpoints_ = std::move(now);
    Entry entry(gxds_cluster_entry_endpoints(gxds_str_z("c"), &cluster.As<gxds_cluster>(),
                                             &endpoints_->As<gxds_endpoints>(), nullptr));
    last_ = MakeConfig({entry.get()}, {"c"}, store_.get());
    const_cast<gxds_listener*>(last_->listener)->has_sessions = has_filter_;
    Take(Cds("c", false), last_);
    EXPECT_EQ(accepted_, Status());
  }
  void Ready(const std::vector<int>& ports) {
    for (int port : ports) host_.SetState(At(port), GRPC_CHANNEL_READY);
  }
  // The port that an RPC of a session goes to, or the pick's text. cookie: the addresses in it.
  std::string To(const std::string& cookie, gxds_picker* by = nullptr) {
    session_ = {View(cookie), {nullptr, 0}, nullptr};
    Request request;
    request.cluster = "c";
    request.route.session = &session_;
    call_ = host_.PickWith(by != nullptr ? by : host_.picker(), request);
    const std::string text = call_->Text();
    used_ = Text(session_.used);
    call_.reset();
    return text.rfind("10.0.0.1:", 0) == 0 ? text.substr(9) : text;
  }
  std::string ToPort(int port) { return To(At(port)); }
  // The same for RPCs without a cookie.
  std::set<std::string> Others(int count = 8) {
    std::set<std::string> out;
    for (int i = 0; i < count; i++) {
      const std::string text = Pick();
      out.insert(text.rfind("10.0.0.1:", 0) == 0 ? text.substr(9) : text);
    }
    return out;
  }
  size_t CountAt(int port) const {
    size_t count = 0;
    for (const Subchannel* s : host_.subchannels()) count += s->address == At(port) ? 1 : 0;
    return count;
  }
  using Set = std::set<std::string>;

  Decoder decoder_;
  std::unique_ptr<Decoded> endpoints_;
  snapshot::Config last_;
  bool has_filter_ = true;
  gxds_session session_ = {};
  std::string used_;  // the addresses that the last RPC of a session used
  std::unique_ptr<Call> call_;
};

TEST_F(OverrideHostTest, ASessionGoesToItsEndpointAndOthersAreBalanced) {  // A55.8
  Apply({{1}, {2}, {3}});
  Ready({1, 2, 3});
  EXPECT_EQ(Others(), (Set{"1", "2", "3"}));
  EXPECT_EQ(ToPort(2), "queue") << "the policy is told";
  Ready({2});
  for (int i = 0; i < 5; i++) EXPECT_EQ(ToPort(2), "2");
  EXPECT_EQ(used_, At(2));
  EXPECT_EQ(Others(), (Set{"1", "2", "3"}));
}

TEST_F(OverrideHostTest, AnRpcWithoutACookieGetsTheAddressThatServesIt) {  // A55.9
  Apply({{1}});
  Ready({1});
  EXPECT_EQ(To(""), "1");
  EXPECT_EQ(used_, At(1));
  EXPECT_EQ(CountAt(1), 2u) << "the session may come back: its endpoint is held";
  EXPECT_EQ(To(""), "1");
  EXPECT_EQ(CountAt(1), 2u);
  EXPECT_EQ(Others(1), Set{"1"});
}

TEST_F(OverrideHostTest, ASessionsHoldIsNoOtherConnection) {  // A94.6
  host_.target = "sessions";
  const auto counts = [] { return gxds_test::ConnectionCounts("sessions", "c", "", "z0"); };
  Apply({{1}});
  Ready({1});
  EXPECT_EQ(To(""), "1");
  ASSERT_EQ(CountAt(1), 2u);
  Ready({1});
  EXPECT_EQ(counts(), "1 open, 1 made, 0 failed, 0 lost, 0 shut");
  host_.SetState(At(1), GRPC_CHANNEL_IDLE);
  EXPECT_EQ(counts(), "0 open, 1 made, 0 failed, 1 lost, 0 shut");
}

TEST_F(OverrideHostTest, WhatTheClusterDoesNotHaveIsNobodysEndpoint) {  // A55.10
  Apply({{1}});
  Ready({1});
  const size_t made = host_.subchannels_made;
  for (const char* cookie : {"10.0.0.1:9", "10.0.0.9:1", "nonsense", ":", ",,", "10.0.0.1", "[::1",
                             "10.0.0.1:99999", "10.0.0.1:1x"}) {
    EXPECT_EQ(To(cookie), "1") << cookie;
    EXPECT_EQ(used_, At(1)) << cookie;
  }
  EXPECT_EQ(host_.subchannels_made, made + 1) << "to the one that served them";
}

TEST_F(OverrideHostTest, AnIdleEndpointIsConnectedAndWaitedFor) {  // A55.11, A75.8, A75.12
  Apply({{1}, {2, "", 1}});
  Ready({1});
  EXPECT_EQ(ToPort(2), "queue") << "of a priority that is not in use: it has no subchannel yet";
  EXPECT_EQ(CountAt(2), 1u);
  EXPECT_EQ(ToPort(2), "queue") << "IDLE: it is told to connect";
  ASSERT_NE(host_.Watched(At(2)), nullptr);
  host_.SetState(At(2), GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(ToPort(2), "queue");
  Ready({2});
  EXPECT_EQ(ToPort(2), "2");
  host_.SetState(At(2), GRPC_CHANNEL_IDLE);
  EXPECT_EQ(ToPort(2), "queue");
}

TEST_F(OverrideHostTest, AnEndpointThatIsLeftOutIsConnectedForItsSession) {
  const grpc_xds::testing::OnDemand on_demand;
  std::vector<Endpoint> endpoints;
  for (int port = 1; port <= 200; port++) endpoints.push_back({port});
  Apply(endpoints);
  host_.Pass(0);
  for (const Endpoint& e : endpoints) {
    if (CountAt(e.port) > 0) Ready({e.port});
  }
  int left_out = 1;
  while (CountAt(left_out) > 0) ASSERT_LT(++left_out, 201);
  EXPECT_EQ(ToPort(left_out), "queue") << "it has no subchannel yet";
  EXPECT_EQ(ToPort(left_out), "queue") << "IDLE: it is told to connect";
  host_.SetState(At(left_out), GRPC_CHANNEL_CONNECTING);
  Ready({left_out});
  EXPECT_EQ(ToPort(left_out), std::to_string(left_out));
  EXPECT_EQ(CountAt(left_out), 1u) << "of the session: others are not sent there";
  EXPECT_EQ(Others().count(std::to_string(left_out)), 0u);
}

TEST_F(OverrideHostTest, AnEndpointThatCannotBeReachedIsPassedOver) {  // A55.11
  Apply({{1}, {2}});
  Ready({1, 2});
  EXPECT_EQ(ToPort(2), "queue");
  Ready({2});
  EXPECT_EQ(ToPort(2), "2");
  host_.SetState(At(2), GRPC_CHANNEL_TRANSIENT_FAILURE, {GXDS_UNAVAILABLE, "refused"});
  EXPECT_EQ(ToPort(2), "1");
  EXPECT_EQ(used_, At(1)) << "the session moves";
}

TEST_F(OverrideHostTest,
       ADrainingEndpointKeepsItsConnectionForItsSessions) {  // A55.5, A55.6, A55.7
  Apply({{1}, {2}}, kAllowsDraining);
  Ready({1, 2});
  EXPECT_EQ(ToPort(2), "queue");
  Ready({2});
  ASSERT_EQ(CountAt(2), 2u);
  Apply({{1}, {2, "DRAINING"}}, kAllowsDraining);
  EXPECT_EQ(CountAt(2), 1u) << "round_robin has let go of it";
  EXPECT_EQ(Others(), Set{"1"});
  EXPECT_EQ(ToPort(2), "2");
  Apply({{1}}, kAllowsDraining);
  EXPECT_EQ(CountAt(2), 0u) << "the server has finished";
  EXPECT_EQ(ToPort(2), "1");
}

TEST_F(OverrideHostTest,
       WhatServedASessionIsHeldThroughTheDrainBeforeItsCookieComesBack) {  // A55.6
  Apply({{1}}, kAllowsDraining);
  Ready({1});
  EXPECT_EQ(To(""), "1");
  Ready({1});
  Apply({{1, "DRAINING"}, {2}}, kAllowsDraining);
  Ready({2});
  EXPECT_EQ(CountAt(1), 1u);
  EXPECT_EQ(ToPort(1), "1");
}

TEST_F(OverrideHostTest, OnlyStatesOfTheSetServeSessions) {  // A55.5, A74.42
  Apply({{1}, {2, "HEALTHY"}, {3, "DRAINING"}});
  Ready({1, 2});
  for (int port : {1, 2}) {
    ToPort(port);
    Ready({port});
    EXPECT_EQ(ToPort(port), std::to_string(port)) << "by default, UNKNOWN and HEALTHY do";
  }
  EXPECT_NE(ToPort(3), "queue");
  EXPECT_EQ(CountAt(3), 0u) << "DRAINING does not";
  Apply({{1}, {2, "HEALTHY"}, {3, "DRAINING"}},
        ",'common_lb_config':{'override_host_status':{'statuses':['HEALTHY','TIMEOUT']}}");
  Ready({1, 2});
  EXPECT_EQ(ToPort(2), "2");
  Set seen;
  for (int i = 0; i < 4; i++) seen.insert(ToPort(1));
  EXPECT_EQ(seen, (Set{"1", "2"})) << "UNKNOWN is out of the set: balanced";
}

TEST_F(OverrideHostTest, WhatNoSessionUsesForTheIdleTimeoutIsGivenUp) {  // A75.11
  Apply({{1}, {2}}, IdleTimeout(40));
  Ready({1, 2});
  ToPort(1), ToPort(2);
  Ready({1, 2});
  ASSERT_EQ(CountAt(1), 2u);
  ASSERT_EQ(CountAt(2), 2u);
  for (int i = 0; i < 6; i++) {
    host_.Pass(10 * GXDS_SECOND);
    EXPECT_EQ(ToPort(2), "2");
  }
  EXPECT_EQ(CountAt(1), 1u) << "the policy below has its own";
  EXPECT_EQ(CountAt(2), 2u);
  EXPECT_EQ(ToPort(1), "queue") << "and it may come back";
  Ready({1});
  EXPECT_EQ(ToPort(1), "1");
}

TEST_F(OverrideHostTest, WhatConnectsIsNotGivenUpUntilThatHasAnEnd) {  // A75.11
  Apply({{1}, {2, "", 1}}, IdleTimeout(1));
  Ready({1});
  EXPECT_EQ(ToPort(2), "queue");
  host_.SetState(At(2), GRPC_CHANNEL_CONNECTING);
  const size_t made = host_.subchannels_made;
  for (int i = 0; i < 3; i++) {
    host_.Pass(10 * GXDS_SECOND);
    EXPECT_EQ(ToPort(2), "queue");
  }
  EXPECT_EQ(host_.subchannels_made, made) << "it is not begun anew";
  host_.SetState(At(2), GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("no answer"));
  EXPECT_EQ(ToPort(2), "1");
}

TEST_F(OverrideHostTest, WithoutAnIdleTimeoutItIsAnHourAndZeroIsForEver) {  // A75.10
  Apply({{1}});
  Ready({1});
  ToPort(1);
  host_.Pass(59 * 60 * GXDS_SECOND);
  EXPECT_EQ(CountAt(1), 2u);
  host_.Pass(10 * 60 * GXDS_SECOND);
  EXPECT_EQ(CountAt(1), 1u);
  Apply({{1}}, IdleTimeout(0));
  ToPort(1);
  host_.Pass(100 * 3600 * GXDS_SECOND);
  EXPECT_EQ(CountAt(1), 2u);
}

TEST_F(OverrideHostTest, AnyAddressOfAnEndpointIsTheEndpoint) {  // A61.18
  const std::string second =
      ",'additional_addresses':[{'address':{'socket_address':{'address':'::1','port_value':7}}}]";
  Apply({{1, "", 0, second}, {2}});
  Ready({1, 2});
  host_.SetState("[::1]:7", GRPC_CHANNEL_READY);
  EXPECT_EQ(To("10.0.0.3:3,[::1]:7"), "queue");
  Ready({1});
  EXPECT_EQ(To("10.0.0.3:3,[::1]:7"), "1");
  EXPECT_EQ(used_, "10.0.0.1:1,[::1]:7") << "the cookie has both";
  EXPECT_EQ(To(used_), "1");
}

TEST_F(OverrideHostTest, AnEndpointThatIsAnotherByNowIsHeldAnew) {
  Apply({{1, "", 0, ",'hostname':'a.example'"}});
  Ready({1});
  ToPort(1);
  Ready({1});
  ASSERT_EQ(ToPort(1), "1");
  Apply({{1, "", 0, ",'hostname':'b.example'"}});
  Ready({1});
  EXPECT_EQ(ToPort(1), "queue");
  Ready({1});
  EXPECT_EQ(ToPort(1), "1");
}

TEST_F(OverrideHostTest, UntilTheNewPickerIsThereRpcsGoWhereTheSessionWas) {  // A55.8
  Apply({{1}, {2}, {3}});
  Ready({1, 2, 3});
  ToPort(2);
  Ready({2});
  ASSERT_EQ(ToPort(2), "2");
  gxds_picker* before = gxds_picker_ref(host_.picker());
  Apply({{1}, {2, "", 0, ",'hostname':'another.example'"}, {3}});
  for (int i = 0; i < 6; i++) EXPECT_EQ(To(At(2), before), "2") << "never to another";
  gxds_picker_unref(before);
  EXPECT_EQ(ToPort(2), "queue") << "the new one waits for the endpoint as it is now";
  Ready({2});
  EXPECT_EQ(ToPort(2), "2");
}

const char kProxied[] =
    ",'metadata':{'typed_filter_metadata':{'envoy.http11_proxy_transport_socket.proxy_address':"
    "{'@type':'type.googleapis.com/envoy.config.core.v3.Address',"
    "'socket_address':{'address':'10.1.0.1','port_value':1}}}}";

TEST_F(OverrideHostTest,
       AnEndpointThatHasAnotherProxyIsHeldAnewIfItsClusterWantsProxies) {  // A86.7
  const std::string wants =
      ",'transport_socket':{'name':'x','typed_config':{'@type':'type.googleapis.com/"
      "envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport'}}";
  for (const std::string& cluster : {wants, std::string()}) {
    Apply({{1}}, cluster);
    Ready({1});
    ToPort(1);
    Ready({1});
    ASSERT_EQ(ToPort(1), "1");
    Apply({{1, "", 0, "", kProxied}}, cluster);
    Ready({1});
    EXPECT_EQ(ToPort(1), cluster.empty() ? "1" : "queue");
    Ready({1});
    EXPECT_EQ(ToPort(1), "1");
  }
}

TEST_F(OverrideHostTest, WithoutAProxyTransportAProxyIsNoPartOfAnEndpoint) {  // A86.7
  has_filter_ = false;
  Apply({{1}, {2}});
  Ready({1, 2});
  const size_t made = host_.subchannels_made;
  Apply({{1, "", 0, "", kProxied}, {2}});
  EXPECT_EQ(host_.subchannels_made, made);
  EXPECT_EQ(Others(), (Set{"1", "2"}));
}

TEST_F(OverrideHostTest, AnUpdateThatLeavesTheEndpointLeavesItsSessions) {
  Apply({{1}, {2}});
  Ready({1, 2});
  ToPort(1);
  Ready({1});
  const size_t made = host_.subchannels_made;
  Apply({{1, "HEALTHY"}, {2}, {3}});
  EXPECT_EQ(ToPort(1), "1") << "at once";
  EXPECT_EQ(host_.subchannels_made, made + 1) << "to the new one";
}

TEST_F(OverrideHostTest, AChangeOfATlsClusterLeavesItsSessions) {
  args_ = args_.Set("xds_credentials", 1);
  const std::string tls =
      ",'transport_socket':{'name':'x','typed_config':{'@type':'type.googleapis.com/"
      "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext','common_tls_context':"
      "{'validation_context':{'system_root_certs':{}}}}}";
  Apply({{1}, {2}}, tls + kAllowsDraining);
  Ready({1, 2});
  ToPort(2);
  Ready({2});
  Apply({{1}, {2, "DRAINING"}}, tls + kAllowsDraining);
  EXPECT_EQ(ToPort(2), "2");
  const size_t made = host_.subchannels_made;
  Apply({{1}, {2, "DRAINING"}}, tls + kAllowsDraining + IdleTimeout(60));
  EXPECT_EQ(ToPort(2), "2") << "at once: a backend that drains may accept no new connection";
  EXPECT_EQ(host_.subchannels_made, made);
}

TEST_F(OverrideHostTest, IsThereOnlyWhereTheListenerHasTheFilter) {  // A55.13
  has_filter_ = false;
  Apply({{1}, {2}});
  Ready({1, 2});
  EXPECT_EQ(Others(), (Set{"1", "2"}));
  EXPECT_EQ(host_.subchannels().size(), 2u);
  EXPECT_NE(ToPort(2), "queue");
  EXPECT_EQ(used_, "") << "nobody looks";
  for (bool has_filter : {true, false, true}) {
    has_filter_ = has_filter;
    for (int port : {1, 2}) host_.shared[At(port)] = {GRPC_CHANNEL_READY, Status()};
    Apply({{1}, {2}});
    EXPECT_EQ(Others(), (Set{"1", "2"})) << "no RPC waits for the change";
    To("");
    EXPECT_EQ(used_.empty(), !has_filter);
  }
}

TEST_F(OverrideHostTest, ASubchannelThatCannotBeMadeKeepsNobodyWaiting) {
  Apply({{1}, {2}});
  Ready({1, 2});
  host_.refuses_subchannels = true;
  EXPECT_EQ(ToPort(2), "queue");
  EXPECT_NE(ToPort(2), "queue");
  host_.refuses_subchannels = false;
}

TEST_F(OverrideHostTest, ItsConfigIsNobodysToWrite) {
  EXPECT_EQ(ParseError(R"([{"xds_override_host_experimental":{}}])").code, GXDS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace memory
