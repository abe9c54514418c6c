#include "transport/waiter.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "test/support/host_seam.h"
#include "test/transport/on_reactor.h"
#include "transport/clock.h"
#include "transport/host_epoll.h"

namespace grpc_xds {
namespace {

// A channel to a server that closes the connection, in a program without a thread inside gRPC. The
// failure is noticed only if somebody polls.
class Connecting {
 public:
  Connecting() : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener_, any, size), 0);
    EXPECT_EQ(listen(listener_, 16), 0);
    EXPECT_EQ(getsockname(listener_, any, &size), 0);
    grpc_channel_credentials* creds = grpc_insecure_credentials_create();
    const std::string target = "ipv4:127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    channel_ = grpc_channel_create(target.c_str(), creds, nullptr);
    grpc_channel_credentials_release(creds);
    grpc_channel_check_connectivity_state(channel_, 1);
    close(accept(listener_, nullptr, nullptr));
  }
  ~Connecting() {
    grpc_channel_destroy(channel_);
    close(listener_);
  }
  bool Failed() {
    return grpc_channel_check_connectivity_state(channel_, 0) == GRPC_CHANNEL_TRANSIENT_FAILURE;
  }

 private:
  const int listener_;
  grpc_channel* channel_;
};

constexpr gxds_time kPast = 1;

gxds_time Patience() { return gxds_clock_now() + std::chrono::nanoseconds(kPatience).count(); }

// The test's thread waits.
class WaiterTest : public testing::Test {
 protected:
  WaiterTest() {
    grpc_init();
    set_ = gxds_host_epoll();
    waiter_ = gxds_waiter_create(&woken_);
  }
  ~WaiterTest() override {
    gxds_waiter_destroy(waiter_);
    grpc_shutdown_blocking();
  }

  bool HasEvents(int timeout = 0) const {
    pollfd set = {set_, POLLIN, 0};
    return poll(&set, 1, timeout) == 1;
  }
  // Carries out one step, without waiting.
  gxds_completion* Step() { return gxds_waiter_wait(waiter_, kPast); }
  // Lets time pass. Only the time in which the waiter waits counts for its steps.
  gxds_completion* WaitBriefly() {
    return gxds_waiter_wait(waiter_, gxds_clock_now() + GXDS_MILLISECOND);
  }
  // Tells the waiter that a call begins, as the reactor does.
  void BeginCall() {
    ASSERT_TRUE(gxds_waiter_must_make_way());
    gxds_waiter_wake();
    ASSERT_EQ(gxds_waiter_wait(waiter_, Patience()), &woken_);
  }

  int set_;
  gxds_completion woken_{};
  gxds_waiter* waiter_;
};

TEST_F(WaiterTest, TheHostIsPolledOrPollsByItself) {
  EXPECT_EQ(gxds_host_epoll() >= 0, gxds_test::kHostIsPolled);
}

TEST_F(WaiterTest, HandlesEventsWhileTheProgramMakesNoCalls) {
  if (!gxds_test::kHostIsPolled) GTEST_SKIP();
  for (int i = 0; i < 5; ++i) {
    Connecting channel;
    EXPECT_TRUE(WaitUntil([&] { return Step() == nullptr && channel.Failed(); }));
  }
}

TEST_F(WaiterTest, LeavesEventsToTheThreadOfACall) {
  if (!gxds_test::kHostIsPolled) GTEST_SKIP();
  BeginCall();
  Connecting channel;
  ASSERT_TRUE(HasEvents(-1));
  EXPECT_EQ(Step(), nullptr);
  EXPECT_TRUE(HasEvents());
}

TEST_F(WaiterTest, HandlesEventsThatTheProgramLeaves) {
  if (!gxds_test::kHostIsPolled) GTEST_SKIP();
  BeginCall();
  Connecting channel;
  EXPECT_TRUE(WaitUntil([&] { return WaitBriefly() == nullptr && channel.Failed(); }));
}

TEST_F(WaiterTest, ACallIsNoticedOnceInEachStay) {
  if (!gxds_test::kHostIsPolled) GTEST_SKIP();
  BeginCall();
  EXPECT_FALSE(gxds_waiter_must_make_way());
  // After a while without events it stays again.
  bool stays = false;
  EXPECT_TRUE(
      WaitUntil([&] { return WaitBriefly() == nullptr && (stays = gxds_waiter_must_make_way()); }));
}

// A reactor may start while the one before it ends.
TEST_F(WaiterTest, ACallIsNoticedThoughAnEarlierWaiterEndsDuringTheStay) {
  if (!gxds_test::kHostIsPolled) GTEST_SKIP();
  gxds_waiter* earlier = std::exchange(waiter_, gxds_waiter_create(&woken_));
  gxds_waiter_destroy(earlier);
  EXPECT_TRUE(gxds_waiter_must_make_way());
}

// First it waits inside the host, then outside.
TEST_F(WaiterTest, EachWakeUpComesOnceAndAtOnce) {
  constexpr int kWakes = 20000;
  for (bool call : {false, true}) {
    if (call && set_ >= 0) BeginCall();
    std::atomic<int> sent{0}, taken{0};
    std::thread waker([&] {
      for (int i = 0; i < kWakes; ++i) {
        while (taken != i) {
        }
        gxds_waiter_wake();
        sent = i + 1;
      }
    });
    int late = 0;
    for (int i = 0; i < kWakes; ++i) {
      const gxds_time deadlines[] = {kPast, 0, Patience()};
      gxds_completion* c = nullptr;
      for (int wait = 0; !c; ++wait) {
        const bool was_sent = sent > i;
        c = gxds_waiter_wait(waiter_, deadlines[wait % (i % 3 == 2 ? 3 : 2)]);
        late += was_sent && !c;
      }
      EXPECT_EQ(c, &woken_);
      taken = i + 1;
    }
    waker.join();
    EXPECT_EQ(late, 0) << "a wait after the wake-up must return it";
    EXPECT_EQ(Step(), nullptr);
  }
}

}  // namespace
}  // namespace grpc_xds
