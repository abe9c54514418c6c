// Channels of several targets on one client, and so on one stream to their control plane.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "grpc_xds/grpc_xds.h"
#include "test/e2e/e2e.h"
#include "test/support/agent.h"
#include "test/support/client_status.h"

namespace gxds_test {
namespace {

constexpr int kTargets = 10;
const char kOpened[] = R"("event":"stream_open")";
const char kClosed[] = R"("event":"stream_close")";
const char kAds[] = R"("service":"ads")";
const char kLrs[] = R"("service":"lrs")";

// The process's bootstrap while this object exists: a server and these further members.
class Bootstrap {
 public:
  explicit Bootstrap(const std::string& servers, const std::string& members = "") {
    const std::string json =
        R"({"xds_servers":[)" + servers + R"(],"node":{"id":"test-node"})" + members + "}";
    setenv("GRPC_XDS_BOOTSTRAP_CONFIG", json.c_str(), 1);
  }
  ~Bootstrap() { unsetenv("GRPC_XDS_BOOTSTRAP_CONFIG"); }
};

std::string ServerJson(int port) {
  return R"({"server_uri":"127.0.0.1:)" + std::to_string(port) +
         R"(","channel_creds":[{"type":"insecure"}]})";
}

std::string Service(int i) { return "service" + std::to_string(i); }

// Service number i: its own cluster, and one that all services share, on one backend.
Mesh MeshOf(int i, int port) {
  Mesh mesh;
  mesh.service = Service(i);
  const std::string own = "cluster" + std::to_string(i);
  mesh.routes = {{"/all/", "all", {}, {}}, {"", own, {}, {}}};
  for (const std::string& name : {own, std::string("all")}) {
    Cluster cluster;
    cluster.name = name;
    cluster.localities = {{"z", 1, 0, {port}}};
    mesh.clusters.push_back(cluster);
  }
  if (i > 0) mesh.clusters.pop_back();  // the shared cluster is in the first service's file
  return mesh;
}

class SharedStream : public testing::Test {
 protected:
  SharedStream() : a_("a"), b_("b") {
    for (int i = 0; i < kTargets; ++i) Serve(i, a_);
    plane_.Start();
  }
  void Serve(int i, const Backend& backend) {
    plane_.WriteFile(Service(i) + ".json", MeshOf(i, backend.port()).Json());
  }
  // Channels to the first targets.
  void Connect(int count) {
    for (int i = 0; i < count; ++i) {
      clients_.push_back(std::make_unique<Client>("xds:///" + Service(i), ""));
    }
  }
  void ExpectAllAnsweredBy(const std::string& name) {
    for (const auto& client : clients_) {
      if (client == nullptr) continue;
      EXPECT_TRUE(client->CallUntilAnsweredBy(name));
    }
  }

  Backend a_, b_;
  ControlPlane plane_;
  std::vector<std::unique_ptr<Client>> clients_;
};

TEST_F(SharedStream, TenTargetsHaveOneOfEachKindThroughChanges) {
  Bootstrap bootstrap(plane_.ServerJson());
  Connect(kTargets);
  ExpectAllAnsweredBy("a");
  for (const auto& client : clients_) EXPECT_EQ(client->Call({}, "/all/Name").name, "a");
  for (int i = 0; i < kTargets; ++i) {  // the first service's file has the endpoints that all use
    Serve(i, b_);
    EXPECT_TRUE(clients_[i]->CallUntilAnsweredBy("b"));
  }
  for (const auto& client : clients_) {
    EXPECT_TRUE(client->CallUntil([](const Reply& r) { return r.name == "b"; }));
  }
  EXPECT_TRUE(plane_.WaitForIssued(kTargets));
  EXPECT_EQ(plane_.Count({kOpened, kAds}), 1u);
  EXPECT_EQ(plane_.Count({kOpened, kLrs}), 1u);
  EXPECT_EQ(plane_.Count({kClosed}), 0u);
}

TEST_F(SharedStream, WhatAllWatchIsSentAndAckedOnce) {
  Bootstrap bootstrap(plane_.ServerJson());
  Connect(kTargets);
  ExpectAllAnsweredBy("a");
  const size_t pushes = plane_.Count({R"("event":"push")", "ClusterLoadAssignment"});
  const size_t acks = plane_.Count({R"("event":"ack")", "ClusterLoadAssignment"});
  Mesh mesh = MeshOf(0, a_.port());
  mesh.clusters[1].localities[0].ports = {b_.port()};
  plane_.WriteFile(Service(0) + ".json", mesh.Json());
  for (const auto& client : clients_) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (client->Call({}, "/all/Name").name != "b") {
      ASSERT_LT(std::chrono::steady_clock::now(), until);
    }
  }
  // There was no message for the others: the resource that all watch took one response and one ACK.
  EXPECT_EQ(plane_.Count({R"("event":"push")", "ClusterLoadAssignment"}), pushes + 1);
  EXPECT_EQ(plane_.Count({R"("event":"ack")", "ClusterLoadAssignment"}), acks + 1);
}

TEST_F(SharedStream, RpcsOfAllTargetsAreReportedOnce) {
  Bootstrap bootstrap(plane_.ServerJson());
  Connect(3);
  for (const auto& client : clients_) {
    for (int k = 0; k < 5; ++k) EXPECT_EQ(client->Call({}, "/all/Name").name, "a");
    EXPECT_EQ(client->Call().name, "a");
  }
  ASSERT_TRUE(plane_.WaitForIssued(18));
  auto loads = plane_.Loads();
  EXPECT_EQ((loads[{"all", "z"}].issued), 15);
  EXPECT_EQ((loads[{"cluster0", "z"}].issued), 1);
  EXPECT_EQ((loads[{"cluster2", "z"}].issued), 1);
}

TEST_F(SharedStream, AnAgentThatKeepsOneStreamHasOne) {
  Agent agent(plane_.address());
  Bootstrap bootstrap(ServerJson(agent.port()));
  Connect(kTargets);
  ExpectAllAnsweredBy("a");
  for (int i = 0; i < kTargets; ++i) {
    Serve(i, b_);
    EXPECT_TRUE(clients_[i]->CallUntilAnsweredBy("b"));  // a failed RPC fails the test
  }
  EXPECT_EQ(agent.opened(), 1);
  EXPECT_EQ(agent.ended(), 0);
}

TEST_F(SharedStream, ATargetEachWouldEndOneAnothersStreamThere) {
  Agent agent(plane_.address());
  Bootstrap bootstrap(ServerJson(agent.port()), R"(,"shared_stream":false)");
  Connect(3);
  for (const auto& client : clients_) client->channel()->GetState(true);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (agent.ended() < 3) ASSERT_LT(std::chrono::steady_clock::now(), until);
}

TEST_F(SharedStream, WithAServerToFallBackToEachTargetHasItsOwn) {  // A71.1
  ControlPlane spare;
  spare.Start();
  Bootstrap bootstrap(plane_.ServerJson() + "," + spare.ServerJson());
  Connect(3);
  ExpectAllAnsweredBy("a");
  EXPECT_EQ(plane_.Count({kOpened, kAds}), 3u);
  EXPECT_EQ(spare.Count({kOpened}), 0u);
}

TEST_F(SharedStream, ATargetThatGoesIsLeftOutWhileTheOthersGoOn) {
  Bootstrap bootstrap(plane_.ServerJson());
  Connect(3);
  ExpectAllAnsweredBy("a");
  const size_t mark = plane_.Mark();
  clients_[1].reset();
  for (const char* name : {R"("service1")", R"("service1-routes")", R"("cluster1")"}) {
    EXPECT_NE(plane_.Wait({R"("event":"unsubscribed")", name}, mark), "") << name;
  }
  Serve(0, b_);
  Serve(2, b_);
  ExpectAllAnsweredBy("b");
  EXPECT_EQ(plane_.Count({R"("event":"unsubscribed")", R"("all")"}), 0u);
  EXPECT_EQ(plane_.Count({kOpened, kAds}), 1u);
  EXPECT_EQ(plane_.Count({kClosed, kAds}), 0u);
}

TEST_F(SharedStream, StatusShowsEachTargetWithWhatItWatches) {  // A71.9
  Bootstrap bootstrap(plane_.ServerJson());
  Connect(2);
  ExpectAllAnsweredBy("a");
  char* data = nullptr;
  size_t size = 0;
  ASSERT_EQ(grpc_xds_dump_client_status(&data, &size), GRPC_XDS_OK);
  auto each = ParseClientStatusResponse(std::string(data, size));
  free(data);
  ASSERT_EQ(each.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(each[i].scope, "xds:///" + Service(i));
    EXPECT_EQ(each[i].Find("Listener", Service(i)).state, "ACKED");
    EXPECT_EQ(each[i].Find("Listener", Service(1 - i)).state, "");
    EXPECT_EQ(each[i].Find("Cluster", "all").state, "ACKED");
    EXPECT_EQ(each[i].resources.size(), 6u);
  }
}

}  // namespace
}  // namespace gxds_test
