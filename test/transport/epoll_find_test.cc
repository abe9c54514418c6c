#include "transport/epoll_find.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

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

}  // namespace
}  // namespace grpc_xds
