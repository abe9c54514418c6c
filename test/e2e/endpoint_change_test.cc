// Endpoints that are added, removed and replaced under traffic, through real channels.
#include <atomic>
#include <thread>

#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

Mesh MeshOf(const std::vector<Backend*>& backends) {
  Mesh mesh = SimpleMesh({backends[0]});
  mesh.clusters[0].localities[0].ports.clear();
  for (Backend* b : backends) mesh.clusters[0].localities[0].ports.push_back(b->port());
  return mesh;
}

// Makes calls without a pause on a channel of its own, until it is destroyed.
class Traffic {
 public:
  explicit Traffic(const std::string& bootstrap)
      : client_("xds:///greeter.example", bootstrap), thread_([this] { Run(); }) {}
  ~Traffic() { Stop(); }
  // Stops, and returns how many calls failed.
  long Stop() {
    stopped_ = true;
    if (thread_.joinable()) thread_.join();
    return failed_;
  }

 private:
  void Run() {
    while (!stopped_) {
      Reply reply = client_.Call();
      if (reply.status.ok()) continue;
      ++failed_;
      ADD_FAILURE() << reply.status.error_message();
    }
  }

  Client client_;
  std::atomic<bool> stopped_{false};
  std::atomic<long> failed_{0};
  std::thread thread_;
};

TEST(EndToEnd, EndpointsThatComeAndGoFailNoRpcAndKeepTheOthersConnections) {
  Backend a("a"), b("b"), c("c"), d("d"), e("e");
  ControlPlane plane;
  plane.Set(MeshOf({&a, &b, &c}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(client.CallUntilAnsweredBy(name));
  Traffic traffic(plane.Bootstrap());
  plane.Set(MeshOf({&a, &d, &b, &c}));  // one is added, in the middle
  ASSERT_TRUE(client.CallUntilAnsweredBy("d"));
  plane.Set(MeshOf({&d, &b, &c}));  // one is removed
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (client.CallMany(9)["a"] > 0) ASSERT_LT(std::chrono::steady_clock::now(), until);
  plane.Set(MeshOf({&e}));  // all are replaced
  ASSERT_TRUE(client.CallUntilAnsweredBy("e"));
  EXPECT_EQ(client.CallMany(10)["e"], 10);
  EXPECT_EQ(traffic.Stop(), 0);
  // At all times one connection for each of the two channels.
  for (Backend* backend : {&b, &c}) EXPECT_LE(backend->connections(), 2u) << backend->name();
}

TEST(EndToEnd, EndpointsArePickedInTheirOrder) {
  Backend a("a"), b("b"), c("c"), d("d");
  ControlPlane plane;
  plane.Set(MeshOf({&a, &b, &d}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  for (const char* name : {"a", "b", "d"}) ASSERT_TRUE(client.CallUntilAnsweredBy(name));
  plane.Set(MeshOf({&a, &b, &c, &d}));
  ASSERT_TRUE(client.CallUntilAnsweredBy("c"));
  for (int round = 0; round < 5; ++round) {
    for (const char* name : {"d", "a", "b", "c"}) ASSERT_EQ(client.Call().name, name);
  }
}

}  // namespace
}  // namespace gxds_test
