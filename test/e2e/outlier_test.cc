// Outlier detection (A50): backends that fail get no RPCs, through real channels.
#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

// Ejects, for the rest of the test, backends that failed more than half of at least five RPCs.
const char kEjectFailing[] =
    R"({"interval":"0.100s","base_ejection_time":"300s","max_ejection_percent":50,)"
    R"("enforcing_success_rate":0,"failure_percentage_threshold":50,)"
    R"("enforcing_failure_percentage":100,"failure_percentage_minimum_hosts":2,)"
    R"("failure_percentage_request_volume":5})";

// Makes calls until that many in a row succeed. That is more than a backend in the rotation could
// be missed by chance.
testing::AssertionResult CallUntilAllSucceed(Client* client, int in_a_row) {
  int succeeded = 0;
  return client->CallUntil(
      [&](const Reply& r) {
        succeeded = r.status.ok() ? succeeded + 1 : 0;
        return succeeded == in_a_row;
      },
      /*failures_allowed=*/true);
}

void FailingBackendIsEjected(const Mesh& mesh, Backend* good, Backend* bad) {
  ControlPlane plane;
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy(good->name()));
  ASSERT_TRUE(client.CallUntilAnsweredBy(bad->name()));
  bad->FailWith(grpc::StatusCode::INTERNAL);
  ASSERT_TRUE(CallUntilAllSucceed(&client, 100));
  const long calls = bad->calls();
  EXPECT_GE(calls, 5);
  EXPECT_EQ(client.CallMany(200)[good->name()], 200);
  EXPECT_EQ(bad->calls(), calls);
  // Without the field no backend stays ejected, and no new connection is made for that.
  bad->FailWith(grpc::StatusCode::OK);
  Mesh without = mesh;
  without.clusters[0].outlier_detection.clear();
  plane.Set(without);
  EXPECT_TRUE(client.CallUntilAnsweredBy(bad->name()));
  EXPECT_EQ(good->connections(), 1u);
  EXPECT_EQ(bad->connections(), 1u);
}

TEST(OutlierDetection, FailingBackendOfALocalityIsEjected) {  // A50.1
  Backend good("good"), bad("bad");
  Mesh mesh = SimpleMesh({&good});
  mesh.clusters[0].localities[0].ports.push_back(bad.port());
  mesh.clusters[0].outlier_detection = kEjectFailing;
  FailingBackendIsEjected(mesh, &good, &bad);
}

TEST(OutlierDetection, FailingBackendThatIsAWholeLocalityIsEjected) {  // A50
  Backend good("good"), bad("bad");
  Mesh mesh = SimpleMesh({&good, &bad});
  mesh.clusters[0].outlier_detection = kEjectFailing;
  FailingBackendIsEjected(mesh, &good, &bad);
}

TEST(OutlierDetection, FailingBackendOfALowerPriorityIsEjected) {  // A50
  Backend dead("dead"), good("good"), bad("bad");
  Mesh mesh = SimpleMesh({&dead, &good, &bad});
  mesh.clusters[0].localities[1].priority = 1;
  mesh.clusters[0].localities[2].priority = 1;
  mesh.clusters[0].outlier_detection = kEjectFailing;
  dead.Stop();
  FailingBackendIsEjected(mesh, &good, &bad);
}

TEST(OutlierDetection, EjectedBackendReturnsWhenItsTimeIsOver) {  // A50.8
  Backend good("good"), bad("bad");
  Mesh mesh = SimpleMesh({&good, &bad});
  mesh.clusters[0].outlier_detection =
      R"({"interval":"0.100s","base_ejection_time":"3s","max_ejection_percent":50,)"
      R"("enforcing_success_rate":0,"failure_percentage_threshold":50,)"
      R"("enforcing_failure_percentage":100,"failure_percentage_minimum_hosts":2,)"
      R"("failure_percentage_request_volume":5})";
  ControlPlane plane;
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy("bad"));
  bad.FailWith(grpc::StatusCode::INTERNAL);
  ASSERT_TRUE(CallUntilAllSucceed(&client, 20));
  bad.FailWith(grpc::StatusCode::OK);
  EXPECT_TRUE(client.CallUntilAnsweredBy("bad"));
  EXPECT_EQ(bad.connections(), 1u);
}

TEST(OutlierDetection, RequestsOfAnEjectedBackendMoveOnTheRing) {  // A42, A50
  Backend good("good"), bad("bad");
  Mesh mesh = SimpleMesh({&good, &bad});
  mesh.clusters[0].more = R"("lb_policy":"RING_HASH")";
  mesh.clusters[0].outlier_detection = kEjectFailing;
  FailingBackendIsEjected(mesh, &good, &bad);
}

TEST(OutlierDetection, EjectedPriorityFailsOver) {  // A50, A75: the state is of the whole cluster
  Backend good("good"), bad("bad");
  Mesh mesh = SimpleMesh({&bad, &good});
  mesh.clusters[0].localities[1].priority = 1;
  mesh.clusters[0].outlier_detection =
      R"({"interval":"0.100s","base_ejection_time":"300s","max_ejection_percent":50,)"
      R"("enforcing_success_rate":0,"failure_percentage_threshold":50,)"
      R"("enforcing_failure_percentage":100,"failure_percentage_minimum_hosts":1,)"
      R"("failure_percentage_request_volume":5})";
  ControlPlane plane;
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy("bad"));
  bad.FailWith(grpc::StatusCode::INTERNAL);
  ASSERT_TRUE(client.CallUntil([](const Reply& r) { return r.name == "good"; },
                               /*failures_allowed=*/true));
  EXPECT_EQ(client.CallMany(100)["good"], 100);
}

}  // namespace
}  // namespace gxds_test
