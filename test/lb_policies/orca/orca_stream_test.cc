// When there is a stream for a backend's load reports, and which listeners receive them (A51).
#include "lb_policies/orca/orca_stream.h"

#include <grpc/status.h>
#include <gtest/gtest.h>

#include <string>

#include "lb_policies/orca/orca_report.h"
#include "test/lb_policies/orca/orca_bytes.h"

namespace {

struct Listener : gxds_load_listener {
  Listener() : gxds_load_listener{} {
    static const gxds_load_listener_ops kOps = {
        [](gxds_load_listener *l) { static_cast<Listener *>(l)->heard += "connection "; },
        [](gxds_load_listener *l, const gxds_orca_report *report) {
          static_cast<Listener *>(l)->heard +=
              std::to_string(static_cast<int>(report->cpu_utilization)) + " ";
        },
        [](gxds_load_listener *) {},
    };
    gxds_ref_init(&refs);
    ops = &kOps;
  }
  std::string heard;
};

class OrcaStream : public ::testing::Test {
 protected:
  ~OrcaStream() override { gxds_orca_stream_unref(stream_); }

  bool Want(Listener *listener, gxds_duration interval) {
    return gxds_orca_stream_want(stream_, listener, interval);
  }
  void Connectivity(grpc_connectivity_state state) {
    gxds_orca_stream_connectivity(stream_, state);
  }
  gxds_duration Interval() { return gxds_orca_stream_interval(stream_); }
  void Message(const std::string &bytes) {
    gxds_orca_stream_message(stream_, gxds_str_of(bytes.data(), bytes.size()));
  }

  gxds_orca_stream *const stream_ = gxds_orca_stream_create();
  Listener one_;
  Listener two_;
};

TEST_F(OrcaStream, IsThereWhileSomebodyWantsReportsAndTheConnectionIsThere) {
  EXPECT_EQ(Interval(), GXDS_TIME_NEVER);
  EXPECT_TRUE(Want(&one_, GXDS_SECOND));
  EXPECT_EQ(Interval(), GXDS_TIME_NEVER) << "nothing is known of the connection";
  Connectivity(GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(Interval(), GXDS_TIME_NEVER);
  Connectivity(GRPC_CHANNEL_READY);
  EXPECT_EQ(Interval(), GXDS_SECOND);
  EXPECT_TRUE(Want(&one_, GXDS_TIME_NEVER));
  EXPECT_EQ(Interval(), GXDS_TIME_NEVER);
}

TEST_F(OrcaStream, RequestsTheShortestIntervalOfItsListeners) {
  Connectivity(GRPC_CHANNEL_READY);
  EXPECT_TRUE(Want(&one_, 3 * GXDS_SECOND));
  EXPECT_FALSE(Want(&two_, 5 * GXDS_SECOND)) << "nothing changes for the stream";
  EXPECT_EQ(Interval(), 3 * GXDS_SECOND);
  EXPECT_TRUE(Want(&two_, 2 * GXDS_SECOND));
  EXPECT_EQ(Interval(), 2 * GXDS_SECOND);
  EXPECT_FALSE(Want(&one_, GXDS_TIME_NEVER));
  EXPECT_TRUE(Want(&two_, 4 * GXDS_SECOND));
  EXPECT_EQ(Interval(), 4 * GXDS_SECOND);
}

TEST_F(OrcaStream, GivesReportsToAllWhoWantThem) {
  Want(&one_, GXDS_SECOND);
  Want(&two_, GXDS_SECOND);
  Message(orca_test::Cpu(7));
  Message("no report");
  Want(&one_, GXDS_TIME_NEVER);
  Message(orca_test::Cpu(8));
  EXPECT_EQ(one_.heard, "7 ");
  EXPECT_EQ(two_.heard, "7 8 ");
}

TEST_F(OrcaStream, ReportsAConnectionThatBreaksAndANewOne) {
  Want(&one_, GXDS_SECOND);
  Connectivity(GRPC_CHANNEL_READY);
  EXPECT_EQ(one_.heard, "") << "it was there already";
  Connectivity(GRPC_CHANNEL_IDLE);
  EXPECT_EQ(one_.heard, "connection ");
  Connectivity(GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(one_.heard, "connection ") << "there was none";
  Connectivity(GRPC_CHANNEL_READY);
  EXPECT_EQ(one_.heard, "connection connection ");
}

TEST_F(OrcaStream, AfterUnimplementedThereIsNoneOnThatConnection) {
  Want(&one_, GXDS_SECOND);
  Connectivity(GRPC_CHANNEL_READY);
  EXPECT_EQ(gxds_orca_stream_ended(stream_, GRPC_STATUS_UNAVAILABLE), nullptr);
  EXPECT_EQ(Interval(), GXDS_SECOND);
  EXPECT_STREQ(gxds_orca_stream_ended(stream_, GRPC_STATUS_UNIMPLEMENTED),
               "Orca stream returned UNIMPLEMENTED; disabling");
  EXPECT_EQ(Interval(), GXDS_TIME_NEVER);
  EXPECT_TRUE(Want(&two_, GXDS_MILLISECOND));
  EXPECT_EQ(Interval(), GXDS_TIME_NEVER);
  Connectivity(GRPC_CHANNEL_IDLE);
  Connectivity(GRPC_CHANNEL_READY);
  EXPECT_EQ(Interval(), GXDS_MILLISECOND) << "the backend may be another";
}

}  // namespace
