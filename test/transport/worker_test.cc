#include "transport/worker.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <string>

#include "test/support/host_seam.h"
#include "test/transport/on_reactor.h"
#include "transport/epoll_find.h"
#include "transport/host_epoll.h"

namespace grpc_xds {
namespace {

TEST(EpollFind, FindsTheSetThatWatchesAFile) {
  const int other = epoll_create1(0), set = epoll_create1(0);
  const int file = eventfd(0, 0), unwatched = eventfd(0, 0);
  epoll_event event{};
  ASSERT_EQ(epoll_ctl(other, EPOLL_CTL_ADD, unwatched, &event), 0);
  EXPECT_EQ(gxds_epoll_find(file), -1);
  ASSERT_EQ(epoll_ctl(set, EPOLL_CTL_ADD, file, &event), 0);
  EXPECT_EQ(gxds_epoll_find(file), set);
  EXPECT_EQ(gxds_epoll_find(unwatched), other);
  EXPECT_EQ(gxds_epoll_find(-1), -1);
  for (int fd : {other, set, file, unwatched}) close(fd);
}

TEST(EpollFind, CutOffSocketsAreAtTheirEndAndOtherFilesStay) {
  const int set = epoll_create1(0), file = eventfd(1, 0);
  int watched[2], unwatched[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, watched), 0);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, unwatched), 0);
  epoll_event event{};
  for (int fd : {file, watched[0]}) ASSERT_EQ(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event), 0);
  const int shared = dup(watched[0]);  // like the copy in the parent of a fork
  gxds_epoll_cut_off(set);
  char byte = 1;
  EXPECT_EQ(recv(watched[0], &byte, 1, 0), 0);
  EXPECT_EQ(send(watched[0], &byte, 1, MSG_NOSIGNAL), -1);
  EXPECT_EQ(errno, EPIPE);
  for (int fd : {shared, unwatched[0]}) EXPECT_EQ(send(fd, &byte, 1, MSG_NOSIGNAL), 1);
  eventfd_t count = 0;
  EXPECT_EQ(eventfd_read(file, &count), 0);
  EXPECT_EQ(count, 1u);
  for (int fd : {set, file, shared, watched[0], watched[1], unwatched[0], unwatched[1]}) close(fd);
}

timespec Limit() {
  timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += kPatience.count();
  return limit;
}

class WorkerTest : public testing::Test {
 protected:
  WorkerTest() { grpc_init(); }
  ~WorkerTest() override { grpc_shutdown_blocking(); }
};

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

TEST_F(WorkerTest, TheHostIsPolledOrPollsByItself) {
  EXPECT_EQ(gxds_host_epoll() >= 0, gxds_test::kHostIsPolled);
}

TEST_F(WorkerTest, PollsWhenNobodyElseDoes) {
  if (!gxds_test::kHostIsPolled) GTEST_SKIP();
  const int set = gxds_host_epoll();
  ASSERT_GE(set, 0);
  gxds_worker* worker = gxds_worker_create(set);
  for (int i = 0; i < 5; ++i) {
    Connecting channel;
    EXPECT_TRUE(WaitUntil([&] { return channel.Failed(); }));
  }
  gxds_worker_destroy(worker);
}

TEST_F(WorkerTest, DoesNotPollWhileItIsParked) {
  if (!gxds_test::kHostIsPolled) GTEST_SKIP();
  gxds_worker* worker = gxds_worker_create(gxds_host_epoll());
  const timespec limit = Limit();
  EXPECT_TRUE(gxds_worker_park(worker, &limit));
  EXPECT_TRUE(gxds_worker_park(worker, &limit));
  {
    Connecting channel;
    pollfd set = {gxds_host_epoll(), POLLIN, 0};
    EXPECT_EQ(poll(&set, 1, -1), 1);
    gxds_worker_resume(worker);
    EXPECT_FALSE(channel.Failed());
    gxds_worker_resume(worker);
    EXPECT_TRUE(WaitUntil([&] { return channel.Failed(); }));
  }
  gxds_worker_destroy(worker);
}

}  // namespace
}  // namespace grpc_xds
