#include "lb_policies/least_request/least_request_policy.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lb_policies/endpoint_list/endpoint_list.h"
#include "test/host/memory_test.h"
#include "test/lb_policies/support/fake_cluster.h"

namespace memory {
namespace {

using grpc_xds::testing::MakeLocality;

class LeastRequestPolicyTest : public PolicyTest {
 protected:
  LeastRequestPolicyTest() {
    host_.Register(&gxds_least_request_policy);
    host_.Create(gxds_least_request_policy);
  }

  Config Configured(const std::string& fields = "") {
    return ParseConfig("[{\"least_request_experimental\":{" + fields + "}}]");
  }
  void Apply(const std::vector<uint16_t>& ports, const std::string& fields = "", Args args = Args(),
             const char* zone = "z") {
    const auto locality = MakeLocality({zone, 1, ports});
    Update(Configured(fields), std::move(args), Addresses(gxds_locality_addresses(locality.get())),
           "note");
    host_.Pass(0);
  }
  void SetStateAt(int port, grpc_connectivity_state state, const Status& status = Status()) {
    host_.SetState("10.0.0.1:" + std::to_string(port), state, status);
  }
};

TEST_F(LeastRequestPolicyTest, RpcsGoToTheEndpointWithTheFewest) {  // A48.3, A48.6
  Apply({80, 81}, R"("choiceCount":10)");
  SetStateAt(80, GRPC_CHANNEL_READY);
  SetStateAt(81, GRPC_CHANNEL_READY);
  const auto busy = host_.Pick();
  busy->Start();
  EXPECT_LE(Picks(1000)[busy->Text()], 20) << "only where all ten draws are of it: one of 1,024";
  busy->Finish();
  EXPECT_GE(Picks(1000)[busy->Text()], 300) << "it has no more than the other";
}

TEST_F(LeastRequestPolicyTest, AnotherHostnameMakesAnotherSubchannelOfThatEndpointAlone) {  // A81.4
  auto apply = [this](const char* of_81) {
    const auto plain = MakeLocality({"z", 1, {80, 81}});
    gxds_locality view = *plain;
    const gxds_str names[] = {gxds_str_z("a.example"), gxds_str_z(of_81)};
    gxds_locality_rare rare = {};
    rare.hostnames = names;
    view.rare = &rare;
    const grpc_xds::testing::CRef<gxds_locality> named(gxds_locality_copy(&view));
    Update(Configured(), Args(), Addresses(gxds_locality_addresses(named.get())));
    host_.Pass(0);
  };
  apply("one.example");
  EXPECT_EQ(host_.subchannels_made, 2u);
  apply("two.example");
  EXPECT_EQ(host_.subchannels_made, 3u);
  apply("two.example");
  EXPECT_EQ(host_.subchannels_made, 3u);
}

TEST_F(LeastRequestPolicyTest, AnotherProxyMakesAnotherSubchannelOfThatEndpointAlone) {  // A86.7
  auto apply = [this](const char* of_81) {
    const auto plain = MakeLocality({"z", 1, {80, 81}});
    gxds_locality view = *plain;
    const gxds_str proxies[] = {gxds_str_z(""), gxds_str_z(of_81)};
    gxds_locality_rare rare = {};
    rare.proxies = proxies;
    view.rare = &rare;
    const grpc_xds::testing::CRef<gxds_locality> reached(gxds_locality_copy(&view));
    Update(Configured(), Args(), Addresses(gxds_locality_addresses(reached.get())));
    host_.Pass(0);
  };
  apply("10.1.0.1:1");
  EXPECT_EQ(host_.subchannels_made, 2u);
  apply("10.1.0.2:2");
  EXPECT_EQ(host_.subchannels_made, 3u);
  apply("10.1.0.2:2");
  EXPECT_EQ(host_.subchannels_made, 3u);
}

TEST_F(LeastRequestPolicyTest, RpcsThatNeverBeganAreNotCounted) {
  Apply({80, 81}, R"("choiceCount":10)");
  SetStateAt(80, GRPC_CHANNEL_READY);
  SetStateAt(81, GRPC_CHANNEL_READY);
  std::vector<std::unique_ptr<Call>> waiting;
  for (int i = 0; i < 100; i++) waiting.push_back(host_.Pick());
  const auto dropped = host_.Pick();
  dropped->Start();
  dropped->Drop();  // an attempt that is dropped in progress has ended too
  auto picks = Picks(1000);
  EXPECT_GE(picks["10.0.0.1:80"], 300);
  EXPECT_GE(picks["10.0.0.1:81"], 300);
}

TEST_F(LeastRequestPolicyTest, ConnectsToAllAndPicksAmongThoseThatAreReady) {  // A48.4, A48.5
  Apply({80, 81, 82});
  EXPECT_EQ(host_.subchannels_made, 3u);
  EXPECT_EQ(Pick(), "queue");
  SetStateAt(80, GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("refused"));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_CONNECTING);
  SetStateAt(81, GRPC_CHANNEL_READY);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
  for (int i = 0; i < 20; i++) EXPECT_EQ(Pick(), "10.0.0.1:81");
  SetStateAt(81, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(host_.reresolutions, 2) << "for each that broke";
  EXPECT_EQ(host_.state, GRPC_CHANNEL_CONNECTING);
  SetStateAt(81, GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("gone"));
  SetStateAt(82, GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("refused"));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  SetStateAt(82, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
}

TEST_F(LeastRequestPolicyTest, UpdateKeepsConnections) {
  Apply({80, 81});
  SetStateAt(80, GRPC_CHANNEL_READY);
  SetStateAt(81, GRPC_CHANNEL_READY);
  Apply({81, 82});
  EXPECT_EQ(host_.subchannels_made, 3u) << "one new";
  EXPECT_EQ(Pick(), "10.0.0.1:81");
  Apply({81, 82}, R"("choiceCount":5)");
  EXPECT_EQ(host_.subchannels_made, 3u);
  Apply({81}, "", Args().Set("a", 1));
  EXPECT_EQ(host_.subchannels_made, 4u) << "connections to other args";
  SetStateAt(81, GRPC_CHANNEL_READY);
  EXPECT_EQ(WatchedCount(), 1u);
  Apply({81}, "", Args().Set("a", 1), "other");
  EXPECT_EQ(host_.subchannels_made, 5u) << "its load is another locality's";
}

TEST_F(LeastRequestPolicyTest, AnAddressThatIsThereTwiceIsOneEndpoint) {  // A48.8
  Apply({80, 80, 81});
  EXPECT_EQ(host_.subchannels_made, 2u);
}

TEST_F(LeastRequestPolicyTest, ANewEndpointIsDrawnLessOftenUntilItsWindowEnds) {  // E1.8
  const char* slow = R"("slowStart":{"window":"60s"})";
  Apply({80, 81}, slow);
  SetStateAt(80, GRPC_CHANNEL_READY);
  SetStateAt(81, GRPC_CHANNEL_READY);
  EXPECT_EQ(host_.timer_count(), 0u) << "none is new";
  Apply({80, 81, 82}, slow);
  SetStateAt(82, GRPC_CHANNEL_READY);
  const auto share = [this] { return Picks(21000)["10.0.0.1:82"]; };
  EXPECT_NEAR(share(), 1000, 150);
  host_.Pass(30 * GXDS_SECOND);
  EXPECT_NEAR(share(), 4200, 300);
  Apply({80, 81, 82});
  EXPECT_NEAR(share(), 7000, 400) << "without slow start";
  EXPECT_EQ(host_.timer_count(), 0u);
  Apply({80, 81, 82}, slow);
  EXPECT_NEAR(share(), 7000, 400) << "all are known by now";
  Apply({80, 81, 82, 83}, slow);
  SetStateAt(83, GRPC_CHANNEL_READY);
  host_.Pass(61 * GXDS_SECOND);
  EXPECT_NEAR(Picks(20000)["10.0.0.1:83"], 5000, 400);
  EXPECT_EQ(host_.timer_count(), 0u);
  EXPECT_EQ(host_.subchannels_made, 4u);
}

// ---- changes of an address that make another subchannel ----

Address A(const char* detail = "", uint32_t weight = 1) {
  return {"10.0.0.1:80", weight, "", {}, detail};
}
Address B() { return {"unix:b", 1, "", {}, ""}; }
Address C() { return {"unix:c", 1, "", {}, ""}; }

class LeastRequestAddresses : public LeastRequestPolicyTest {
 protected:
  // The number of subchannels that an update with these addresses makes.
  size_t MadeFor(const std::vector<Address>& addresses) {
    const size_t before = host_.subchannels_made;
    Update(Configured(), Args(), addresses, "note");
    host_.Pass(0);
    return host_.subchannels_made - before;
  }
};

TEST_F(LeastRequestAddresses, ADetailIsPartOfTheSubchannelButNoWeight) {
  EXPECT_EQ(MadeFor({A("token 1")}), 1u);
  EXPECT_EQ(MadeFor({A("token 1")}), 0u);
  EXPECT_EQ(MadeFor({A("token 1", 2)}), 0u);
  EXPECT_EQ(MadeFor({A("token 2", 2)}), 1u);
  EXPECT_EQ(MadeFor({A("", 2)}), 1u);
}

TEST_F(LeastRequestAddresses, OfARepeatedAddressTheFirstCounts) {
  EXPECT_EQ(MadeFor({A("token 1"), A("token 2")}), 1u);
  EXPECT_EQ(MadeFor({A("token 1"), A("token 2")}), 0u);
  EXPECT_EQ(MadeFor({A("token 1"), A("token 3")}), 0u);
  EXPECT_EQ(MadeFor({A("token 2"), A("token 1")}), 1u);
}

TEST_F(LeastRequestAddresses, AddressesThatAreNoIpAddressesAreDistinct) {
  EXPECT_EQ(MadeFor({B(), A(), C()}), 3u);
  EXPECT_EQ(MadeFor({B(), C(), A()}), 0u);
}

// A READY endpoint that an update removes stays in the picks until another is READY.
TEST_F(LeastRequestAddresses, WhatIsLeavingIsForNoOtherAddress) {
  EXPECT_EQ(MadeFor({B()}), 1u);
  SetState("unix:b", GRPC_CHANNEL_READY);
  EXPECT_EQ(MadeFor({A()}), 1u);
  EXPECT_EQ(MadeFor({C()}), 1u);
  EXPECT_EQ(MadeFor({B()}), 0u) << "it came back";
  EXPECT_EQ(MadeFor({A("token 1")}), 1u);
  SetState("10.0.0.1:80", GRPC_CHANNEL_READY);
  EXPECT_EQ(MadeFor({A("token 2")}), 1u);
  EXPECT_EQ(MadeFor({C()}), 1u);
  EXPECT_EQ(MadeFor({A("token 1")}), 0u);
}

TEST_F(LeastRequestPolicyTest, EmptyListFailsAndBadListIsIgnored) {
  Apply({});
  EXPECT_EQ(accepted_, Unavailable("empty address list: note"));
  EXPECT_EQ(host_.status, accepted_);
  Update(Configured(), Args(), Unavailable("no DNS"));
  EXPECT_EQ(host_.status, Unavailable("no DNS"));
  Apply({80});
  SetStateAt(80, GRPC_CHANNEL_READY);
  Update(Configured(), Args(), Unavailable("no DNS"));
  EXPECT_EQ(accepted_, Unavailable("no DNS"));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
}

TEST_F(LeastRequestPolicyTest, ConfigIsChecked) {  // A48.1, A48.2
  auto parse = [](const std::string& config) {
    return "[{\"least_request_experimental\":" + config + "}]";
  };
  auto choices = [&](const std::string& config) {
    return ParseConfig(parse(config)).as<gxds_least_request_config>().choices;
  };
  EXPECT_EQ(choices("{}"), 2u);
  EXPECT_EQ(choices(R"({"choiceCount":2})"), 2u);
  EXPECT_EQ(choices(R"({"choiceCount":10})"), 10u);
  EXPECT_EQ(choices(R"({"choiceCount":4294967295})"), 10u);
  const std::string head = "errors validating least_request LB policy config: [";
  EXPECT_EQ(ParseError(parse(R"({"choiceCount":1})")).message,
            head + "field:choiceCount error:must be at least 2]");
  EXPECT_EQ(ParseError(parse(R"({"choiceCount":"x"})")).message,
            head + "field:choiceCount error:failed to parse non-negative number]");
}

}  // namespace
}  // namespace memory
