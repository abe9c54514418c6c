// The least_request policy in the host's terms (A48).
#include "lb_policies/least_request/least_request_policy.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/variant.h"
#include "host/grpc_1_51/config.h"
#include "host/grpc_1_51/policy.h"
#include "test/lb_policies/support/policy_test.h"

namespace grpc_xds {
namespace testing {
namespace {

// Before the fixture's environment makes the configuration.
const bool g_registered = [] {
  grpc_core::CoreConfiguration::RegisterBuilder(
      [](auto* builder) { RegisterPolicyInC(builder, &gxds_least_request_policy); });
  return true;
}();

using Tracker = LoadBalancingPolicy::SubchannelCallTrackerInterface;

class LeastRequestPolicyTest : public PolicyTest {
 protected:
  void SetUp() override { Create(gxds_least_request_policy.name); }

  void Apply(const std::vector<uint16_t>& ports, const std::string& fields = "",
             ChannelArgs args = ChannelArgs(), const std::string& zone = "z") {
    auto config = ParseConfig("[{\"least_request_experimental\":{" + fields + "}}]");
    ASSERT_TRUE(config.ok()) << config.status();
    localities_.push_back(MakeLocality({zone, 1, ports}));
    ServerAddressList addresses;
    AppendAddresses(localities_.back().get(), &addresses);
    Update(*config, std::move(args), std::move(addresses), "note");
    Pass(0);
  }
  void Say(int port, grpc_connectivity_state state, absl::Status status = absl::OkStatus()) {
    In([&] {
      for (auto& s : subchannels_) {
        if (s.address == "10.0.0.1:" + std::to_string(port) && s.subchannel->watcher != nullptr) {
          s.subchannel->watcher->OnConnectivityStateChange(state, status);
        }
      }
    });
  }
  // The address that was picked; its tracker goes to last_.
  std::string PickOne() {
    LoadBalancingPolicy::PickResult result = picker_->Pick({"/service/method", nullptr, &call_});
    auto* complete = absl::get_if<LoadBalancingPolicy::PickResult::Complete>(&result.result);
    if (complete == nullptr) return "";
    last_ = std::move(complete->subchannel_call_tracker);
    return static_cast<FakeSubchannel*>(complete->subchannel.get())->address;
  }
  static void Finish(Tracker* tracker) { tracker->Finish({absl::OkStatus(), nullptr, nullptr}); }
  size_t Living() const {
    size_t living = 0;
    for (const auto& s : subchannels_) living += s.subchannel->watcher != nullptr ? 1 : 0;
    return living;
  }

  std::unique_ptr<Tracker> last_;
  std::vector<CRef<gxds_locality>> localities_;
};

TEST_F(LeastRequestPolicyTest, RpcsGoToTheEndpointWithTheFewest) {  // A48.3, A48.6
  Apply({80, 81}, R"("choiceCount":10)");
  Say(80, GRPC_CHANNEL_READY);
  Say(81, GRPC_CHANNEL_READY);
  const std::string first = PickOne();
  std::unique_ptr<Tracker> busy = std::move(last_);
  busy->Start();
  int same = 0;
  for (int i = 0; i < 1000; i++) same += PickOne() == first;
  EXPECT_LE(same, 20) << "only where all ten draws are of it: one of 1,024";
  Finish(busy.get());
  same = 0;
  for (int i = 0; i < 1000; i++) same += PickOne() == first;
  EXPECT_GE(same, 300) << "it has no more than the other";
}

TEST_F(LeastRequestPolicyTest, RpcsThatNeverBeganAreNotCounted) {
  Apply({80, 81}, R"("choiceCount":10)");
  Say(80, GRPC_CHANNEL_READY);
  Say(81, GRPC_CHANNEL_READY);
  std::vector<std::unique_ptr<Tracker>> dropped;
  for (int i = 0; i < 100; i++) {
    PickOne();
    dropped.push_back(std::move(last_));
  }
  PickOne();
  last_->Start();
  last_.reset();  // dropped on its way: it is over, too
  std::map<std::string, int> picks;
  for (int i = 0; i < 1000; i++) picks[PickOne()]++;
  EXPECT_GE(picks["10.0.0.1:80"], 300);
  EXPECT_GE(picks["10.0.0.1:81"], 300);
}

TEST_F(LeastRequestPolicyTest, ConnectsToAllAndPicksAmongThoseThatAreReady) {  // A48.4, A48.5
  Apply({80, 81, 82});
  EXPECT_EQ(subchannels_.size(), 3u);
  EXPECT_EQ(Pick(), "queue");
  Say(80, GRPC_CHANNEL_TRANSIENT_FAILURE, absl::UnavailableError("refused"));
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
  Say(81, GRPC_CHANNEL_READY);
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
  for (int i = 0; i < 20; i++) EXPECT_EQ(PickOne(), "10.0.0.1:81");
  Say(81, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(reresolutions_, 1);
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
  Say(81, GRPC_CHANNEL_TRANSIENT_FAILURE, absl::UnavailableError("gone"));
  Say(82, GRPC_CHANNEL_TRANSIENT_FAILURE, absl::UnavailableError("refused"));
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  Say(82, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
}

TEST_F(LeastRequestPolicyTest, UpdateKeepsConnections) {
  Apply({80, 81});
  Say(80, GRPC_CHANNEL_READY);
  Say(81, GRPC_CHANNEL_READY);
  Apply({81, 82});
  EXPECT_EQ(subchannels_.size(), 3u) << "one new";
  EXPECT_EQ(PickOne(), "10.0.0.1:81");
  Apply({81, 82}, R"("choiceCount":5)");
  EXPECT_EQ(subchannels_.size(), 3u);
  Apply({81}, "", ChannelArgs().Set("a", 1));
  EXPECT_EQ(subchannels_.size(), 4u) << "connections to other args";
  Say(81, GRPC_CHANNEL_READY);
  EXPECT_EQ(Living(), 1u);
  Apply({81}, "", ChannelArgs().Set("a", 1), "other");
  EXPECT_EQ(subchannels_.size(), 5u) << "its load is another locality's";
}

TEST_F(LeastRequestPolicyTest, AnAddressThatIsThereTwiceIsOneEndpoint) {  // A48.8
  Apply({80, 80, 81});
  EXPECT_EQ(subchannels_.size(), 2u);
}

// ---- what of an address is another subchannel ----

// As grpclb's: which of its balancer's tokens RPCs to the address carry.
class Token : public ServerAddress::AttributeInterface {
 public:
  explicit Token(int number) : number_(number) {}
  std::unique_ptr<AttributeInterface> Copy() const override {
    return std::make_unique<Token>(number_);
  }
  int Cmp(const AttributeInterface* other) const override {
    return number_ - static_cast<const Token*>(other)->number_;
  }
  std::string ToString() const override { return std::to_string(number_); }

 private:
  const int number_;
};
constexpr char kToken[] = "token";

ServerAddress WithToken(const ServerAddress& address, int number) {
  return address.WithAttribute(kToken, std::make_unique<Token>(number));
}

// fe80::1 on the link of that number.
ServerAddress LinkLocal(uint32_t scope) {
  grpc_resolved_address address = {};
  auto* in6 = reinterpret_cast<sockaddr_in6*>(address.addr);
  in6->sin6_family = AF_INET6;
  in6->sin6_addr.s6_addr[0] = 0xfe;
  in6->sin6_addr.s6_addr[1] = 0x80;
  in6->sin6_addr.s6_addr[15] = 1;
  in6->sin6_port = htons(80);
  in6->sin6_scope_id = scope;
  address.len = sizeof *in6;
  return ServerAddress(address, ChannelArgs());
}

ServerAddress Unix(const char* path) {
  grpc_resolved_address address = {};
  auto* un = reinterpret_cast<sockaddr_un*>(address.addr);
  un->sun_family = AF_UNIX;
  strcpy(un->sun_path, path);
  address.len = sizeof *un;
  return ServerAddress(address, ChannelArgs());
}

class LeastRequestAddresses : public LeastRequestPolicyTest {
 protected:
  // How many subchannels an update with these addresses makes.
  size_t MadeFor(ServerAddressList addresses) {
    const size_t before = subchannels_.size();
    auto config = ParseConfig("[{\"least_request_experimental\":{}}]");
    Update(*config, ChannelArgs(), std::move(addresses), "note");
    Pass(0);
    return subchannels_.size() - before;
  }
  // 10.0.0.1:80.
  ServerAddress A(uint32_t weight = 1) {
    localities_.push_back(MakeLocality({"z", 1, {80}}));
    return TakeAddresses(gxds_locality_addresses(localities_.back().get()))[0].WithAttribute(
        grpc_core::ServerAddressWeightAttribute::kServerAddressWeightAttributeKey,
        std::make_unique<grpc_core::ServerAddressWeightAttribute>(weight));
  }
};

TEST_F(LeastRequestAddresses, AnAttributeIsPartOfTheSubchannelButNoWeight) {
  EXPECT_EQ(MadeFor({WithToken(A(), 1)}), 1u);
  EXPECT_EQ(MadeFor({WithToken(A(), 1)}), 0u);
  EXPECT_EQ(MadeFor({WithToken(A(2), 1)}), 0u);
  EXPECT_EQ(MadeFor({WithToken(A(2), 2)}), 1u);
  EXPECT_EQ(MadeFor({A(2)}), 1u);
}

TEST_F(LeastRequestAddresses, OfARepeatedAddressTheFirstCounts) {
  EXPECT_EQ(MadeFor({WithToken(A(), 1), WithToken(A(), 2)}), 1u);
  EXPECT_EQ(MadeFor({WithToken(A(), 1), WithToken(A(), 2)}), 0u);
  EXPECT_EQ(MadeFor({WithToken(A(), 1), WithToken(A(), 3)}), 0u);
  EXPECT_EQ(MadeFor({WithToken(A(), 2), WithToken(A(), 1)}), 1u);
}

TEST_F(LeastRequestAddresses, TheLinkOfAnAddressIsPartOfIt) {
  EXPECT_EQ(MadeFor({LinkLocal(1)}), 1u);
  EXPECT_EQ(MadeFor({LinkLocal(1)}), 0u);
  EXPECT_EQ(MadeFor({LinkLocal(2)}), 1u);
  EXPECT_EQ(MadeFor({LinkLocal(2), LinkLocal(3)}), 1u);
  EXPECT_EQ(MadeFor({LinkLocal(3), LinkLocal(2)}), 0u);
}

TEST_F(LeastRequestAddresses, SocketsThatAreNoIpAddressesAreToldApart) {
  EXPECT_EQ(MadeFor({Unix("a"), A(), Unix("b")}), 3u);
  EXPECT_EQ(MadeFor({Unix("a"), Unix("b"), A()}), 0u);
  EXPECT_EQ(MadeFor({Unix("a"), Unix("c"), A()}), 1u);
}

// What is gone from the list, but READY, stays in the picks until another is.
TEST_F(LeastRequestAddresses, WhatIsLeavingIsForNoOtherAddress) {
  auto update = [this](ServerAddress address) { return MadeFor({address}); };
  auto ready = [this] {
    In([&] {
      subchannels_.back().subchannel->watcher->OnConnectivityStateChange(GRPC_CHANNEL_READY,
                                                                         absl::OkStatus());
    });
  };
  EXPECT_EQ(update(Unix("a")), 1u);
  ready();
  EXPECT_EQ(update(A()), 1u);
  EXPECT_EQ(update(Unix("b")), 1u);
  EXPECT_EQ(update(Unix("a")), 0u) << "it came back";
  EXPECT_EQ(update(WithToken(A(), 1)), 1u);
  EXPECT_EQ(update(LinkLocal(1)), 1u);
  EXPECT_EQ(update(Unix("a")), 0u);
  EXPECT_EQ(update(WithToken(LinkLocal(1), 1)), 1u);
  ready();
  EXPECT_EQ(update(A()), 1u);
  EXPECT_EQ(update(WithToken(LinkLocal(1), 2)), 1u);
  EXPECT_EQ(update(LinkLocal(2)), 1u);
  EXPECT_EQ(update(WithToken(LinkLocal(1), 1)), 0u);
}

TEST_F(LeastRequestPolicyTest, EmptyListFailsAndBadListIsIgnored) {
  Apply({});
  EXPECT_EQ(accepted_, absl::UnavailableError("empty address list: note"));
  EXPECT_EQ(status_, accepted_);
  auto config = ParseConfig(R"([{"least_request_experimental":{}}])");
  Update(*config, ChannelArgs(), absl::UnavailableError("no DNS"));
  EXPECT_EQ(status_, absl::UnavailableError("no DNS"));
  Apply({80});
  Say(80, GRPC_CHANNEL_READY);
  Update(*config, ChannelArgs(), absl::UnavailableError("no DNS"));
  EXPECT_EQ(accepted_, absl::UnavailableError("no DNS"));
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
}

TEST(LeastRequestConfigTest, IsChecked) {  // A48.1, A48.2
  auto parse = [](const std::string& config) {
    auto json = grpc_core::Json::Parse("[{\"least_request_experimental\":" + config + "}]");
    EXPECT_TRUE(json.ok());
    return grpc_core::CoreConfiguration::Get().lb_policy_registry().ParseLoadBalancingConfig(*json);
  };
  auto choices = [&](const std::string& config) {
    auto parsed = parse(config);
    return parsed.ok() ? reinterpret_cast<gxds_least_request_config*>(
                             static_cast<ConfigInC*>(parsed->get())->config())
                             ->choices
                       : 0;
  };
  EXPECT_EQ(choices("{}"), 2u);
  EXPECT_EQ(choices(R"({"choiceCount":2})"), 2u);
  EXPECT_EQ(choices(R"({"choiceCount":10})"), 10u);
  EXPECT_EQ(choices(R"({"choiceCount":4294967295})"), 10u);
  const std::string head = "errors validating least_request LB policy config: [";
  EXPECT_EQ(parse(R"({"choiceCount":1})").status().message(),
            head + "field:choiceCount error:must be at least 2]");
  EXPECT_EQ(parse(R"({"choiceCount":"x"})").status().message(),
            head + "field:choiceCount error:failed to parse non-negative number]");
}

}  // namespace
}  // namespace testing
}  // namespace grpc_xds
