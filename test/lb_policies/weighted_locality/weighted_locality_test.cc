#include "lb_policies/weighted_locality/weighted_locality.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr auto kConnecting = GRPC_CHANNEL_CONNECTING;
constexpr auto kReady = GRPC_CHANNEL_READY;
constexpr auto kIdle = GRPC_CHANNEL_IDLE;
constexpr auto kFailed = GRPC_CHANNEL_TRANSIENT_FAILURE;

const char* StateName(grpc_connectivity_state state) {
  static const char* const names[] = {"IDLE", "CONNECTING", "READY", "FAILED", "SHUTDOWN"};
  return names[state];
}

using Log = std::vector<std::string>;

// The description of a locality. Using it twice makes two objects.
struct Locality {
  std::string zone;
  uint32_t weight = 1;
  std::vector<uint16_t> ports = {80};
  std::string hash_key = {};  // of all endpoints
  std::string hostname = {};  // likewise
};

const gxds_locality* Make(const Locality& l) {
  gxds_locality* out =
      gxds_locality_create(gxds_str_z("r"), gxds_str_of(l.zone.data(), l.zone.size()),
                           gxds_str_z(""), l.weight, l.ports.size());
  auto* endpoints = const_cast<gxds_endpoint*>(out->list.full);
  for (size_t i = 0; i < l.ports.size(); i++) {
    endpoints[i].address.ip[0] = 10;
    endpoints[i].address.port = l.ports[i];
    endpoints[i].weight = 1;
  }
  const std::vector<gxds_str> keys(l.ports.size(), gxds_str_z(l.hash_key.c_str()));
  const std::vector<gxds_str> hostnames(l.ports.size(), gxds_str_z(l.hostname.c_str()));
  gxds_locality_rare rare = {};
  if (!l.hash_key.empty()) rare.hash_keys = keys.data();
  if (!l.hostname.empty()) rare.hostnames = hostnames.data();
  out->rare = &rare;
  const gxds_locality* named = gxds_locality_copy(out);
  gxds_locality_unref(out);
  return named;
}

class Owner {
 public:
  Owner() : w_(gxds_weighted_locality_create()) {}
  ~Owner() {
    gxds_weighted_locality_destroy(w_);
    for (const auto* l : localities_) gxds_locality_unref(l);
  }

  void ReportsAtOnce(const std::string& zone, grpc_connectivity_state state) {
    at_once_[zone] = state;
  }

  // Updates with new objects for all localities.
  Log Update(const std::vector<Locality>& localities) {
    std::vector<const gxds_locality*> made;
    for (const auto& l : localities) made.push_back(Make(l));
    for (const auto* l : localities_) gxds_locality_unref(l);
    localities_ = made;
    return Again();
  }
  // Updates with the same objects.
  Log Again(bool leaf_changed = false, bool note_changed = false) {
    gxds_priority p = {localities_.data(), localities_.size()};
    gxds_weighted_locality_update update = {&p, leaf_changed, note_changed};
    gxds_weighted_locality_on_update(w_, &update, now_);
    return Drain();
  }
  Log UpdateToNothing() {
    gxds_weighted_locality_update update = {nullptr, false, false};
    gxds_weighted_locality_on_update(w_, &update, now_);
    return Drain();
  }
  Log Report(const std::string& zone, grpc_connectivity_state state) {
    gxds_weighted_locality_on_child_state(w_, TokenOf(zone), state);
    return Drain();
  }
  Log ReportToken(uint64_t token, grpc_connectivity_state state) {
    gxds_weighted_locality_on_child_state(w_, token, state);
    return Drain();
  }
  Log Pass(gxds_duration time) {
    now_ += time;
    gxds_weighted_locality_on_deadline(w_, now_);
    return Drain();
  }

  uint64_t TokenOf(const std::string& zone) const {
    for (const auto& p : children_) {
      if (p.second == zone) return p.first;
    }
    return 0;
  }
  size_t child_count() const { return children_.size(); }
  const std::string& published() const { return published_; }
  bool TimerRuns() const { return gxds_weighted_locality_deadline(w_) != GXDS_TIME_NEVER; }

 private:
  Log Drain() {
    Log log;
    gxds_weighted_locality_op op;
    gxds_weighted_locality_validate(w_);
    while (gxds_weighted_locality_next(w_, &op)) {
      log.push_back(CarryOut(op));
      gxds_weighted_locality_validate(w_);
    }
    return log;
  }

  std::string CarryOut(const gxds_weighted_locality_op& op) {
    switch (op.kind) {
      case GXDS_WEIGHTED_LOCALITY_CREATE: {
        EXPECT_EQ(children_.count(op.child), 0u);
        std::string zone(op.locality->zone.data, op.locality->zone.size);
        children_[op.child] = zone;
        AtOnce(op.child);
        return "create " + zone;
      }
      case GXDS_WEIGHTED_LOCALITY_UPDATE:
        AtOnce(op.child);
        return "update " + children_.at(op.child);
      case GXDS_WEIGHTED_LOCALITY_EXIT_IDLE:
        return "exit idle " + children_.at(op.child);
      case GXDS_WEIGHTED_LOCALITY_PUBLISH:
        published_ = StateName(op.state);
        for (size_t i = 0; i < op.member_count; i++) {
          published_ += " " + children_.at(op.members[i]) + ":" + std::to_string(op.weights[i]);
        }
        if (op.state == kFailed) published_ += " last " + children_.at(op.failed);
        return published_;
      case GXDS_WEIGHTED_LOCALITY_PUBLISH_EMPTY:
        return published_ = "empty";
      case GXDS_WEIGHTED_LOCALITY_REMOVE: {
        std::string zone = children_.at(op.child);
        children_.erase(op.child);
        return "remove " + zone;
      }
    }
    return "?";
  }

  void AtOnce(uint64_t token) {
    auto it = at_once_.find(children_[token]);
    if (it != at_once_.end()) gxds_weighted_locality_on_child_state(w_, token, it->second);
  }

  gxds_weighted_locality* w_;
  gxds_time now_ = 1000 * GXDS_SECOND;
  std::vector<const gxds_locality*> localities_;
  std::map<uint64_t, std::string> children_;
  std::map<std::string, grpc_connectivity_state> at_once_;
  std::string published_;
};

// Updates

TEST(WeightedLocality, EachLocalityHasALeaf) {
  Owner o;
  EXPECT_EQ(o.Update({{"a", 10}, {"b", 30}}), (Log{"create a", "create b", "CONNECTING"}));
}

TEST(WeightedLocality, NoLocalitiesIsTransientFailure) {
  Owner o;
  EXPECT_EQ(o.Update({}), (Log{"empty"}));
  EXPECT_EQ(o.UpdateToNothing(), (Log{"empty"})) << "the note may be another";
}

TEST(WeightedLocality, UpdateThatChangesNothingDoesNothing) {  // A28.2
  Owner o;
  o.Update({{"a"}, {"b"}});
  o.Report("a", kReady);
  for (int i = 0; i < 10; i++) EXPECT_EQ(o.Again(), Log{});
}

TEST(WeightedLocality, EqualLocalityInANewObjectDoesNothing) {
  Owner o;
  o.Update({{"a"}, {"b"}});
  o.Report("a", kReady);
  EXPECT_EQ(o.Update({{"a"}, {"b"}}), Log{});
}

TEST(WeightedLocality, ChangedEndpointsUpdateThatLeafAlone) {  // A28.2
  Owner o;
  o.Update({{"a"}, {"b"}, {"c"}});
  o.Report("b", kReady);
  EXPECT_EQ(o.Update({{"a"}, {"b", 1, {80, 81}}, {"c"}}), (Log{"update b"}));
  EXPECT_EQ(o.Update({{"a"}, {"b", 1, {81, 80}}, {"c"}}), (Log{"update b"})) << "order counts";
}

TEST(WeightedLocality, ChangedHashKeyIsAChangeOfTheEndpoints) {  // A76
  Owner o;
  o.Update({{"a", 1, {80}, "k1"}, {"b", 1, {80}, "k2"}});
  EXPECT_EQ(o.Update({{"a", 1, {80}, "k3"}, {"b", 1, {80}, "k2"}})[0], "update a");
  EXPECT_EQ(o.Update({{"a", 1, {80}}, {"b", 1, {80}, "k2"}})[0], "update a");
  EXPECT_EQ(o.Update({{"a", 1, {80}}, {"b", 1, {80}, "k2"}}), Log());
}

TEST(WeightedLocality, AnotherHostnameIsAnUpdateOfItsLocalityAlone) {  // A81.4
  Owner o;
  o.Update({{"a", 1, {80}}, {"b", 1, {80}, "", "one.example"}});
  EXPECT_EQ(o.Update({{"a", 1, {80}}, {"b", 1, {80}, "", "one.example"}}), Log());
  EXPECT_EQ(o.Update({{"a", 1, {80}}, {"b", 1, {80}, "", "two.example"}})[0], "update b");
}

TEST(WeightedLocality, ChangedWeightChangesOnlyThePicker) {
  Owner o;
  o.Update({{"a", 10}, {"b", 30}});
  o.Report("a", kReady);
  o.Report("b", kReady);
  EXPECT_EQ(o.Update({{"a", 50}, {"b", 30}}), (Log{"READY a:50 b:30"}));
}

TEST(WeightedLocality, ChangeOfWhatLeavesShareUpdatesThemAll) {
  Owner o;
  o.Update({{"a"}, {"b"}});
  EXPECT_EQ(o.Again(/*leaf_changed=*/true), (Log{"update a", "update b"}));
  EXPECT_EQ(o.Again(), Log{});
}

TEST(WeightedLocality, ChangedNoteConcernsOnlyLeavesWithoutEndpoints) {
  Owner o;
  o.Update({{"a"}, {"b", 1, {}}});
  EXPECT_EQ(o.Again(false, /*note_changed=*/true), (Log{"update b"}));
}

TEST(WeightedLocality, UpdateWithAllKindsOfChangePublishesOnePicker) {
  Owner o;
  o.Update({{"a", 1}, {"b", 2}, {"c", 3}});
  for (const char* zone : {"a", "b", "c"}) o.Report(zone, kReady);
  o.ReportsAtOnce("b", kReady);
  o.ReportsAtOnce("d", kReady);
  EXPECT_EQ(o.Update({{"b", 2, {81}}, {"c", 4}, {"d", 5}}),
            (Log{"update b", "create d", "READY b:2 c:4 d:5"}));
}

TEST(WeightedLocality, LocalitiesAreDistinctByTheirFullName) {
  gxds_weighted_locality* w = gxds_weighted_locality_create();
  const gxds_locality* l[] = {
      gxds_locality_create(gxds_str_z(""), gxds_str_z("x"), gxds_str_z(""), 1, 0),
      gxds_locality_create(gxds_str_z("x"), gxds_str_z(""), gxds_str_z(""), 1, 0),
      gxds_locality_create(gxds_str_z("x"), gxds_str_z(""), gxds_str_z("s"), 1, 0),
  };
  std::sort(l, l + 3, [](auto* a, auto* b) { return gxds_locality_compare_name(a, b) < 0; });
  gxds_priority p = {l, 3};
  gxds_weighted_locality_update update = {&p, false, false};
  gxds_weighted_locality_on_update(w, &update, 0);
  gxds_weighted_locality_op op;
  int created = 0;
  while (gxds_weighted_locality_next(w, &op)) created += op.kind == GXDS_WEIGHTED_LOCALITY_CREATE;
  EXPECT_EQ(created, 3);
  gxds_weighted_locality_destroy(w);
  for (const auto* locality : l) gxds_locality_unref(locality);
}

// States

TEST(WeightedLocality, ReadyWinsAndOnlyReadyLocalitiesAreInThePicker) {  // A28.1
  Owner o;
  o.Update({{"a", 10}, {"b", 30}, {"c", 60}});
  EXPECT_EQ(o.Report("b", kReady), (Log{"READY b:30"}));
  EXPECT_EQ(o.Report("a", kFailed), Log{});
  EXPECT_EQ(o.Report("c", kReady), (Log{"READY b:30 c:60"}));
  EXPECT_EQ(o.Report("b", kFailed), (Log{"READY c:60"}));
}

TEST(WeightedLocality, ConnectingIsNextThenIdleThenFailure) {  // A28.3
  Owner o;
  o.Update({{"a", 1}, {"b", 2}});
  EXPECT_EQ(o.Report("a", kFailed), Log{}) << "b is still connecting";
  EXPECT_EQ(o.Report("b", kIdle), (Log{"exit idle b", "IDLE"}));
  EXPECT_EQ(o.Report("b", kConnecting), (Log{"CONNECTING"}));
  EXPECT_EQ(o.Report("b", kFailed), (Log{"FAILED a:1 b:2 last b"}));
}

TEST(WeightedLocality, FailedLocalityCountsAsFailedUntilItIsReady) {
  Owner o;
  o.Update({{"a", 1}});
  o.Report("a", kFailed);
  EXPECT_EQ(o.Report("a", kConnecting), (Log{"FAILED a:1 last a"})) << "its new picker";
  EXPECT_EQ(o.Report("a", kIdle), (Log{"exit idle a", "FAILED a:1 last a"}));
  EXPECT_EQ(o.Report("a", kReady), (Log{"READY a:1"}));
  EXPECT_EQ(o.Report("a", kConnecting), (Log{"CONNECTING"}));
}

TEST(WeightedLocality, StatusIsThatOfTheLocalityThatFailedLast) {
  Owner o;
  o.Update({{"a", 1}, {"b", 1}});
  o.Report("b", kFailed);
  EXPECT_EQ(o.Report("a", kFailed), (Log{"FAILED a:1 b:1 last a"}));
  EXPECT_EQ(o.Report("b", kFailed), (Log{"FAILED a:1 b:1 last b"}));
}

TEST(WeightedLocality, NewPickerOfAReadyLocalityIsPublished) {
  Owner o;
  o.Update({{"a"}, {"b"}});
  o.Report("a", kReady);
  EXPECT_EQ(o.Report("a", kReady), (Log{"READY a:1"}));
  EXPECT_EQ(o.Report("b", kConnecting), Log{}) << "b is not in the picker";
}

TEST(WeightedLocality, RepeatedConnectingPublishesNothing) {
  Owner o;
  o.Update({{"a"}, {"b"}});
  EXPECT_EQ(o.Report("a", kConnecting), Log{});
}

TEST(WeightedLocality, StatesReportedDuringCreationMakeOnePicker) {
  Owner o;
  o.ReportsAtOnce("a", kReady);
  o.ReportsAtOnce("b", kReady);
  EXPECT_EQ(o.Update({{"a"}, {"b"}}), (Log{"create a", "create b", "READY a:1 b:1"}));
}

TEST(WeightedLocality, UnknownLeafAndShutdownAreIgnored) {
  Owner o;
  o.Update({{"a"}});
  EXPECT_EQ(o.ReportToken(999, kReady), Log{});
  EXPECT_EQ(o.Report("a", GRPC_CHANNEL_SHUTDOWN), Log{});
}

// Retention

TEST(WeightedLocality, RemovedLocalityLeavesThePickerAtOnceAndIsKeptForAWhile) {  // A28.4
  Owner o;
  o.Update({{"a", 1}, {"b", 2}});
  o.Report("a", kReady);
  o.Report("b", kReady);
  EXPECT_EQ(o.Update({{"a", 1}}), (Log{"READY a:1"}));
  EXPECT_EQ(o.child_count(), 2u);
  EXPECT_EQ(o.Pass(GXDS_WEIGHTED_LOCALITY_RETENTION - 1), Log{});
  EXPECT_EQ(o.Pass(1), (Log{"remove b"}));
  EXPECT_FALSE(o.TimerRuns());
}

TEST(WeightedLocality, RetentionIsThatOfTheSpecification) {  // A28.4
  EXPECT_EQ(GXDS_WEIGHTED_LOCALITY_RETENTION, 900 * GXDS_SECOND);
}

TEST(WeightedLocality, LocalityThatComesBackIsWarm) {
  Owner o;
  o.Update({{"a", 1}, {"b", 2}});
  o.Report("a", kReady);
  o.Report("b", kReady);
  o.Update({{"a", 1}});
  EXPECT_EQ(o.Update({{"a", 1}, {"b", 2}}), (Log{"READY a:1 b:2"})) << "not even an update";
  EXPECT_FALSE(o.TimerRuns());
  EXPECT_EQ(o.Pass(2 * GXDS_WEIGHTED_LOCALITY_RETENTION), Log{});
}

TEST(WeightedLocality, LocalityThatComesBackGetsWhatItMissed) {
  Owner o;
  o.Update({{"a"}, {"b"}});
  o.Report("b", kReady);
  o.Update({{"a"}});
  EXPECT_EQ(o.Again(/*leaf_changed=*/true), (Log{"update a"})) << "b is not updated meanwhile";
  EXPECT_EQ(o.Update({{"a"}, {"b"}}), (Log{"update b", "READY b:1"}));
  o.Update({{"a"}});
  EXPECT_EQ(o.Update({{"a"}, {"b", 1, {99}}}), (Log{"update b", "READY b:1"}));
}

TEST(WeightedLocality, KeptLocalityCountsForNothing) {
  Owner o;
  o.Update({{"a"}, {"b"}});
  o.Report("b", kReady);
  EXPECT_EQ(o.Update({{"a"}}), (Log{"CONNECTING"}));
  EXPECT_EQ(o.Report("b", kReady), Log{});
  EXPECT_EQ(o.Report("b", kIdle), (Log{"exit idle b"}));
  EXPECT_EQ(o.UpdateToNothing(), (Log{"empty"}));
}

TEST(WeightedLocality, RetentionIsNotRestartedByFurtherUpdates) {
  Owner o;
  o.Update({{"a"}, {"b"}});
  o.Update({{"a"}});
  o.Pass(GXDS_WEIGHTED_LOCALITY_RETENTION - 1);
  o.Again();
  EXPECT_EQ(o.Pass(1), (Log{"remove b"}));
}

TEST(WeightedLocality, LocalityThatComesBackAfterItsEndIsMadeAnew) {
  Owner o;
  o.Update({{"a"}, {"b"}});
  uint64_t first = o.TokenOf("b");
  o.Update({{"a"}});
  o.Pass(GXDS_WEIGHTED_LOCALITY_RETENTION);
  EXPECT_EQ(o.ReportToken(first, kReady), Log{});
  EXPECT_EQ(o.Update({{"a"}, {"b"}}), (Log{"create b"}));
  EXPECT_NE(o.TokenOf("b"), first);
}

TEST(WeightedLocality, LocalitiesThatAreTooManyEndAndThoseThatLeftFirstAreTheFirst) {
  Owner o;
  const unsigned max = GXDS_WEIGHTED_LOCALITY_RETAINED_MAX;
  for (unsigned i = 0; i < max; i++) {
    o.Update({{"z" + std::to_string(i)}});
    o.Pass(GXDS_SECOND);
  }
  o.Update({{"a"}});
  EXPECT_EQ(o.child_count(), max + 1);
  o.Report("a", kReady);
  EXPECT_EQ(o.Update({{"b"}}), (Log{"create b", "CONNECTING", "remove z0"}))
      << "after what takes its place";
  EXPECT_EQ(o.Update({{"b"}, {"z1"}}), Log{}) << "one that comes back makes room";
  EXPECT_EQ(o.Update({{"b"}, {"c"}}), (Log{"create c"}));
  EXPECT_EQ(o.Update({{"c"}}), (Log{"remove z2"}));
}

TEST(WeightedLocality, OfTooManyThatLeaveTogetherSomeStay) {
  Owner o;
  std::vector<Locality> many;
  for (unsigned i = 0; i < 10 * GXDS_WEIGHTED_LOCALITY_RETAINED_MAX; i++) {
    many.push_back({"z" + std::to_string(10000 + i)});
  }
  o.Update(many);
  o.Update({{"a"}});
  EXPECT_EQ(o.child_count(), 1 + GXDS_WEIGHTED_LOCALITY_RETAINED_MAX);
  EXPECT_EQ(o.Pass(GXDS_WEIGHTED_LOCALITY_RETENTION).size(), GXDS_WEIGHTED_LOCALITY_RETAINED_MAX);
}

// Compared with a simple model: after any history, the published picker follows from the states.
TEST(WeightedLocality, PublishedPickerIsAFunctionOfTheStates) {
  std::mt19937 random(11);
  const std::vector<std::string> all = {"a", "b", "c", "d", "e"};
  for (int run = 0; run < 50; run++) {
    Owner o;
    std::map<uint64_t, grpc_connectivity_state> states;
    std::vector<Locality> now;
    bool updated = false;
    for (int step = 0; step < 200; step++) {
      switch (random() % 6) {
        case 0:
          now.clear();
          for (const auto& zone : all) {
            if (random() % 3) now.push_back({zone, 1 + static_cast<uint32_t>(random() % 3), {80}});
          }
          o.Update(now);
          updated = true;
          break;
        case 1:
          o.Pass(GXDS_SECOND * (random() % 600));
          break;
        default: {
          uint64_t token = o.TokenOf(all[random() % all.size()]);
          if (token == 0) break;
          auto state = static_cast<grpc_connectivity_state>(random() % 4);
          auto& known = states.emplace(token, kConnecting).first->second;
          if (known != kFailed || state == kReady) known = state;
          o.ReportToken(token, state);
        }
      }
      if (!updated) continue;
      std::map<grpc_connectivity_state, std::string> members;
      for (const auto& l : now) {
        uint64_t token = o.TokenOf(l.zone);
        ASSERT_NE(token, 0u);
        auto state = states.count(token) ? states[token] : kConnecting;
        members[state] += " " + l.zone + ":" + std::to_string(l.weight);
      }
      std::string expected = "empty";
      for (auto state : {kFailed, kIdle, kConnecting, kReady}) {
        if (!members.count(state)) continue;
        expected = StateName(state);
        if (state == kFailed || state == kReady) expected += members[state];
      }
      ASSERT_EQ(o.published().substr(0, o.published().find(" last")), expected);
    }
  }
}

TEST(WeightedLocalityStatus, NoLocalityNamesTheClusterAndTheReason) {
  gxds_status s =
      gxds_weighted_locality_empty_status(gxds_str_z("foo"), gxds_str_z("no endpoints yet"));
  EXPECT_EQ(s.code, GXDS_UNAVAILABLE);
  EXPECT_STREQ(s.message.data,
               "no localities in xds_wrr_locality policy: cluster foo: no endpoints yet");
  gxds_status_fini(&s);
}

}  // namespace
