// A policy of the program's in the host's terms: what the library does for it.
#include "lb_policies/registered/registered_policy.h"

#include <string>

#include "host/grpc_1_51/policy.h"
#include "test/lb_policies/support/policy_test.h"

namespace grpc_xds {
namespace testing {
namespace {

// What the policy "test.own" does, by the test, and what it heard.
struct Own {
  std::function<void(const grpc_xds_update* update)> on_update = [](const grpc_xds_update*) {};
  std::function<void(void* tag, grpc_xds_state state)> on_state = [](void*, grpc_xds_state) {};
  std::function<void(grpc_xds_picked* out)> on_pick = [](grpc_xds_picked*) {};
  grpc_xds_status said = {0, nullptr};  // to updates
  std::string json;                     // the last config
  std::string log;                      // what was called
  grpc_xds_policy* base = nullptr;
  std::vector<grpc_xds_subchannel*> subchannels;
  int pickers = 0;
  int configs = 0;
};
Own* own;

const grpc_xds_policy_type& Type() {
  static const grpc_xds_policy_type type = [] {
    grpc_xds_policy_type t = {};
    t.version = GRPC_XDS_POLICY_VERSION;
    t.name = "test.own";
    t.parse = [](const char* json, grpc_xds_config_errors* errors) -> void* {
      own->json = json;
      if (own->json.find("wrong") != std::string::npos) {
        grpc_xds_config_error(errors, "a[2].b", "must be right");
        grpc_xds_config_error(errors, nullptr, "must be whole");
      }
      ++own->configs;
      return new std::string(json);
    };
    t.config_destroy = [](void* config) {
      --own->configs;
      delete static_cast<std::string*>(config);
    };
    t.create = [](grpc_xds_policy* base) -> void* {
      own->base = base;
      return own;
    };
    t.update = [](void*, const grpc_xds_update* update) {
      own->log += "update ";
      own->on_update(update);
      return own->said;
    };
    t.subchannel_state = [](void*, void* tag, grpc_xds_state state, const grpc_xds_status*) {
      own->on_state(tag, state);
    };
    t.exit_idle = [](void*) { own->log += "exit_idle "; };
    t.reset_backoff = [](void*) { own->log += "reset_backoff "; };
    t.on_deadline = [](void*) { own->log += "deadline "; };
    t.woken = [](void*, uint64_t number) { own->log += "woken:" + std::to_string(number) + " "; };
    t.destroy = [](void*) {
      for (auto* s : own->subchannels) grpc_xds_subchannel_destroy(s);
      own->log += "destroy ";
    };
    t.pick = [](void*, const grpc_xds_call*, grpc_xds_picked* out) { own->on_pick(out); };
    t.picker_destroy = [](void*) { --own->pickers; };
    return t;
  }();
  return type;
}

// One that leaves out all that may be.
const grpc_xds_policy_type& BareType() {
  static const grpc_xds_policy_type type = [] {
    grpc_xds_policy_type t = {};
    t.version = GRPC_XDS_POLICY_VERSION;
    t.name = "test.bare";
    t.create = Type().create;
    t.update = [](void*, const grpc_xds_update* update) {
      EXPECT_EQ(update->config, nullptr);
      return grpc_xds_status{0, nullptr};
    };
    t.subchannel_state = Type().subchannel_state;
    t.destroy = Type().destroy;
    t.pick = Type().pick;
    return t;
  }();
  return type;
}

// Before the fixture's environment makes the configuration.
const bool g_registered = [] {
  grpc_core::CoreConfiguration::RegisterBuilder([](auto* builder) {
    RegisterPolicyInC(builder, gxds_registered_policy_type(&Type()));
    RegisterPolicyInC(builder, gxds_registered_policy_type(&BareType()));
  });
  return true;
}();

class RegisteredPolicyTest : public PolicyTest {
 protected:
  RegisteredPolicyTest() { own = &own_; }
  // Nothing of it is left.
  void TearDown() override {
    const std::string before = own_.log;
    const bool lives = policy_ != nullptr;
    PolicyTest::TearDown();
    config_.reset();
    EXPECT_EQ(own_.log, before + (lives ? "destroy " : ""));
    EXPECT_EQ(own_.pickers, 0);
    EXPECT_EQ(own_.configs, 0);
  }

  void Start(const std::string& fields = "", const std::string& name = "test.own") {
    Create(name);
    Configure(fields, name);
  }
  void Configure(const std::string& fields, const std::string& name = "test.own") {
    auto config = ParseConfig("[{\"" + name + "\":{" + fields + "}}]");
    ASSERT_TRUE(config.ok()) << config.status();
    config_ = *std::move(config);
  }
  void Apply(const LocalitySpec& spec, uint32_t weight = 1, ChannelArgs args = ChannelArgs()) {
    localities_.push_back(MakeLocality(spec));
    for (size_t i = 0; i < spec.ports.size(); i++) {
      const_cast<gxds_endpoint*>(localities_.back()->endpoints)[i].weight = weight;
    }
    ServerAddressList addresses;
    AppendAddresses(localities_.back().get(), &addresses);
    Update(config_, std::move(args), std::move(addresses), "note");
  }
  // From now on each update makes a subchannel to each address, tagged with its index.
  void MakeSubchannels() {
    own_.on_update = [this](const grpc_xds_update* u) {
      for (uintptr_t i = 0; i < u->address_count; i++) {
        own_.subchannels.push_back(
            grpc_xds_subchannel_create(own_.base, u->addresses[i], reinterpret_cast<void*>(i)));
      }
    };
    own_.on_state = [this](void* tag, grpc_xds_state state) {
      own_.log +=
          std::to_string(reinterpret_cast<uintptr_t>(tag)) + "=" + std::to_string(state) + " ";
    };
  }
  void Say(size_t subchannel, grpc_connectivity_state state) {
    In([&] {
      auto& watcher = subchannels_[subchannel].subchannel->watcher;
      ASSERT_NE(watcher, nullptr);
      watcher->OnConnectivityStateChange(state, absl::OkStatus());
    });
  }
  void Publish(grpc_xds_state state, const grpc_xds_status* status, bool has_picker) {
    own_.pickers += has_picker ? 1 : 0;
    In([&] { grpc_xds_policy_publish(own_.base, state, status, has_picker ? &own_ : nullptr); });
  }

  Own own_;
  RefCountedPtr<LoadBalancingPolicy::Config> config_;
  std::vector<CRef<gxds_locality>> localities_;
};

TEST_F(RegisteredPolicyTest, ErrorsOfItsConfigAreCollectedWithTheirFields) {
  auto config = ParseConfig(R"([{"test.own":{"wrong":1}}])");
  EXPECT_EQ(config.status().message(),
            "errors validating test.own LB policy config: [field: error:must be whole; "
            "field:a[2].b error:must be right]");
}

TEST_F(RegisteredPolicyTest, ItsConfigIsTheTextOfTheObject) {
  Start(R"("b": [1, "x"], "a": 2.5)");
  EXPECT_EQ(own_.json, R"({"a":2.5,"b":[1,"x"]})");
  std::string seen;
  own_.on_update = [&](const grpc_xds_update* u) { seen = *static_cast<std::string*>(u->config); };
  Apply({"z"});
  EXPECT_EQ(seen, own_.json);
}

TEST_F(RegisteredPolicyTest, WhatMayBeLeftOutMay) {
  Start(R"("anything":1)", "test.bare");
  Apply({"z"});
  In([&] {
    policy_->ExitIdleLocked();
    policy_->ResetBackoffLocked();
    grpc_xds_policy_set_deadline(own_.base, grpc_xds_policy_now(own_.base));
    grpc_xds_waker* waker = grpc_xds_policy_waker(own_.base);
    grpc_xds_waker_wake(waker, 1);
    grpc_xds_waker_unref(waker);
    grpc_xds_policy_publish(own_.base, GRPC_XDS_READY, nullptr, &own_);
  });
  Pass(GXDS_SECOND);
  EXPECT_EQ(Pick(), "queue");
}

TEST_F(RegisteredPolicyTest, UpdateHasAddressesWithTheirLocality) {
  Start();
  std::string seen;
  own_.on_update = [&](const grpc_xds_update* u) {
    for (size_t i = 0; i < u->address_count; i++) {
      const grpc_xds_address* a = u->addresses[i];
      seen += std::string(a->text) + " " + std::to_string(a->weight) + " \"" + a->hash_key + "\" " +
              a->locality->region + "/" + a->locality->zone + "/" + a->locality->sub_zone + " " +
              std::to_string(a->locality->weight) + "\n";
    }
    seen += u->note;
  };
  Apply({"z", 3, {1, 2}}, 5);
  EXPECT_EQ(seen, "10.0.0.1:1 5 \"\" r/z/ 3\n10.0.0.1:2 5 \"\" r/z/ 3\nnote");
}

TEST_F(RegisteredPolicyTest, UpdateWaitsForAddressesAndKeepsThem) {
  Start();
  size_t count = 0;
  std::string config;
  own_.on_update = [&](const grpc_xds_update* u) {
    count = u->address_count;
    config = *static_cast<std::string*>(u->config);
  };
  Update(config_, ChannelArgs(), absl::UnavailableError("no DNS"));
  EXPECT_EQ(own_.log, "");
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(Pick(), "fail: UNAVAILABLE: no DNS");
  EXPECT_EQ(accepted_, absl::UnavailableError("no DNS"));
  Apply({"z", 1, {1, 2}});
  EXPECT_EQ(count, 2u);
  Configure(R"("new":1)");
  Update(config_, ChannelArgs(), absl::UnavailableError("no DNS"));
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(config, R"({"new":1})");
  EXPECT_EQ(accepted_, absl::UnavailableError("no DNS"));
}

TEST_F(RegisteredPolicyTest, ResolverHearsWhatItSaysToAnUpdate) {
  Start();
  own_.said = {14, "no endpoint"};
  Apply({"z", 1, {}});
  EXPECT_EQ(accepted_, absl::UnavailableError("no endpoint"));
  own_.said = {99, nullptr};
  Apply({"z", 1, {}});
  EXPECT_EQ(accepted_, absl::UnknownError(""));
}

TEST_F(RegisteredPolicyTest, WithoutAPickerRpcsWaitAndTheFirstAsks) {
  Start();
  Apply({"z"});
  Publish(GRPC_XDS_IDLE, nullptr, false);
  EXPECT_EQ(state_, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(Pick(), "queue");
  EXPECT_EQ(Pick(), "queue");
  In([] {});
  EXPECT_EQ(own_.log, "update exit_idle ");
}

TEST_F(RegisteredPolicyTest, WithoutAPickerRpcsFailWithTheStatus) {
  Start();
  Apply({"z"});
  const grpc_xds_status why = {14, "all are down"};
  Publish(GRPC_XDS_TRANSIENT_FAILURE, &why, false);
  EXPECT_EQ(status_, absl::UnavailableError("all are down"));
  EXPECT_EQ(Pick(), "fail: UNAVAILABLE: all are down");
  Publish(GRPC_XDS_TRANSIENT_FAILURE, nullptr, true);
  EXPECT_EQ(status_, absl::UnknownError("")) << "a failure is never OK";
}

TEST_F(RegisteredPolicyTest, PickSaysWhatBecomesOfTheRpc) {
  Start();
  MakeSubchannels();
  Apply({"z", 1, {1, 2}});
  Publish(GRPC_XDS_READY, nullptr, true);
  EXPECT_EQ(Pick(), "queue") << "nothing was said";
  own_.on_pick = [&](grpc_xds_picked* out) {
    out->kind = GRPC_XDS_PICKED_COMPLETE;
    out->subchannel = own_.subchannels[1];
  };
  EXPECT_EQ(Pick(), "10.0.0.1:2");
  own_.on_pick = [&](grpc_xds_picked* out) {
    out->kind = GRPC_XDS_PICKED_FAIL;
    out->status = {8, "too many"};
  };
  EXPECT_EQ(Pick(), "fail: RESOURCE_EXHAUSTED: too many");
  own_.on_pick = [&](grpc_xds_picked* out) { out->kind = GRPC_XDS_PICKED_FAIL; };
  EXPECT_EQ(Pick(), "fail: UNKNOWN: ");
  own_.on_pick = [&](grpc_xds_picked* out) { out->kind = GRPC_XDS_PICKED_DROP; };
  EXPECT_EQ(Pick(), "drop");
}

TEST_F(RegisteredPolicyTest, SubchannelFitsAsLongAsItWouldBeMadeTheSame) {
  Start();
  MakeSubchannels();
  Apply({"z", 1, {1, 2}});
  std::string fits;
  own_.on_update = [&](const grpc_xds_update* u) {
    fits.clear();
    for (auto* s : own_.subchannels) {
      fits += grpc_xds_subchannel_fits(s, u->addresses[0]) ? "y" : "n";
    }
  };
  Apply({"z", 1, {1}});
  EXPECT_EQ(fits, "yn");
  Apply({"z", 7, {1}}, 9);
  EXPECT_EQ(fits, "yn") << "weights are no part of it";
  Apply({"other", 1, {1}});
  EXPECT_EQ(fits, "nn") << "its load is that of its locality";
  Apply({"z", 1, {1}}, 1, ChannelArgs().Set("x", 1));
  EXPECT_EQ(fits, "nn") << "the channel's arguments are part of it";
}

TEST_F(RegisteredPolicyTest, DestroyedSubchannelIsHeardOfNoMore) {
  Start();
  MakeSubchannels();
  Apply({"z", 1, {1, 2}});
  Say(1, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(own_.log, "update 1=1 ");
  In([&] {
    grpc_xds_subchannel_connect(own_.subchannels[0]);
    grpc_xds_subchannel_destroy(own_.subchannels[1]);
  });
  own_.subchannels.pop_back();
  EXPECT_EQ(subchannels_[0].subchannel->connects, 1);
  EXPECT_EQ(subchannels_[1].subchannel->watcher, nullptr);
}

TEST_F(RegisteredPolicyTest, PickersKeepTheirSubchannels) {
  Start();
  MakeSubchannels();
  Apply({"z"});
  grpc_xds_subchannel* kept = grpc_xds_subchannel_ref(own_.subchannels[0]);
  own_.on_pick = [&](grpc_xds_picked* out) {
    out->kind = GRPC_XDS_PICKED_COMPLETE;
    out->subchannel = kept;
  };
  Publish(GRPC_XDS_READY, nullptr, true);
  In([&] { policy_.reset(); });
  EXPECT_EQ(own_.log, "update destroy ");
  EXPECT_EQ(Pick(), "10.0.0.1:80");
  In([&] { grpc_xds_subchannel_unref(kept); });
}

TEST_F(RegisteredPolicyTest, EndComesWhenNoneOfItsFunctionsIsAtWork) {
  Start();
  MakeSubchannels();
  Apply({"z"});
  own_.on_update = [&](const grpc_xds_update* update) {
    policy_.reset();
    EXPECT_EQ(subchannels_[0].subchannel->watcher, nullptr) << "nothing more is heard of it";
    EXPECT_EQ(grpc_xds_subchannel_create(own_.base, update->addresses[0], nullptr), nullptr);
    ++own_.pickers;
    grpc_xds_policy_publish(own_.base, GRPC_XDS_READY, nullptr, &own_);
    grpc_xds_policy_reresolve(own_.base);
    EXPECT_EQ(own_.log, "update update ");
  };
  Apply({"z"});
  EXPECT_EQ(own_.log, "update update destroy ");
  EXPECT_EQ(published_, 0);
  EXPECT_EQ(reresolutions_, 0);
}

TEST_F(RegisteredPolicyTest, SubchannelMayBeDestroyedByWhatItSays) {
  Start();
  MakeSubchannels();
  Apply({"z"});
  own_.on_state = [&](void*, grpc_xds_state) {
    grpc_xds_subchannel_destroy(own_.subchannels[0]);
    own_.subchannels.clear();
  };
  Say(0, GRPC_CHANNEL_READY);
  EXPECT_EQ(subchannels_[0].subchannel->watcher, nullptr);
}

TEST_F(RegisteredPolicyTest, NoSubchannelIsNoCrash) {
  Start();
  refuse_ = true;
  MakeSubchannels();
  Apply({"z"});
  EXPECT_EQ(own_.subchannels, std::vector<grpc_xds_subchannel*>{nullptr});
}

TEST_F(RegisteredPolicyTest, DeadlineComesOnceAndTheLastCounts) {
  Start();
  In([&] {
    const int64_t now = grpc_xds_policy_now(own_.base);
    grpc_xds_policy_set_deadline(own_.base, now + GXDS_SECOND);
    grpc_xds_policy_set_deadline(own_.base, now + 3 * GXDS_SECOND);
  });
  Pass(2 * GXDS_SECOND);
  EXPECT_EQ(own_.log, "");
  Pass(2 * GXDS_SECOND);
  EXPECT_EQ(own_.log, "deadline ");
  In([&] { grpc_xds_policy_set_deadline(own_.base, grpc_xds_policy_now(own_.base) + 1); });
  In([&] { grpc_xds_policy_set_deadline(own_.base, INT64_MAX); });
  Pass(2 * GXDS_SECOND);
  EXPECT_EQ(own_.log, "deadline ");
}

TEST_F(RegisteredPolicyTest, AWakerWakesUntilThePolicyIsGone) {
  Start();
  grpc_xds_waker* waker = nullptr;
  In([&] {
    waker = grpc_xds_policy_waker(own_.base);
    grpc_xds_waker_unref(grpc_xds_waker_ref(waker));
    grpc_xds_waker_wake(waker, 3);
    EXPECT_EQ(own_.log, "") << "never from within";
  });
  In([] {});
  EXPECT_EQ(own_.log, "woken:3 ");
  In([&] { policy_.reset(); });
  In([&] { grpc_xds_waker_wake(waker, 4); });
  EXPECT_EQ(own_.log, "woken:3 destroy ");
  grpc_xds_waker_unref(waker);
}

TEST_F(RegisteredPolicyTest, ItIsToldToResetBackoffAndAsksForNewAddresses) {
  Start();
  In([&] {
    policy_->ResetBackoffLocked();
    grpc_xds_policy_reresolve(own_.base);
  });
  EXPECT_EQ(own_.log, "reset_backoff ");
  EXPECT_EQ(reresolutions_, 1);
}

}  // namespace
}  // namespace testing
}  // namespace grpc_xds
