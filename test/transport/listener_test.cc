// A listening socket with a thread of its own. Many clients connect at once, and the program may
// close the socket.
#include "transport/listener.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

namespace {

bool AChildHas(int fd) {
  const pid_t pid = fork();
  if (pid == 0) _exit(fcntl(fd, F_GETFD) == -1 ? 0 : 1);
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WEXITSTATUS(status) == 1;
}

const gxds_service kEcho = {
    [](gxds_str request) { return request.size > 0; },
    [](int, gxds_str request, gxds_http_response *out) { gxds_text_add(&out->head, request); }};

// A listening socket whose name the kernel picks.
int Listen(sockaddr_un *address, socklen_t *size) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  *address = {};
  address->sun_family = AF_UNIX;
  EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr *>(address), sizeof(sa_family_t)), 0);
  EXPECT_EQ(listen(fd, 16), 0);
  *size = sizeof *address;
  EXPECT_EQ(getsockname(fd, reinterpret_cast<sockaddr *>(address), size), 0);
  return fd;
}

TEST(Listener, SixteenWithoutARequestKeepNobodyWaiting) {
  sockaddr_un address;
  socklen_t size;
  const int listening = Listen(&address, &size);
  const char *why = nullptr;
  ASSERT_TRUE(gxds_listener_start(listening, &kEcho, &why)) << why;
  const auto connect_to = [&] {
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr *>(&address), size), 0);
    return fd;
  };
  const auto is_answered = [&] {
    const int fd = connect_to();
    char buffer[4] = {};
    const bool answered = send(fd, "x", 1, 0) == 1 && read(fd, buffer, sizeof buffer) == 1 &&
                          read(fd, buffer, sizeof buffer) == 0;
    close(fd);
    return answered;
  };
  std::vector<int> idle;
  for (int i = 0; i < GXDS_CONNECTIONS_MAX - 1; i++) idle.push_back(connect_to());
  EXPECT_TRUE(is_answered());
  char byte;
  for (int fd : idle) EXPECT_EQ(recv(fd, &byte, 1, MSG_DONTWAIT), -1) << "its time was over";
  idle.push_back(connect_to());
  EXPECT_TRUE(is_answered());
  for (int fd : idle) close(fd);
}

// The program has closed the socket, and a file of the program's has got its number.
TEST(ListenerFork, AChildOfAForkKeepsWhatTookTheNumberOfAListener) {
  sockaddr_un address;
  socklen_t size;
  const int listening = Listen(&address, &size);
  const char *why = nullptr;
  ASSERT_TRUE(gxds_listener_start(listening, &kEcho, &why)) << why;
  EXPECT_EQ(AChildHas(listening), false);
  ASSERT_EQ(dup2(STDOUT_FILENO, listening), listening);
  EXPECT_EQ(AChildHas(listening), true);
}

}  // namespace
