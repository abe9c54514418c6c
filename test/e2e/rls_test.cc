// RLS through a cluster specifier plugin: a lookup server names clusters that no route names.
#include <atomic>
#include <thread>
#include <vector>

#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

// A serialized grpc.lookup.v1.RouteLookupResponse with one target (field 3).
std::string Target(const std::string& cluster) {
  return "\x1a" + std::string(1, static_cast<char>(cluster.size())) + cluster;
}

Cluster ClusterOf(const Backend& backend) {
  Cluster cluster;
  cluster.name = backend.name();
  cluster.localities = {{backend.name(), 1, 0, {backend.port()}}};
  return cluster;
}

// The plugin "rls", which queries that server with the header "key" as the key.
std::string Plugin(const Backend& lookup, const std::string& default_target = "",
                   const std::string& timeout = "30s") {
  return R"(,"cluster_specifier_plugins":[{"extension":{"name":"rls","typed_config":{)"
         R"("@type":"type.googleapis.com/grpc.lookup.v1.RouteLookupClusterSpecifier",)"
         R"("route_lookup_config":{"grpc_keybuilders":[{"names":[{"service":"test.Echo"}],)"
         R"("headers":[{"key":"key","names":["key"]}]}],"lookup_service":"127.0.0.1:)" +
         std::to_string(lookup.port()) + R"(","lookup_service_timeout":")" + timeout +
         R"(","cache_size_bytes":"1000000","default_target":")" + default_target + "\"}}}}]";
}

class Rls : public testing::Test {
 protected:
  Rls() {
    mesh_.clusters = {ClusterOf(a_), ClusterOf(b_)};
    mesh_.routes = {{"", "", R"({"cluster_specifier_plugin":"rls"})"}};
    mesh_.route_config_fields = Plugin(lookup_);
  }
  void Start() {
    plane_.Set(mesh_);
    plane_.Start();
    client_ = std::make_unique<Client>("xds:///greeter.example", plane_.Bootstrap());
  }
  static CallOptions WithKey(const std::string& key) {
    CallOptions options;
    options.metadata = {{"key", key}};
    return options;
  }
  Reply Call(const std::string& key) { return client_->Call(WithKey(key)); }
  void RouteTo(const std::string& cluster) {
    mesh_.routes = {{"", cluster}};
    mesh_.route_config_fields = "";
    plane_.Set(mesh_);
  }
  void RouteToPlugin() {
    mesh_.routes = {{"", "", R"({"cluster_specifier_plugin":"rls"})"}};
    mesh_.route_config_fields = Plugin(lookup_);
    plane_.Set(mesh_);
  }

  Backend a_{"a"};
  Backend b_{"b"};
  Backend lookup_{"lookup"};
  ControlPlane plane_;
  Mesh mesh_;
  std::unique_ptr<Client> client_;
};

TEST_F(Rls, AnRpcGoesToTheClusterThatTheLookupNames) {
  Start();
  lookup_.RespondWith(Target("a"));
  EXPECT_EQ(Call("one").name, "a");
  lookup_.RespondWith(Target("b"));
  EXPECT_EQ(Call("two").name, "b");
  EXPECT_EQ(Call("one").name, "a");  // from the cache
  EXPECT_EQ(lookup_.calls(), 2);
}

TEST_F(Rls, ALookupThatFailsLeadsToTheDefaultTarget) {
  mesh_.route_config_fields = Plugin(lookup_, "b");
  lookup_.FailWith(grpc::StatusCode::INTERNAL);
  Start();
  EXPECT_EQ(Call("one").name, "b");
}

TEST_F(Rls, WithoutADefaultTargetAFailedLookupFailsTheRpc) {
  lookup_.FailWith(grpc::StatusCode::INTERNAL);
  Start();
  EXPECT_EQ(Call("one").status.error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(Rls, AnRpcWaitsForAClusterThatIsNotThereYet) {  // A74
  Backend late("late");
  Start();
  lookup_.RespondWith(Target("late"));
  auto call = client_->Start(WithKey("one"));
  ASSERT_NE(plane_.Wait({"\"late\""}), "");  // the cluster is requested
  mesh_.clusters.push_back(ClusterOf(late));
  plane_.Set(mesh_);
  Reply reply = call->Wait();
  EXPECT_EQ(reply.name, "late") << reply.status.error_message();
}

TEST_F(Rls, UpdatesOfTheClusterAreTakenUp) {  // A74
  Backend c("c");
  Start();
  lookup_.RespondWith(Target("a"));
  EXPECT_EQ(Call("one").name, "a");
  mesh_.clusters[0].localities = {{"c", 1, 0, {c.port()}}};
  plane_.Set(mesh_);
  EXPECT_TRUE(client_->CallUntil([](const Reply& r) { return r.name == "c"; }));
}

TEST_F(Rls, ALookupAfterUpdatesLeadsToItsCluster) {  // A74
  Backend c("c");
  Start();
  lookup_.RespondWith(Target("a"));
  EXPECT_EQ(Call("one").name, "a");
  for (const Backend* next : {&c, &a_, &c}) {
    mesh_.clusters[0].localities = {{next->name(), 1, 0, {next->port()}}};
    plane_.Set(mesh_);
    ASSERT_TRUE(client_->CallUntil([&](const Reply& r) { return r.name == next->name(); }));
  }
  lookup_.RespondWith(Target("b"));
  EXPECT_EQ(Call("two").name, "b");
}

TEST_F(Rls, AClusterThatIsRemovedGoesOn) {  // A88
  Start();
  lookup_.RespondWith(Target("b"));
  EXPECT_EQ(Call("one").name, "b");
  const size_t mark = plane_.Mark();
  mesh_.clusters.pop_back();
  plane_.Set(mesh_);
  ASSERT_NE(plane_.Wait({"\"event\":\"ack\""}, mark), "");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Call("one").name, "b");
}

TEST_F(Rls, ARouteMayLeaveThePluginAndComeBack) {
  lookup_.RespondWith(Target("b"));
  Start();
  ASSERT_TRUE(client_->CallUntilAnsweredBy("b"));
  for (int i = 0; i < 5; ++i) {
    RouteTo("a");
    ASSERT_TRUE(client_->CallUntilAnsweredBy("a"));
    RouteToPlugin();
    ASSERT_TRUE(client_->CallUntilAnsweredBy("b"));
  }
}

TEST_F(Rls, AnRpcInFlightOutlivesThePlugin) {  // A31.8
  lookup_.RespondWith(Target("b"));
  Start();
  ASSERT_TRUE(client_->CallUntilAnsweredBy("b"));
  b_.Hold();
  CallOptions longer;
  longer.timeout = 4 * kPatience;
  auto call = client_->Start(longer);
  ASSERT_TRUE(b_.WaitForHeld(1));
  RouteTo("a");
  CallOptions shorter;  // for RPCs that still go to b
  shorter.timeout = std::chrono::seconds(1);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (client_->Call(shorter).name != "a") {
    ASSERT_LT(std::chrono::steady_clock::now(), until);
  }
  b_.Release();
  Reply reply = call->Wait();
  EXPECT_EQ(reply.name, "b") << reply.status.error_message();
}

TEST_F(Rls, AnRpcWaitsForItsLookupThoughTheRouteLeft) {  // A31.8
  lookup_.RespondWith(Target("b"));
  Start();
  ASSERT_TRUE(client_->CallUntilAnsweredBy("b"));
  lookup_.Hold();
  auto call = client_->Start(WithKey("another"));
  ASSERT_TRUE(lookup_.WaitForHeld(1));
  RouteTo("a");
  ASSERT_TRUE(client_->CallUntilAnsweredBy("a"));
  lookup_.Release();
  Reply reply = call->Wait();
  EXPECT_EQ(reply.name, "b") << reply.status.error_message();
}

TEST_F(Rls, AChangedPluginUsesItsNewServer) {
  Backend other("other");
  other.RespondWith(Target("b"));
  lookup_.RespondWith(Target("a"));
  Start();
  ASSERT_EQ(Call("one").name, "a");
  mesh_.route_config_fields = Plugin(other);
  plane_.Set(mesh_);
  EXPECT_TRUE(client_->CallUntil([&](const Reply&) { return Call("one").name == "b"; }));
}

// The host's own policy would start some of these lookups on a destroyed channel.
TEST_F(Rls, LookupsThatCrossAChangeOfServerSucceed) {
  Backend other("other");
  other.RespondWith(Target("b"));
  lookup_.RespondWith(Target("a"));
  Start();
  ASSERT_EQ(Call("one").name, "a");
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; !done; ++i) {
        Reply reply = Call(std::to_string(t) + "-" + std::to_string(i));
        EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    mesh_.route_config_fields = Plugin(i % 2 == 0 ? other : lookup_);
    plane_.Set(mesh_);
    EXPECT_TRUE(client_->CallUntil([&, tries = 0](const Reply&) mutable {
      const std::string key = std::to_string(i) + "," + std::to_string(tries++);
      return Call(key).name == (i % 2 == 0 ? "b" : "a");
    }));
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace gxds_test
