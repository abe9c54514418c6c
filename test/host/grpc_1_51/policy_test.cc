// A policy in C on the real host: its life, its timer, its pokes and its picks.
#include "host/policy.h"

#include <jansson.h>
#include <stdlib.h>

#include <string>
#include <vector>

#include "host/grpc_common/policy.h"
#include "test/host/grpc_1_51/fixture.h"
#include "test/support/forks_during.h"

namespace grpc_xds {
namespace testing {

extern const gxds_policy_type kMadeUp;

namespace {

// The one instance of the made-up policy, and what it received.
struct MadeUp {
  gxds_policy* policy = nullptr;
  std::vector<std::string> calls;
  bool is_alive = false;
  std::function<void()> on_update;
};
MadeUp g_made_up;
std::string g_json;  // the JSON of the last parsed config

gxds_lb_config* Parse(const json_t* json, gxds_lb_parse_list*, gxds_errors* errors) {
  if (json == nullptr || json_object_get(json, "wrong") != nullptr) {
    gxds_errors_add(errors, nullptr, "must be right");
    return nullptr;
  }
  char* text = json_dumps(json, JSON_COMPACT);
  g_json = text;
  free(text);
  auto* config = new gxds_lb_config;
  gxds_lb_config_init(config, &kMadeUp, [](gxds_lb_config* c) { delete c; });
  return config;
}

void* Create(gxds_policy* policy, const gxds_args* args) {
  int value = 0;
  g_made_up = {};
  g_made_up.policy = policy;
  g_made_up.is_alive = true;
  if (gxds_args_get_int(args, "made_up", &value)) {
    g_made_up.calls.push_back("made with " + std::to_string(value));
  }
  return &g_made_up;
}

void Record(const std::string& what) { g_made_up.calls.push_back(what); }

gxds_status Update(void*, const gxds_lb_update* update) {
  Record("update " + std::string(update->note.data, update->note.size));
  if (g_made_up.on_update) g_made_up.on_update();
  return gxds_status_ok();
}

}  // namespace

const gxds_policy_type kMadeUp = {
    "made_up",
    nullptr,
    "made_up",
    "made_up",
    false,
    Parse,
    nullptr,
    Create,
    Update,
    [](void*) { Record("exit idle"); },
    [](void*) { Record("reset backoff"); },
    [](void*) { Record("end"); },
    [](void*) { g_made_up.is_alive = false; },
    [](void*) { Record("deadline"); },
    [](void*, uint64_t number, gxds_str text) {
      Record("poked " + std::to_string(number) + " " + std::string(text.data, text.size));
    },
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

namespace {

const bool g_registered = [] {
  grpc_core::CoreConfiguration::RegisterBuilder(
      [](auto* builder) { RegisterPolicyInC(builder, &kMadeUp); });
  return true;
}();

using Calls = std::vector<std::string>;

class PolicyInCTest : public PolicyTest {
 protected:
  void SetUp() override {
    Create("made_up", ChannelArgs().Set("made_up", 5));
    auto config = ParseConfig(R"([{"made_up":{}}])");
    ASSERT_TRUE(config.ok()) << config.status();
    config_ = *config;
  }
  Calls TakeCalls() { return std::exchange(g_made_up.calls, {}); }

  RefCountedPtr<LoadBalancingPolicy::Config> config_;
};

TEST_F(PolicyInCTest, AnIntegerThatIsTooLargeIsRefusedByWhoReadsIt) {
  EXPECT_TRUE(ParseConfig(R"([{"made_up":{"x":100000000000000000000}}])").ok());
}

TEST_F(PolicyInCTest, ANumberTooLargeForAnyFieldIsRefused) {
  EXPECT_EQ(std::string(ParseConfig(R"([{"made_up":{"x":1e400}}])").status().message()),
            "errors validating made_up LB policy config: [real number overflow near '1e400']");
}

TEST_F(PolicyInCTest, IsCalledForEachCallOfTheHost) {
  Update(config_, ChannelArgs(), ServerAddressList(), "note");
  In([&] {
    policy_->ExitIdleLocked();
    policy_->ResetBackoffLocked();
  });
  EXPECT_EQ(TakeCalls(), (Calls{"made with 5", "update note", "exit idle", "reset backoff"}));
  In([&] { policy_.reset(); });
  EXPECT_EQ(TakeCalls(), Calls{"end"});
  EXPECT_FALSE(g_made_up.is_alive);
}

TEST_F(PolicyInCTest, DeadlineComesOnceAndTheLatestCounts) {
  TakeCalls();
  In([&] {
    const gxds_time now = gxds_policy_now(g_made_up.policy);
    gxds_policy_set_deadline(g_made_up.policy, now + GXDS_SECOND);
    gxds_policy_set_deadline(g_made_up.policy, now + 2 * GXDS_SECOND);
  });
  EXPECT_EQ(timer_count(), 1u);
  Pass(3 * GXDS_SECOND / 2);
  EXPECT_EQ(TakeCalls(), Calls{});
  Pass(GXDS_SECOND);
  EXPECT_EQ(TakeCalls(), Calls{"deadline"});
  In([&] { gxds_policy_set_deadline(g_made_up.policy, GXDS_TIME_NEVER - 1); });
  In([&] { policy_.reset(); });
  EXPECT_EQ(timer_count(), 0u) << "it ended with the policy";
}

TEST_F(PolicyInCTest, PokeComesLaterAndNotAfterTheEnd) {
  TakeCalls();
  gxds_poker* poker = gxds_poker_ref(gxds_policy_poker(g_made_up.policy));
  In([&] {
    gxds_poker_poke(poker, 3, gxds_str_z("text"));
    EXPECT_EQ(TakeCalls(), Calls{}) << "not from there";
  });
  EXPECT_EQ(TakeCalls(), Calls{"poked 3 text"});
  In([&] {
    gxds_poker_poke(poker, 4, gxds_str_z(""));
    policy_.reset();
  });
  EXPECT_EQ(TakeCalls(), Calls{"end"});
  In([&] { gxds_poker_poke(poker, 5, gxds_str_z("")); });
  EXPECT_EQ(TakeCalls(), Calls{});
  gxds_poker_unref(poker);
}

TEST_F(PolicyInCTest, FirstRpcThatWaitsMakesItExitIdle) {
  TakeCalls();
  In([&] { gxds_policy_publish_queue(g_made_up.policy, GRPC_CHANNEL_IDLE); });
  EXPECT_EQ(state_, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(Pick(), "queue");
  EXPECT_EQ(Pick(), "queue");
  EXPECT_EQ(TakeCalls(), Calls{"exit idle"});
}

TEST_F(PolicyInCTest, EndInItsOwnUpdateLeavesItsMemoryUntilThatReturns) {
  TakeCalls();
  g_made_up.on_update = [this] {
    policy_.reset();
    EXPECT_TRUE(g_made_up.is_alive);
    EXPECT_TRUE(gxds_policy_ended(g_made_up.policy));
    gxds_policy_publish_queue(g_made_up.policy, GRPC_CHANNEL_IDLE);  // it has no effect
  };
  In([&] {
    LoadBalancingPolicy::UpdateArgs update;
    update.config = config_;
    policy_->UpdateLocked(std::move(update)).IgnoreError();
  });
  EXPECT_EQ(TakeCalls(), (Calls{"update ", "end"}));
  EXPECT_FALSE(g_made_up.is_alive);
  EXPECT_EQ(published_, 0);
}

TEST_F(PolicyInCTest, ConfigIsTheJsonThatTheHostRead) {
  auto config = ParseConfig(
      R"([{"made_up":{"b":[1,-2.5,1e3,"x",true,false,null],"a":{"c":9223372036854775807}}}])");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(g_json, R"({"a":{"c":9223372036854775807},"b":[1,-2.5,1000.0,"x",true,false,null]})");
}

TEST_F(PolicyInCTest, ErrorsOfAConfigNameThePolicy) {
  auto parsed = grpc_core::CoreConfiguration::Get().lb_policy_registry().ParseLoadBalancingConfig(
      *grpc_core::Json::Parse(R"([{"made_up":{"wrong":1}}])"));
  EXPECT_EQ(parsed.status().message(),
            "errors validating made_up LB policy config: [field: error:must be right]");
}

TEST(ChannelOfPolicies, IsFoundInTheChildOfAForkDuringItsUse) {
  auto serializer = std::make_shared<grpc_core::WorkSerializer>();
  EXPECT_TRUE(
      gxds_test::AllChildrenEnd([&] { gxds_lb_channel_unref(ChannelOn(serializer, nullptr)); }));
}

}  // namespace
}  // namespace testing
}  // namespace grpc_xds
