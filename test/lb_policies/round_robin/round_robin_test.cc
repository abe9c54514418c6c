#include "lb_policies/round_robin/round_robin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "lb_policies/pace/pace.h"

namespace {

gxds_endpoint Endpoint(int port) {
  gxds_endpoint e = {};
  e.address.ip[0] = 10;
  e.address.port = static_cast<uint16_t>(port);
  e.weight = 1;
  return e;
}

// Carries out the operations on subchannels that are only port numbers, and reads the picks as
// ports.
class RoundRobinTest : public ::testing::Test {
 protected:
  struct Subchannel {
    int port = 0;
    bool asked_to_connect = false;
  };

  ~RoundRobinTest() override { gxds_round_robin_destroy(r_); }

  void Update(const std::vector<int>& ports, bool renew = false) {
    ports_ = ports;
    std::vector<gxds_endpoint> endpoints;
    for (int port : ports) endpoints.push_back(Endpoint(port));
    gxds_locality view = {};
    view.list.full = endpoints.data();
    view.endpoint_count = static_cast<uint32_t>(endpoints.size());
    gxds_round_robin_on_update(r_, &view, renew);
    Drain();
    Start(starts_);
  }
  // Allows that many more subchannels.
  void Start(int count) {
    for (; count > 0 && gxds_round_robin_wanted(r_) > 0; count--) {
      gxds_round_robin_on_start(r_);
      Drain();
    }
  }
  // Reports the state of the subchannel with that port; of several, the one made first.
  void Report(int port, grpc_connectivity_state state) { ReportTo(TokenOf(port), state); }
  void ReportTo(uint64_t token, grpc_connectivity_state state) {
    gxds_round_robin_on_state(r_, token, state);
    Drain();
  }
  void Connect(const std::vector<int>& ports) {
    for (int port : ports) Report(port, GRPC_CHANNEL_READY);
  }

  uint64_t TokenOf(int port) const {
    for (const auto& [token, s] : subchannels_) {
      if (s.port == port) return token;
    }
    ADD_FAILURE() << "no subchannel for " << port;
    return 0;
  }
  // The ports of all subchannels.
  std::vector<int> Made() const {
    std::vector<int> ports;
    for (const auto& [token, s] : subchannels_) ports.push_back(s.port);
    std::sort(ports.begin(), ports.end());
    return ports;
  }

  void Drain() {
    gxds_round_robin_op op;
    while (gxds_round_robin_next(r_, &op)) {
      CarryOut(op);
      gxds_round_robin_validate(r_);
    }
    for (uint64_t member : members_) EXPECT_EQ(subchannels_.count(member), 1u);
  }

  void CarryOut(const gxds_round_robin_op& op) {
    switch (op.kind) {
      case GXDS_ROUND_ROBIN_CREATE: {
        ASSERT_LT(op.position, ports_.size());
        EXPECT_LT(static_cast<uint32_t>(op.endpoint), gxds_round_robin_slot_count(r_));
        const int port = ports_[op.position];
        ++created_;
        order_.push_back(port);
        if (refused_.count(port)) {
          gxds_round_robin_on_refused(r_, op.endpoint);
          break;
        }
        EXPECT_TRUE(subchannels_.insert({op.endpoint, {port, false}}).second) << "token reused";
        break;
      }
      case GXDS_ROUND_ROBIN_CONNECT:
        ASSERT_EQ(subchannels_.count(op.endpoint), 1u);
        subchannels_[op.endpoint].asked_to_connect = true;
        ++connects_;
        break;
      case GXDS_ROUND_ROBIN_RERESOLVE:
        ++reresolutions_;
        break;
      case GXDS_ROUND_ROBIN_PUBLISH:
        ++published_;
        state_ = op.state;
        empty_ = false;
        left_out_ = op.left_out;
        picks_.clear();
        members_.assign(op.members, op.members + op.member_count);
        for (uint64_t member : members_) picks_.push_back(subchannels_.at(member).port);
        break;
      case GXDS_ROUND_ROBIN_PUBLISH_EMPTY:
        ++published_;
        state_ = GRPC_CHANNEL_TRANSIENT_FAILURE;
        empty_ = true;
        picks_.clear();
        members_.clear();
        break;
      case GXDS_ROUND_ROBIN_REMOVE:
        EXPECT_EQ(subchannels_.erase(op.endpoint), 1u);
        break;
    }
  }

  gxds_round_robin* r_ = gxds_round_robin_create();
  int starts_ = 1000;  // granted at each update
  std::vector<int> ports_;
  std::map<int, bool> refused_;  // ports for which no subchannel can be made
  std::map<uint64_t, Subchannel> subchannels_;
  int created_ = 0;
  std::vector<int> order_;  // the ports of created_
  int connects_ = 0;
  int reresolutions_ = 0;
  int published_ = 0;
  bool empty_ = false;
  grpc_connectivity_state state_ = GRPC_CHANNEL_SHUTDOWN;
  std::vector<uint64_t> members_;
  uint32_t left_out_ = 0;
  std::vector<int> picks_;
};

using Ports = std::vector<int>;

TEST_F(RoundRobinTest, NothingIsDoneBeforeTheFirstUpdate) {
  Drain();
  EXPECT_EQ(published_, 0);
}

TEST_F(RoundRobinTest, EachEndpointGetsASubchannelAndAllAreConnecting) {
  Update({1, 2, 3});
  EXPECT_EQ(Made(), (Ports{1, 2, 3}));
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(published_, 1);
}

TEST_F(RoundRobinTest, IdleEndpointConnects) {
  Update({1});
  Report(1, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(connects_, 1);
  EXPECT_EQ(reresolutions_, 0);  // the first report is no change
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(published_, 1);
}

TEST_F(RoundRobinTest, ReadyEndpointsArePickedInTheirOrder) {
  Update({3, 1, 2});
  Connect({1, 3});
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
  EXPECT_EQ(picks_, (Ports{3, 1}));
  Connect({2});
  EXPECT_EQ(picks_, (Ports{3, 1, 2}));
}

TEST_F(RoundRobinTest, LostConnectionIsMadeAgainAndReresolutionIsRequested) {
  Update({1, 2});
  Connect({1, 2});
  Report(1, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(connects_, 1);
  EXPECT_EQ(reresolutions_, 1);
  EXPECT_EQ(picks_, (Ports{2}));
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
  Report(2, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
}

TEST_F(RoundRobinTest, FailedWhenAllHaveFailedAndReportsEachFailureAgain) {
  Update({1, 2});
  Report(1, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
  Report(2, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  const int published = published_;
  Report(1, GRPC_CHANNEL_IDLE);  // its backoff is over
  Report(1, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(published_, published);
  Report(1, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(published_, published + 1);  // its status changed
  EXPECT_GE(connects_, 1);
}

TEST_F(RoundRobinTest, FailedEndpointCountsAsFailedUntilItIsReady) {
  Update({1});
  Report(1, GRPC_CHANNEL_TRANSIENT_FAILURE);
  Report(1, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  Report(1, GRPC_CHANNEL_READY);
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
}

TEST_F(RoundRobinTest, UpdateTouchesOnlyWhatChanged) {
  Update({1, 2, 3, 4});
  Connect({1, 2, 3, 4});
  const auto before = subchannels_;
  const int published = published_;
  Update({1, 2, 3, 4});
  EXPECT_EQ(created_, 4);
  EXPECT_EQ(published_, published);
  Update({1, 2, 9, 4});
  EXPECT_EQ(created_, 5);
  EXPECT_EQ(Made(), (Ports{1, 2, 4, 9}));
  for (int port : {1, 2, 4}) EXPECT_EQ(before.count(TokenOf(port)), 1u) << port;
  EXPECT_EQ(picks_, (Ports{1, 2, 4}));
  Connect({9});
  EXPECT_EQ(picks_, (Ports{1, 2, 9, 4}));
}

TEST_F(RoundRobinTest, EndpointThatIsNotReadyComesAndGoesUnseenByPicks) {
  Update({1, 2, 3});
  Connect({1});
  Report(2, GRPC_CHANNEL_TRANSIENT_FAILURE);
  const int published = published_;
  Update({1, 9, 3});
  EXPECT_EQ(Made(), (Ports{1, 3, 9}));
  EXPECT_EQ(published_, published);
}

TEST_F(RoundRobinTest, AnotherOrderKeepsTheSubchannels) {
  Update({1, 2, 3});
  Connect({1, 2, 3});
  Update({3, 1, 2});
  EXPECT_EQ(created_, 3);
  EXPECT_EQ(picks_, (Ports{3, 1, 2}));
}

TEST_F(RoundRobinTest, SameAddressTwiceIsTwoEndpoints) {
  Update({1, 1, 2});
  EXPECT_EQ(Made(), (Ports{1, 1, 2}));
  for (const auto& [token, s] : std::map<uint64_t, Subchannel>(subchannels_)) {
    ReportTo(token, GRPC_CHANNEL_READY);
  }
  EXPECT_EQ(picks_, (Ports{1, 1, 2}));
  Update({1, 2});
  EXPECT_EQ(Made(), (Ports{1, 2}));
  EXPECT_EQ(picks_, (Ports{1, 2}));
}

TEST_F(RoundRobinTest, ReadyEndpointsStayUntilAReplacementIsReady) {
  Update({1, 2});
  Connect({1, 2});
  Update({3, 4});
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
  EXPECT_EQ(picks_, (Ports{1, 2}));
  Report(3, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(picks_, (Ports{1, 2}));
  Connect({4});
  EXPECT_EQ(picks_, (Ports{4}));
  EXPECT_EQ(Made(), (Ports{3, 4}));
}

TEST_F(RoundRobinTest, ReadyEndpointsGoWhenAllReplacementsFailed) {
  Update({1});
  Connect({1});
  Update({2, 3});
  Report(2, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(picks_, (Ports{1}));
  Report(3, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(Made(), (Ports{2, 3}));
}

TEST_F(RoundRobinTest, EndpointThatLeavesIsDroppedWhenItsConnectionBreaks) {
  Update({1, 2});
  Connect({1, 2});
  Update({3});
  Report(1, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(picks_, (Ports{2}));
  EXPECT_EQ(connects_, 0);
  Report(2, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(Made(), (Ports{3}));
}

TEST_F(RoundRobinTest, EndpointThatLeavesMayComeBack) {
  Update({1, 2});
  Connect({1, 2});
  Update({3});
  Update({2, 3});
  EXPECT_EQ(created_, 3);
  EXPECT_EQ(picks_, (Ports{2}));
  EXPECT_EQ(Made(), (Ports{2, 3}));
}

TEST_F(RoundRobinTest, NoEndpointsFailAtOnceAndAtEachUpdate) {
  Update({1});
  Connect({1});
  Update({});
  EXPECT_TRUE(empty_);
  EXPECT_EQ(Made(), Ports());
  const int published = published_;
  Update({});
  EXPECT_EQ(published_, published + 1);  // the note may have changed
  Update({1});
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
}

TEST_F(RoundRobinTest, RenewMakesAllSubchannelsAnew) {
  Update({1, 2});
  Connect({1, 2});
  const auto before = subchannels_;
  Update({1, 2}, /*renew=*/true);
  EXPECT_EQ(created_, 4);
  EXPECT_EQ(picks_, (Ports{1, 2}));  // the old ones, until one of the new ones is READY
  for (const auto& [token, s] : std::map<uint64_t, Subchannel>(subchannels_)) {
    if (before.count(token) == 0 && s.port == 1) ReportTo(token, GRPC_CHANNEL_READY);
  }
  EXPECT_EQ(picks_, (Ports{1}));
  EXPECT_EQ(Made(), (Ports{1, 2}));
}

TEST_F(RoundRobinTest, EndpointWithoutASubchannelIsLeftOut) {
  refused_[2] = true;
  Update({1, 2});
  Report(1, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_FALSE(empty_);
  Update({2});
  EXPECT_TRUE(empty_);
  Update({2, 3});
  Connect({3});
  EXPECT_EQ(picks_, (Ports{3}));
}

TEST_F(RoundRobinTest, LateReportsAreDropped) {
  Update({1, 2});
  const uint64_t token = TokenOf(1);
  Update({2, 3});
  gxds_round_robin_on_state(r_, token, GRPC_CHANNEL_READY);  // 3 may use its slot
  Drain();
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
}

TEST_F(RoundRobinTest, OneSubchannelIsMadePerStart) {
  starts_ = 0;
  Update({1, 2, 3});
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(created_, 0);
  EXPECT_EQ(gxds_round_robin_wanted(r_), 3u);
  Start(1);
  EXPECT_EQ(Made(), (Ports{1}));
  Connect({1});
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);  // it does not wait for the others
  EXPECT_EQ(picks_, (Ports{1}));
  Start(2);
  EXPECT_EQ(Made(), (Ports{1, 2, 3}));
  EXPECT_EQ(gxds_round_robin_wanted(r_), 0u);
  gxds_round_robin_on_start(r_);
  Drain();
  EXPECT_EQ(created_, 3);
}

TEST_F(RoundRobinTest, FailsOnlyWhenThoseThatWaitForTheirStartHaveFailedToo) {
  starts_ = 1;
  Update({1, 2});
  Report(1, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
  Start(1);
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
  Report(2, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
}

TEST_F(RoundRobinTest, EndpointsThatWaitForTheirStartMayGo) {
  starts_ = 1;
  Update({1, 2});
  starts_ = 0;
  Update({1});
  EXPECT_EQ(created_, 1);
  EXPECT_EQ(gxds_round_robin_wanted(r_), 0u);
  Report(1, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
}

// Endpoints that are left out until picks need them.
class LeftOutTest : public RoundRobinTest {
 protected:
  // first: where to begin, as a part of the endpoints.
  void Limit(uint32_t eager, double first = 0) {
    gxds_round_robin_limit(r_, eager, GXDS_PACE_WINDOW, static_cast<uint64_t>(first * 0x1p64));
  }
  static Ports Upto(int count) {
    Ports ports(static_cast<size_t>(count));
    std::iota(ports.begin(), ports.end(), 1);
    return ports;
  }
};

TEST_F(LeftOutTest, NoMoreThanTheLimitAreTriedOnceOneIsReady) {
  Limit(3);
  starts_ = 2;
  Update({1, 2, 3, 4, 5});
  Connect({1});
  EXPECT_EQ(gxds_round_robin_wanted(r_), 1u);
  Start(10);
  EXPECT_EQ(Made(), (Ports{1, 2, 3}));
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
  EXPECT_EQ(left_out_, 2u);
  gxds_round_robin_on_start(r_);
  Drain();
  EXPECT_EQ(created_, 3) << "a start that comes too late";
}

TEST_F(LeftOutTest, AllAreTriedWhileNoneIsReady) {
  Limit(1);
  starts_ = 1;
  Update({1, 2, 3});
  for (int port : {1, 2, 3}) {
    EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING) << port;
    Report(port, GRPC_CHANNEL_TRANSIENT_FAILURE);
    Start(1);
  }
  EXPECT_EQ(state_, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(left_out_, 0u);
}

TEST_F(LeftOutTest, EndpointThatNeverConnectedIsNotReplaced) {
  Limit(2);
  starts_ = 2;
  Update({1, 2, 3});
  Connect({1});
  Report(2, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(gxds_round_robin_wanted(r_), 0u);
  EXPECT_EQ(state_, GRPC_CHANNEL_READY);
}

TEST_F(LeftOutTest, EndpointThatLostItsConnectionIsReplacedWhenItCannotConnectAgain) {
  Limit(2);
  starts_ = 2;
  Update({1, 2, 3, 4});
  Connect({1, 2});
  Report(2, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(gxds_round_robin_wanted(r_), 0u) << "it connects again";
  Report(2, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(gxds_round_robin_wanted(r_), 1u);
  Start(1);
  EXPECT_EQ(Made(), (Ports{1, 2, 3}));
  Connect({2});
  Report(2, GRPC_CHANNEL_TRANSIENT_FAILURE);
  EXPECT_EQ(gxds_round_robin_wanted(r_), 0u) << "3 replaces it";
  Update({1, 3, 4});
  EXPECT_EQ(gxds_round_robin_wanted(r_), 0u);
}

TEST_F(LeftOutTest, AllAreTriedWhenAllConnectionsAreLost) {
  Limit(2);
  starts_ = 2;
  Update({1, 2, 3, 4, 5});
  Connect({1, 2});
  Report(1, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(gxds_round_robin_wanted(r_), 0u);
  Report(2, GRPC_CHANNEL_IDLE);
  EXPECT_EQ(gxds_round_robin_wanted(r_), 3u);
  EXPECT_EQ(state_, GRPC_CHANNEL_CONNECTING);
  Start(1);
  Connect({1});
  EXPECT_EQ(gxds_round_robin_wanted(r_), 0u);
}

TEST_F(LeftOutTest, EndpointWithoutASubchannelIsReplaced) {
  Limit(2);
  starts_ = 2;
  Update({1, 2, 3});
  Connect({1});
  Update({1, 4, 3, 2});
  refused_[3] = true;
  EXPECT_EQ(Made(), (Ports{1, 2}));
  Update({1, 4, 3});
  Start(1);
  EXPECT_EQ(Made(), (Ports{1, 4}));
  Limit(3);
  Update({1, 4, 3});
  EXPECT_EQ(created_, 4) << "3 is refused";
  Update({1, 4, 3, 5});
  EXPECT_EQ(Made(), (Ports{1, 4, 5}));
}

TEST_F(LeftOutTest, UseTriesMoreUntilNoneIsLeftOut) {
  Limit(10);
  starts_ = 10;
  Update(Upto(200));
  Connect({1});
  gxds_round_robin_on_use(r_);
  Drain();
  const uint32_t step = gxds_round_robin_wanted(r_);
  EXPECT_GE(step, 10u);
  EXPECT_LT(step, 190u);
  Start(1000);
  EXPECT_EQ(Made().size(), 10u + step);
  Connect({2});
  EXPECT_EQ(left_out_, 190u - step);
  const int published = published_;
  gxds_round_robin_on_use(r_);
  Drain();
  EXPECT_EQ(left_out_, 0u);
  EXPECT_EQ(published_, published + 1) << "picks are not counted any more";
  Start(1000);
  EXPECT_EQ(Made().size(), 200u);
  gxds_round_robin_on_use(r_);
  Drain();
  EXPECT_EQ(published_, published + 1);
}

TEST_F(LeftOutTest, OrderBeginsAnywhereAndGoesRound) {
  Limit(2, 0.7);
  Update({1, 2, 3, 4, 5});
  EXPECT_EQ(order_, (Ports{4, 5, 1, 2, 3}));
}

TEST_F(LeftOutTest, OrderIsThatOfTheUpdateIfNoneCanBeLeftOut) {
  Limit(5, 0.7);
  Update({1, 2, 3, 4, 5});
  EXPECT_EQ(order_, (Ports{1, 2, 3, 4, 5}));
}

TEST_F(LeftOutTest, UpdateThatLeavesOutEndpointsMakesAPickerThatCounts) {
  Limit(2);
  Update({1, 2});
  Connect({1, 2});
  EXPECT_EQ(left_out_, 0u);
  const int published = published_;
  Update({1, 2, 3});
  EXPECT_EQ(published_, published + 1);
  EXPECT_EQ(left_out_, 1u);
  EXPECT_EQ(picks_, (Ports{1, 2}));
  Update({1, 2, 3, 4});
  EXPECT_EQ(published_, published + 1) << "it counts already";
  Update({1, 2});
  EXPECT_EQ(published_, published + 2);
  EXPECT_EQ(left_out_, 0u);
  EXPECT_EQ(created_, 2);
}

TEST_F(LeftOutTest, ChangeOfALeftOutEndpointTouchesNothing) {
  Limit(2);
  starts_ = 2;
  Update({1, 2, 3, 4});
  Connect({1, 2});
  const int published = published_;
  starts_ = 1000;
  Update({1, 2, 9, 4});
  EXPECT_EQ(published_, published);
  EXPECT_EQ(created_, 2);
}

// Random differences and states, compared with a model that has the rules of the host's
// round_robin, but no differences.
class RoundRobinModelTest : public RoundRobinTest {
 protected:
  void RandomUpdate() {
    Ports ports = ports_;
    const int changes = Random(4);
    for (int i = 0; i <= changes; i++) {
      const int kind = Random(5);
      if (kind == 0 && !ports.empty()) {
        ports.erase(ports.begin() + Random(static_cast<int>(ports.size())));
      } else if (kind == 1) {
        std::shuffle(ports.begin(), ports.end(), random_);
      } else if (kind == 2 && Random(10) == 0) {
        ports.clear();
      } else {
        ports.insert(ports.begin() + Random(static_cast<int>(ports.size()) + 1), 1 + Random(40));
      }
    }
    std::map<uint64_t, int> before;
    for (const auto& [token, s] : subchannels_) before[token] = s.port;
    Update(ports);
    if (!limited_) CheckKept(before);
    for (auto it = states_.begin(); it != states_.end();) {
      it = subchannels_.count(it->first) ? std::next(it) : states_.erase(it);
    }
  }

  // An endpoint that stays keeps its subchannel: for each port at least the minimum of the old and
  // the new count. (Of two with the same port, one of which is left out, the other may go.)
  void CheckKept(const std::map<uint64_t, int>& before) {
    std::map<int, int> kept, had, wanted;
    for (const auto& [token, s] : subchannels_)
      kept[s.port] += static_cast<int>(before.count(token));
    for (const auto& [token, port] : before) ++had[port];
    for (int port : ports_) ++wanted[port];
    for (const auto& [port, count] : wanted) {
      EXPECT_GE(kept[port], std::min(count, had[port])) << port;
    }
  }

  void RandomReport() {
    if (subchannels_.empty()) return;
    auto it = std::next(subchannels_.begin(), Random(static_cast<int>(subchannels_.size())));
    const uint64_t token = it->first;
    const grpc_connectivity_state states[] = {GRPC_CHANNEL_IDLE, GRPC_CHANNEL_CONNECTING,
                                              GRPC_CHANNEL_READY, GRPC_CHANNEL_READY,
                                              GRPC_CHANNEL_TRANSIENT_FAILURE};
    const grpc_connectivity_state state = states[Random(5)];
    auto& counts_as = states_.insert({token, GRPC_CHANNEL_CONNECTING}).first->second;
    if (counts_as != GRPC_CHANNEL_TRANSIENT_FAILURE || state == GRPC_CHANNEL_READY) {
      counts_as = state == GRPC_CHANNEL_IDLE ? GRPC_CHANNEL_CONNECTING : state;
    }
    ReportTo(token, state);
  }

  // Checks the picks and the state against the existing subchannels.
  void Check() {
    std::map<int, int> wanted;
    for (int port : ports_) ++wanted[port];
    std::map<grpc_connectivity_state, int> counts;
    std::map<int, int> ready;
    for (const auto& [token, s] : subchannels_) {
      auto it = states_.find(token);
      const auto state = it == states_.end() ? GRPC_CHANNEL_CONNECTING : it->second;
      ++counts[state];
      if (state == GRPC_CHANNEL_READY) ++ready[s.port];
    }
    if (counts[GRPC_CHANNEL_READY] > 0) {
      ASSERT_EQ(state_, GRPC_CHANNEL_READY);
      std::map<int, int> picked;
      for (int port : picks_) ++picked[port];
      EXPECT_EQ(picked, ready);
      // With as many subchannels as endpoints, no removed endpoint is left, and the picks have the
      // update's order.
      if (subchannels_.size() == ports_.size()) {
        auto at = ports_.begin();
        for (int port : picks_) {
          at = std::find(at, ports_.end(), port);
          ASSERT_NE(at++, ports_.end()) << "out of order";
        }
      }
    } else if (ports_.empty()) {
      EXPECT_TRUE(empty_);
    } else {
      EXPECT_EQ(state_, counts[GRPC_CHANNEL_CONNECTING] > 0 ? GRPC_CHANNEL_CONNECTING
                                                            : GRPC_CHANNEL_TRANSIENT_FAILURE);
      EXPECT_EQ(subchannels_.size(), ports_.size());
    }
  }

  int Random(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  bool limited_ = false;
  std::mt19937 random_{20261122};
  std::map<uint64_t, grpc_connectivity_state> states_;  // the states as the policy counts them
};

// The same with limits, and with uses at random. Nothing changes but that some endpoints have no
// subchannel while others are READY.
TEST_F(RoundRobinModelTest, RandomLimits) {
  limited_ = true;
  Update({1, 2, 3});
  uint32_t eager = 1;
  int left_out = 0;
  for (int i = 0; i < 20000 && !HasFailure(); i++) {
    if (Random(20) == 0) eager = static_cast<uint32_t>(1 + Random(20));
    gxds_round_robin_limit(r_, eager, GXDS_PACE_WINDOW, random_() * uint64_t{0x100000001});
    if (Random(500) == 0) {
      gxds_round_robin_on_use(r_);
      Drain();
    } else if (Random(4) == 0) {
      RandomUpdate();
    } else {
      RandomReport();
    }
    Start(1000);
    for (auto it = states_.begin(); it != states_.end();) {
      it = subchannels_.count(it->first) ? std::next(it) : states_.erase(it);
    }
    Check();
    EXPECT_GE(subchannels_.size(), std::min<size_t>(eager, ports_.size()));
    if (state_ == GRPC_CHANNEL_READY && left_out_ > 0) left_out++;
  }
  EXPECT_GT(left_out, 1000) << "they would prove little";
}

TEST_F(RoundRobinModelTest, RandomDifferencesAndStates) {
  Update({1, 2, 3});
  for (int i = 0; i < 20000 && !HasFailure(); i++) {
    if (Random(4) == 0) {
      RandomUpdate();
    } else {
      RandomReport();
    }
    for (auto it = states_.begin(); it != states_.end();) {
      it = subchannels_.count(it->first) ? std::next(it) : states_.erase(it);
    }
    Check();
  }
}

}  // namespace
