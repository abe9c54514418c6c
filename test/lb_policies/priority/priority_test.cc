#include "lb_policies/priority/priority.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr auto kConnecting = GRPC_CHANNEL_CONNECTING;
constexpr auto kReady = GRPC_CHANNEL_READY;
constexpr auto kIdle = GRPC_CHANNEL_IDLE;
constexpr auto kFailed = GRPC_CHANNEL_TRANSIENT_FAILURE;

const char* StateName(grpc_connectivity_state state) {
  switch (state) {
    case GRPC_CHANNEL_IDLE:
      return "IDLE";
    case GRPC_CHANNEL_CONNECTING:
      return "CONNECTING";
    case GRPC_CHANNEL_READY:
      return "READY";
    case GRPC_CHANNEL_TRANSIENT_FAILURE:
      return "FAILED";
    default:
      return "?";
  }
}

using Log = std::vector<std::string>;

// The owner of a state machine: carries out its operations and records them.
class Owner {
 public:
  explicit Owner(gxds_duration failover = GXDS_PRIORITY_FAILOVER_DEFAULT)
      : lb_(gxds_priority_lb_create(failover)) {}
  ~Owner() { gxds_priority_lb_destroy(lb_); }

  // A child of this name reports that state while it is created or updated.
  void ReportsAtOnce(const std::string& name, grpc_connectivity_state state) {
    at_once_[name] = state;
  }

  Log Update(std::vector<std::string> names) {
    names_ = std::move(names);
    std::vector<gxds_str> views;
    for (const auto& name : names_) views.push_back(gxds_str_of(name.data(), name.size()));
    gxds_priority_lb_on_update(lb_, views.data(), views.size(), now_);
    return Drain();
  }

  Log Report(const std::string& name, grpc_connectivity_state state) {
    gxds_priority_lb_on_child_state(lb_, TokenOf(name), state, now_);
    return Drain();
  }
  Log ReportToken(uint64_t token, grpc_connectivity_state state) {
    gxds_priority_lb_on_child_state(lb_, token, state, now_);
    return Drain();
  }

  // Lets time pass, and calls gxds_priority_lb_on_deadline() at each deadline.
  Log Pass(gxds_duration time) {
    Log all;
    gxds_time end = now_ + time;
    while (gxds_priority_lb_deadline(lb_) <= end) {
      now_ = std::max(now_, gxds_priority_lb_deadline(lb_));
      gxds_priority_lb_on_deadline(lb_, now_);
      for (auto& line : Drain()) all.push_back(line);
    }
    now_ = end;
    return all;
  }

  uint64_t TokenOf(const std::string& name) const {
    for (const auto& p : children_) {
      if (p.second == name) return p.first;
    }
    return 0;
  }
  std::vector<std::string> Children() const {
    std::vector<std::string> out;
    for (const auto& p : children_) out.push_back(p.second);
    return out;
  }
  std::string Current() const {
    auto it = children_.find(gxds_priority_lb_current(lb_));
    return it == children_.end() ? "" : it->second;
  }
  bool TimerRuns() const { return gxds_priority_lb_deadline(lb_) != GXDS_TIME_NEVER; }
  gxds_duration UntilDeadline() const { return gxds_priority_lb_deadline(lb_) - now_; }
  gxds_priority_lb* lb() { return lb_; }
  const std::string& published() const { return published_; }

 private:
  Log Drain() {
    Log log;
    gxds_priority_op op;
    gxds_priority_lb_validate(lb_);
    while (gxds_priority_lb_next(lb_, now_, &op)) {
      gxds_priority_lb_validate(lb_);
      log.push_back(CarryOut(op));
      gxds_priority_lb_validate(lb_);
    }
    return log;
  }

  std::string CarryOut(const gxds_priority_op& op) {
    switch (op.kind) {
      case GXDS_PRIORITY_CREATE:
        EXPECT_EQ(children_.count(op.child), 0u) << "a token is never reused";
        children_[op.child] = names_[op.position];
        AtOnce(op.child);
        return "create " + names_[op.position];
      case GXDS_PRIORITY_UPDATE:
        EXPECT_EQ(children_[op.child], names_[op.position]);
        AtOnce(op.child);
        return "update " + names_[op.position];
      case GXDS_PRIORITY_PUBLISH:
        EXPECT_EQ(children_[op.child], names_[op.position]);
        EXPECT_EQ(op.child, gxds_priority_lb_current(lb_));
        published_ = children_[op.child] + " " + StateName(op.state);
        return "publish " + published_;
      case GXDS_PRIORITY_PUBLISH_EMPTY:
        published_ = "empty";
        return "publish empty";
      case GXDS_PRIORITY_RETAIN:
        return "retain " + children_.at(op.child);
      case GXDS_PRIORITY_REMOVE: {
        std::string name = children_.at(op.child);
        children_.erase(op.child);
        return (op.crowded ? "crowd out " : "remove ") + name;
      }
    }
    return "?";
  }

  void AtOnce(uint64_t token) {
    auto it = at_once_.find(children_[token]);
    if (it != at_once_.end()) gxds_priority_lb_on_child_state(lb_, token, it->second, now_);
  }

  gxds_priority_lb* lb_;
  gxds_time now_ = 1000 * GXDS_SECOND;
  std::vector<std::string> names_;
  std::map<uint64_t, std::string> children_;
  std::map<std::string, grpc_connectivity_state> at_once_;
  std::string published_;
};

// Child lifetime

TEST(Priority, ChildIsCreatedOnlyWhenItsTurnComes) {  // A56.7: lazily
  Owner o;
  EXPECT_EQ(o.Update({"a", "b", "c"}), (Log{"create a", "publish a CONNECTING"}));
  EXPECT_EQ(o.Report("a", kFailed), (Log{"create b", "publish b CONNECTING"}));
  EXPECT_EQ(o.Report("b", kReady), (Log{"publish b READY"}));
  EXPECT_EQ(o.Children(), (Log{"a", "b"}));
}

TEST(Priority, EmptyListIsTransientFailure) {  // A56.26
  Owner o;
  EXPECT_EQ(o.Update({}), (Log{"publish empty"}));
  EXPECT_EQ(o.Current(), "");
  EXPECT_FALSE(o.TimerRuns());
}

TEST(Priority, EmptyListIsPublishedAtEachUpdateSinceTheNoteMayChange) {
  Owner o;
  o.Update({});
  EXPECT_EQ(o.Update({}), (Log{"publish empty"}));
}

TEST(Priority, ListThatBecomesEmptyKeepsTheChildren) {  // A56.12
  Owner o;
  o.Update({"a"});
  o.Report("a", kReady);
  EXPECT_EQ(o.Update({}), (Log{"publish empty", "retain a"}));
  EXPECT_EQ(o.Current(), "");
  EXPECT_EQ(o.Update({"a"}), (Log{"update a", "publish a READY"}));
}

TEST(Priority, HigherPriorityThatIsReadyDeactivatesLowerOnes) {  // A56.1, A56.9
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kFailed);
  o.Report("b", kReady);
  EXPECT_EQ(o.Report("a", kReady), (Log{"publish a READY"}));
  EXPECT_EQ(o.UntilDeadline(), GXDS_PRIORITY_RETENTION);
  EXPECT_EQ(o.Pass(GXDS_PRIORITY_RETENTION - 1), Log{});
  EXPECT_EQ(o.Pass(1), (Log{"remove b"}));
  EXPECT_EQ(o.published(), "a READY");
}

TEST(Priority, IdleCountsAsUsableAndDeactivatesLowerOnes) {  // A56.27
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kFailed);
  o.Report("b", kReady);
  EXPECT_EQ(o.Report("a", kIdle), (Log{"publish a IDLE"}));
  EXPECT_EQ(o.Pass(GXDS_PRIORITY_RETENTION), (Log{"remove b"}));
}

TEST(Priority, ChildThatStillHasTimeToConnectDeactivatesNobody) {  // A56.28
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kReady);
  o.Update({"b", "a"});  // b is new and connecting; a stays as it is
  EXPECT_EQ(o.Current(), "b");
  EXPECT_EQ(o.UntilDeadline(), GXDS_PRIORITY_FAILOVER_DEFAULT);
  EXPECT_EQ(o.Pass(GXDS_PRIORITY_FAILOVER_DEFAULT), (Log{"publish a READY"}));
  EXPECT_FALSE(o.TimerRuns());
}

TEST(Priority, DeactivatedChildIsReactivatedWithItsConnections) {  // A56.11
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kFailed);
  o.Report("b", kReady);
  o.Report("a", kReady);
  o.Pass(GXDS_PRIORITY_RETENTION / 2);
  EXPECT_EQ(o.Report("a", kFailed), (Log{"publish b READY"}));
  EXPECT_FALSE(o.TimerRuns()) << "the deactivation timer is cancelled";
  EXPECT_EQ(o.Pass(GXDS_PRIORITY_RETENTION), Log{});
}

TEST(Priority, DeactivationIsNotRestartedByFurtherChoices) {
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kFailed);
  o.Report("b", kReady);
  o.Report("a", kReady);
  o.Pass(GXDS_PRIORITY_RETENTION - GXDS_SECOND);
  o.Report("a", kReady);
  EXPECT_EQ(o.Pass(GXDS_SECOND), (Log{"remove b"}));
}

TEST(Priority, RemovedLowerChildIsCreatedAgainWhenItsTurnComes) {  // A56.10
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kFailed);
  o.Report("b", kReady);
  uint64_t first = o.TokenOf("b");
  o.Report("a", kReady);
  o.Pass(GXDS_PRIORITY_RETENTION);
  EXPECT_EQ(o.Report("a", kFailed), (Log{"create b", "publish b CONNECTING"}));
  EXPECT_NE(o.TokenOf("b"), first);
}

TEST(Priority, DeactivatedChildGetsUpdatesToo) {  // A56.22
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kFailed);
  o.Report("b", kReady);
  o.Report("a", kReady);
  EXPECT_EQ(o.Update({"a", "b"}), (Log{"update a", "update b"}));
  EXPECT_EQ(o.Pass(GXDS_PRIORITY_RETENTION), (Log{"remove b"})) << "an update does not reactivate";
}

TEST(Priority, ChildThatIsNoLongerConfiguredIsKeptForATime) {  // A56.12
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kFailed);
  o.Report("b", kReady);
  EXPECT_EQ(o.Update({"b"}), (Log{"update b", "retain a"}));
  EXPECT_EQ(o.UntilDeadline(), GXDS_PRIORITY_RETENTION);
  EXPECT_EQ(o.Update({"b"}), (Log{"update b"})) << "and gets no updates";
  EXPECT_EQ(o.Pass(GXDS_PRIORITY_RETENTION - 1), Log{});
  EXPECT_EQ(o.Pass(1), (Log{"remove a"}));
  EXPECT_FALSE(o.TimerRuns());
}

TEST(Priority, ChildThatReturnsInTimeGoesOnWhereItWas) {  // A56.13
  Owner o;
  o.Update({"a"});
  o.Report("a", kReady);
  uint64_t a = o.TokenOf("a");
  o.Update({"b"});
  o.Report("b", kReady);
  o.Pass(GXDS_PRIORITY_RETENTION - 1);
  EXPECT_EQ(o.Update({"a"}), (Log{"update a", "publish a READY", "retain b"}));
  EXPECT_EQ(o.TokenOf("a"), a);
  EXPECT_EQ(o.UntilDeadline(), GXDS_PRIORITY_RETENTION) << "b's: that of a is cancelled";
  EXPECT_EQ(o.Pass(2 * GXDS_PRIORITY_RETENTION), (Log{"remove b"}));
}

TEST(Priority, ChildThatReturnsBelowTheOneInUseStaysDeactivated) {  // A56.13
  Owner o;
  o.Update({"a"});
  o.Report("a", kReady);
  o.Update({"b"});
  o.Report("b", kReady);
  o.Pass(GXDS_SECOND);
  EXPECT_EQ(o.Update({"b", "a"}), (Log{"update b", "update a"})) << "its config, but no more";
  EXPECT_EQ(o.UntilDeadline(), GXDS_PRIORITY_RETENTION - GXDS_SECOND);
  EXPECT_EQ(o.Pass(GXDS_PRIORITY_RETENTION - GXDS_SECOND), (Log{"remove a"}));
  EXPECT_EQ(o.Report("b", kFailed), (Log{"create a", "publish a CONNECTING"}));
}

TEST(Priority, TimeOfAChildThatWasDeactivatedBeforeItLeftGoesOn) {  // A56.12
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kFailed);
  o.Report("b", kReady);
  o.Report("a", kReady);
  o.Pass(GXDS_SECOND);
  EXPECT_EQ(o.Update({"a"}), (Log{"update a", "retain b"}));
  EXPECT_EQ(o.UntilDeadline(), GXDS_PRIORITY_RETENTION - GXDS_SECOND);
}

TEST(Priority, ChildThatIsKeptIsNeverInUse) {  // A56.12
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kFailed);
  o.Report("b", kFailed);
  o.Update({"b"});
  EXPECT_EQ(o.Report("a", kReady), Log{});
  EXPECT_EQ(o.Current(), "b");
  EXPECT_EQ(o.Report("a", kConnecting), Log{});
  EXPECT_EQ(o.Report("b", kFailed), (Log{"publish b FAILED"}));
}

TEST(Priority, StateReportedWhileItIsKeptCountsWhenTheChildReturns) {  // A56.14
  Owner o;
  o.Update({"a"});
  o.Report("a", kReady);
  o.Update({"b"});
  o.Report("a", kFailed);
  EXPECT_EQ(o.Update({"a"}), (Log{"update a", "publish a FAILED", "retain b"}));
}

TEST(Priority, ChildrenThatAreTooManyEndAndThoseThatLeftFirstAreTheFirst) {
  Owner o;
  Log kept;
  for (unsigned i = 0; i <= GXDS_PRIORITY_RETAINED_MAX; i++) {
    const std::string name = "c" + std::to_string(i);
    Log log = o.Update({name});
    EXPECT_EQ(log[0], "create " + name);
    kept.push_back(name);
    o.Pass(GXDS_SECOND);
  }
  EXPECT_EQ(o.Children(), kept);
  EXPECT_EQ(o.Update({"x"}),
            (Log{"create x", "publish x CONNECTING",
                 "retain c" + std::to_string(GXDS_PRIORITY_RETAINED_MAX), "crowd out c0"}));
  EXPECT_EQ(o.Update({"c1"}), (Log{"update c1", "publish c1 CONNECTING", "retain x"}))
      << "one that returns makes room";
  EXPECT_EQ(o.Pass(GXDS_PRIORITY_RETENTION).size(), GXDS_PRIORITY_RETAINED_MAX);
  EXPECT_EQ(o.Children(), (Log{"c1"}));
}

TEST(Priority, OfTooManyThatLeaveTogetherThoseMadeFirstStay) {
  Owner o;
  std::vector<std::string> names;
  for (unsigned i = 0; i < GXDS_PRIORITY_RETAINED_MAX + 2; i++) {
    names.push_back("c" + std::to_string(100 + i));
    o.ReportsAtOnce(names.back(), kFailed);
  }
  o.Update(names);
  o.Update({});
  names.resize(GXDS_PRIORITY_RETAINED_MAX);
  EXPECT_EQ(o.Children(), names);
}

TEST(Priority, ChildInUseIsReplacedBeforeItIsRetained) {
  Owner o;
  o.Update({"a"});
  o.Report("a", kReady);
  EXPECT_EQ(o.Update({"b"}), (Log{"create b", "publish b CONNECTING", "retain a"}));
}

TEST(Priority, ChildKeepsItsIdentityWhenItsPriorityChanges) {  // A56.4
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kFailed);
  o.Report("b", kReady);
  uint64_t b = o.TokenOf("b");
  EXPECT_EQ(o.Update({"b", "c"}), (Log{"update b", "retain a"}));
  EXPECT_EQ(o.TokenOf("b"), b);
  EXPECT_EQ(o.Current(), "b");
}

TEST(Priority, NameThatAppearsTwiceIsOneChild) {
  Owner o;
  EXPECT_EQ(o.Update({"a", "a", "b"}), (Log{"create a", "publish a CONNECTING"}));
  EXPECT_EQ(o.Report("a", kFailed), (Log{"create b", "publish b CONNECTING"}));
  EXPECT_EQ(o.Update({"b", "a", "b", "a"}), (Log{"update b", "update a"}));
}

// Failover timer

TEST(Priority, FailoverTimerStartsWhenTheChildIsCreated) {  // A56.18
  Owner o;
  o.Update({"a", "b"});
  EXPECT_EQ(o.UntilDeadline(), 10 * GXDS_SECOND);
  EXPECT_EQ(o.Pass(10 * GXDS_SECOND - 1), Log{});
  EXPECT_EQ(o.Pass(1), (Log{"create b", "publish b CONNECTING"}));
}

TEST(Priority, TimesAreThoseOfTheSpecification) {  // A56.10, A56.15
  EXPECT_EQ(GXDS_PRIORITY_FAILOVER_DEFAULT, 10 * GXDS_SECOND);
  EXPECT_EQ(GXDS_PRIORITY_RETENTION, 900 * GXDS_SECOND);
}

TEST(Priority, FailoverTimeoutIsTheOwners) {
  Owner o(GXDS_SECOND);
  o.Update({"a", "b"});
  EXPECT_EQ(o.Pass(GXDS_SECOND), (Log{"create b", "publish b CONNECTING"}));
}

TEST(Priority, FailoverTimerIsCancelledByReadyIdleAndFailure) {  // A56.16
  for (grpc_connectivity_state state : {kReady, kIdle, kFailed}) {
    Owner o;
    o.Update({"a"});
    o.Report("a", state);
    EXPECT_FALSE(o.TimerRuns()) << StateName(state);
  }
}

TEST(Priority, ConnectingDoesNotCancelOrRestartTheFailoverTimer) {  // A56.21
  Owner o;
  o.Update({"a", "b"});
  o.Pass(4 * GXDS_SECOND);
  EXPECT_EQ(o.Report("a", kConnecting), (Log{"publish a CONNECTING"}));
  EXPECT_EQ(o.UntilDeadline(), 6 * GXDS_SECOND);
}

TEST(Priority, FailoverTimerStartsWhenReadyGoesToConnecting) {  // A56.19
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kReady);
  EXPECT_EQ(o.Report("a", kConnecting), (Log{"publish a CONNECTING"}));
  EXPECT_EQ(o.UntilDeadline(), 10 * GXDS_SECOND);
  EXPECT_EQ(o.Pass(10 * GXDS_SECOND), (Log{"create b", "publish b CONNECTING"}));
}

TEST(Priority, FailoverTimerStartsWhenIdleGoesToConnecting) {  // A56.19
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kIdle);
  o.Report("a", kConnecting);
  EXPECT_EQ(o.UntilDeadline(), 10 * GXDS_SECOND);
}

TEST(Priority, FailoverTimerDoesNotStartWhenFailureGoesToConnecting) {  // A56.20
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kReady);
  o.Report("a", kFailed);
  o.Report("b", kFailed);
  o.Report("a", kConnecting);
  EXPECT_FALSE(o.TimerRuns()) << "it failed more recently than it was READY";
}

TEST(Priority, RepeatedConnectingGivesNoMoreTime) {  // A56.21
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kReady);
  o.Report("a", kConnecting);
  o.Pass(10 * GXDS_SECOND);
  o.Report("b", kReady);
  o.Report("a", kConnecting);
  EXPECT_EQ(o.Current(), "b");
  EXPECT_FALSE(o.TimerRuns());
}

TEST(Priority, ExpiredFailoverTimerLeavesTheStateAsReported) {  // A56.17: it only chooses again
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kConnecting);
  o.Pass(10 * GXDS_SECOND);
  EXPECT_EQ(o.Report("b", kFailed), (Log{"publish a CONNECTING"}));
}

TEST(Priority, ZeroTimeoutMovesOnAtTheNextDeadline) {
  Owner o(0);
  o.Update({"a", "b"});
  EXPECT_EQ(o.Pass(0), (Log{"create b", "publish b CONNECTING", "publish a CONNECTING"}));
}

TEST(Priority, EarlyAndRepeatedDeadlinesAreHarmless) {
  Owner o;
  o.Update({"a", "b"});
  for (int i = 0; i < 3; i++) gxds_priority_lb_on_deadline(o.lb(), 1000 * GXDS_SECOND);
  EXPECT_EQ(o.Pass(0), Log{});
  EXPECT_EQ(o.UntilDeadline(), 10 * GXDS_SECOND);
}

// Choice

TEST(Priority, FailoverHappensAtOnceWhenTheChildFails) {  // A56.25
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kReady);
  EXPECT_EQ(o.Report("a", kFailed), (Log{"create b", "publish b CONNECTING"}));
}

TEST(Priority, FailbackHappensAtOnceWhenAHigherChildIsReady) {  // A56.14
  Owner o;
  o.Update({"a", "b", "c"});
  o.Report("a", kFailed);
  o.Report("b", kFailed);
  o.Report("c", kReady);
  EXPECT_EQ(o.Report("b", kReady), (Log{"publish b READY"}));
  EXPECT_EQ(o.Report("a", kReady), (Log{"publish a READY"}));
}

TEST(Priority, FailedChildThatConnectsAgainDoesNotTakeOver) {
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kFailed);
  o.Report("b", kReady);
  EXPECT_EQ(o.Report("a", kConnecting), Log{});
  EXPECT_EQ(o.Current(), "b");
}

TEST(Priority, FirstConnectingChildIsUsedWhenNoneIsUsable) {  // A56.29: the second pass
  Owner o;
  o.Update({"a", "b", "c"});
  o.Report("a", kFailed);
  o.Report("b", kFailed);
  EXPECT_EQ(o.Report("c", kFailed), (Log{"publish c FAILED"}));
  EXPECT_EQ(o.Report("b", kConnecting), (Log{"publish b CONNECTING"}));
  EXPECT_EQ(o.Report("a", kConnecting), (Log{"publish a CONNECTING"}));
}

TEST(Priority, LastChildsPickerIsUsedWhenAllHaveFailed) {  // A56.30
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kFailed);
  EXPECT_EQ(o.Report("b", kFailed), (Log{"publish b FAILED"}));
  EXPECT_EQ(o.Report("a", kFailed), Log{}) << "the one that speaks has said nothing new";
  EXPECT_EQ(o.Report("b", kFailed), (Log{"publish b FAILED"}));
}

TEST(Priority, StateOfAChildThatIsNotInUsePublishesNothing) {  // A56.14
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kFailed);
  o.Report("b", kReady);
  o.Report("a", kReady);
  EXPECT_EQ(o.Report("b", kConnecting), Log{});
  EXPECT_EQ(o.Report("b", kFailed), Log{});
}

TEST(Priority, NewPickerOfTheChildInUseIsPublished) {
  Owner o;
  o.Update({"a"});
  o.Report("a", kReady);
  EXPECT_EQ(o.Report("a", kReady), (Log{"publish a READY"}));
}

TEST(Priority, LateReportsOfARemovedChildAreDropped) {
  Owner o;
  o.Update({"a"});
  uint64_t a = o.TokenOf("a");
  o.Update({"b"});
  o.Report("b", kFailed);
  o.Pass(GXDS_PRIORITY_RETENTION);
  ASSERT_EQ(o.TokenOf("a"), 0u);
  EXPECT_EQ(o.ReportToken(a, kReady), Log{});
  EXPECT_EQ(o.Current(), "b");
}

TEST(Priority, ShutdownStateIsIgnored) {
  Owner o;
  o.Update({"a"});
  EXPECT_EQ(o.Report("a", GRPC_CHANNEL_SHUTDOWN), Log{});
}

// Updates

TEST(Priority, NoChoiceBeforeAllChildrenHaveSeenTheUpdate) {  // A56.23: Configuration Updates
  Owner o;
  o.Update({"a", "b", "c"});
  o.Report("a", kFailed);
  o.Report("b", kReady);
  o.ReportsAtOnce("a", kReady);  // during its own update, before b's
  o.ReportsAtOnce("b", kFailed);
  EXPECT_EQ(o.Update({"a", "b", "c"}), (Log{"update a", "update b", "publish a READY"}));
}

TEST(Priority, StateThatAChildReportsWhileItIsCreatedCounts) {
  Owner o;
  o.ReportsAtOnce("a", kFailed);
  o.ReportsAtOnce("b", kFailed);
  o.ReportsAtOnce("c", kReady);
  EXPECT_EQ(o.Update({"a", "b", "c"}), (Log{"create a", "create b", "create c", "publish c READY"}))
      << "one picker for all of it";
}

TEST(Priority, UpdateThatChangesNothingPublishesNothing) {
  Owner o;
  o.Update({"a", "b"});
  o.Report("a", kReady);
  for (int i = 0; i < 10; i++) EXPECT_EQ(o.Update({"a", "b"}), (Log{"update a"}));
}

TEST(Priority, NewHigherPriorityIsTriedFirst) {  // A56.25
  Owner o;
  o.Update({"b"});
  o.Report("b", kReady);
  EXPECT_EQ(o.Update({"a", "b"}), (Log{"update b", "create a", "publish a CONNECTING"}));
  EXPECT_EQ(o.Report("a", kFailed), (Log{"publish b READY"}));
}

TEST(Priority, NewLowerPriorityIsNotTouched) {  // A56.8
  Owner o;
  o.Update({"a"});
  o.Report("a", kReady);
  EXPECT_EQ(o.Update({"a", "b"}), (Log{"update a"}));
  EXPECT_EQ(o.Children(), (Log{"a"}));
}

// The choice is idempotent (A56): after any history, the published state follows from the current
// states by the rules.
TEST(Priority, ChoiceIsAFunctionOfTheStates) {  // A56.24
  std::mt19937 random(7);
  const std::vector<std::string> all = {"a", "b", "c", "d"};
  for (int run = 0; run < 50; run++) {
    Owner o;
    std::map<uint64_t, grpc_connectivity_state> states;  // by token: a name may come back
    auto state_of = [&](const std::string& name) {
      auto it = states.find(o.TokenOf(name));
      return it == states.end() ? kConnecting : it->second;
    };
    std::vector<std::string> names;
    for (int step = 0; step < 200; step++) {
      switch (random() % 8) {
        case 0:
          names.clear();
          for (const auto& name : all) {
            if (random() % 3) names.push_back(name);
          }
          std::shuffle(names.begin(), names.end(), random);
          o.Update(names);
          break;
        case 1:
          o.Pass(GXDS_SECOND * (random() % 1000));
          break;
        default: {
          auto children = o.Children();
          if (children.empty()) break;
          const auto& name = children[random() % children.size()];
          auto state = static_cast<grpc_connectivity_state>(random() % 4);
          states[o.TokenOf(name)] = state;
          o.Report(name, state);
        }
      }
      if (names.empty()) continue;
      std::string current = o.Current();
      ASSERT_NE(current, "");
      for (const auto& name : names) {
        if (name == current) break;
        ASSERT_NE(o.TokenOf(name), 0u) << "all before the one in use exist";
        ASSERT_NE(state_of(name), kReady) << name;
        ASSERT_NE(state_of(name), kIdle) << name;
      }
      ASSERT_EQ(o.published(), current + " " + StateName(state_of(current)));
    }
  }
}

// The share of a child

class Share : public ::testing::Test {
 protected:
  Share() {
    for (size_t i = 0; i < 3; i++) {
      gxds_str zone = gxds_str_z(i == 0 ? "x" : i == 1 ? "y" : "z");
      localities_[i] = gxds_locality_create(gxds_str_z("r"), zone, gxds_str_z(""), 1, i);
    }
  }
  ~Share() override {
    for (const auto* l : localities_) gxds_locality_unref(l);
  }
  static gxds_priority_share Of(const gxds_priority* p, const char* note = "") {
    return {&kConfig, true, p, gxds_str_z(note)};
  }

  static const int kConfig;
  const gxds_locality* localities_[3];  // the first has no endpoints
};
const int Share::kConfig = 0;

TEST_F(Share, SameLocalitiesInAnotherResourceAreTheSame) {
  const gxds_locality* copy[] = {localities_[1], localities_[2]};
  gxds_priority before = {&localities_[1], 2};
  gxds_priority after = {copy, 2};
  gxds_priority_share a = Of(&before);
  gxds_priority_share b = Of(&after);
  EXPECT_TRUE(gxds_priority_share_same(&a, &b));
}

TEST_F(Share, LocalityOfAnotherPointerIsAChange) {
  const gxds_locality* other[] = {localities_[1], localities_[1]};
  gxds_priority before = {&localities_[1], 2};
  gxds_priority after = {other, 2};
  gxds_priority_share a = Of(&before);
  gxds_priority_share b = Of(&after);
  EXPECT_FALSE(gxds_priority_share_same(&a, &b));
}

TEST_F(Share, LocalityMoreOrLessIsAChange) {
  gxds_priority two = {&localities_[1], 2};
  gxds_priority one = {&localities_[1], 1};
  gxds_priority_share a = Of(&two);
  gxds_priority_share b = Of(&one);
  gxds_priority_share c = Of(nullptr);
  EXPECT_FALSE(gxds_priority_share_same(&a, &b));
  EXPECT_FALSE(gxds_priority_share_same(&b, &a));
  EXPECT_FALSE(gxds_priority_share_same(&b, &c));
  EXPECT_TRUE(gxds_priority_share_same(&c, &c));
}

TEST_F(Share, AnotherConfigIsAChange) {
  gxds_priority p = {&localities_[1], 2};
  gxds_priority_share a = Of(&p);
  gxds_priority_share b = a;
  b.config = &b;
  EXPECT_FALSE(gxds_priority_share_same(&a, &b));
}

TEST_F(Share, NoteCountsOnlyWhereALocalityHasNoEndpoint) {
  gxds_priority full = {&localities_[1], 2};
  gxds_priority half = {&localities_[0], 2};
  gxds_priority none = {&localities_[0], 0};
  const struct {
    const gxds_priority* localities;
    bool same;
  } cases[] = {{&full, true}, {&half, false}, {&none, false}, {nullptr, false}};
  for (const auto& c : cases) {
    gxds_priority_share a = Of(c.localities, "one");
    gxds_priority_share b = Of(c.localities, "two");
    EXPECT_EQ(gxds_priority_share_same(&a, &b), c.same);
    EXPECT_TRUE(gxds_priority_share_same(&a, &a));
  }
}

TEST_F(Share, ChildWithoutASliceIsAlwaysUpdated) {
  gxds_priority_share a = Of(nullptr);
  a.from_slice = false;
  EXPECT_FALSE(gxds_priority_share_same(&a, &a));
}

TEST(PriorityStatus, EmptyListNamesTheClusterAndTheReason) {  // A56.26
  struct {
    const char *cluster, *note, *message;
  } cases[] = {
      {"", "", "priority policy has empty priority list"},
      {"foo", "", "priority policy has empty priority list: cluster foo"},
      {"foo", "no such resource",
       "priority policy has empty priority list: cluster foo: no such resource"},
      {"", "why", "priority policy has empty priority list: why"},
  };
  for (const auto& c : cases) {
    gxds_status s = gxds_priority_empty_status(gxds_str_z(c.cluster), gxds_str_z(c.note));
    EXPECT_EQ(s.code, GXDS_UNAVAILABLE);
    EXPECT_STREQ(s.message.data, c.message);
    gxds_status_fini(&s);
  }
}

}  // namespace
