// All policies of a channel, from cluster_manager down to the leaves, on connections that are made
// and break.
#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lb_policies/least_request/least_request_policy.h"
#include "lb_policies/priority/priority.h"
#include "lb_policies/ring_hash/ring_hash_policy.h"
#include "lb_policies/weighted_round_robin/weighted_round_robin_policy.h"
#include "test/lb_policies/cluster_impl/tree_test.h"

namespace memory {
namespace {

using snapshot::Entry;
using snapshot::MakeConfig;
using snapshot::MakeEndpoints;

snapshot::ClusterOptions RoundRobins(const gxds_bootstrap_server* lrs) {
  snapshot::ClusterOptions options;
  options.lb_policy = R"([{"xds_wrr_locality_experimental":{"childPolicy":[{"round_robin":{}}]}}])";
  options.lrs = lrs;
  return options;
}
// The address of a zone's endpoint (snapshot_builder.h).
std::string In(const std::string& zone) {
  return "127.0.0.1:" + std::to_string(static_cast<int>(zone[0]));
}
Request To(const std::string& cluster) {
  Request out;
  out.cluster = cluster;
  out.route.cluster_id = cluster[0];
  return out;
}

class WholeTreeTest : public TreeTest {
 protected:
  void Apply(const snapshot::Endpoints& endpoints, snapshot::ClusterOptions options) {
    if (!host_.has_policy()) host_.Create(gxds_cluster_manager_policy);
    const Entry entry = snapshot::Leaf("c", options, endpoints);
    last_ = MakeConfig({entry.get()}, {"c"}, store_.get(), last_.get());
    Take(config_, last_);
  }
  void Apply(const snapshot::Endpoints& endpoints) { Apply(endpoints, RoundRobins(&lrs_)); }
  bool Holds(const std::string& zone) const {
    for (const Subchannel* s : host_.subchannels()) {
      if (s->address == In(zone)) return true;
    }
    return false;
  }

  const Config config_{gxds_cluster_manager_config_create()};
  snapshot::Config last_;
};

TEST_F(WholeTreeTest, TrafficGoesToTheFirstPriorityThatServes) {  // A56
  Apply(MakeEndpoints({{"a"}, {"b"}}));
  EXPECT_EQ(Pick(To("c")), "queue");
  EXPECT_FALSE(Holds("b")) << "its turn has not come";
  host_.SetState(In("a"), GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("refused"));
  ASSERT_TRUE(Holds("b"));
  host_.SetState(In("b"), GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(To("c")), In("b"));
  host_.SetState(In("a"), GRPC_CHANNEL_IDLE);
  host_.SetState(In("a"), GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(To("c")), In("a"));
  host_.Pass(GXDS_PRIORITY_RETENTION - GXDS_SECOND);
  EXPECT_TRUE(Holds("b")) << "kept for 15 minutes";
  host_.Pass(GXDS_SECOND);
  EXPECT_FALSE(Holds("b"));
  EXPECT_EQ(Pick(To("c")), In("a"));
}

TEST_F(WholeTreeTest, PriorityThatHangsGivesWayAfterTheFailoverTimeout) {  // A56
  Apply(MakeEndpoints({{"a"}, {"b"}}));
  host_.Pass(GXDS_PRIORITY_FAILOVER_DEFAULT - GXDS_MILLISECOND);
  EXPECT_FALSE(Holds("b"));
  host_.Pass(GXDS_MILLISECOND);
  EXPECT_TRUE(Holds("b"));
}

// Each priority has one locality, all of the same name, with one endpoint at each of those ports.
snapshot::Endpoints InOneZone(const std::vector<std::vector<uint16_t>>& ports) {
  std::vector<const gxds_locality*> localities;
  for (const auto& of_priority : ports) {
    gxds_locality* l = gxds_locality_create(gxds_str_z("r"), gxds_str_z("z"), gxds_str_z(""), 1,
                                            of_priority.size());
    auto* endpoints = const_cast<gxds_endpoint*>(l->list.full);
    for (size_t i = 0; i < of_priority.size(); i++) {
      endpoints[i].address.ip[0] = 127;
      endpoints[i].address.ip[3] = 1;
      endpoints[i].address.port = of_priority[i];
      endpoints[i].weight = 1;
    }
    localities.push_back(l);
  }
  std::vector<gxds_priority> priorities;
  for (const gxds_locality* const& l : localities) priorities.push_back({&l, 1});
  return snapshot::Endpoints(gxds_endpoints_of_priorities(priorities.data(), priorities.size()));
}

TEST_F(WholeTreeTest, UpdateOfALocalityInTwoPrioritiesInterruptsNoRpcs) {  // A56.5, A74.38
  Apply(InOneZone({{'a'}, {'b'}}));
  host_.SetState(In("a"), GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("refused"));
  host_.SetState(In("b"), GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(To("c")), In("b"));
  Apply(InOneZone({{'a'}, {'b', 'c'}}));
  EXPECT_EQ(Pick(To("c")), In("b")) << "the priority in use has got a further endpoint";
  Apply(InOneZone({{'a', 'd'}, {'b', 'c'}}));
  EXPECT_EQ(Pick(To("c")), In("b")) << "the first priority has failed until it is READY";
  host_.SetState(In("d"), GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(To("c")), In("d"));
}

// A control plane often sends both changes in one response.
TEST_F(WholeTreeTest, FailedPriorityThatGoesInterruptsNoRpcsOfTheOtherWithItsLocality) {  // A56.5
  Apply(InOneZone({{'a'}, {'b'}}));
  host_.SetState(In("a"), GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("refused"));
  host_.SetState(In("b"), GRPC_CHANNEL_READY);
  EXPECT_EQ(Pick(To("c")), In("b"));
  Apply(InOneZone({{'b', 'c'}}));
  EXPECT_EQ(Pick(To("c")), In("b")) << "the priority in use is the first one now";
}

TEST_F(WholeTreeTest, EndpointsThatStayAreNotConnectedToAnew) {
  Apply(MakeEndpoints({{"a", "b"}}));
  for (const char* zone : {"a", "b"}) host_.SetState(In(zone), GRPC_CHANNEL_READY);
  Apply(MakeEndpoints({{"b", "c"}}));
  EXPECT_EQ(host_.subchannels_made, 3u);
  EXPECT_EQ(Pick(To("c")), In("b"));
}

TEST_F(WholeTreeTest, EjectedBackendGetsNoRpcsAndItsFailuresAreReported) {  // A50
  snapshot::ClusterOptions options = RoundRobins(&lrs_);
  options.failure_threshold = 50;
  Apply(MakeEndpoints({{"a", "b"}}), options);
  for (const char* zone : {"a", "b"}) host_.SetState(In(zone), GRPC_CHANNEL_READY);
  for (int i = 0; i < 10; i++) {
    const auto call = host_.Pick(To("c"));
    call->Start();
    call->Finish(call->Text() == In("a") ? Unavailable("broken") : Status());
  }
  EXPECT_EQ(LoadReport(), "c[a 5=0+5 0 now][b 5=5+0 0 now]");
  host_.Pass(GXDS_SECOND);
  for (int i = 0; i < 10; i++) EXPECT_EQ(Pick(To("c")), In("b"));
  host_.Pass(31 * GXDS_SECOND);
  EXPECT_NE(Pick(To("c")), Pick(To("c"))) << "its time is over";
}

TEST_F(WholeTreeTest, CircuitBreakerNeverExceedsItsLimit) {  // A32
  snapshot::ClusterOptions options = RoundRobins(&lrs_);
  options.max_requests = 3;
  Apply(MakeEndpoints({{"a"}}), options);
  host_.SetState(In("a"), GRPC_CHANNEL_READY);
  std::vector<std::unique_ptr<Call>> calls;
  for (int i = 0; i < 5; i++) {
    calls.push_back(host_.Pick(To("c")));
    calls.back()->Start();
  }
  for (int i = 0; i < 5; i++) {
    EXPECT_EQ(calls[i]->kind(), i < 3 ? GXDS_PICKED_COMPLETE : GXDS_PICKED_DROP) << i;
  }
  calls[0]->Finish();
  EXPECT_EQ(Pick(To("c")), In("a"));
}

// --- Any order of events ---

// One channel with events drawn from a seed.
class Storm {
 public:
  explicit Storm(uint64_t seed) : random_{seed}, host_(seed) {
    RegisterTree(&host_);
    for (const gxds_policy_type* type :
         {&gxds_ring_hash_policy, &gxds_least_request_policy, &gxds_weighted_round_robin_policy}) {
      host_.Register(type);
    }
    lrs_.uri = gxds_str_z("lrs:1");
    mailbox_ = gxds_mailbox_create({[](void*, gxds_mailbox*) {}, nullptr, nullptr});
    host_.Create(gxds_cluster_manager_policy);
    Apply();
  }
  ~Storm() {
    gxds_load_store_close(store_.get());
    gxds_mailbox_unref(mailbox_);
  }

  void Step() {
    const uint64_t what = Draw(20);
    if (what == 0) return Apply();
    if (what <= 9) return ChangeConnection();
    if (what <= 15) return Call();
    if (what <= 17) return FinishOne();
    host_.Pass(static_cast<gxds_duration>(Draw(20000)) * GXDS_MILLISECOND);
  }
  // Ends the channel and returns what is left over.
  std::string End() {
    if (Draw(2) == 0) host_.Pass(2 * GXDS_PRIORITY_RETENTION);
    while (Draw(4) > 0) FinishOne();
    host_.End();
    calls_.clear();
    host_.DropPicker();
    return host_.LeftOver();
  }

  // Everything that the channel did.
  std::string story;
  int completed = 0;

 private:
  uint64_t Draw(uint64_t below) { return gxds_random_next(&random_) % below; }

  snapshot::Endpoints SomeEndpoints() {
    std::vector<std::vector<std::string>> priorities(Draw(4));
    std::set<char> used;
    const bool repeats = Draw(4) == 0;  // a locality may be in several priorities
    for (auto& zones : priorities) {
      if (repeats) used.clear();
      for (uint64_t i = Draw(4); i > 0; i--) {
        const char zone = static_cast<char>('a' + Draw(10));
        if (used.insert(zone).second) zones.emplace_back(1, zone);
      }
      std::sort(zones.begin(), zones.end());
    }
    if (Draw(8) == 0) return MakeEndpoints(priorities, {{"lb", 500000}});
    return MakeEndpoints(priorities);
  }
  Entry SomeEntry(const std::string& name) {
    if (Draw(10) == 0) return snapshot::Error(name, "no such cluster");
    static const char* const kLeaves[] = {
        R"([{"ring_hash_experimental":{}}])",
        R"([{"least_request_experimental":{}}])",
        R"([{"weighted_round_robin":{"enableOobLoadReport":true}}])",
        R"([{"grpc_xds_pick_first":{}}])",
        R"([{"round_robin":{}}])",
        R"([{"xds_wrr_locality_experimental":{"childPolicy":[{"weighted_round_robin":{}}]}}])",
    };
    snapshot::ClusterOptions options = RoundRobins(Draw(2) == 0 ? &lrs_ : nullptr);
    if (Draw(2) == 0) options.lb_policy = kLeaves[Draw(6)];
    if (Draw(3) == 0) options.failure_threshold = 50;
    if (Draw(4) == 0) options.max_requests = 2;
    return snapshot::Leaf(name, options, SomeEndpoints());
  }
  void Apply() {
    std::vector<Entry> entries;
    for (const char* name : {"x", "y"}) {
      if (last_ == nullptr || Draw(2) == 0) entries.push_back(SomeEntry(name));
    }
    entries.push_back(snapshot::Aggregate(
        "z", Draw(2) == 0 ? std::vector<std::string>{"x", "y"} : std::vector<std::string>{"y"}));
    std::vector<const gxds_cluster_entry*> list;
    for (const Entry& e : entries) list.push_back(e.get());
    std::vector<std::string> roots;
    for (const char* name : {"x", "y", "z"}) {
      if (Draw(8) > 0) roots.emplace_back(name);
    }
    last_ = MakeConfig(list, roots, store_.get(), last_.get());
    const Status said = host_.Apply({config_, Args(), Addresses(), "", last_.get(), mailbox_});
    story += "update: " + said.ToString() + "\n";
  }
  void ChangeConnection() {
    const auto all = host_.subchannels();
    if (all.empty()) return;
    Subchannel* one = all[Draw(all.size())];
    if (one->state == GRPC_CHANNEL_IDLE) return;
    if (one->state != GRPC_CHANNEL_CONNECTING) {
      host_.SetState(one, GRPC_CHANNEL_IDLE);
    } else if (Draw(4) > 0) {
      host_.SetState(one, GRPC_CHANNEL_READY);
    } else {
      host_.SetState(one, GRPC_CHANNEL_TRANSIENT_FAILURE, Unavailable("refused"));
    }
    story += std::string(gxds_lb_state_name(host_.state)) + "\n";
  }
  void Call() {
    static const char* const names[] = {"x", "y", "z"};
    calls_.push_back(host_.Pick(To(names[Draw(3)])));
    const auto& call = calls_.back();
    story += call->Text() + "\n";
    if (call->subchannel() == nullptr) return;
    completed++;
    EXPECT_EQ(call->subchannel()->state, GRPC_CHANNEL_READY) << call->Text();
    if (Draw(8) > 0) call->Start();
  }
  void FinishOne() {
    if (calls_.empty()) return;
    const auto one = calls_.begin() + static_cast<std::ptrdiff_t>(Draw(calls_.size()));
    if ((*one)->has_started() && Draw(8) > 0)
      (*one)->Finish(Draw(3) > 0 ? Status() : Unavailable("broken"));
    calls_.erase(one);
  }

  gxds_random random_;
  gxds_bootstrap_server lrs_ = {};
  snapshot::LoadStore store_{gxds_load_store_create(nullptr, nullptr)};
  gxds_mailbox* mailbox_;
  Host host_;
  const Config config_{gxds_cluster_manager_config_create()};
  snapshot::Config last_;
  std::vector<std::unique_ptr<memory::Call>> calls_;
};

TEST(WholeTreeStorm, NothingIsLeftOverAndPicksGoWhereAConnectionIs) {
  int completed = 0;
  for (uint64_t seed = 0; seed < 300 && !::testing::Test::HasFailure(); seed++) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Storm storm(seed);
    for (int i = 0; i < 200; i++) storm.Step();
    EXPECT_EQ(storm.End(), "");
    completed += storm.completed;
  }
  EXPECT_GT(completed, 3000) << "they would prove little";
}

TEST(WholeTreeStorm, SameSeedGivesTheSameEvents) {
  auto tell = [](uint64_t seed) {
    Storm storm(seed);
    for (int i = 0; i < 200; i++) storm.Step();
    storm.End();
    return storm.story;
  };
  for (uint64_t seed = 0; seed < 20; seed++) ASSERT_EQ(tell(seed), tell(seed)) << seed;
  EXPECT_NE(tell(1), tell(2));
}

}  // namespace
}  // namespace memory
