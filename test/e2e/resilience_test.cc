// Control planes that die, freeze, return or are files, while RPCs go on.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "grpc_xds/grpc_xds.h"
#include "test/e2e/e2e.h"
#include "test/support/client_status.h"
#include "test/support/host_log.h"
#include "test/support/proto_json.h"

namespace gxds_test {
namespace {

const char kTarget[] = "xds:///greeter.example";

// One backend in a cluster of its name.
Mesh MeshOf(const Backend& backend) {
  Mesh mesh;
  mesh.routes = {{"", backend.name()}};
  mesh.clusters.push_back({});
  mesh.clusters[0].name = backend.name();
  mesh.clusters[0].localities = {{"z", 1, 0, {backend.port()}}};
  return mesh;
}

std::string Bootstrap(const std::vector<std::string>& servers, const std::string& more = "") {
  std::string list;
  for (const auto& s : servers) list += (list.empty() ? "" : ",") + s;
  return R"({"xds_servers":[)" + list + R"(],"node":{"id":"test-node"})" + more + "}";
}

std::string Files(const TempDir& dir) { return R"({"server_uri":"file://)" + dir.path() + "\"}"; }

std::string Cache(const TempDir& dir) {
  return R"(,"resource_cache":{"dir":")" + dir.path() + R"(/cache"})";
}

// A DiscoveryResponse with all resources of the mesh.
std::string Binary(const Mesh& mesh) {
  const std::string json = "{\"resources\":" + mesh.Json() + "}";
  gxds_str bytes = {};
  gxds_text error = {};
  EXPECT_TRUE(gxds_test_proto_from_json("envoy.service.discovery.v3.DiscoveryResponse",
                                        gxds_str_of(json.data(), json.size()), &bytes, &error))
      << gxds_text_str(&error).data;
  std::string s(bytes.data, bytes.size);
  gxds_str_free(&bytes);
  return s;
}

// Has a port on which nobody listens.
struct DeadControlPlane : ControlPlane {
  explicit DeadControlPlane(const Mesh& mesh) {
    Set(mesh);
    Start();
    Kill();
  }
};

TEST(Resilience, SecondServerWithOtherClustersAndBackWithoutAFailedRpc) {  // A71.5, A71.8, A71.11
  Backend a("a"), b("b");
  DeadControlPlane primary(MeshOf(a));
  ControlPlane secondary;
  secondary.Set(MeshOf(b));
  secondary.Start();
  Client client(kTarget, Bootstrap({primary.ServerJson(), secondary.ServerJson()}));
  ASSERT_TRUE(client.CallUntilAnsweredBy("b"));
  primary.Start();
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  client.CallMany(100);
  EXPECT_EQ(client.Call().name, "a");
  // No load is counted for the second server any more. So after the last report its LRS stream ends
  // too.
  for (const char* service : {R"("service":"ads")", R"("service":"lrs")"}) {
    EXPECT_NE(secondary.Wait({R"("event":"stream_close")", service}), "") << service;
    EXPECT_EQ(secondary.Count({R"("event":"stream_open")", service}), 1u) << service;
  }
}

// The subchannels stay, and so do their counters for the second server.
TEST(Resilience, SecondServerOfTheSameClusterIsReportedNoMoreLoadAfterTheReturn) {  // A71.8
  Backend a("a");
  DeadControlPlane primary(MeshOf(a));
  ControlPlane secondary;
  secondary.Set(MeshOf(a));
  secondary.Start();
  Client client(kTarget, Bootstrap({primary.ServerJson(), secondary.ServerJson()}));
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  EXPECT_NE(secondary.Wait({R"("event":"stream_open")", R"("service":"lrs")"}), "");
  primary.Start();
  EXPECT_NE(primary.Wait({R"("event":"stream_open")", R"("service":"lrs")"}), "");
  for (const char* service : {R"("service":"ads")", R"("service":"lrs")"}) {
    EXPECT_NE(secondary.Wait({R"("event":"stream_close")", service}), "") << service;
    EXPECT_EQ(secondary.Count({R"("event":"stream_open")", service}), 1u) << service;
  }
  EXPECT_EQ(client.Call().name, "a");
}

// The limit is GXDS_RECEIVE_SIZE_MAX (transport/server_channel.h), made small for the test.
TEST(Resilience, MessageAboveTheLimitEndsTheStreamAndTheLastGoodConfigurationStays) {
  Backend a("a"), b("b");
  ControlPlane plane;
  plane.Set(MeshOf(a));
  plane.Start();
  Client client(kTarget, Bootstrap({plane.ServerJson()}), {}, nullptr, {0, 0, 1 << 16});
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  Mesh large = MeshOf(b);
  large.clusters[0].more = R"("alt_stat_name":")" + std::string(1 << 17, 'x') + "\"";
  const size_t mark = plane.Mark();
  plane.Set(large);
  EXPECT_NE(plane.Wait({R"("event":"stream_close")"}, mark), "");
  for (int i = 0; i < 100; i++) {
    Reply reply = client.Call();
    ASSERT_EQ(reply.name, "a") << reply.status.error_message();
  }
  plane.Set(MeshOf(b));
  EXPECT_TRUE(client.CallUntilAnsweredBy("b"));
}

TEST(Resilience, FilesAlone) {
  Backend a("a"), b("b");
  TempDir dir;
  dir.Write("mesh.json", MeshOf(a).Json());
  Client client(kTarget, Bootstrap({Files(dir)}));
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  dir.Write("mesh.json", MeshOf(b).Json());
  ASSERT_TRUE(client.CallUntilAnsweredBy("b"));
}

TEST(Resilience, FilesMayBeBinaryResponses) {
  Backend a("a"), b("b");
  TempDir dir;
  dir.Write("mesh.pb", Binary(MeshOf(a)));
  Client client(kTarget, Bootstrap({Files(dir)}));
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  dir.Write("mesh.pb", Binary(MeshOf(b)));
  ASSERT_TRUE(client.CallUntilAnsweredBy("b"));
}

TEST(Resilience, FilesThatBreakLeaveTheLastGoodState) {
  Backend a("a"), b("b");
  TempDir dir;
  dir.Write("mesh.json", MeshOf(a).Json());
  Client client(kTarget, Bootstrap({Files(dir)}));
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  dir.Write("mesh.json", "[{\"@type\":");
  client.CallMany(100);
  EXPECT_EQ(client.Call().name, "a");
  dir.Write("mesh.json", MeshOf(b).Json());
  ASSERT_TRUE(client.CallUntilAnsweredBy("b"));
}

TEST(Resilience, FilesThatAreWrongFromTheStartFailRpcsWithWhatIsWrong) {
  TempDir dir;
  dir.Write("mesh.yaml", "name: [");
  Client client(kTarget, Bootstrap({Files(dir)}));
  Reply reply = client.Call();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_NE(reply.status.error_message().find("mesh.yaml"), std::string::npos)
      << reply.status.error_message();
}

TEST(Resilience, FilesAfterAServerAndBackWithoutAFailedRpc) {
  Backend a("a"), b("b");
  DeadControlPlane primary(MeshOf(a));
  TempDir dir;
  dir.Write("mesh.json", MeshOf(b).Json());
  Client client(kTarget, Bootstrap({primary.ServerJson(), Files(dir)}));
  ASSERT_TRUE(client.CallUntilAnsweredBy("b"));
  primary.Start();
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
}

// Holds the lock of a cache directory's one file, as another process would.
class OtherKeeper {
 public:
  explicit OtherKeeper(const std::string& dir) {
    for (const auto& entry : std::filesystem::directory_iterator(dir)) {
      if (entry.path().extension() != ".lock") continue;
      fd_ = open(entry.path().c_str(), O_RDWR | O_CLOEXEC);
      // Waits until the reactor has closed the file of an ended client.
      EXPECT_EQ(flock(fd_, LOCK_EX), 0);
    }
  }
  ~OtherKeeper() { LetGo(); }
  void LetGo() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

// A client has made an RPC and ended, and its control plane has ended.
struct LastKnownGood : testing::Test {
  LastKnownGood() {
    control.Set(MeshOf(a));
    control.Start();
    bootstrap = Bootstrap({control.ServerJson()}, Cache(dir));
    Client client(kTarget, bootstrap);
    EXPECT_TRUE(client.CallUntilAnsweredBy("a"));
    control.Kill();
  }
  Backend a{"a"}, b{"b"};
  TempDir dir;
  ControlPlane control;
  std::string bootstrap;
};

TEST_F(LastKnownGood, IsUsedWhileTheServerIsDownWithoutAFailedRpc) {
  Client client(kTarget, bootstrap);
  EXPECT_EQ(client.Call().name, "a");
  client.CallMany(50);
  control.Set(MeshOf(b));
  control.Start();
  EXPECT_TRUE(client.CallUntilAnsweredBy("b"));
}

TEST_F(LastKnownGood, IsUsedWhileTheServerIsSilent) {
  control.Start();
  control.Freeze();
  control.Set(MeshOf(b));  // after the freeze, so that no client caches it before Thaw()
  Client client(kTarget, bootstrap);
  EXPECT_EQ(client.Call().name, "a");
  control.Thaw();
  EXPECT_TRUE(client.CallUntilAnsweredBy("b"));
}

TEST_F(LastKnownGood, IsReportedInCsdsAndInTheStatusesOfRpcsThatFail) {
  Client client(kTarget, bootstrap);
  EXPECT_EQ(client.Call().name, "a");
  const std::string said =
      "used from the resource cache, as xDS server " + control.address() + " sent it at ";
  char* data = nullptr;
  size_t size = 0;
  ASSERT_EQ(grpc_xds_dump_client_status(&data, &size), GRPC_XDS_OK);
  auto clients = ParseClientStatusResponse(std::string(data, size));
  free(data);
  ASSERT_EQ(clients.size(), 1u);
  for (const auto& r : clients[0].resources) {
    EXPECT_EQ(r.state, "ACKED") << r.type;
    EXPECT_NE(r.error.find(said), std::string::npos) << r.type << " " << r.error;
  }
  EXPECT_EQ(clients[0].resources.size(), 4u);
  a.Stop();
  Reply reply;
  EXPECT_TRUE(client.CallUntil(
      [&](const Reply& r) {
        reply = r;
        return !r.status.ok();
      },
      true));
  EXPECT_NE(reply.status.error_message().find(said), std::string::npos)
      << reply.status.error_message();
}

// As after the end of a process that held the file, or after a full disk: the changes in between
// were not cached.
TEST_F(LastKnownGood, IsWholeAgainWithTheFirstChangeThatCanBeKept) {
  Backend c("c");
  {
    OtherKeeper other(dir.path() + "/cache");
    control.Set(MeshOf(b));
    control.Start();
    Client client(kTarget, bootstrap);
    ASSERT_TRUE(client.CallUntilAnsweredBy("b"));
    other.LetGo();
    Mesh mesh = MeshOf(b);
    mesh.clusters[0].localities = {{"z", 1, 0, {c.port()}}};
    control.Set(mesh);
    ASSERT_TRUE(client.CallUntilAnsweredBy("c"));
  }
  control.Kill();
  Client client(kTarget, bootstrap);
  Reply reply = client.Call();
  EXPECT_EQ(reply.name, "c") << reply.status.error_message();
}

TEST_F(LastKnownGood, IsLoggedToBeWrittenAgainWhenItIs) {
  const std::string cache = dir.path() + "/cache";
  ASSERT_EQ(chmod(cache.c_str(), 0770), 0);
  control.Start();
  Client client(kTarget, bootstrap);
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  ASSERT_EQ(chmod(cache.c_str(), 0700), 0);
  HostLog log;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto written_again = [&log] { return log.Has({": written again"}); };
  for (bool to_b = true; !written_again() && std::chrono::steady_clock::now() < end; to_b = !to_b) {
    control.Set(MeshOf(to_b ? b : a));
    ASSERT_TRUE(client.CallUntilAnsweredBy(to_b ? "b" : "a"));
  }
  EXPECT_TRUE(written_again());
}

// The cache of a process that was killed after new routes arrived, and before their cluster did.
TEST_F(LastKnownGood, WithoutTheClusterOfARouteFailsTheRpcsOfThatRouteAloneUntilAServerResponds) {
  const std::string to_b = "/test.New/Name";
  Mesh mesh = MeshOf(a);
  mesh.routes = {{"/test.New/", "b"}, {"", "a"}};
  {
    control.Set(mesh);
    control.Start();
    Client client(kTarget, bootstrap, {}, nullptr, kImpatience);
    ASSERT_TRUE(client.CallUntil([](const Reply& r) { return r.name == "a"; }, true));
    ASSERT_FALSE(client.Call({}, to_b).status.ok()) << "the new routes are in use";
  }
  control.Kill();
  Client client(kTarget, bootstrap);
  EXPECT_EQ(client.Call().name, "a");
  Reply reply = client.Call({}, to_b);
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_NE(reply.status.error_message().find("xDS channel for server " + control.address()),
            std::string::npos)
      << reply.status.error_message();
  EXPECT_EQ(client.Call().name, "a");
  mesh.clusters.push_back(MeshOf(b).clusters[0]);
  control.Set(mesh);
  control.Start();
  CallOptions wait;
  wait.wait_for_ready = true;
  EXPECT_EQ(client.Call(wait, to_b).name, "b");
}

TEST_F(LastKnownGood, IsNotThereWithoutACache) {
  Client client(kTarget, Bootstrap({control.ServerJson()}));
  EXPECT_EQ(client.Call().status.error_code(), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace gxds_test
