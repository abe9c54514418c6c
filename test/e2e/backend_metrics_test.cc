// The metrics that backends report with their responses reach the LRS server, as the cluster
// configures it (A64, A85).
#include "test/e2e/e2e.h"
#include "test/e2e/lb_policy_json.h"
#include "test/lb_policies/orca/orca_bytes.h"

namespace gxds_test {
namespace {

using orca_test::Application;
using orca_test::Cpu;
using orca_test::Memory;
using orca_test::Named;

Mesh Reporting(const std::vector<Backend*>& backends, const std::string& metrics) {
  Mesh mesh = SimpleMesh(backends);
  mesh.clusters[0].more = R"("lrs_report_endpoint_metrics":[)" + metrics + "]";
  return mesh;
}

// The metrics that the zone's backends reported so far, as "cpu_utilization 2/1.500000 …".
std::string Metrics(ControlPlane* plane, const std::string& zone) {
  const std::map<std::string, Metric> metrics = plane->Loads()[{"a", zone}].metrics;
  std::string out;
  for (const auto& [name, metric] : metrics) {
    out += (out.empty() ? "" : " ") + name + " " + std::to_string(metric.requests) + "/" +
           std::to_string(metric.sum);
  }
  return out;
}

// Waits until that many RPCs of the zone are reported as successful. Their metrics are in the same
// reports.
bool WaitForSuccessful(ControlPlane* plane, const std::string& zone, long count) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    const size_t mark = plane->Mark();
    if (plane->Loads()[{"a", zone}].successful >= count) return true;
    if (std::chrono::steady_clock::now() > until) return false;
    plane->Wait({"\"event\":\"load\""}, mark);
  }
}

TEST(BackendMetrics, ThoseThatTheClusterNamesAreAddedUpByLocality) {  // A64.6, A85.2, A85.3, A85.6
  Backend x("x"), y("y");
  x.ReportLoad(Cpu(0.5) + Memory(0.25) + Application(2) + Named("queue", 3) + Named("other", 1));
  y.ReportLoad(Cpu(0.125));
  ControlPlane plane;
  plane.Set(Reporting({&x, &y}, R"("cpu_utilization","application_utilization",)"
                                R"("named_metrics.queue","named_metrics.none","of_later")"));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  for (const char* name : {"x", "y"}) ASSERT_TRUE(client.CallUntilAnsweredBy(name));
  client.CallMany(10);
  const long xs = x.calls(), ys = y.calls();
  ASSERT_EQ(xs + ys, client.made());
  ASSERT_TRUE(WaitForSuccessful(&plane, "x", xs));
  ASSERT_TRUE(WaitForSuccessful(&plane, "y", ys));
  auto told = [](long count, double each) {
    return " " + std::to_string(count) + "/" + std::to_string(each * static_cast<double>(count));
  };
  EXPECT_EQ(Metrics(&plane, "x"), "application_utilization" + told(xs, 2) + " cpu_utilization" +
                                      told(xs, 0.5) + " named_metrics.queue" + told(xs, 3));
  EXPECT_EQ(Metrics(&plane, "y"),
            "application_utilization" + told(ys, 0) + " cpu_utilization" + told(ys, 0.125))
      << "what a report leaves out counts as 0, but for what has a name";
}

TEST(BackendMetrics, AStarIsEveryNamedMetric) {  // A85.4, A85.7
  Backend x("x");
  x.ReportLoad(Cpu(0.5) + Named("queue", 3) + Named("other", 1));
  ControlPlane plane;
  plane.Set(Reporting({&x}, R"("named_metrics.*")"));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_EQ(client.CallMany(2)["x"], 2);
  ASSERT_TRUE(WaitForSuccessful(&plane, "x", 2));
  EXPECT_EQ(Metrics(&plane, "x"), "named_metrics.other 2/2.000000 named_metrics.queue 2/6.000000");
}

// The host's LRS reports none either: it has no named metrics.
TEST(BackendMetrics, NoneAreReportedUnlessTheClusterHasThem) {  // A85.1
  Backend x("x");
  x.ReportLoad(Cpu(0.5) + Named("queue", 3));
  ControlPlane plane;
  plane.Set(SimpleMesh({&x}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_EQ(client.CallMany(2)["x"], 2);
  ASSERT_TRUE(WaitForSuccessful(&plane, "x", 2));
  EXPECT_EQ(Metrics(&plane, "x"), "");
  // From now on the cluster asks for metrics. The connection stays.
  plane.Set(Reporting({&x}, R"("named_metrics.queue")"));
  const auto until = std::chrono::steady_clock::now() + kPatience;
  for (long calls = 3; Metrics(&plane, "x").empty(); calls++) {
    ASSERT_LT(std::chrono::steady_clock::now(), until);
    ASSERT_TRUE(client.Call().status.ok());
    ASSERT_TRUE(WaitForSuccessful(&plane, "x", calls));
  }
  EXPECT_EQ(Metrics(&plane, "x"), "named_metrics.queue 1/3.000000");
  EXPECT_EQ(x.connections(), 1u);
}

TEST(BackendMetrics, ReportsOutOfBandDoNotCount) {  // A64.7
  Backend x("x");
  x.ReportLoad(Cpu(0.5));
  x.ReportLoadOutOfBand(Cpu(0.25) + Named("queue", 3));
  ControlPlane plane;
  Mesh mesh = Reporting({&x}, R"("cpu_utilization","named_metrics.queue")");
  mesh.clusters[0].more +=
      "," +
      LbPolicy(PolicyConfig("client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin",
                            R"(,"enable_oob_load_report":true)"));
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_EQ(client.CallMany(2)["x"], 2);
  ASSERT_TRUE(x.WaitForOobStreams(1));
  ASSERT_EQ(client.CallMany(2)["x"], 2);
  ASSERT_TRUE(WaitForSuccessful(&plane, "x", 4));
  EXPECT_EQ(Metrics(&plane, "x"), "cpu_utilization 4/2.000000");
}

}  // namespace
}  // namespace gxds_test
