// A policy of the program's, as the library runs it in the host.
#include "lb_policies/registered/registered_policy.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lb_policies/endpoint_list/endpoint_list.h"
#include "test/host/memory_test.h"
#include "test/lb_policies/support/fake_cluster.h"

namespace memory {
namespace {

using grpc_xds::testing::LocalitySpec;
using grpc_xds::testing::MakeLocality;

// The behaviour of the policy "test.own", which the test sets, and a record of its calls.
struct Own {
  std::function<void(const grpc_xds_update* update)> on_update = [](const grpc_xds_update*) {};
  std::function<void(void* tag, grpc_xds_state state)> on_state = [](void*, grpc_xds_state) {};
  std::function<void(grpc_xds_picked* out)> on_pick = [](grpc_xds_picked*) {};
  std::function<void(const grpc_xds_finish* finish)> on_finish = [](const grpc_xds_finish*) {};
  grpc_xds_status said = {0, nullptr};  // its status for updates
  std::string json;                     // the last config
  std::string log;                      // its calls
  grpc_xds_policy* base = nullptr;
  const grpc_xds_call* call = nullptr;  // set during on_pick
  std::vector<grpc_xds_subchannel*> subchannels;
  int pickers = 0;
  int configs = 0;
};
Own* own;

// An attempt is a letter.
std::string Name(const void* attempt) { return {*static_cast<const char*>(attempt)}; }

// Empty if there is no value.
std::string Text(bool is_there, grpc_xds_bytes value) {
  return is_there ? std::string(value.data, value.size) : "";
}

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
    t.pick = [](void*, const grpc_xds_call* call, grpc_xds_picked* out) {
      own->call = call;
      own->on_pick(out);
      own->call = nullptr;
    };
    t.picker_destroy = [](void*) { --own->pickers; };
    t.attempt_started = [](void* a) { own->log += "started:" + Name(a) + " "; };
    t.attempt_finished = [](void* a, const grpc_xds_finish* finish) {
      own->log += "finished:" + Name(a) + ":" + std::to_string(grpc_xds_finish_code(finish)) + " ";
      own->on_finish(finish);
    };
    t.attempt_destroy = [](void* a) { own->log += "no more:" + Name(a) + " "; };
    return t;
  }();
  return type;
}

// A type without any optional function.
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

const gxds_policy_type& OwnInC() {
  static const gxds_policy_type* type = gxds_registered_policy_type(&Type());
  return *type;
}
const gxds_policy_type& BareInC() {
  static const gxds_policy_type* type = gxds_registered_policy_type(&BareType());
  return *type;
}

class RegisteredPolicyTest : public PolicyTest {
 protected:
  RegisteredPolicyTest() {
    own = &own_;
    host_.Register(&OwnInC());
    host_.Register(&BareInC());
  }
  // Nothing may be left.
  void TearDown() override {
    const std::string before = own_.log;
    const bool lives = host_.has_policy();
    PolicyTest::TearDown();
    config_ = Config();
    EXPECT_EQ(own_.log, before + (lives ? "destroy " : ""));
    EXPECT_EQ(own_.pickers, 0);
    EXPECT_EQ(own_.configs, 0);
  }

  void Start(const std::string& fields = "", const gxds_policy_type& type = OwnInC()) {
    host_.Create(type);
    Configure(fields, type);
  }
  void Configure(const std::string& fields, const gxds_policy_type& type = OwnInC()) {
    config_ = ParseConfig("[{\"" + std::string(type.name) + "\":{" + fields + "}}]");
  }
  void Apply(const LocalitySpec& spec, uint32_t weight = 1, Args args = Args()) {
    auto locality = MakeLocality(spec);
    for (size_t i = 0; i < spec.ports.size(); i++) {
      const_cast<gxds_endpoint*>(locality->list.full)[i].weight = weight;
    }
    Update(config_, std::move(args), Addresses(gxds_locality_addresses(locality.get())), "note");
  }
  // From now on each update makes a subchannel for each address, tagged with its index.
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
  void Publish(grpc_xds_state state, const grpc_xds_status* status, bool has_picker) {
    own_.pickers += has_picker ? 1 : 0;
    host_.In(
        [&] { grpc_xds_policy_publish(own_.base, state, status, has_picker ? &own_ : nullptr); });
  }

  Own own_;
  Config config_;
};

TEST_F(RegisteredPolicyTest, ErrorsOfItsConfigAreCollectedWithTheirFields) {
  EXPECT_EQ(ParseError(R"([{"test.own":{"wrong":1}}])").message,
            "errors validating test.own LB policy config: [field: error:must be whole; "
            "field:a[2].b error:must be right]");
}

TEST_F(RegisteredPolicyTest, ItsConfigIsTheTextOfTheObject) {
  Start(R"("b": [1, "x"], "a": 2.5)");
  EXPECT_EQ(own_.json, R"({"b":[1,"x"],"a":2.5})");
  std::string seen;
  own_.on_update = [&](const grpc_xds_update* u) { seen = *static_cast<std::string*>(u->config); };
  Apply({"z"});
  EXPECT_EQ(seen, own_.json);
}

TEST_F(RegisteredPolicyTest, WhatMayBeLeftOutMay) {
  Start(R"("anything":1)", BareInC());
  Apply({"z"});
  host_.ExitIdle();
  host_.ResetBackoff();
  host_.In([&] {
    grpc_xds_policy_set_deadline(own_.base, grpc_xds_policy_now(own_.base));
    grpc_xds_waker* waker = grpc_xds_policy_waker(own_.base);
    grpc_xds_waker_wake(waker, 1);
    grpc_xds_waker_unref(waker);
    grpc_xds_policy_publish(own_.base, GRPC_XDS_READY, nullptr, &own_);
  });
  host_.Pass(GXDS_SECOND);
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
  Update(config_, Args(), Unavailable("no DNS"));
  EXPECT_EQ(own_.log, "");
  EXPECT_EQ(host_.state, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(Pick(), "fail: UNAVAILABLE: no DNS");
  EXPECT_EQ(accepted_, Unavailable("no DNS"));
  Apply({"z", 1, {1, 2}});
  EXPECT_EQ(count, 2u);
  Configure(R"("new":1)");
  Update(config_, Args(), Unavailable("no DNS"));
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(config, R"({"new":1})");
  EXPECT_EQ(accepted_, Unavailable("no DNS"));
}

TEST_F(RegisteredPolicyTest, ResolverGetsItsStatusOfAnUpdate) {
  Start();
  own_.said = {14, "no endpoint"};
  Apply({"z", 1, {}});
  EXPECT_EQ(accepted_, Unavailable("no endpoint"));
  own_.said = {99, nullptr};
  Apply({"z", 1, {}});
  EXPECT_EQ(accepted_, Status(GXDS_UNKNOWN, ""));
}

TEST_F(RegisteredPolicyTest, LinesAreLoggedWhateverGrpcTraceHas) {
  Start();
  host_.In([&] { grpc_xds_policy_log(own_.base, false, "started"); });
  host_.In([&] { grpc_xds_policy_log(own_.base, true, "failed"); });
  ASSERT_EQ(host_.log.size(), 2u);
  EXPECT_NE(host_.log[0].find("started"), std::string::npos) << host_.log[0];
  EXPECT_NE(host_.log[1].find("failed"), std::string::npos) << host_.log[1];
}

TEST_F(RegisteredPolicyTest, WithoutAPickerRpcsWaitAndTheFirstExitsIdle) {
  Start();
  Apply({"z"});
  Publish(GRPC_XDS_IDLE, nullptr, false);
  EXPECT_EQ(host_.state, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(Pick(), "queue");
  EXPECT_EQ(Pick(), "queue");
  EXPECT_EQ(own_.log, "update exit_idle ");
}

TEST_F(RegisteredPolicyTest, WithoutAPickerRpcsFailWithTheStatus) {
  Start();
  Apply({"z"});
  const grpc_xds_status why = {14, "all are down"};
  Publish(GRPC_XDS_TRANSIENT_FAILURE, &why, false);
  EXPECT_EQ(host_.status, Unavailable("all are down"));
  EXPECT_EQ(Pick(), "fail: UNAVAILABLE: all are down");
  Publish(GRPC_XDS_TRANSIENT_FAILURE, nullptr, true);
  EXPECT_EQ(host_.status, Status(GXDS_UNKNOWN, "")) << "a failure is never OK";
}

TEST_F(RegisteredPolicyTest, PickDecidesWhatBecomesOfTheRpc) {
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
  EXPECT_EQ(Pick(), "drop: UNKNOWN: ");
}

TEST_F(RegisteredPolicyTest, PickSeesThePathAndTheHeadersOfTheRpc) {
  Start();
  std::string seen;
  own_.on_pick = [&](grpc_xds_picked*) {
    grpc_xds_bytes value = {};
    seen = Text(true, grpc_xds_call_path(own_.call));
    for (const char* name : {"x-a", "x-none"}) {
      const bool is_there = grpc_xds_call_header(own_.call, name, &value);
      seen += std::string(" ") + name + "=" + Text(is_there, value);
    }
  };
  Publish(GRPC_XDS_READY, nullptr, true);
  Request request;
  request.path = "/s/m";
  request.headers = {{"x-a", "one"}};
  Pick(request);
  EXPECT_EQ(seen, "/s/m x-a=one x-none=");
}

TEST_F(RegisteredPolicyTest, AttemptIsNotifiedOfItsStartAndItsEndAndIsGivenUp) {
  Start();
  MakeSubchannels();
  Apply({"z"});
  own_.on_pick = [&](grpc_xds_picked* out) {
    out->kind = GRPC_XDS_PICKED_COMPLETE;
    out->subchannel = own_.subchannels[0];
    out->attempt = new (grpc_xds_call_alloc(own_.call, 1)) char('a');
  };
  std::string trailers;
  own_.on_finish = [&](const grpc_xds_finish* finish) {
    grpc_xds_bytes value = {};
    for (const char* name : {"x-load", "x-none"}) {
      const bool is_there = grpc_xds_finish_trailer(finish, name, &value);
      trailers += std::string(name) + "=" + Text(is_there, value) + " ";
    }
  };
  Publish(GRPC_XDS_READY, nullptr, true);
  own_.log.clear();
  auto call = host_.Pick();
  call->Start();
  EXPECT_EQ(own_.log, "started:a ");
  call->Finish(Status(GXDS_ABORTED, ""), {{"x-load", "7"}});
  EXPECT_EQ(own_.log, "started:a finished:a:10 ");
  EXPECT_EQ(trailers, "x-load=7 x-none= ");
  call.reset();
  EXPECT_EQ(own_.log, "started:a finished:a:10 no more:a ");
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
  Apply({"z", 1, {1}}, 1, Args().Set("x", 1));
  EXPECT_EQ(fits, "nn") << "the channel's arguments are part of it";
}

TEST_F(RegisteredPolicyTest, DestroyedSubchannelNotifiesNoMore) {
  Start();
  MakeSubchannels();
  Apply({"z", 1, {1, 2}});
  EXPECT_EQ(own_.log, "update 0=0 1=0 ") << "as they are in the beginning";
  SetState("10.0.0.1:2", GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(own_.log, "update 0=0 1=0 1=1 ");
  own_.log.clear();
  grpc_xds_subchannel* kept = grpc_xds_subchannel_ref(own_.subchannels[1]);  // like a picker
  host_.In([&] {
    grpc_xds_subchannel_connect(own_.subchannels[0]);
    grpc_xds_subchannel_destroy(own_.subchannels[1]);
  });
  own_.subchannels.pop_back();
  EXPECT_EQ(host_.subchannels()[0]->connects, 1);
  EXPECT_FALSE(host_.subchannels()[1]->is_watched());
  host_.SetState("10.0.0.1:2", GRPC_CHANNEL_READY);
  EXPECT_EQ(own_.log, "0=1 ");
  grpc_xds_subchannel_unref(kept);
}

TEST_F(RegisteredPolicyTest, LastReferenceOfASubchannelIsGivenUpUnderTheSerializerLater) {
  Start();
  MakeSubchannels();
  Apply({"z"});
  grpc_xds_subchannel* kept = grpc_xds_subchannel_ref(own_.subchannels[0]);  // like a picker
  host_.In([&] { grpc_xds_subchannel_destroy(own_.subchannels[0]); });
  own_.subchannels.clear();
  host_.In([&] {
    grpc_xds_subchannel_unref(kept);
    EXPECT_EQ(host_.subchannels().size(), 1u) << "the caller may hold the channel's locks";
  });
  EXPECT_EQ(host_.subchannels().size(), 0u);
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
  host_.End();
  EXPECT_EQ(own_.log, "update 0=0 destroy ");
  EXPECT_EQ(Pick(), "10.0.0.1:80");
  host_.In([&] { grpc_xds_subchannel_unref(kept); });
}

TEST_F(RegisteredPolicyTest, EndComesWhenNoneOfItsFunctionsIsAtWork) {
  Start();
  MakeSubchannels();
  Apply({"z"});
  own_.on_update = [&](const grpc_xds_update* update) {
    host_.End();
    EXPECT_FALSE(host_.subchannels()[0]->is_watched()) << "nothing more is heard of it";
    EXPECT_EQ(grpc_xds_subchannel_create(own_.base, update->addresses[0], nullptr), nullptr);
    ++own_.pickers;
    grpc_xds_policy_publish(own_.base, GRPC_XDS_READY, nullptr, &own_);
    grpc_xds_policy_reresolve(own_.base);
    EXPECT_EQ(own_.log, "update 0=0 update ");
  };
  Apply({"z"});
  EXPECT_EQ(own_.log, "update 0=0 update destroy ");
  EXPECT_EQ(host_.published, 0);
  EXPECT_EQ(host_.reresolutions, 0);
}

TEST_F(RegisteredPolicyTest, SubchannelMayBeDestroyedInItsNotification) {
  Start();
  MakeSubchannels();
  Apply({"z"});
  own_.on_state = [&](void*, grpc_xds_state) {
    grpc_xds_subchannel_destroy(own_.subchannels[0]);
    own_.subchannels.clear();
  };
  SetState("10.0.0.1:80", GRPC_CHANNEL_READY);
  EXPECT_TRUE(host_.subchannels().empty());
}

TEST_F(RegisteredPolicyTest, NoSubchannelIsNoCrash) {
  Start();
  host_.refuses_subchannels = true;
  MakeSubchannels();
  Apply({"z"});
  EXPECT_EQ(own_.subchannels, std::vector<grpc_xds_subchannel*>{nullptr});
}

TEST_F(RegisteredPolicyTest, DeadlineComesOnceAndTheLastCounts) {
  Start();
  host_.In([&] {
    const int64_t now = grpc_xds_policy_now(own_.base);
    grpc_xds_policy_set_deadline(own_.base, now + GXDS_SECOND);
    grpc_xds_policy_set_deadline(own_.base, now + 3 * GXDS_SECOND);
  });
  host_.Pass(2 * GXDS_SECOND);
  EXPECT_EQ(own_.log, "");
  host_.Pass(2 * GXDS_SECOND);
  EXPECT_EQ(own_.log, "deadline ");
  host_.In([&] { grpc_xds_policy_set_deadline(own_.base, grpc_xds_policy_now(own_.base) + 1); });
  host_.In([&] { grpc_xds_policy_set_deadline(own_.base, INT64_MAX); });
  host_.Pass(2 * GXDS_SECOND);
  EXPECT_EQ(own_.log, "deadline ");
}

TEST_F(RegisteredPolicyTest, AWakerWakesUntilThePolicyIsGone) {
  Start();
  grpc_xds_waker* waker = nullptr;
  host_.In([&] {
    waker = grpc_xds_policy_waker(own_.base);
    grpc_xds_waker_unref(grpc_xds_waker_ref(waker));
    grpc_xds_waker_wake(waker, 3);
    EXPECT_EQ(own_.log, "") << "never from within";
  });
  EXPECT_EQ(own_.log, "woken:3 ");
  host_.End();
  host_.In([&] { grpc_xds_waker_wake(waker, 4); });
  EXPECT_EQ(own_.log, "woken:3 destroy ");
  grpc_xds_waker_unref(waker);
}

TEST_F(RegisteredPolicyTest, ItResetsBackoffAndRequestsReresolution) {
  Start();
  host_.ResetBackoff();
  host_.In([&] { grpc_xds_policy_reresolve(own_.base); });
  EXPECT_EQ(own_.log, "reset_backoff ");
  EXPECT_EQ(host_.reresolutions, 1);
}

// The parent would get a report of a child that it does not have yet.
TEST(RegisteredPolicyDeathTest, PublishingFromCreateEndsTheProcessWithAReason) {
  static const grpc_xds_policy_type hasty = [] {
    grpc_xds_policy_type t = BareType();
    t.name = "test.hasty";
    t.create = [](grpc_xds_policy* base) -> void* {
      grpc_xds_policy_publish(base, GRPC_XDS_CONNECTING, nullptr, nullptr);
      return nullptr;
    };
    return t;
  }();
  static const gxds_policy_type* type = gxds_registered_policy_type(&hasty);
  EXPECT_DEATH(Host().Create(*type), "is not for create\\(\\): publish in update\\(\\)");
}

TEST_F(RegisteredPolicyTest, ReadyWithoutAPickerEndsTheProcessWithAReason) {
  Start();
  EXPECT_DEATH(
      host_.In([&] { grpc_xds_policy_publish(own_.base, GRPC_XDS_READY, nullptr, nullptr); }),
      "a READY policy has a picker");
}

}  // namespace
}  // namespace memory
