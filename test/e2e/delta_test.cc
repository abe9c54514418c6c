// A channel that uses incremental xDS with its control plane.
#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

const char kEndpoints[] = "ClusterLoadAssignment";
const char kPush[] = "\"event\":\"push\"";

Mesh TwoClusters(Backend* a, Backend* b) {
  Mesh mesh = SimpleMesh({a});
  mesh.clusters.push_back({"b", {{"b", 1, 0, {b->port()}}}, {}, -1, true, true});
  mesh.routes = {{"/test.Echo/", "a"}, {"", "b"}};
  return mesh;
}

TEST(Delta, AChangeCostsWhatChanged) {
  Backend a("a"), b("b"), c("c");
  ControlPlane plane;
  Mesh mesh = TwoClusters(&a, &b);
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap("delta"));
  EXPECT_EQ(client.Call().name, "a");
  EXPECT_EQ(client.Call({}, "/other.Service/Name").name, "b");
  EXPECT_NE(plane.Wait({"\"event\":\"stream_open\"", "\"service\":\"delta ads\""}), "");
  EXPECT_NE(plane.Wait({kPush, kEndpoints}), "");  // perhaps printed after those RPCs
  size_t mark = plane.Mark();
  mesh.clusters[0].localities[0].ports = {c.port()};
  plane.Set(mesh);
  ASSERT_TRUE(client.CallUntilAnsweredBy("c"));
  std::string push = plane.Wait({kPush}, mark);
  EXPECT_NE(push.find(kEndpoints), std::string::npos) << push;
  EXPECT_NE(push.find("\"names\":[\"a\"]"), std::string::npos) << push;
  EXPECT_NE(push.find("\"detail\":\"the client has 2 now\""), std::string::npos) << push;
}

TEST(Delta, WhatIsHeldIsNotSentAgainAfterARestart) {
  Backend a("a"), b("b"), c("c");
  ControlPlane plane;
  Mesh mesh = TwoClusters(&a, &b);
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap("delta"));
  EXPECT_EQ(client.Call().name, "a");
  EXPECT_EQ(client.Call({}, "/other.Service/Name").name, "b");
  plane.Kill();
  EXPECT_EQ(client.Call().name, "a");  // resources that the client holds stay in use
  plane.Start();
  EXPECT_NE(plane.Wait({"\"event\":\"subscribed\"", kEndpoints}), "");
  mesh.clusters[0].localities[0].ports = {c.port()};
  plane.Set(mesh);
  ASSERT_TRUE(client.CallUntilAnsweredBy("c"));
  std::string push = plane.Wait({kPush, kEndpoints});  // the first push of its type
  EXPECT_NE(push.find("\"names\":[\"a\"]"), std::string::npos) << push;
  EXPECT_EQ(plane.Count({kPush, "\"names\":[\"b\"]"}), 0u);
}

TEST(Delta, ARefusedResourceIsNackedAndTheOthersAreUsed) {  // A46
  Backend a("a"), b("b"), c("c");
  ControlPlane plane;
  Mesh mesh = TwoClusters(&a, &b);
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap("delta"));
  EXPECT_EQ(client.Call().name, "a");
  EXPECT_EQ(client.Call({}, "/other.Service/Name").name, "b");
  mesh.clusters[0].localities[0].ports = {c.port()};
  mesh.clusters[1].localities[0].priority = 1;  // an error, since there is no priority 0
  plane.Set(mesh);
  std::string nack = plane.Wait({"\"event\":\"nack\"", kEndpoints});
  EXPECT_NE(nack.find("priority 0 empty"), std::string::npos) << nack;
  ASSERT_TRUE(client.CallUntilAnsweredBy("c"));
  EXPECT_EQ(client.Call({}, "/other.Service/Name").name, "b");
}

TEST(Delta, AClusterThatTheServerDoesNotHaveFailsItsRpcsOnly) {
  Backend a("a");
  ControlPlane plane;
  Mesh mesh = SimpleMesh({&a});
  mesh.routes = {{"/test.Echo/", "a"}, {"", "missing"}};
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap("delta"));
  EXPECT_EQ(client.Call().name, "a");
  Reply reply = client.Call({}, "/other.Service/Name");
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_NE(reply.status.error_message().find("does not exist"), std::string::npos)
      << reply.status.error_message();
}

}  // namespace
}  // namespace gxds_test
