// Leaf policies that the host does not have (A48, A51, A58, A62, A68, E1, E3), through real
// channels.
#include <sched.h>
#include <string.h>

#include <set>

#include "test/e2e/e2e.h"
#include "test/e2e/lb_policy_json.h"
#include "test/lb_policies/orca/orca_bytes.h"

namespace gxds_test {
namespace {

const char kLeastRequestByEnum[] =
    R"("lb_policy":"LEAST_REQUEST","least_request_lb_config":{"choice_count":10})";
std::string LeastRequest() {
  return PolicyConfig("least_request.v3.LeastRequest", R"(,"choice_count":10)");
}
std::string PickFirst(const std::string& fields = "") {
  return LbPolicy(PolicyConfig("pick_first.v3.PickFirst", fields));
}

// All backends in one locality of cluster "a".
Mesh OneLocality(const std::vector<Backend*>& backends, const std::string& policy) {
  Mesh mesh = SimpleMesh({backends[0]});
  for (size_t i = 1; i < backends.size(); i++) {
    mesh.clusters[0].localities[0].ports.push_back(backends[i]->port());
  }
  mesh.clusters[0].more = policy;
  return mesh;
}

// Makes calls one after the other while slow answers none. Returns how many calls slow got.
size_t CallsTo(Backend* slow, Backend* quick, Client* client) {
  std::vector<std::unique_ptr<PendingCall>> held;
  for (int i = 0; i < 100; i++) {
    const long slows = slow->calls();
    const long quicks = quick->calls();
    auto call = client->Start();
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (slow->calls() == slows && quick->calls() == quicks &&
           std::chrono::steady_clock::now() < until) {
      sched_yield();
    }
    if (quick->calls() > quicks) {
      EXPECT_EQ(call->Wait().name, quick->name());
    } else {
      held.push_back(std::move(call));
    }
  }
  slow->Release();
  for (auto& call : held) EXPECT_EQ(call->Wait().name, slow->name());
  return held.size();
}

TEST(LeastRequest, ASlowBackendGetsFewRpcs) {  // A48.1, A48.3, A48.6
  for (const std::string& policy : {std::string(kLeastRequestByEnum), LbPolicy(LeastRequest()),
                                    LbPolicy(WithinLocalities(LeastRequest()))}) {
    Backend slow("slow"), quick("quick");
    ControlPlane plane;
    plane.Set(OneLocality({&slow, &quick}, policy));
    plane.Start();
    Client client("xds:///greeter.example", plane.Bootstrap());
    ASSERT_TRUE(client.CallUntilAnsweredBy("slow")) << policy;
    ASSERT_TRUE(client.CallUntilAnsweredBy("quick")) << policy;
    slow.Hold();
    const size_t calls = CallsTo(&slow, &quick, &client);
    EXPECT_GE(calls, 1u) << policy;
    EXPECT_LE(calls, 20u) << policy;  // more than one if all ten draws are the same
  }
}

TEST(PickFirst, StaysWithTheFirstThatConnectsAndGoesOnWhenItDies) {  // A62.1
  Backend a("a"), b("b"), c("c");
  ControlPlane plane;
  plane.Set(OneLocality({&a, &b, &c}, PickFirst()));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  EXPECT_EQ(client.CallMany(20), (std::map<std::string, long>{{"a", 20}}));
  a.Stop();
  EXPECT_TRUE(client.CallUntil([](const Reply& r) { return r.name == "b"; }, true));
  EXPECT_EQ(client.CallMany(20), (std::map<std::string, long>{{"b", 20}}));
}

TEST(PickFirst, ClientsShuffleTheListEachByItself) {  // A62.2
  Backend a("a"), b("b"), c("c"), d("d");
  ControlPlane plane;
  plane.Set(OneLocality({&a, &b, &c, &d}, PickFirst(R"(,"shuffle_address_list":true)")));
  plane.Start();
  std::set<std::string> chosen;
  for (int i = 0; i < 100 && chosen.size() < 2; i++) {
    Client client("xds:///greeter.example", plane.Bootstrap());
    Reply reply = client.Call();
    ASSERT_TRUE(reply.status.ok()) << reply.status.error_message();
    chosen.insert(reply.name);
    EXPECT_EQ(client.Call().name, reply.name);
  }
  EXPECT_EQ(chosen.size(), 2u);
}

std::string SubsetOf(int size) {
  return PolicyConfig("random_subsetting.v3.RandomSubsetting",
                      R"(,"subset_size":)" + std::to_string(size) + R"(,"child_policy":)" +
                          PolicyList(PolicyConfig("round_robin.v3.RoundRobin")));
}

std::set<std::string> Names(const std::map<std::string, long>& calls) {
  std::set<std::string> names;
  for (const auto& call : calls) names.insert(call.first);
  return names;
}

TEST(RandomSubsetting, KeepsThoseThatStay) {  // A68.1, A68.3, A68.4, A68.8
  for (const std::string& policy :
       {LbPolicy(SubsetOf(3)), LbPolicy(WithinLocalities(SubsetOf(3)))}) {
    std::vector<std::unique_ptr<Backend>> all;
    std::vector<Backend*> backends;
    for (int i = 0; i < 12; i++) {
      all.push_back(std::make_unique<Backend>("b" + std::to_string(i)));
      backends.push_back(all.back().get());
    }
    ControlPlane plane;
    plane.Set(OneLocality(backends, policy));
    plane.Start();
    Client client("xds:///greeter.example", plane.Bootstrap());
    // Round robin reaches all three once they are connected. More calls reach no fourth.
    std::set<std::string> seen;
    ASSERT_TRUE(client.CallUntil([&](const Reply& r) {
      seen.insert(r.name);
      return seen.size() == 3;
    }));
    EXPECT_EQ(Names(client.CallMany(120)), seen) << policy;

    // One backend of the subset is removed: the two others stay, and one that was not used joins.
    // It is not the first backend, because the locality is named after that, and another locality
    // has a policy and a seed of its own.
    const std::string gone = *seen.rbegin();
    std::vector<Backend*> rest;
    for (Backend* b : backends) {
      if (b->name() != gone) rest.push_back(b);
    }
    plane.Set(OneLocality(rest, policy));
    std::set<std::string> kept = seen;
    kept.erase(gone);
    std::string fresh;
    ASSERT_TRUE(client.CallUntil([&](const Reply& r) {
      if (seen.count(r.name) == 0) fresh = r.name;
      return !fresh.empty();
    }));
    std::set<std::string> now = kept;
    now.insert(fresh);
    EXPECT_EQ(Names(client.CallMany(120)), now) << policy;

    // The backend returns, and so does the subset, because the client's seed is the same.
    plane.Set(OneLocality(backends, policy));
    ASSERT_TRUE(client.CallUntilAnsweredBy(gone));
    EXPECT_EQ(Names(client.CallMany(120)), seen) << policy;
    for (Backend* b : backends) {
      if (b->name() == gone || b->name() == fresh) continue;
      EXPECT_EQ(b->connections(), kept.count(b->name())) << "one kept, or none ever";
    }
  }
}

// 100 queries per second at this utilization of the application.
std::string Load(double utilization) {
  return orca_test::Double(6, 100) + orca_test::Application(utilization);
}

std::string Weighted(const std::string& fields, const std::string& blackout = "0s") {
  return LbPolicy(WithinLocalities(PolicyConfig(
      "client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin",
      R"(,"weight_update_period":"0.1s","blackout_period":")" + blackout + "\"" + fields)));
}

// Repeats 200 calls until at least that many of them go to the backend.
testing::AssertionResult MostGoTo(const std::string& backend, long at_least, Client* client) {
  long calls = 0;
  for (const auto until = std::chrono::steady_clock::now() + kPatience;
       calls < at_least && std::chrono::steady_clock::now() < until;) {
    calls = client->CallMany(200)[backend];
  }
  if (calls >= at_least) return testing::AssertionSuccess();
  return testing::AssertionFailure() << calls << " of 200";
}

// Of 200 calls. A backend with a quarter of the other's load gets four of five calls, and fewer
// while the weights change.
constexpr long kMost = 140;

TEST(WeightedRoundRobin, SharesFollowTheLoadThatBackendsReport) {  // A58.1, A58.12
  Backend busy("busy"), idle("idle");
  ControlPlane plane;
  plane.Set(OneLocality({&busy, &idle}, Weighted("")));
  plane.Start();
  busy.ReportLoad(Load(0.8));
  idle.ReportLoad(Load(0.2));
  Client client("xds:///greeter.example", plane.Bootstrap());
  EXPECT_TRUE(MostGoTo("idle", kMost, &client));
  EXPECT_EQ(busy.oob_requests().size(), 0u);
}

TEST(WeightedRoundRobin, SharesFollowTheMetricThatTheClusterNames) {  // A114.1, A114.6
  Backend busy("busy"), idle("idle");
  ControlPlane plane;
  plane.Set(OneLocality(
      {&busy, &idle},
      Weighted(R"(,"metric_names_for_computing_utilization":["named_metrics.queue"])")));
  plane.Start();
  busy.ReportLoad(Load(0.2) + orca_test::Named("queue", 0.8));
  idle.ReportLoad(Load(0.8) + orca_test::Named("queue", 0.2));
  Client client("xds:///greeter.example", plane.Bootstrap());
  EXPECT_TRUE(MostGoTo("idle", kMost, &client));
  // Without the metric's name the application utilization counts. The connections stay.
  plane.Set(OneLocality({&busy, &idle}, Weighted("")));
  EXPECT_TRUE(MostGoTo("busy", kMost, &client));
  EXPECT_EQ(busy.connections(), 1u);
}

// With all of our policies that wrap subchannels in between, and with responses that report the
// opposite load.
TEST(WeightedRoundRobin, SharesFollowTheLoadReportedOutOfBand) {  // A58.13
  Backend a("a"), b("b");
  ControlPlane plane;
  Mesh mesh = OneLocality(
      {&a, &b}, Weighted(R"(,"enable_oob_load_report":true,"oob_reporting_period":"1.5s")"));
  mesh.clusters[0].outlier_detection = R"({"interval":"3600s"})";
  plane.Set(mesh);
  plane.Start();
  a.ReportLoadOutOfBand(Load(0.8));
  b.ReportLoadOutOfBand(Load(0.2));
  a.ReportLoad(Load(0.2));
  b.ReportLoad(Load(0.8));
  Client client("xds:///greeter.example", plane.Bootstrap());
  EXPECT_TRUE(MostGoTo("b", kMost, &client));
  a.ReportLoadOutOfBand(Load(0.1));
  b.ReportLoadOutOfBand(Load(0.4));
  EXPECT_TRUE(MostGoTo("a", kMost, &client));
  for (Backend* backend : {&a, &b}) {
    EXPECT_EQ(backend->oob_requests(),
              (std::vector<std::string>{std::string("\x0a\x08\x08\x01\x10\x80\xca\xb5\xee\x01")}));
    EXPECT_EQ(backend->connections(), 1u);
  }
}

TEST(WeightedRoundRobin, ABackendWithoutReportsOutOfBandGetsOneRequestAConnection) {  // A58.13
  auto a = std::make_unique<Backend>("a");
  Backend b("b");
  ControlPlane plane;
  plane.Set(OneLocality({a.get(), &b}, Weighted(R"(,"enable_oob_load_report":true)")));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  ASSERT_TRUE(client.CallUntilAnsweredBy("b"));
  ASSERT_TRUE(a->WaitForOobRequests(1));
  ASSERT_TRUE(b.WaitForOobRequests(1));
  EXPECT_EQ(client.CallMany(100), (std::map<std::string, long>{{"a", 50}, {"b", 50}}));
  EXPECT_EQ(b.oob_requests().size(), 1u);
  // The backend returns with the service, and reports are requested again on the new connection.
  const int port = a->port();
  a.reset();
  a = std::make_unique<Backend>("a", port);
  a->ReportLoadOutOfBand(Load(0.5));
  ASSERT_TRUE(client.CallUntil([](const Reply& r) { return r.name == "a"; }, true));
  EXPECT_TRUE(a->WaitForOobStreams(1));
  EXPECT_EQ(b.oob_requests().size(), 1u);
  // Nor when the interval of reports becomes shorter.
  plane.Set(OneLocality({a.get(), &b},
                        Weighted(R"(,"enable_oob_load_report":true,"oob_reporting_period":"3s")")));
  EXPECT_TRUE(a->WaitForOobRequests(2));
  EXPECT_EQ(client.CallMany(10).size(), 2u);
  EXPECT_EQ(b.oob_requests().size(), 1u);
}

TEST(WeightedRoundRobin, ANewConnectionBeginsItsBlackoutAnewOutOfBand) {  // A58.7, A58.13
  auto a = std::make_unique<Backend>("a");
  Backend b("b");
  a->ReportLoadOutOfBand(Load(0.8));
  b.ReportLoadOutOfBand(Load(0.2));
  ControlPlane plane;
  plane.Set(OneLocality({a.get(), &b}, Weighted(R"(,"enable_oob_load_report":true)", "1s")));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(MostGoTo("b", kMost, &client));
  const int port = a->port();
  a.reset();
  a = std::make_unique<Backend>("a", port);
  a->ReportLoadOutOfBand("");  // an empty report
  ASSERT_TRUE(client.CallUntil([](const Reply& r) { return r.name == "a"; }, true));
  const auto before = std::chrono::steady_clock::now();
  a->ReportLoadOutOfBand(Load(0.8));
  ASSERT_TRUE(MostGoTo("b", kMost, &client));
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::seconds(1));
}

TEST(WeightedRoundRobin, StreamsOfReportsFollowTheClusterAndEndWithIt) {  // A58.13
  Backend a("a"), b("b");
  for (Backend* backend : {&a, &b}) backend->ReportLoadOutOfBand(Load(0.5));
  ControlPlane plane;
  plane.Set(OneLocality({&a, &b}, Weighted("")));
  plane.Start();
  {
    Client client("xds:///greeter.example", plane.Bootstrap());
    ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
    ASSERT_TRUE(client.CallUntilAnsweredBy("b"));
    plane.Set(OneLocality({&a, &b}, Weighted(R"(,"enable_oob_load_report":true)")));
    for (Backend* backend : {&a, &b}) ASSERT_TRUE(backend->WaitForOobStreams(1));
    EXPECT_EQ(a.oob_requests(), (std::vector<std::string>{"\x0a\x02\x08\x0a"}));
    plane.Set(OneLocality(
        {&a, &b}, Weighted(R"(,"enable_oob_load_report":true,"oob_reporting_period":"3s")")));
    ASSERT_TRUE(a.WaitForOobRequests(2));
    EXPECT_EQ(a.oob_requests()[1], "\x0a\x02\x08\x03");
    ASSERT_TRUE(a.WaitForOobStreams(1)) << "the one before has ended";
    plane.Set(OneLocality({&a, &b}, Weighted("")));
    for (Backend* backend : {&a, &b}) ASSERT_TRUE(backend->WaitForOobStreams(0));
    EXPECT_EQ(a.connections(), 1u);
    plane.Set(OneLocality({&a, &b}, Weighted(R"(,"enable_oob_load_report":true)")));
    for (Backend* backend : {&a, &b}) ASSERT_TRUE(backend->WaitForOobStreams(1));
    plane.Set(OneLocality({&a}, Weighted(R"(,"enable_oob_load_report":true)")));
    EXPECT_TRUE(b.WaitForOobStreams(0)) << "an endpoint that is gone";
    EXPECT_TRUE(a.WaitForOobStreams(1));
  }
  EXPECT_TRUE(a.WaitForOobStreams(0)) << "the channel is gone";
}

// Without xDS, because the xDS channels of these tests share no connection.
TEST(WeightedRoundRobin, ChannelsThatShareAConnectionShareItsStreamOfReports) {  // A58.13
  Backend a("a");
  a.ReportLoadOutOfBand(Load(0.5));
  grpc::ChannelArguments args;
  args.SetServiceConfigJSON(
      R"({"loadBalancingConfig":[{"weighted_round_robin":{"enableOobLoadReport":true}}]})");
  const std::string target = "ipv4:127.0.0.1:" + std::to_string(a.port());
  const auto credentials = grpc::InsecureChannelCredentials();
  const auto deadline = std::chrono::system_clock::now() + kPatience;
  auto first = grpc::CreateCustomChannel(target, credentials, args);
  ASSERT_TRUE(first->WaitForConnected(deadline));
  ASSERT_TRUE(a.WaitForOobStreams(1));
  auto second = grpc::CreateCustomChannel(target, credentials, args);
  ASSERT_TRUE(second->WaitForConnected(deadline));
  first.reset();
  {
    grpc::GenericStub stub(second);
    EXPECT_EQ(PendingCall(&stub, "/test.Echo/Name", CallOptions()).Wait().name, "a");
  }
  EXPECT_TRUE(a.WaitForOobStreams(1));
  EXPECT_EQ(a.oob_requests().size(), 1u);
  EXPECT_EQ(a.connections(), 1u);
  second.reset();
  EXPECT_TRUE(a.WaitForOobStreams(0));
}

TEST(SlowStart, ABackendThatComesGetsItsShareLittleByLittle) {  // E1.1, E1.9
  Backend a("a"), b("b"), c("c");
  ControlPlane plane;
  const std::string slow =
      R"("round_robin_lb_config":{"slow_start_config":{"slow_start_window":"3600s"}})";
  plane.Set(OneLocality({&a, &b}, slow));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  for (const char* name : {"a", "b"}) ASSERT_TRUE(client.CallUntilAnsweredBy(name));
  EXPECT_EQ(client.CallMany(200)["a"], 100) << "when all are new none is spared";
  plane.Set(OneLocality({&a, &b, &c}, slow));
  ASSERT_TRUE(client.CallUntilAnsweredBy("c"));
  EXPECT_NEAR(client.CallMany(420)["c"], 20, 4) << "a tenth of the others' share";
  plane.Set(OneLocality({&a, &b, &c}, ""));
  EXPECT_TRUE(MostGoTo("c", 60, &client)) << "a third";
  EXPECT_EQ(a.connections() + b.connections() + c.connections(), 3u);
}

Mesh WithWeights(Mesh mesh, const std::vector<unsigned>& weights) {
  mesh.clusters[0].localities[0].weights = weights;
  return mesh;
}

TEST(EndpointWeights, SharesFollowWeightsIfTheServerHasThatFeature) {  // E3.1, E3.3, E3.5
  Backend a("a"), b("b");
  ControlPlane plane;
  plane.Set(WithWeights(OneLocality({&a, &b}, ""), {1, 7}));
  plane.Start();
  Client by_weight("xds:///greeter.example", plane.Bootstrap("endpoint_weights"));
  Client in_turn("xds:///greeter.example", plane.Bootstrap());
  for (Client* client : {&by_weight, &in_turn}) {
    for (const char* name : {"a", "b"}) ASSERT_TRUE(client->CallUntilAnsweredBy(name));
  }
  EXPECT_NEAR(by_weight.CallMany(400)["b"], 350, 3);
  EXPECT_EQ(in_turn.CallMany(200)["b"], 100);
  const size_t connections = a.connections() + b.connections();
  plane.Set(WithWeights(OneLocality({&a, &b}, ""), {7}));
  EXPECT_TRUE(MostGoTo("a", 170, &by_weight)) << "seven of eight";
  EXPECT_EQ(in_turn.CallMany(200)["b"], 100);
  EXPECT_EQ(a.connections() + b.connections(), connections);
}

TEST(EndpointWeights, ABackendThatComesGetsItsWeightLittleByLittle) {  // E3.4
  Backend a("a"), b("b");
  ControlPlane plane;
  const std::string slow =
      R"("round_robin_lb_config":{"slow_start_config":{"slow_start_window":"3600s"}})";
  plane.Set(WithWeights(OneLocality({&a}, slow), {3}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap("endpoint_weights"));
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  plane.Set(WithWeights(OneLocality({&a, &b}, slow), {3, 10}));
  ASSERT_TRUE(client.CallUntilAnsweredBy("b"));
  EXPECT_NEAR(client.CallMany(400)["b"], 100, 4) << "a tenth of 10 beside 3";
}

}  // namespace
}  // namespace gxds_test
