// What a client status discovery service shows of real channels (A40).
#include <arpa/inet.h>
#include <grpc/grpc.h>
#include <grpcpp/xds_server_builder.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "grpc_xds/grpc_xds.h"
#include "test/e2e/e2e.h"
#include "test/support/client_status.h"

namespace gxds_test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kTarget[] = "xds:///greeter.example";

// All clients of the process with their resources, merged into one.
StatusOfClient Merge(const std::vector<StatusOfClient>& each) {
  StatusOfClient all;
  all.parsed = true;
  for (const StatusOfClient& client : each) {
    all.parsed = all.parsed && client.parsed;
    if (all.node_id.empty()) {
      all.node_id = client.node_id;
      all.client_features = client.client_features;
    }
    all.resources.insert(all.resources.end(), client.resources.begin(), client.resources.end());
  }
  return all;
}

// Calls the function that every CSDS service of the host calls. In gRPC 1.51 it returns a
// ClientConfig, later a ClientStatusResponse with one ClientConfig for each client.
StatusOfClient Dump() {
  grpc_slice slice = grpc_dump_xds_configs();
  std::string bytes(reinterpret_cast<const char*>(GRPC_SLICE_START_PTR(slice)),
                    GRPC_SLICE_LENGTH(slice));
  grpc_slice_unref(slice);
  const bool by_client = strcmp(grpc_version_string(), "29.0.0") != 0;
  StatusOfClient status =
      by_client ? Merge(ParseClientStatusResponse(bytes)) : ParseClientConfig(bytes);
  EXPECT_TRUE(status.parsed);
  return status;
}

std::vector<StatusOfClient> DumpEach() {
  char* data = nullptr;
  size_t size = 0;
  EXPECT_EQ(grpc_xds_dump_client_status(&data, &size), GRPC_XDS_OK);
  auto each = ParseClientStatusResponse(std::string(data != nullptr ? data : "", size));
  free(data);
  return each;
}

// Repeats Dump() until the resource is in that state.
StatusOfResource WaitForState(const std::string& type, const std::string& name,
                              const std::string& state) {
  for (const auto until = Clock::now() + kPatience;; sched_yield()) {
    StatusOfResource r = Dump().Find(type, name);
    if (r.state == state) return r;
    if (Clock::now() > until) {
      ADD_FAILURE() << type << " " << name << " is \"" << r.state << "\", not " << state;
      return r;
    }
  }
}

// The process's bootstrap while this object exists.
class Bootstrap {
 public:
  explicit Bootstrap(const std::string& json) {
    setenv("GRPC_XDS_BOOTSTRAP_CONFIG", json.c_str(), 1);
  }
  ~Bootstrap() { unsetenv("GRPC_XDS_BOOTSTRAP_CONFIG"); }
};

// A port that accepts connections and sends nothing.
class SilentServer {
 public:
  SilentServer() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(socket_, 16), 0);
    EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~SilentServer() { close(socket_); }
  std::string Bootstrap() const {
    return R"({"xds_servers":[{"server_uri":"127.0.0.1:)" + std::to_string(port_) +
           R"(","channel_creds":[{"type":"insecure"}]}],"node":{"id":"silent"}})";
  }

 private:
  const int socket_;
  int port_ = 0;
};

TEST(Csds, AResourceThatDidNotComeIsRequested) {  // A40.1, A40.8
  SilentServer server;
  Bootstrap bootstrap(server.Bootstrap());
  Client client(kTarget, "");
  client.channel()->GetState(true);
  StatusOfResource listener = WaitForState("Listener", "greeter.example", "REQUESTED");
  EXPECT_EQ(listener.config_type, "");
  EXPECT_EQ(Dump().node_id, "silent");
}

// As with the host: the node of ADS requests has one more feature.
TEST(Csds, TheNodeHasTheFeaturesOfTheClient) {  // A40
  SilentServer server;
  Bootstrap bootstrap(server.Bootstrap());
  Client client(kTarget, "");
  client.channel()->GetState(true);
  WaitForState("Listener", "greeter.example", "REQUESTED");
  EXPECT_EQ(Dump().client_features,
            std::vector<std::string>{"envoy.lb.does_not_support_overprovisioning"});
}

TEST(Csds, EveryResourceInUseIsAcked) {  // A40.2, A40.9
  Backend a("a");
  ControlPlane plane;
  plane.Set(SimpleMesh({&a}));
  plane.Start();
  Bootstrap bootstrap(plane.Bootstrap());
  Client client(kTarget, "");
  ASSERT_TRUE(client.Call().status.ok());
  StatusOfClient all = Dump();
  ASSERT_EQ(all.resources.size(), 4u);
  const char* const kTypes[] = {"Listener", "RouteConfiguration", "Cluster",
                                "ClusterLoadAssignment"};
  for (size_t i = 0; i < 4; ++i) {
    const StatusOfResource& r = all.resources[i];
    EXPECT_EQ(r.type.substr(r.type.rfind('.') + 1), kTypes[i]);
    EXPECT_EQ(r.state, "ACKED") << r.name;
    EXPECT_EQ(r.config_type, r.type);
    EXPECT_NE(r.config, "");
    EXPECT_NE(r.version, "");
    EXPECT_FALSE(r.has_error);
    const int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                            std::chrono::system_clock::now().time_since_epoch())
                            .count();
    EXPECT_GT(r.updated, now - int64_t{3600} * 1000000000);
    EXPECT_LE(r.updated, now);
  }
}

TEST(Csds, MetricsAreOfTheSameClients) {  // A78
  Backend a("a");
  ControlPlane plane;
  plane.Set(SimpleMesh({&a}));
  plane.Start();
  Bootstrap bootstrap(plane.Bootstrap());
  Client client(kTarget, "");
  ASSERT_TRUE(client.Call().status.ok());
  char* text = nullptr;
  size_t size = 0;
  ASSERT_EQ(grpc_xds_dump_metrics(&text, &size), GRPC_XDS_OK);
  EXPECT_EQ(strlen(text), size);
  const std::string connected =
      "\ngrpc_xds_client_connected{grpc_target=\"" + std::string(kTarget) +
      "\",grpc_xds_server=\"127.0.0.1:" + std::to_string(plane.port()) + "\"} 1\n";
  EXPECT_NE(std::string(text).find(connected), std::string::npos) << text;
  free(text);
}

std::string Metrics() {
  char* text = nullptr;
  size_t size = 0;
  EXPECT_EQ(grpc_xds_dump_metrics(&text, &size), GRPC_XDS_OK);
  std::string metrics(text != nullptr ? text : "", size);
  free(text);
  return metrics;
}

TEST(Csds, MetricsCountTheRpcsOfEachLocalityAndHowLongUpdatesTook) {
  Backend a("a");
  ControlPlane plane;
  plane.Set(SimpleMesh({&a}));
  plane.Start();
  Bootstrap bootstrap(plane.Bootstrap());
  Client client(kTarget, "");
  for (int i = 0; i < 3; i++) ASSERT_TRUE(client.Call().status.ok());
  const std::string locality =
      "{grpc_target=\"xds:///greeter.example\",grpc_lb_backend_service=\"a\","
      "grpc_lb_locality=\"{region=\\\"r\\\", zone=\\\"a\\\", sub_zone=\\\"\\\"}\"";
  const std::string server =
      ",grpc_xds_eds_service=\"\",grpc_xds_server=\"127.0.0.1:" + std::to_string(plane.port()) +
      "\"";
  const std::string succeeded =
      "\ngrpc_xds_client_locality_rpcs_succeeded_total" + locality + server + "} 3\n";
  std::string metrics = Metrics();
  EXPECT_NE(
      metrics.find("\ngrpc_xds_client_locality_rpcs_started_total" + locality + server + "} 3\n"),
      std::string::npos)
      << metrics;
  // An RPC's end is counted only when gRPC has finished with it.
  for (const auto until = Clock::now() + kPatience;
       metrics.find(succeeded) == std::string::npos && Clock::now() < until; sched_yield()) {
    metrics = Metrics();
  }
  EXPECT_NE(metrics.find(succeeded), std::string::npos) << metrics;
  // One update for each response: listener, routes, cluster, endpoints.
  EXPECT_NE(metrics.find("\ngrpc_xds_client_update_duration_seconds_count{grpc_target="
                         "\"xds:///greeter.example\"} 4\n"),
            std::string::npos)
      << metrics;
}

TEST(Csds, ARejectedUpdateIsNackedBesideTheResourceInUse) {  // A40.3
  Backend a("a");
  ControlPlane plane;
  Mesh mesh = SimpleMesh({&a});
  plane.Set(mesh);
  plane.Start();
  Bootstrap bootstrap(plane.Bootstrap());
  Client client(kTarget, "");
  ASSERT_TRUE(client.Call().status.ok());
  mesh.clusters[0].localities[0].priority = 1;  // an error, since there is no priority 0
  plane.Set(mesh);
  ASSERT_NE(plane.Wait({"\"event\":\"nack\""}), "");
  StatusOfResource endpoints = Dump().Find("ClusterLoadAssignment", "a");
  EXPECT_EQ(endpoints.state, "NACKED");
  EXPECT_NE(endpoints.config, "");
  EXPECT_NE(endpoints.error.find("priority 0 empty"), std::string::npos) << endpoints.error;
  EXPECT_NE(endpoints.failed_version, endpoints.version);
  EXPECT_GT(endpoints.failed, endpoints.updated);
}

TEST(Csds, WhatIsRejectedOfAFileIsNackedAndCounted) {  // A40.3, A78
  Backend a("a");
  TempDir dir;
  Mesh mesh = SimpleMesh({&a});
  dir.Write("mesh.json", mesh.Json());
  Bootstrap bootstrap(R"({"xds_servers":[{"server_uri":"file://)" + dir.path() +
                      R"("}],"node":{"id":"files"}})");
  Client client(kTarget, "");
  ASSERT_TRUE(client.Call().status.ok());
  mesh.clusters[0].localities[0].priority = 1;  // an error, since there is no priority 0
  dir.Write("mesh.json", mesh.Json());
  StatusOfResource endpoints = WaitForState("ClusterLoadAssignment", "a", "NACKED");
  EXPECT_NE(endpoints.config, "");
  EXPECT_NE(endpoints.error.find("priority 0 empty"), std::string::npos) << endpoints.error;
  char* text = nullptr;
  size_t size = 0;
  ASSERT_EQ(grpc_xds_dump_metrics(&text, &size), GRPC_XDS_OK);
  const std::string invalid =
      "\ngrpc_xds_client_resource_updates_invalid_total{grpc_target=\"" + std::string(kTarget) +
      "\",grpc_xds_server=\"file://" + dir.path() +
      "\",grpc_xds_resource_type=\"envoy.config.endpoint.v3.ClusterLoadAssignment\"} 1\n";
  EXPECT_NE(std::string(text).find(invalid), std::string::npos) << text;
  free(text);
  EXPECT_EQ(client.Call().name, "a");
}

TEST(Csds, ADeletedListenerDoesNotExist) {  // A40.4, A88
  Backend a("a");
  ControlPlane plane;
  Mesh mesh = SimpleMesh({&a});
  plane.Set(mesh);
  plane.Start();
  Bootstrap bootstrap(plane.Bootstrap());
  Client client(kTarget, "");
  ASSERT_TRUE(client.Call().status.ok());
  mesh.service = "another.example";
  plane.Set(mesh);
  StatusOfResource listener = WaitForState("Listener", "greeter.example", "DOES_NOT_EXIST");
  EXPECT_NE(listener.error.find("resource deleted (xDS server"), std::string::npos)
      << listener.error;
}

TEST(Csds, EachTargetIsShownByItself) {  // A71, A71.9
  Backend a("a");
  ControlPlane plane;
  plane.Set(SimpleMesh({&a}));
  plane.Start();
  Bootstrap bootstrap(plane.Bootstrap());
  Client one(kTarget, "");
  ASSERT_TRUE(one.Call().status.ok());
  Client two("xds:///another.example", "");
  two.channel()->GetState(true);
  WaitForState("Listener", "another.example", "REQUESTED");
  auto each = DumpEach();
  ASSERT_EQ(each.size(), 2u);
  EXPECT_EQ(each[0].scope, kTarget);
  EXPECT_EQ(each[0].Find("Listener", "greeter.example").state, "ACKED");
  EXPECT_EQ(each[0].Find("Listener", "another.example").state, "");
  EXPECT_EQ(each[1].scope, "xds:///another.example");
  EXPECT_EQ(each[1].Find("Listener", "greeter.example").state, "");
  EXPECT_NE(each[1].Find("Listener", "another.example").state, "");
  EXPECT_EQ(Dump().resources.size(), each[0].resources.size() + each[1].resources.size());
}

TEST(Csds, WhatTheHostKeepsForServersIsInTheSameConfig) {  // A40.10
  Backend a("a");
  ControlPlane plane;
  plane.Set(SimpleMesh({&a}));
  plane.Start();
  std::string json = plane.Bootstrap();
  json.insert(json.find('{') + 1, R"("server_listener_resource_name_template":"server/%s",)");
  Bootstrap bootstrap(json);
  Client client(kTarget, "");
  ASSERT_TRUE(client.Call().status.ok());
  int port = 0;
  { port = Backend("free").port(); }
  const std::string address = "127.0.0.1:" + std::to_string(port);
  grpc::XdsServerBuilder builder;
  grpc::AsyncGenericService service;
  builder.RegisterAsyncGenericService(&service);
  builder.AddListeningPort(address, grpc::XdsServerCredentials(grpc::InsecureServerCredentials()));
  auto queue = builder.AddCompletionQueue();
  auto server = builder.BuildAndStart();
  ASSERT_NE(server, nullptr);
  StatusOfClient all;
  for (const auto until = Clock::now() + kPatience; Clock::now() < until; sched_yield()) {
    all = Dump();
    if (all.Find("Listener", "server/" + address).state != "") break;
  }
  EXPECT_NE(all.Find("Listener", "server/" + address).state, "");
  EXPECT_EQ(all.Find("Listener", "greeter.example").state, "ACKED");
  server->Shutdown();
  queue->Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue->Next(&tag, &ok)) {
  }
}

TEST(Csds, WithoutChannelsNothingIsShown) {
  EXPECT_TRUE(DumpEach().empty());
  EXPECT_TRUE(Dump().resources.empty());
}

}  // namespace
}  // namespace gxds_test
