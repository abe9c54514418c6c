// An endpoint with several addresses (A61) below each of the policies: all treat it as one
// endpoint.
#include "lb_policies/happy_eyeballs/endpoint_subchannel.h"

#include "lb_policies/endpoint_list/endpoint_list.h"
#include "lb_policies/least_request/least_request_policy.h"
#include "lb_policies/orca/orca_report.h"
#include "lb_policies/random_subsetting/random_subsetting_policy.h"
#include "lb_policies/ring_hash/ring_hash_policy.h"
#include "lb_policies/round_robin/round_robin_policy.h"
#include "lb_policies/slow_start/slow_start_policy.h"
#include "lb_policies/weighted_round_robin/weighted_round_robin_policy.h"
#include "test/lb_policies/cluster_impl/tree_test.h"
#include "test/lb_policies/support/fake_cluster.h"
#include "test/metrics/read_metrics.h"

namespace memory {
namespace {

using grpc_xds::testing::CRef;
using snapshot::MakeConfig;
using snapshot::MakeEndpoints;
// Endpoints by the ports of their addresses, 10.0.0.1:port, or [::1]:port for an odd thousand.
using Ports = std::vector<std::vector<uint16_t>>;

gxds_address AddressOf(uint16_t port) {
  gxds_address out = {{10, 0, 0, 1}, port, 0};
  if (port < 1000) return out;
  out = {{}, port, 1};
  out.ip[15] = 1;
  return out;
}

CRef<gxds_locality> MakeLocality(const Ports& ports) {
  std::vector<gxds_endpoint> endpoints;
  std::vector<gxds_address> more;
  std::vector<uint32_t> ends;
  for (const auto& one : ports) {
    endpoints.push_back({AddressOf(one[0]), GXDS_HEALTH_UNKNOWN, 1});
    for (size_t i = 1; i < one.size(); i++) more.push_back(AddressOf(one[i]));
    ends.push_back(static_cast<uint32_t>(more.size()));
  }
  gxds_locality view = {};
  view.zone = gxds_str_z("z");
  view.weight = 1;
  view.endpoint_count = static_cast<uint32_t>(endpoints.size());
  view.list.full = endpoints.data();
  gxds_locality_rare rare = {};
  if (!more.empty()) {
    rare.more = more.data();
    rare.more_ends = ends.data();
    view.rare = &rare;
  }
  return CRef<gxds_locality>(gxds_locality_copy(&view));
}

class EndpointSubchannelTest : public TreeTest {
 protected:
  EndpointSubchannelTest() {
    for (const gxds_policy_type* type :
         {&gxds_least_request_policy, &gxds_ring_hash_policy, &gxds_random_subsetting_policy,
          &gxds_weighted_round_robin_policy, &gxds_slow_start_policy}) {
      host_.Register(type);
    }
  }
  // Starts cluster_impl "c" above this policy, or, if leaf is empty, above our round_robin.
  void Start(const std::string& leaf, const Ports& ports) {
    leaf_ = leaf;
    host_.Create(gxds_cluster_impl_policy);
    Apply(ports);
  }
  void Apply(const Ports& ports) {
    const auto locality = MakeLocality(ports);
    const Config child = leaf_.empty()
                             ? Config(gxds_round_robin_config_create(locality.get(), false))
                             : ParseConfig("[" + leaf_ + "]");
    snapshot::ClusterOptions options;
    options.lrs = &lrs_;
    const auto entry = snapshot::Leaf("c", options, MakeEndpoints({{"z"}}));
    const auto config = MakeConfig({entry.get()}, {"c"}, store_.get());
    Config top = ClusterImpl("c", child);
    if (above_ != nullptr) {
      top = Config(gxds_outlier_detection_config_create(gxds_str_z(""), above_,
                                                        gxds_lb_config_ref(top.get())));
    }
    Update(top, args_, Addresses(gxds_locality_addresses(locality.get())), "", config.get(),
           mailbox_);
  }
  void Connect(const std::string& address) {
    SetState(address, GRPC_CHANNEL_CONNECTING);
    SetState(address, GRPC_CHANNEL_READY);
  }
  // Makes the connection attempt fail, so the address is in its backoff.
  void Refuse(const std::string& address) {
    SetState(address, GRPC_CHANNEL_CONNECTING);
    SetState(address, GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable(address + " refused"));
  }
  int ConnectsOf(const std::string& address) const {
    const Subchannel* s = host_.Watched(address);
    return s == nullptr ? -1 : s->connects;
  }
  std::vector<std::string> WatchedAddresses() const {
    std::vector<std::string> out;
    for (const Subchannel* s : host_.subchannels()) {
      if (s->is_watched()) out.push_back(s->address);
    }
    return out;
  }

  std::string leaf_;
  const gxds_outlier_detection* above_ = nullptr;  // null: no outlier detection above cluster_impl
};

constexpr char kA[] = "10.0.0.1:1";
constexpr char kA2[] = "10.0.0.1:2";
constexpr char kA6[] = "[::1]:1001";
constexpr char kB[] = "10.0.0.1:3";

using OneConnection = std::vector<std::string>;

TEST_F(EndpointSubchannelTest, FamiliesAreTriedInTurnsUntilOneConnects) {  // A61.1, A61.7
  Start("", {{1, 2, 1001}});
  EXPECT_EQ(ConnectsOf(kA), 1);
  EXPECT_EQ(ConnectsOf(kA6), 0);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_CONNECTING);
  host_.Pass(249 * GXDS_MILLISECOND);
  EXPECT_EQ(ConnectsOf(kA6), 0);
  host_.Pass(1 * GXDS_MILLISECOND);
  EXPECT_EQ(ConnectsOf(kA6), 1) << "the other family goes before the second of the first";
  EXPECT_EQ(ConnectsOf(kA2), 0);
  SetState(kA6, GRPC_CHANNEL_READY);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), kA6);
  EXPECT_EQ(WatchedAddresses(), OneConnection{kA6}) << "the others are given up";
  EXPECT_EQ(host_.subchannels().size(), 1u);
  EXPECT_EQ(host_.timer_count(), 0u);
}

TEST_F(EndpointSubchannelTest, AnEndpointOfOneAddressCostsNothingMore) {
  Start("", {{1}});
  Connect(kA);
  EXPECT_EQ(host_.subchannels_made, 1u);
  EXPECT_EQ(host_.timer_count(), 0u);
}

TEST_F(EndpointSubchannelTest, FailsWhenAllAddressesDoAndGoesOnTrying) {  // A61.3
  Start("", {{1, 2}});
  Refuse(kA);
  EXPECT_EQ(ConnectsOf(kA2), 1) << "at once";
  EXPECT_EQ(host_.state, GRPC_CHANNEL_CONNECTING);
  Refuse(kA2);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_NE(host_.status.message.find("10.0.0.1:2 refused"), std::string::npos) << host_.status;
  EXPECT_EQ(host_.reresolutions, 1);
  SetState(kA, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(ConnectsOf(kA), 2) << "by itself";
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  SetState(kA, GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), kA);
}

TEST_F(EndpointSubchannelTest, ALostConnectionIsTriedAnewInOrder) {  // A61.5
  Start("", {{1, 2}});
  Refuse(kA);
  Connect(kA2);
  EXPECT_EQ(Pick(), kA2);
  SetState(kA2, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(Pick(), "queue");
  Connect(kA);
  EXPECT_EQ(Pick(), kA);
}

TEST_F(EndpointSubchannelTest, APickOfALostConnectionWaits) {  // A61.5
  Start("", {{1, 2}});
  Connect(kA);
  gxds_picker* picker = gxds_picker_ref(host_.picker());
  SetState(kA, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(host_.PickWith(picker, Request())->Text(), "queue");
  gxds_picker_unref(picker);
}

TEST_F(EndpointSubchannelTest, PickersOutliveTheEndpoint) {
  Start("", {{1, 2}});
  Connect(kA);
  host_.End();
  EXPECT_EQ(Pick(), kA);
}

TEST_F(EndpointSubchannelTest, EachAddressThatIsTriedIsAnAttempt) {  // A94.1, A94.2
  host_.target = "addresses";
  const auto counts = [] { return gxds_test::ConnectionCounts("addresses", "", "", "z"); };
  Start("", {{1, 2, 1001}});
  Refuse(kA);
  EXPECT_EQ(counts(), "0 open, 0 made, 1 failed, 0 lost, 0 shut");
  host_.Pass(250 * GXDS_MILLISECOND);
  ASSERT_EQ(ConnectsOf(kA2), 1) << "while the other family is connecting";
  Connect(kA6);
  EXPECT_EQ(counts(), "1 open, 1 made, 1 failed, 0 lost, 0 shut") << "one attempt is given up";
  SetState(kA6, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(counts(), "0 open, 1 made, 1 failed, 1 lost, 0 shut");
}

TEST_F(EndpointSubchannelTest, RoundRobinGivesItOneShare) {  // A61.10
  Start("", {{1, 2}, {3}});
  Connect(kA);
  Connect(kB);
  const auto picks = Picks(10);
  EXPECT_EQ(picks, (std::map<std::string, int>{{kA, 5}, {kB, 5}}));
}

TEST_F(EndpointSubchannelTest, LoadIsOfOneLocalityWhateverTheAddress) {  // A61.10
  Start("", {{1, 2}});
  Refuse(kA);
  Connect(kA2);
  auto call = host_.Pick();
  call->Start();
  call->Finish();
  EXPECT_EQ(LoadReport(), "c[z 1=1+0 0 now]");
}

TEST_F(EndpointSubchannelTest, AnotherOrderKeepsItAndAnotherSetDoesNot) {  // A61.6
  for (const char* leaf : {"", R"({"least_request_experimental":{}})",
                           R"({"ring_hash_experimental":{}})", R"({"weighted_round_robin":{}})"}) {
    SCOPED_TRACE(leaf);
    Request request;
    request.cluster = "c";
    request.route.has_hash = true;
    Start(leaf, {{1, 2}});
    Pick(request);  // ring_hash connects at a pick
    Connect(kA);
    const size_t made = host_.subchannels_made;
    Apply({{2, 1}});
    EXPECT_EQ(host_.subchannels_made, made);
    EXPECT_EQ(Pick(request), kA);
    SetState(kA, GRPC_CHANNEL_IDLE);
    Pick(request);
    EXPECT_EQ(ConnectsOf(kA2), 1) << "the new order counts from the next attempt on";
    EXPECT_EQ(ConnectsOf(kA), 0);
    Connect(kA2);
    Apply({{2, 1, 1001}});
    EXPECT_GT(host_.subchannels_made, made + 2);
    host_.End();
    host_.DropPicker();
    ASSERT_EQ(host_.LeftOver(), "");
  }
}

TEST_F(EndpointSubchannelTest, AnotherOrderBeginsAPassAnew) {  // A61.6
  Start("", {{1, 2}});
  EXPECT_EQ(ConnectsOf(kA2), 0);
  Apply({{2, 1}});
  EXPECT_EQ(ConnectsOf(kA2), 1);
  EXPECT_EQ(host_.subchannels_made, 2u);
}

TEST_F(EndpointSubchannelTest, AnAddressThatOccursTwiceMayMove) {  // A61.6, A61.17
  Start("", {{1, 1, 2}});  // DNS may return an address twice
  Apply({{2, 1, 1}});
  EXPECT_EQ(host_.subchannels_made, 3u);
  EXPECT_EQ(ConnectsOf(kA2), 1);
  Connect(kA2);
  EXPECT_EQ(Pick(), kA2);
  EXPECT_EQ(WatchedAddresses(), OneConnection{kA2});
}

TEST_F(EndpointSubchannelTest, AnExistingConnectionIsFound) {  // A61.2
  host_.shared[kA2] = {GRPC_CHANNEL_READY, Status()};
  Start("", {{1, 2}});
  EXPECT_EQ(Pick(), kA2);
  EXPECT_EQ(host_.subchannels().size(), 1u);
}

TEST_F(EndpointSubchannelTest, LeastRequestCountsItOnce) {  // A61.10
  Start(R"({"least_request_experimental":{"choiceCount":10}})", {{1, 2}, {3}});
  Connect(kA);
  Connect(kB);
  std::vector<std::unique_ptr<Call>> calls;
  std::map<std::string, int> picked;
  for (int i = 0; i < 10; i++) {
    calls.push_back(host_.Pick());
    calls.back()->Start();
    picked[calls.back()->Text()]++;
  }
  EXPECT_EQ(picked, (std::map<std::string, int>{{kA, 5}, {kB, 5}}));
  for (auto& call : calls) call->Finish();
}

TEST_F(EndpointSubchannelTest, RingHashPutsItWhereItsFirstAddressIs) {  // A61.11
  auto places = [this](const Ports& ports) {
    Start(R"({"ring_hash_experimental":{"minRingSize":100,"maxRingSize":100}})", ports);
    std::string out;
    for (uint64_t i = 0; i < 50; i++) {
      Request request;
      request.cluster = "c";
      request.route.has_hash = true;
      request.route.hash = i * (UINT64_MAX / 50);
      host_.Pick(request);
      for (const auto& one : ports) {
        const std::string address = one[0] < 1000 ? "10.0.0.1:" + std::to_string(one[0]) : "?";
        if (host_.Watched(address) && host_.Watched(address)->state == GRPC_CHANNEL_CONNECTING) {
          SetState(address, GRPC_CHANNEL_READY);
        }
      }
      out += host_.Pick(request)->Text() + " ";
    }
    host_.End();
    host_.DropPicker();
    return out;
  };
  EXPECT_EQ(places({{1, 2}, {3}, {4}}), places({{1}, {3}, {4}}));
  EXPECT_NE(places({{2, 1}, {3}, {4}}), places({{1}, {3}, {4}}));
}

TEST_F(EndpointSubchannelTest, RandomSubsettingCountsItOnce) {  // A61.10
  Start(R"({"random_subsetting_experimental":{"subsetSize":2,)"
        R"("childPolicy":[{"least_request_experimental":{}}]}})",
        {{1, 2}, {3, 4}, {5, 6}});
  EXPECT_EQ(host_.subchannels().size(), 4u);
}

TEST_F(EndpointSubchannelTest, HostsPoliciesHaveOneEndpointToo) {  // A61.10
  Start(R"({"round_robin":{}})", {{1, 2}, {3}});
  Connect(kA);
  Connect(kB);
  EXPECT_EQ(Picks(10), (std::map<std::string, int>{{kA, 5}, {kB, 5}}));
}

// In the usual tree outlier detection is above cluster_impl. In the config of another parent it may
// be below.
class EjectedEndpointTest : public EndpointSubchannelTest,
                            public ::testing::WithParamInterface<bool> {
 protected:
  void StartEjecting(const Ports& ports) {
    if (!GetParam()) {
      Start(R"({"outlier_detection_experimental":{"interval":"1s","baseEjectionTime":"30s",)"
            R"("maxEjectionPercent":50,"failurePercentageEjection":{"threshold":50,)"
            R"("enforcementPercentage":100,"minimumHosts":1,"requestVolume":2},)"
            R"("childPolicy":[{"least_request_experimental":{}}]}})",
            ports);
      return;
    }
    settings_.interval = GXDS_SECOND;
    settings_.base_ejection_time = settings_.max_ejection_time = 30 * GXDS_SECOND;
    settings_.max_ejection_percent = 50;
    settings_.failure_percentage = {100, 50, 1, 2};
    above_ = &settings_;
    leaf_ = R"({"least_request_experimental":{}})";
    host_.Create(gxds_outlier_detection_policy);
    Apply(ports);
  }
  // Makes RPCs. Only those to "b" succeed.
  void FailOthers(int count) {
    for (int i = 0; i < count; i++) {
      auto call = host_.Pick();
      call->Start();
      call->Finish(call->Text() == kB ? Status() : Status(GXDS_INTERNAL, "failed"));
    }
  }
  const std::map<std::string, int> all_to_b_ = {{kB, 10}};
  gxds_outlier_detection settings_ = {};
};
INSTANTIATE_TEST_SUITE_P(Above, EjectedEndpointTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Above" : "Below"; });

TEST_P(EjectedEndpointTest, WhatItDidAtOneAddressCountsAtTheOther) {  // A61.12
  StartEjecting({{1, 2}, {3}});
  Connect(kA);
  Connect(kB);
  auto call = host_.Pick();
  while (call->Text() != kA) call = host_.Pick();
  call->Start();
  call->Finish(Status(GXDS_INTERNAL, "failed"));
  SetState(kA, GRPC_CHANNEL_IDLE);
  Refuse(kA);
  Connect(kA2);
  call = host_.Pick();
  while (call->Text() != kA2) call = host_.Pick();
  call->Start();
  call->Finish(Status(GXDS_INTERNAL, "failed"));
  FailOthers(1);
  host_.Pass(GXDS_SECOND);
  EXPECT_EQ(Picks(10), all_to_b_);
}

TEST_P(EjectedEndpointTest, ItIsEjectedAtAllItsAddressesAndStaysConnected) {  // A61.12
  StartEjecting({{1, 2}, {3}});
  Connect(kA);
  Connect(kB);
  FailOthers(20);
  host_.Pass(GXDS_SECOND);
  EXPECT_EQ(Picks(10), all_to_b_);
  ASSERT_NE(host_.Watched(kA), nullptr);
  EXPECT_EQ(host_.Watched(kA)->state, GRPC_CHANNEL_READY) << "its connection is kept";
  Apply({{2, 1}, {3}});
  EXPECT_EQ(Picks(10), all_to_b_) << "the same, in another order";
  SetState(kA, GRPC_CHANNEL_IDLE);
  for (const char* address : {kA, kA2}) {
    if (host_.Watched(address) != nullptr) SetState(address, GRPC_CHANNEL_READY);
    EXPECT_EQ(Picks(10), all_to_b_) << address;
  }
  host_.Pass(31 * GXDS_SECOND);
  for (const char* address : {kA, kA2}) {
    if (host_.Watched(address) != nullptr) SetState(address, GRPC_CHANNEL_READY);
  }
  EXPECT_LT(Picks(10)[kB], 10) << "it is free again";
}

gxds_load_listener* ListenerOf(const Host& host, const std::string& address) {
  const Subchannel* s = host.Watched(address);
  return s == nullptr ? nullptr : s->listener;
}

TEST_F(EndpointSubchannelTest, LoadReportsAreThoseOfTheConnectionThereIs) {  // A61.13
  Start(R"({"weighted_round_robin":{"enableOobLoadReport":true,"oobReportingPeriod":"10s",)"
        R"("blackoutPeriod":"0s"}})",
        {{1, 2}, {3}});
  Connect(kA);
  Connect(kB);
  gxds_load_listener* of_a = ListenerOf(host_, kA);
  ASSERT_NE(of_a, nullptr);
  EXPECT_EQ(host_.Watched(kA)->report_interval, 10 * GXDS_SECOND);
  gxds_load_listener_ref(of_a);
  SetState(kA, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(ListenerOf(host_, kA), nullptr) << "not before it is chosen";
  Refuse(kA);
  Connect(kA2);
  gxds_load_listener* of_a2 = ListenerOf(host_, kA2);
  ASSERT_NE(of_a2, nullptr);
  auto report = [](gxds_load_listener* l, double qps) {
    gxds_orca_report r = {};
    r.qps = qps;
    r.cpu_utilization = 0.5;
    l->ops->connection_changed(l);
    l->ops->reported(l, &r);
  };
  report(of_a2, 300);
  report(ListenerOf(host_, kB), 100);
  report(of_a, 1);  // too late
  gxds_load_listener_unref(of_a);
  host_.Pass(2 * GXDS_SECOND);
  const auto picks = Picks(40);
  EXPECT_EQ(picks.at(kA2), 30);
  EXPECT_EQ(picks.at(kB), 10);
}

}  // namespace
}  // namespace memory
