#include "transport/cut_off.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace grpc_xds {
namespace {

// The descriptor that close_some closes.
int g_closes = -1;

TEST(CutOff, PutsAConnectionThatItsPeerHasClosedIntoThePlaceOfAClosedSocket) {
  int closed[2], kept[2], pipe_ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, closed), 0);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, kept), 0);
  ASSERT_EQ(pipe(pipe_ends), 0);
  g_closes = closed[0];
  gxds_cut_off_closed([] { close(g_closes); });
  char byte = 'x';
  EXPECT_EQ(read(closed[0], &byte, 1), 0) << "the number is in use, and nobody writes to it";
  EXPECT_LT(send(closed[0], &byte, 1, MSG_NOSIGNAL), 0);
  EXPECT_EQ(read(closed[1], &byte, 1), 0) << "what it was is closed";
  // Other sockets still work.
  EXPECT_EQ(write(kept[0], "k", 1), 1);
  EXPECT_EQ(read(kept[1], &byte, 1), 1);
  EXPECT_EQ(byte, 'k');
  // If the descriptor is no socket, its number becomes free.
  g_closes = pipe_ends[1];
  gxds_cut_off_closed([] { close(g_closes); });
  EXPECT_EQ(read(pipe_ends[0], &byte, 1), 0);
  EXPECT_LT(close(pipe_ends[1]), 0);
  for (const int fd : {closed[0], closed[1], kept[0], kept[1], pipe_ends[0]}) close(fd);
}

}  // namespace
}  // namespace grpc_xds
