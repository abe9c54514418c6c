// Connections that others wait behind, and a listening socket that the program
// closed.
#include "transport/listener.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <string>
#include <thread>

#include "base/time.h"

namespace {

gxds_time In(gxds_duration wait) {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * GXDS_SECOND + now.tv_nsec + wait;
}

bool AChildHas(int fd) {
  const pid_t pid = fork();
  if (pid == 0) _exit(fcntl(fd, F_GETFD) == -1 ? 0 : 1);
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WEXITSTATUS(status) == 1;
}

class Listener : public testing::Test {
 protected:
  Listener() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), 0); }
  ~Listener() override {
    for (int fd : ends_) close(fd);
  }
  int theirs() const { return ends_[1]; }
  gxds_connection Connection(gxds_time until) const { return {ends_[0], until}; }

 private:
  int ends_[2];
};

TEST_F(Listener, WhatComesIsReceivedUntilTheEnd) {
  const gxds_connection c = Connection(GXDS_TIME_NEVER);
  char buffer[8];
  ASSERT_EQ(send(theirs(), "abc", 3, 0), 3);
  EXPECT_EQ(gxds_listener_receive(&c, buffer, 2), 2u);
  EXPECT_EQ(gxds_listener_receive(&c, buffer, sizeof buffer), 1u);
  EXPECT_EQ(buffer[0], 'c');
  shutdown(theirs(), SHUT_WR);
  EXPECT_EQ(gxds_listener_receive(&c, buffer, sizeof buffer), 0u);
}

TEST_F(Listener, WhoSendsLittleByLittleGetsNoMoreTime) {
  std::atomic<bool> over{false};
  std::thread slow([&] {
    while (!over) {
      send(theirs(), "x", 1, MSG_NOSIGNAL);
      std::this_thread::yield();
    }
  });
  const gxds_connection c = Connection(In(20 * GXDS_MILLISECOND));
  char byte;
  while (gxds_listener_receive(&c, &byte, 1) > 0) {
  }
  over = true;
  EXPECT_GE(In(0), c.until);
  // Or it waits for room.
  shutdown(c.fd, SHUT_RD);
  slow.join();
}

TEST_F(Listener, WhoReadsNothingGetsNoMoreTime) {
  const std::string large(8 << 20, 'x');  // more than a socket holds
  const gxds_connection c = Connection(In(20 * GXDS_MILLISECOND));
  gxds_listener_send(&c, {large.data(), large.size()});
  EXPECT_GE(In(0), c.until);
}

TEST_F(Listener, AllIsSentToWhoReads) {
  const std::string large(8 << 20, 'x');
  size_t received = 0;
  std::thread reader([&] {
    char part[65536];
    for (ssize_t got; (got = read(theirs(), part, sizeof part)) > 0;) {
      received += static_cast<size_t>(got);
    }
  });
  const gxds_connection c = Connection(GXDS_TIME_NEVER);
  gxds_listener_send(&c, {large.data(), large.size()});
  shutdown(c.fd, SHUT_WR);
  reader.join();
  EXPECT_EQ(received, large.size());
}

void Refuse(const gxds_connection *) {}

// The program closed the socket, and its number is that of a file of the program's.
TEST(ListenerFork, AChildOfAForkKeepsWhatTookTheNumberOfAListener) {
  const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;  // and no name: the kernel picks one
  ASSERT_EQ(bind(listening, reinterpret_cast<sockaddr *>(&address), sizeof(sa_family_t)), 0);
  ASSERT_EQ(listen(listening, 1), 0);
  const char *why = nullptr;
  ASSERT_TRUE(gxds_listener_start(listening, Refuse, &why)) << why;
  EXPECT_EQ(AChildHas(listening), false);
  ASSERT_EQ(dup2(STDOUT_FILENO, listening), listening);
  EXPECT_EQ(AChildHas(listening), true);
}

}  // namespace
