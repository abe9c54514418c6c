// A service loses its last endpoint and gets endpoints again, with each leaf policy, with and
// without outlier detection.
#include <sched.h>

#include <tuple>

#include "test/e2e/e2e.h"
#include "test/e2e/lb_policy_json.h"

namespace gxds_test {
namespace {

using grpc::StatusCode;

struct Leaf {
  const char* name;
  std::string fields;  // of the Cluster
};

const Leaf kLeaves[] = {
    {"RoundRobin", R"("lb_policy":"ROUND_ROBIN")"},
    {"RoundRobinAlone", LbPolicy(PolicyConfig("round_robin.v3.RoundRobin"))},
    {"RingHash", R"("lb_policy":"RING_HASH")"},
    {"LeastRequest", R"("lb_policy":"LEAST_REQUEST")"},
    {"LeastRequestAlone", LbPolicy(PolicyConfig("least_request.v3.LeastRequest"))},
    {"WeightedRoundRobin", LbPolicy(WithinLocalities(PolicyConfig(
                               "client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin",
                               R"(,"enable_oob_load_report":true)")))},
    {"WeightedRoundRobinAlone",
     LbPolicy(PolicyConfig("client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin"))},
    {"PickFirst", LbPolicy(PolicyConfig("pick_first.v3.PickFirst"))},
    {"PickFirstShuffled",
     LbPolicy(PolicyConfig("pick_first.v3.PickFirst", R"(,"shuffle_address_list":true)"))},
    {"RandomSubsetting",
     LbPolicy(PolicyConfig("random_subsetting.v3.RandomSubsetting",
                           R"(,"subset_size":1,"child_policy":)" +
                               PolicyList(PolicyConfig("round_robin.v3.RoundRobin"))))},
    {"TypedStruct", LbPolicy(RegisteredPolicyConfig("pick_first"))},
    {"TypedStructWithinLocalities",
     LbPolicy(WithinLocalities(RegisteredPolicyConfig("round_robin")))},
};

class NoEndpoints : public testing::TestWithParam<std::tuple<Leaf, bool>> {
 protected:
  NoEndpoints() {
    Cluster& cluster = mesh_.clusters[0];
    cluster.more = std::get<0>(GetParam()).fields;
    // Outlier detection sweeps all the time, and ejects endpoints that fail.
    if (std::get<1>(GetParam())) {
      cluster.outlier_detection =
          R"({"interval":"0.010s","base_ejection_time":"0.050s","max_ejection_percent":100,)"
          R"("enforcing_failure_percentage":100,"failure_percentage_minimum_hosts":1,)"
          R"("failure_percentage_request_volume":1})";
    }
    plane_.Set(mesh_);
    plane_.Start();
    client_ = std::make_unique<Client>("xds:///greeter.example", plane_.Bootstrap());
  }
  testing::AssertionResult Serves() {
    return client_->CallUntil([](const Reply& r) { return r.status.ok(); }, true);
  }
  // Changes from all endpoints to `none` and back, while RPCs are in progress and queued.
  void GoTo(const Mesh& none, const std::string& words) {
    SCOPED_TRACE(words);
    ASSERT_TRUE(Serves());
    for (Backend* backend : {&a_, &b_}) backend->Hold();
    const long calls = a_.calls() + b_.calls();
    auto running = client_->Start();
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (a_.calls() + b_.calls() == calls && std::chrono::steady_clock::now() < until) {
      sched_yield();
    }
    plane_.Set(none);
    CallOptions brief;
    brief.timeout = std::chrono::milliseconds(100);  // so that calls that a backend holds end soon
    std::string told;
    while (told.find(words) == std::string::npos && std::chrono::steady_clock::now() < until) {
      const Reply reply = client_->Call(brief);
      if (reply.status.error_code() == StatusCode::UNAVAILABLE) {
        told = reply.status.error_message();
      }
    }
    EXPECT_NE(told.find("EDS resource a"), std::string::npos) << told;
    EXPECT_NE(told.find(words), std::string::npos) << told;
    CallOptions patient;
    patient.wait_for_ready = true;
    auto waiting = client_->Start(patient);
    for (Backend* backend : {&a_, &b_}) backend->Release();
    EXPECT_TRUE(running->Wait().status.ok()) << running->Wait().status.error_message();
    plane_.Set(mesh_);
    EXPECT_TRUE(waiting->Wait().status.ok()) << waiting->Wait().status.error_message();
    EXPECT_TRUE(Serves());
    client_->CallMany(20);
  }

  Backend a_{"a"};
  Backend b_{"b"};
  ControlPlane plane_;
  Mesh mesh_ = SimpleMesh({&a_, &b_});
  std::unique_ptr<Client> client_;
};

TEST_P(NoEndpoints, FailRpcsWithTheReasonUntilThereAreSome) {  // A74
  Mesh no_localities = mesh_;
  no_localities.clusters[0].localities.clear();
  Mesh empty_localities = mesh_;
  for (Locality& l : empty_localities.clusters[0].localities) l.ports.clear();
  GoTo(no_localities, "contains no localities");
  GoTo(empty_localities, "contains empty localities");
  // Now from one form to the other, after failures that outlier detection counts.
  a_.FailTimes(5, StatusCode::INTERNAL);
  b_.FailTimes(5, StatusCode::INTERNAL);
  for (int i = 0; i < 10; ++i) client_->Call();
  // The localities are also removed one after the other.
  Mesh one_locality = mesh_;
  one_locality.clusters[0].localities.erase(one_locality.clusters[0].localities.begin());
  plane_.Set(one_locality);
  EXPECT_TRUE(
      client_->CallUntil([](const Reply& r) { return r.status.ok() && r.name == "b"; }, true));
  plane_.Set(no_localities);
  plane_.Set(empty_localities);
  EXPECT_TRUE(client_->CallUntil(
      [](const Reply& r) {
        return r.status.error_message().find("contains empty localities") != std::string::npos;
      },
      true));
  // The removed backends close their connections while the cluster has no endpoint.
  for (Backend* backend : {&a_, &b_}) backend->Stop();
  for (int i = 0; i < 200; ++i) {
    const Reply reply = client_->Call();
    ASSERT_EQ(reply.status.error_code(), StatusCode::UNAVAILABLE);
    ASSERT_NE(reply.status.error_message().find("contains empty localities"), std::string::npos)
        << reply.status.error_message();
  }
  Backend c("c");
  mesh_.clusters[0].localities.resize(1);
  mesh_.clusters[0].localities[0].ports = {c.port()};
  plane_.Set(mesh_);
  EXPECT_TRUE(client_->CallUntil([](const Reply& r) { return r.name == "c"; }, true));
}

INSTANTIATE_TEST_SUITE_P(EveryLeaf, NoEndpoints,
                         testing::Combine(testing::ValuesIn(kLeaves), testing::Bool()),
                         [](const testing::TestParamInfo<NoEndpoints::ParamType>& info) {
                           return std::string(std::get<0>(info.param).name) +
                                  (std::get<1>(info.param) ? "WithOutlierDetection" : "");
                         });

}  // namespace
}  // namespace gxds_test
