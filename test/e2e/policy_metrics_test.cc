// The metrics of policies (A78, A89, A91, A94), through real channels, in Prometheus's text format.
#include <sched.h>
#include <stdlib.h>

#include <memory>

#include "grpc_xds/grpc_xds.h"
#include "test/e2e/e2e.h"
#include "test/e2e/lb_policy_json.h"
#include "test/lb_policies/orca/orca_bytes.h"

namespace gxds_test {
namespace {

std::string PickFirst() { return LbPolicy(PolicyConfig("pick_first.v3.PickFirst")); }
std::string Weighted() {
  return LbPolicy(WithinLocalities(
      PolicyConfig("client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin",
                   R"(,"weight_update_period":"0.1s","blackout_period":"0s")")));
}

Mesh OneLocality(const std::vector<Backend*>& backends, const std::string& policy) {
  Mesh mesh = SimpleMesh({backends[0]});
  for (size_t i = 1; i < backends.size(); i++) {
    mesh.clusters[0].localities[0].ports.push_back(backends[i]->port());
  }
  mesh.clusters[0].more = policy;
  return mesh;
}

std::string Metrics() {
  char* text = nullptr;
  size_t size = 0;
  EXPECT_EQ(grpc_xds_dump_metrics(&text, &size), GRPC_XDS_OK);
  std::string metrics(text != nullptr ? text : "", size);
  free(text);
  return metrics;
}

// The metric's value; 0 if there is none with these labels.
double Value(const std::string& metric) {
  const std::string all = Metrics();
  const size_t at = all.find("\n" + metric + " ");
  return at == std::string::npos ? 0 : strtod(all.c_str() + at + metric.size() + 2, nullptr);
}

// Waits, because a metric may change after the program has seen the event.
testing::AssertionResult Reaches(const std::string& metric, double at_least) {
  for (const auto until = std::chrono::steady_clock::now() + kPatience;
       std::chrono::steady_clock::now() < until; sched_yield()) {
    if (Value(metric) >= at_least) return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << metric << " is " << Value(metric) << " in\n" << Metrics();
}

const char kLocality[] =
    "grpc_lb_locality=\"{region=\\\"r\\\", zone=\\\"a\\\", sub_zone=\\\"\\\"}\"";

TEST(PolicyMetrics, WeightsAreCountedByTargetServiceAndLocality) {
  // A75.13, A78.5, A78.8, A89.1, A89.2
  Backend a("a"), b("b");
  ControlPlane plane;
  plane.Set(OneLocality({&a, &b}, Weighted()));
  plane.Start();
  const std::string load = orca_test::Double(6, 100) + orca_test::Application(0.5);
  a.ReportLoad(load);
  b.ReportLoad(load);
  auto client = std::make_unique<Client>("xds:///greeter.example", plane.Bootstrap());
  const std::string labels =
      std::string("grpc_target=\"xds:///greeter.example\",grpc_lb_backend_service=\"a\",") +
      kLocality;
  const std::string sum = "grpc_lb_wrr_endpoint_weights_sum{" + labels + "}";
  for (const auto until = std::chrono::steady_clock::now() + kPatience;
       Value(sum) < 400 && std::chrono::steady_clock::now() < until;) {
    client->CallMany(10);
  }
  EXPECT_GE(Value(sum), 400) << Metrics();  // 100 by 0.5, twice
  const std::string fallbacks = "grpc_lb_wrr_rr_fallback_total{" + labels + "}";
  const std::string not_yet = "grpc_lb_wrr_endpoint_weight_not_yet_usable_total{" + labels + "}";
  const double before = Value(fallbacks);
  EXPECT_GE(before, 1);
  EXPECT_GE(Value(not_yet), 1);
  client.reset();
  EXPECT_GE(Value(fallbacks), before) << "the channel is gone, its counts are not";
}

TEST(PolicyMetrics, ConnectionsOfPickFirstAreCountedByTarget) {  // A78.9, A78.10, A78.11
  auto a = std::make_unique<Backend>("a");
  ControlPlane plane;
  plane.Set(OneLocality({a.get()}, PickFirst()));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  const std::string name = "grpc_lb_pick_first_";
  const std::string labels = "_total{grpc_target=\"xds:///greeter.example\"}";
  EXPECT_EQ(Value(name + "connection_attempts_succeeded" + labels), 1) << Metrics();
  EXPECT_EQ(Value(name + "connection_attempts_failed" + labels), 0);
  EXPECT_EQ(Value(name + "disconnections" + labels), 0);
  a->Stop();
  EXPECT_TRUE(Reaches(name + "disconnections" + labels, 1));
  EXPECT_FALSE(client.Call().status.ok());
  EXPECT_TRUE(Reaches(name + "connection_attempts_failed" + labels, 1));
}

TEST(PolicyMetrics, ConnectionsAreCountedByTargetServiceAndLocality) {
  // A94.1, A94.3, A94.4, A94.5
  auto a = std::make_unique<Backend>("first");
  const int port = a->port();
  ControlPlane plane;
  plane.Set(SimpleMesh({a.get()}));
  plane.Start();
  auto client = std::make_unique<Client>("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client->CallUntilAnsweredBy("first"));
  const std::string name = "grpc_subchannel_";
  const std::string labels =
      "{grpc_target=\"xds:///greeter.example\",grpc_lb_backend_service=\"a\","
      "grpc_lb_locality=\"{region=\\\"r\\\", zone=\\\"first\\\", sub_zone=\\\"\\\"}\"";
  const std::string open = name + "open_connections" + labels + "}";
  const std::string succeeded = name + "connection_attempts_succeeded_total" + labels + "}";
  const std::string failed = name + "connection_attempts_failed_total" + labels + "}";
  const std::string ended = name + "disconnections_total" + labels + ",grpc_disconnect_error=\"";
  EXPECT_TRUE(Reaches(open, 1));
  EXPECT_EQ(Value(succeeded), 1);
  EXPECT_EQ(Value(failed), 0);
  a->Stop();
  EXPECT_TRUE(Reaches(ended + "unknown\"}", 1));
  EXPECT_EQ(Value(open), 0);
  EXPECT_TRUE(Reaches(failed, 1));
  Backend again("again", port);
  EXPECT_TRUE(client->CallUntil([](const Reply& reply) { return reply.name == "again"; },
                                /*failures_allowed=*/true));
  EXPECT_TRUE(Reaches(open, 1));
  EXPECT_EQ(Value(succeeded), 2);
  EXPECT_EQ(Value(ended + "unknown\"}"), 1);
  client.reset();
  EXPECT_TRUE(Reaches(ended + "subchannel shutdown\"}", 1));
  EXPECT_EQ(Value(open), 0);
}

TEST(PolicyMetrics, EjectionsAreCountedByTargetAndService) {  // A91.1, A91.4
  Backend good("good"), bad("bad");
  ControlPlane plane;
  Mesh mesh = SimpleMesh({&good, &bad});
  mesh.clusters[0].outlier_detection =
      R"({"interval":"0.100s","base_ejection_time":"300s","max_ejection_percent":50,)"
      R"("enforcing_success_rate":0,"failure_percentage_threshold":50,)"
      R"("enforcing_failure_percentage":100,"failure_percentage_minimum_hosts":2,)"
      R"("failure_percentage_request_volume":5})";
  plane.Set(mesh);
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy("good"));
  ASSERT_TRUE(client.CallUntilAnsweredBy("bad"));
  bad.FailWith(grpc::StatusCode::INTERNAL);
  const std::string enforced =
      "grpc_lb_outlier_detection_ejections_enforced_total{"
      "grpc_target=\"xds:///greeter.example\",grpc_lb_backend_service=\"a\","
      "grpc_lb_outlier_detection_detection_method=\"failure_percentage\"}";
  EXPECT_TRUE(client.CallUntil([&](const Reply&) { return Value(enforced) > 0; },
                               /*failures_allowed=*/true));
  EXPECT_EQ(Value(enforced), 1) << Metrics();
}

}  // namespace
}  // namespace gxds_test
