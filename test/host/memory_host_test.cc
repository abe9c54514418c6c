// The behaviour of the host in memory that tests of policies and the simulator rely on.
#include "test/host/memory_host.h"

#include <memory>
#include <string>
#include <vector>

#include "lb_policies/random_subsetting/random_subsetting_policy.h"
#include "test/host/memory_test.h"

namespace memory {
namespace {

// A policy that the test controls.
struct MadeUp {
  gxds_policy* policy;
  std::vector<std::string>* told;
};
std::vector<std::string> g_calls;
MadeUp* g_made_up;  // the newest

const gxds_policy_type kMadeUp = [] {
  gxds_policy_type type = {};
  type.name = "made_up";
  type.trace = "made_up_lb";
  type.create = [](gxds_policy* policy, const gxds_args*) -> void* {
    return g_made_up = new MadeUp{policy, &g_calls};
  };
  type.update = [](void*, const gxds_lb_update*) { return gxds_status_ok(); };
  type.exit_idle = [](void*) { g_calls.push_back("exit idle"); };
  type.end = [](void*) { g_calls.push_back("end"); };
  type.destroy = [](void* self) {
    g_calls.push_back("destroy");
    delete static_cast<MadeUp*>(self);
  };
  type.on_deadline = [](void*) { g_calls.push_back("deadline"); };
  type.poked = [](void*, uint64_t number, gxds_str) {
    g_calls.push_back("poked " + std::to_string(number));
  };
  return type;
}();

using Calls = std::vector<std::string>;

struct Recorder : gxds_watch {
  Recorder() : gxds_watch{} {
    on_state = [](gxds_watch* w, grpc_connectivity_state state, const gxds_status*) {
      static_cast<Recorder*>(w)->states.push_back(state);
    };
  }
  std::vector<grpc_connectivity_state> states;
};

class MemoryHostTest : public PolicyTest {
 protected:
  MemoryHostTest() {
    g_calls.clear();
    host_.Create(kMadeUp);
  }
  gxds_policy* policy() const { return g_made_up->policy; }
  gxds_lb_channel* channel() const { return gxds_policy_channel(policy()); }
  // One reference, the caller's.
  gxds_subchannel* Make(const char* address) {
    const Addresses one(std::vector<Address>{{address}});
    const gxds_args* args = Args().ToC();
    const gxds_lb_address at = gxds_addresses_at(one.get(), 0);
    gxds_subchannel* out = gxds_policy_subchannel(policy(), &at, args);
    gxds_args_unref(args);
    return out;
  }
  static void Record(void* what) { g_calls.push_back(static_cast<const char*>(what)); }
  static void* Text(const char* text) { return const_cast<char*>(text); }
};

TEST_F(MemoryHostTest, WorkThatIsPutOffIsDoneInOrderAfterWhatPutItOff) {
  host_.In([&] {
    channel()->ops->run_later(channel(), Record, Text("one"));
    channel()->ops->post(channel(), Record, Text("two"));
    host_.In([&] { channel()->ops->run_later(channel(), Record, Text("three")); });
    EXPECT_EQ(g_calls, Calls{});
  });
  EXPECT_EQ(g_calls, (Calls{"one", "two", "three"}));
}

TEST_F(MemoryHostTest, TimersOfOneTimeFireInTheOrderTheyWereSet) {
  auto start = [&](gxds_duration delay, const char* words) {
    return channel()->ops->timer_start(channel(), delay, Record, Text(words));
  };
  start(2, "late");
  start(1, "one");
  const gxds_lb_timer never = start(1, "cancelled");
  start(1, "two");
  EXPECT_TRUE(channel()->ops->timer_cancel(channel(), never));
  EXPECT_FALSE(channel()->ops->timer_cancel(channel(), never));
  EXPECT_EQ(host_.next_timer(), host_.now() + 1);
  host_.Pass(1);
  EXPECT_EQ(g_calls, (Calls{"one", "two"}));
  host_.Pass(1);
  EXPECT_EQ(g_calls, (Calls{"one", "two", "late"}));
  EXPECT_EQ(host_.next_timer(), GXDS_TIME_NEVER);
}

TEST_F(MemoryHostTest, PolicyEndsBeforeItsMemoryDoes) {
  host_.In([&] {
    host_.End();
    EXPECT_EQ(g_calls, Calls{"end"});
  });
  EXPECT_EQ(g_calls, (Calls{"end", "destroy"}));
}

TEST_F(MemoryHostTest, WatchersAreNotifiedLaterAndNotAfterUnwatch) {
  gxds_subchannel* subchannel = Make("a");
  Recorder first, second;
  host_.In([&] {
    gxds_subchannel_watch(subchannel, &first);
    gxds_subchannel_watch(subchannel, &second);
    EXPECT_TRUE(first.states.empty());
    gxds_subchannel_unwatch(subchannel, &second);
  });
  EXPECT_EQ(first.states, std::vector<grpc_connectivity_state>{GRPC_CHANNEL_IDLE});
  EXPECT_TRUE(second.states.empty()) << "not even what was on its way";
  host_.In([&] { gxds_subchannel_connect(subchannel); });
  host_.SetState("a", GRPC_CHANNEL_READY);
  EXPECT_EQ(first.states, (std::vector<grpc_connectivity_state>{
                              GRPC_CHANNEL_IDLE, GRPC_CHANNEL_CONNECTING, GRPC_CHANNEL_READY}));
  gxds_subchannel_unwatch(subchannel, &first);
  gxds_subchannel_unref(subchannel);
}

TEST_F(MemoryHostTest, OnConnectIsCalledForEachAttempt) {
  int attempts = 0;
  host_.on_connect = [&](Subchannel*) { attempts++; };
  gxds_subchannel* subchannel = Make("a");
  for (int i = 0; i < 3; i++) host_.In([&] { gxds_subchannel_connect(subchannel); });
  EXPECT_EQ(attempts, 1) << "it is at work";
  host_.SetState("a", GRPC_CHANNEL_IDLE);
  host_.In([&] { gxds_subchannel_connect(subchannel); });
  EXPECT_EQ(attempts, 2);
  gxds_subchannel_unref(subchannel);
}

TEST_F(MemoryHostTest, FirstPickThatWaitsMakesThePolicyExitIdle) {
  host_.In([&] { gxds_policy_publish_queue(policy(), GRPC_CHANNEL_IDLE); });
  EXPECT_EQ(Pick(), "queue");
  EXPECT_EQ(Pick(), "queue");
  EXPECT_EQ(g_calls, Calls{"exit idle"});
}

TEST_F(MemoryHostTest, OnlyTracesNeedTheWordInGrpcTrace) {
  host_.In([&] {
    gxds_policy_trace(policy(), "a trace");
    gxds_policy_log(policy(), "a line");
  });
  ASSERT_EQ(host_.log.size(), 1u);
  EXPECT_NE(host_.log[0].find("a line"), std::string::npos) << host_.log[0];
  host_.trace_words = {"made_up_lb"};
  host_.In([&] {
    gxds_policy_trace(policy(), "a trace");
    gxds_policy_log(policy(), "a line");
  });
  ASSERT_EQ(host_.log.size(), 3u);
  EXPECT_NE(host_.log[1].find("a trace"), std::string::npos) << host_.log[1];
}

TEST_F(MemoryHostTest, LogAndTraceAreKept) {
  EXPECT_FALSE(host_.trace_words.count("made_up_lb"));
  host_.In([&] { EXPECT_FALSE(gxds_policy_traces(policy())); });
  host_.trace_words = {"made_up_lb"};
  host_.In([&] {
    EXPECT_TRUE(gxds_policy_traces(policy()));
    gxds_policy_log_error(policy(), "what happened");
  });
  ASSERT_EQ(host_.log.size(), 1u);
  EXPECT_NE(host_.log[0].find("what happened"), std::string::npos) << host_.log[0];
}

TEST(MemoryHost, SameSeedGivesTheSameRun) {
  auto run = [](uint64_t seed) {
    Host host(seed);
    host.Create(kMadeUp);
    std::vector<uint64_t> drawn;
    for (int i = 0; i < 3; i++) drawn.push_back(gxds_policy_random_seed(g_made_up->policy));
    drawn.push_back(gxds_random_next(gxds_random_of_thread()));
    return drawn;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

// LeftOver() lists every kind of object that a policy could forget to release.
TEST_F(MemoryHostTest, SubchannelThatIsLeftOverIsReported) {
  gxds_subchannel* subchannel = Make("a");
  host_.End();
  EXPECT_EQ(host_.LeftOver(), "subchannel a\n");
  gxds_subchannel_unref(subchannel);
}

TEST_F(MemoryHostTest, TimerThatIsLeftOverIsReported) {
  const gxds_lb_timer timer = channel()->ops->timer_start(channel(), 1, Record, Text("late"));
  gxds_lb_channel* kept = gxds_lb_channel_ref(channel());
  host_.End();
  EXPECT_EQ(host_.LeftOver(), "1 timers\n1 references of the channel\n");
  EXPECT_TRUE(kept->ops->timer_cancel(kept, timer));
  gxds_lb_channel_unref(kept);
}

TEST_F(MemoryHostTest, PokerOfAPickerThatIsLeftOverIsReported) {
  host_.In([&] { gxds_policy_publish_queue(policy(), GRPC_CHANNEL_IDLE); });
  gxds_picker* kept = gxds_picker_ref(host_.picker());
  host_.End();
  host_.DropPicker();
  EXPECT_EQ(host_.LeftOver(), "1 references of the channel\n");
  gxds_picker_unref(kept);
}

TEST_F(MemoryHostTest, CallAndTrackerThatAreLeftOverAreReported) {
  host_.Register(&gxds_random_subsetting_policy);
  host_.Create(gxds_random_subsetting_policy);
  Update(ParseConfig(R"([{"random_subsetting_experimental":{"subsetSize":1,"childPolicy":)"
                     R"([{"picking_leaf":{}}]}}])"),
         Args(), std::vector<Address>{{"a"}});
  auto call = host_.Pick();
  EXPECT_EQ(call->Text(), "a");
  host_.End();
  EXPECT_EQ(host_.LeftOver(), "subchannel a\n1 pickers\n1 calls\n1 trackers\n");
  host_.DropPicker();
  EXPECT_EQ(host_.LeftOver(), "subchannel a\n1 calls\n1 trackers\n");
  call.reset();
}

TEST_F(MemoryHostTest, PolicyOfTheHostsThatIsLeftOverIsReported) {
  gxds_lb_root* root = gxds_policy_root(policy());
  static const gxds_lb_parent_ops ops = {
      [](gxds_lb_parent*, grpc_connectivity_state, const gxds_status*, gxds_picker* take_picker) {
        gxds_picker_unref(take_picker);
      },
      [](gxds_lb_parent*, const gxds_lb_address*, const gxds_args*) -> gxds_subchannel* {
        return nullptr;
      },
      [](gxds_lb_parent*) {},
      [](gxds_lb_parent*, gxds_lb_severity, gxds_str) {},
      [](gxds_lb_parent*, gxds_metric_labels*) {},
  };
  gxds_lb_parent parent = {&ops};
  gxds_hosts_policy* child =
      root->ops->policy_create(root, gxds_str_z("test_leaf"), &parent, nullptr);
  EXPECT_EQ(root->ops->policy_create(root, gxds_str_z("nobodys"), &parent, nullptr), nullptr);
  host_.End();
  EXPECT_EQ(host_.LeftOver(), "policy test_leaf\n");
  host_.In([&] { child->ops->end(child); });
}

// The host's own balancers, below a parent that passes everything on.
class BalancerTest : public PolicyTest {
 protected:
  void Start(const std::string& policy, const std::vector<Address>& addresses) {
    host_.Register(&gxds_random_subsetting_policy);
    host_.Create(gxds_random_subsetting_policy);
    config_ =
        ParseConfig(R"([{"random_subsetting_experimental":{"subsetSize":9,"childPolicy":[{")" +
                    policy + R"(":{}}]}}])");
    Update(config_, Args(), addresses);
  }
  // The addresses whose subchannels were asked to connect.
  std::string Wanted() const {
    std::string out;
    for (const Subchannel* s : host_.subchannels()) {
      if (s->state == GRPC_CHANNEL_CONNECTING) out += s->address;
    }
    return out;
  }

  Config config_;
};

TEST_F(BalancerTest, RoundRobinConnectsToAllAndPicksInTurn) {
  Start("round_robin", {{"a"}, {"b"}});
  EXPECT_EQ(Wanted().size(), 2u);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_CONNECTING);
  for (const char* a : {"a", "b"}) host_.SetState(a, GRPC_CHANNEL_READY);
  EXPECT_EQ(Picks(10), (std::map<std::string, int>{{"a", 5}, {"b", 5}}));
  for (const char* a : {"a", "b"}) host_.SetState(a, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(Wanted().size(), 2u) << "at once";
}

TEST_F(BalancerTest, RoundRobinServesByTheOldListUntilTheNewOneDoes) {
  Start("round_robin", {{"a"}});
  host_.SetState("a", GRPC_CHANNEL_READY);
  Update(config_, Args(), std::vector<Address>{{"b"}});
  EXPECT_EQ(Pick(), "a");
  host_.SetState("b", GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "b");
  EXPECT_EQ(host_.subchannels().size(), 1u);
}

TEST_F(BalancerTest, PickFirstTriesOneAfterTheOther) {
  Start("pick_first", {{"a"}, {"b"}});
  const std::string first = Wanted();
  ASSERT_EQ(first.size(), 1u);
  host_.SetState(first, GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("refused"));
  const std::string second = Wanted();
  ASSERT_EQ(second.size(), 1u);
  EXPECT_NE(second, first);
  host_.SetState(second, GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), second);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_READY);
}

TEST_F(BalancerTest, PickFirstThatBreaksIsIdleUntilAPickWaits) {
  Start("pick_first", {{"a"}});
  host_.SetState("a", GRPC_CHANNEL_READY);
  host_.SetState("a", GRPC_CHANNEL_IDLE);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(host_.reresolutions, 1);
  EXPECT_EQ(Wanted(), "");
  EXPECT_EQ(Pick(), "queue");
  EXPECT_EQ(Wanted(), "a");
}

TEST_F(BalancerTest, PickFirstThatBreaksGoesOnWithTheNewList) {
  Start("pick_first", {{"a"}});
  host_.SetState("a", GRPC_CHANNEL_READY);
  Update(config_, Args(), std::vector<Address>{{"b"}});
  EXPECT_EQ(Pick(), "a");
  host_.SetState("a", GRPC_CHANNEL_IDLE);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(Pick(), "queue");
  host_.SetState("b", GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "b");
}

TEST_F(BalancerTest, PickFirstFailsWhenAllHaveAndComesBack) {
  Start("pick_first", {{"a"}});
  host_.SetState("a", GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("refused"));
  EXPECT_EQ(Pick(),
            "fail: UNAVAILABLE: failed to connect to all addresses; last error: UNAVAILABLE: "
            "refused");
  host_.SetState("a", GRPC_CHANNEL_IDLE);
  EXPECT_EQ(Wanted(), "a");
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE) << "until it is READY";
  host_.SetState("a", GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(), "a");
}

TEST_F(BalancerTest, AnEmptyListFails) {
  Start("round_robin", {});
  EXPECT_EQ(accepted_, Unavailable("empty address list: "));
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
}

}  // namespace
}  // namespace memory
