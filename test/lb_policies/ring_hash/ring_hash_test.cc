// The state of a ring_hash policy, and its picks (A42, A61, A76).
#include "lb_policies/ring_hash/ring_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

constexpr auto kIdle = GRPC_CHANNEL_IDLE;
constexpr auto kConnecting = GRPC_CHANNEL_CONNECTING;
constexpr auto kReady = GRPC_CHANNEL_READY;
constexpr auto kFailure = GRPC_CHANNEL_TRANSIENT_FAILURE;

gxds_str S(const std::string& s) { return gxds_str_of(s.data(), s.size()); }

struct Unref {
  void operator()(const gxds_ring_picker* p) const { gxds_ring_picker_destroy(p); }
};

// A policy whose owner carries out the operations and records them.
class Scenario {
 public:
  explicit Scenario(uint64_t size_cap = GXDS_RING_HASH_SIZE_CAP_DEFAULT)
      : machine_(gxds_ring_hash_create(size_cap)) {}
  ~Scenario() { gxds_ring_hash_destroy(machine_); }

  struct Spec {
    std::string key, detail = {};
    uint64_t weight = 1;
    std::string hash_key = {};
  };

  // Returns the operations, as "+a" (create), "-a" (remove), "!a" (connect), "?" (re-resolve), and
  // the published state.
  std::string Update(const std::vector<Spec>& specs, bool renew = false) {
    std::vector<gxds_ring_hash_endpoint> list;
    for (const Spec& s : specs) {
      list.push_back({S(s.key), S(s.hash_key), S(s.detail), s.weight});
    }
    gxds_ring_hash_on_update(machine_, list.data(), list.size(), 64, 4096, renew);
    specs_ = specs;
    return Drain();
  }
  std::string Report(const std::string& name, grpc_connectivity_state state) {
    gxds_ring_hash_on_state(machine_, Token(name), state);
    return Drain();
  }
  std::string Wish(const std::string& name) {
    gxds_ring_hash_on_pick(machine_, Token(name));
    return Drain();
  }
  std::string ExitIdle() {
    gxds_ring_hash_on_exit_idle(machine_);
    return Drain();
  }

  // Makes one pick whose first choice is that endpoint. Returns "a", "queue" or "fail a", followed
  // by "!b" if b must connect.
  std::string Pick(const std::string& first, bool is_random = false) {
    std::unique_ptr<const gxds_ring_picker, Unref> picker(gxds_ring_hash_picker(machine_));
    gxds_ring_pick pick = gxds_ring_picker_pick(picker.get(), HashFor(first), is_random);
    std::string out;
    std::string endpoint = names_[gxds_ring_hash_token_at(machine_, pick.endpoint)];
    if (pick.kind == GXDS_RING_PICK_COMPLETE) out = endpoint;
    if (pick.kind == GXDS_RING_PICK_QUEUE) out = "queue";
    if (pick.kind == GXDS_RING_PICK_FAIL) out = "fail " + endpoint;
    return pick.connect == 0 ? out : out + " !" + names_[pick.connect];
  }
  // The endpoints in the order in which a pick for first tries them.
  std::vector<std::string> Order(const std::string& first) {
    std::vector<std::string> order;
    std::vector<gxds_ring_member> members;
    for (const Spec& s : specs_) members.push_back({S(s.key), s.weight});
    const gxds_ring* ring = gxds_ring_create(members.data(), members.size(), 64, 4096);
    size_t at = gxds_ring_find(ring, HashFor(first));
    for (size_t i = 0; i < gxds_ring_size(ring); i++) {
      const std::string& name =
          specs_[gxds_ring_member_at(ring, (at + i) % gxds_ring_size(ring))].key;
      if (std::find(order.begin(), order.end(), name) == order.end()) order.push_back(name);
    }
    gxds_ring_unref(ring);
    return order;
  }
  size_t count() const { return gxds_ring_hash_count(machine_); }
  uint64_t Token(const std::string& name) const {
    for (const auto& [token, known] : names_) {
      if (known == name && alive_.count(token)) return token;
    }
    return 0;
  }
  gxds_ring_hash* get() { return machine_; }

 private:
  uint64_t HashFor(const std::string& name) { return gxds_ring_hash_text(S(name + "_0")); }

  std::string Drain() {
    std::string out;
    auto add = [&](const std::string& text) { out += (out.empty() ? "" : " ") + text; };
    gxds_ring_hash_op op;
    while (gxds_ring_hash_next(machine_, &op)) {
      switch (op.kind) {
        case GXDS_RING_HASH_CREATE:
          names_[op.token] = specs_[op.position].key;
          alive_.insert(op.token);
          add("+" + names_[op.token]);
          break;
        case GXDS_RING_HASH_REMOVE:
          alive_.erase(op.token);
          add("-" + names_[op.token]);
          break;
        case GXDS_RING_HASH_CONNECT:
          EXPECT_EQ(alive_.count(op.token), 1u);
          add("!" + names_[op.token]);
          break;
        case GXDS_RING_HASH_RERESOLVE:
          add("?");
          break;
        case GXDS_RING_HASH_PUBLISH: {
          std::map<grpc_connectivity_state, std::string> words = {{kIdle, "IDLE"},
                                                                  {kConnecting, "CONNECTING"},
                                                                  {kReady, "READY"},
                                                                  {kFailure, "FAILED"}};
          add(words[gxds_ring_hash_state(machine_)]);
          break;
        }
      }
    }
    return out;
  }

  gxds_ring_hash* const machine_;
  std::vector<Spec> specs_;
  std::map<uint64_t, std::string> names_;
  std::set<uint64_t> alive_;
};

TEST(RingHash, ConnectsWhenAPickWantsIt) {  // A42.23, A42.29
  Scenario s;
  EXPECT_EQ(s.Update({{"a"}, {"b"}}), "+a +b IDLE");
  EXPECT_EQ(s.Report("a", kIdle), "") << "that was known";
  EXPECT_EQ(s.Report("b", kIdle), "");
  EXPECT_EQ(s.Pick("a"), "queue !a");
  EXPECT_EQ(s.Wish("a"), "!a");
  EXPECT_EQ(s.Wish("a"), "") << "once";
  EXPECT_EQ(s.Report("a", kConnecting), "CONNECTING");
  EXPECT_EQ(s.Pick("a"), "queue");
  EXPECT_EQ(s.Report("a", kReady), "READY");
  EXPECT_EQ(s.Pick("a"), "a");
  EXPECT_EQ(s.Pick("b"), "queue !b") << "its own endpoint, though another is READY";
}

TEST(RingHash, LostConnectionIsMadeAgainByAPick) {  // A42.25
  Scenario s;
  s.Update({{"a"}});
  s.Report("a", kIdle);
  s.Wish("a");
  s.Report("a", kConnecting);
  s.Report("a", kReady);
  EXPECT_EQ(s.Report("a", kIdle), "IDLE ?");
  EXPECT_EQ(s.Pick("a"), "queue !a");
  EXPECT_EQ(s.Wish("a"), "!a");
}

TEST(RingHash, FirstReportOfAnOldFailureRequestsNoReresolution) {
  Scenario s;
  s.Update({{"a"}});
  EXPECT_EQ(s.Report("a", kFailure), "FAILED");
  EXPECT_EQ(s.Report("a", kFailure), "FAILED ?") << "with other words";
}

TEST(RingHash, FailedEndpointCountsAsFailedUntilItIsReady) {  // A42.24
  Scenario s;
  s.Update({{"a"}});
  s.Report("a", kIdle);
  s.Wish("a");
  s.Report("a", kConnecting);
  EXPECT_EQ(s.Report("a", kFailure), "FAILED ?");
  EXPECT_EQ(s.Report("a", kIdle), "!a ?") << "its backoff is over";
  EXPECT_EQ(s.Report("a", kConnecting), "");
  EXPECT_EQ(s.Pick("a"), "fail a");
  EXPECT_EQ(s.Report("a", kReady), "READY");
  EXPECT_EQ(s.Pick("a"), "a");
}

TEST(RingHash, StateByTheFirstRuleThatFits) {  // A42.26
  struct Case {
    std::vector<grpc_connectivity_state> states;
    grpc_connectivity_state expected;
  };
  const Case cases[] = {
      {{kReady, kFailure, kFailure, kConnecting}, kReady},
      {{kFailure, kFailure, kConnecting, kIdle}, kFailure},
      {{kFailure, kConnecting, kIdle}, kConnecting},
      {{kIdle, kConnecting}, kConnecting},
      {{kFailure, kIdle}, kConnecting},
      {{kIdle, kIdle}, kIdle},
      {{kIdle}, kIdle},
      {{kFailure}, kFailure},
      {{kFailure, kFailure}, kFailure},
      {{}, kFailure},
  };
  for (const Case& c : cases) {
    Scenario s;
    std::vector<Scenario::Spec> specs;
    for (size_t i = 0; i < c.states.size(); i++) specs.push_back({std::to_string(i)});
    s.Update(specs);
    for (size_t i = 0; i < c.states.size(); i++) s.Report(std::to_string(i), c.states[i]);
    EXPECT_EQ(gxds_ring_hash_state(s.get()), c.expected) << &c - cases;
  }
}

TEST(RingHash, FailedPolicyTriesOneEndpointAfterTheOther) {  // A42.27, A61
  Scenario s;
  s.Update({{"a"}, {"b"}, {"c"}});
  for (const char* e : {"a", "b", "c"}) s.Report(e, kIdle);
  s.Wish("b");
  s.Report("b", kConnecting);
  EXPECT_EQ(s.Report("b", kFailure), "!a CONNECTING ?");
  EXPECT_EQ(s.Report("b", kFailure), "CONNECTING ?") << "a is on its way";
  EXPECT_EQ(s.Report("a", kConnecting), "CONNECTING");
  EXPECT_EQ(s.Report("b", kIdle), "!b ?") << "failed ones go on trying";
  EXPECT_EQ(s.Report("a", kFailure), "!c FAILED ?");
  s.Report("c", kConnecting);
  EXPECT_EQ(s.Report("c", kReady), "READY");
  EXPECT_EQ(s.Report("c", kIdle), "!c FAILED ?") << "two still fail";
}

TEST(RingHash, PickGoesToTheNextOfTheRingWhenItsEndpointFails) {  // A42.30, A61
  Scenario s;
  s.Update({{"a"}, {"b"}, {"c"}, {"d"}});
  std::vector<std::string> order = s.Order("a");
  ASSERT_EQ(order.size(), 4u);
  ASSERT_EQ(order[0], "a");
  for (const auto& e : order) s.Report(e, kIdle);
  s.Report(order[2], kReady);
  s.Report(order[0], kFailure);
  EXPECT_EQ(s.Pick("a"), "queue !" + order[1]) << "the first that does not fail";
  s.Report(order[1], kConnecting);
  EXPECT_EQ(s.Pick("a"), "queue");
  s.Report(order[1], kFailure);
  EXPECT_EQ(s.Pick("a"), order[2]);
  s.Report(order[2], kIdle);
  s.Report(order[2], kFailure);
  s.Report(order[3], kFailure);
  EXPECT_EQ(s.Pick("a"), "fail a") << "the first choice says why";
}

TEST(RingHash, RandomPickTakesWhatIsReady) {  // A76.6, A76.7, A76.8
  Scenario s;
  s.Update({{"a"}, {"b"}, {"c"}});
  std::vector<std::string> order = s.Order("a");
  for (const auto& e : order) s.Report(e, kIdle);
  EXPECT_EQ(s.Pick("a", true), "queue !a");
  s.Report(order[2], kReady);
  EXPECT_EQ(s.Pick("a", true), order[2] + " !a") << "and a random one becomes READY";
  s.Report(order[1], kConnecting);
  EXPECT_EQ(s.Pick("a", true), order[2]) << "one at a time";
  s.Report(order[2], kIdle);
  EXPECT_EQ(s.Pick("a", true), "queue");
  for (const auto& e : order) s.Report(e, kFailure);
  EXPECT_EQ(s.Pick("a", true), "fail a");
}

TEST(RingHash, EndpointsThatStayKeepTheirConnections) {  // A61
  Scenario s;
  s.Update({{"a"}, {"b"}});
  s.Report("a", kReady);
  EXPECT_EQ(s.Update({{"c"}, {"a", "", 7}}), "+c READY -b");
  EXPECT_EQ(s.Pick("a"), "a");
  EXPECT_EQ(s.Report("b", kReady), "") << "gone";
}

TEST(RingHash, EndpointIsPlacedByItsHashKey) {  // A76.9
  Scenario s;
  s.Update({{"a", "", 1, "x"}, {"b", "", 1, "y"}});
  for (const char* e : {"a", "b"}) s.Report(e, kReady);
  EXPECT_EQ(s.Pick("x"), "a");
  EXPECT_EQ(s.Pick("y"), "b");
  EXPECT_EQ(s.Update({{"a", "", 1, "y"}, {"b", "", 1, "x"}}), "READY") << "no new subchannel";
  EXPECT_EQ(s.Pick("x"), "b");
  EXPECT_EQ(s.Pick("y"), "a");
  EXPECT_EQ(s.Update({{"a"}, {"b", "", 1, "a"}}), "READY") << "by its address again";
  EXPECT_EQ(s.Pick("a"), "a") << "the first of two in one place";
}

TEST(RingHash, NewDetailIsANewSubchannel) {
  Scenario s;
  s.Update({{"a", "zone 1"}});
  uint64_t before = s.Token("a");
  EXPECT_EQ(s.Update({{"a", "zone 2"}}), "+a IDLE -a");
  EXPECT_NE(s.Token("a"), before);
  EXPECT_EQ(s.Update({{"a", "zone 2"}}, /*renew=*/true), "+a IDLE -a");
}

TEST(RingHash, SameAddressTwiceIsOneEndpointWithBothWeights) {  // A42.16
  Scenario s;
  EXPECT_EQ(s.Update({{"a"}, {"b"}, {"a", "", 2}}), "+a +b IDLE");
  EXPECT_EQ(s.count(), 2u);
}

TEST(RingHash, CapOfTheClientLimitsTheRing) {  // A42.19
  Scenario s(4);
  std::vector<Scenario::Spec> specs;
  for (int i = 0; i < 20; i++) specs.push_back({std::to_string(i)});
  s.Update(specs);
  for (const auto& spec : specs) s.Report(spec.key, kReady);
  std::set<std::string> chosen;
  for (const auto& spec : specs) chosen.insert(s.Pick(spec.key));
  EXPECT_LE(chosen.size(), 5u) << "4 and a fraction; the config asks for 64";
}

TEST(RingHash, WithoutEndpointsItFails) {
  Scenario s;
  EXPECT_EQ(s.Update({}), "FAILED");
  EXPECT_EQ(gxds_ring_hash_picker(s.get()), nullptr);
  EXPECT_EQ(s.Update({{"a"}}), "+a IDLE");
  EXPECT_EQ(s.Update({}), "FAILED -a");
}

TEST(RingHash, ExitIdleConnectsOne) {
  Scenario s;
  s.Update({{"a"}, {"b"}});
  EXPECT_EQ(s.ExitIdle(), "!a");
  EXPECT_EQ(s.Report("a", kIdle), "") << "what it said first, before it was told";
  s.Report("a", kConnecting);
  EXPECT_EQ(s.ExitIdle(), "");
}

// With any states of subchannels, a policy that is CONNECTING or failed always has an endpoint that
// is connecting or was told to connect, or one in its backoff.
TEST(RingHash, NeverStaysConnectingWithoutAConnection) {  // A61
  std::mt19937 random(1);
  for (int round = 0; round < 200; round++) {
    Scenario s;
    const std::vector<std::string> names = {"a", "b", "c", "d"};
    std::map<std::string, grpc_connectivity_state> states;
    std::set<std::string> told;
    s.Update({{"a"}, {"b"}, {"c"}, {"d"}});
    for (const auto& n : names) states[n] = kIdle, s.Report(n, kIdle);
    s.Wish("a");
    told.insert("a");
    for (int step = 0; step < 60; step++) {
      const std::string& n = names[random() % names.size()];
      grpc_connectivity_state next = kIdle;
      if (states[n] == kIdle) {
        if (!told.count(n)) continue;
        next = kConnecting;
      } else if (states[n] == kConnecting) {
        next = random() % 4 ? kFailure : kReady;
      }
      states[n] = next;
      told.erase(n);
      std::string done = s.Report(n, next);
      for (const auto& other : names) {
        if (done.find("!" + other) != std::string::npos) told.insert(other);
      }
      auto state = gxds_ring_hash_state(s.get());
      if (state == kReady || state == kIdle) continue;
      bool under_way = !told.empty();
      for (const auto& [_, each] : states) under_way |= each == kConnecting || each == kFailure;
      EXPECT_TRUE(under_way) << "round " << round << ", step " << step;
    }
  }
}

}  // namespace
