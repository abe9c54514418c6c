// The socket of `xds status`, in processes of the test's own: each scenario is the child of a fork,
// whose exit status is its result.
#include "transport/status_socket.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "test/support/child.h"

namespace {
bool g_is_gvisor = false;
}  // namespace

// Replaces libc's connect(): gVisor has the same error for a socket of another type as for one that
// no process has.
extern "C" int connect(int fd, const sockaddr* address, socklen_t size) {
  static const auto real = reinterpret_cast<decltype(&connect)>(dlsym(RTLD_NEXT, "connect"));
  const int result = real(fd, address, size);
  if (g_is_gvisor && result != 0 && errno == EPROTOTYPE) errno = ECONNREFUSED;
  return result;
}

namespace {

// A socket's path has at most 107 bytes. The path of a test's folder may be longer.
[[maybe_unused]] const int g_in_a_short_folder = setenv("TEST_TMPDIR", "/tmp", 1);

using gxds_test::TempDir;

int InAProcess(const std::function<int()>& scenario) {
  pid_t pid = fork();
  if (pid == 0) exit(scenario());  // runs the library's exit handlers
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

sockaddr_un Address(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

// Everything that the socket sends; "refused" if nobody listens, "gone" if there is no socket.
std::string Request(const std::string& path) {
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = Address(path);
  std::string answer;
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    char part[256];
    for (ssize_t got; (got = read(fd, part, sizeof part)) > 0;) {
      answer.append(part, static_cast<size_t>(got));
    }
  } else {
    answer = errno == ENOENT ? "gone" : errno == ECONNREFUSED ? "refused" : strerror(errno);
  }
  close(fd);
  return answer;
}

void LeaveASocketBehind(const std::string& path) {
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = Address(path);
  bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
  close(fd);
}

std::string Path(const std::string& dir) { return dir + "/" + std::to_string(getpid()) + ".sock"; }

// Waits until all other threads are idle. A busy thread may hold memory or locks of a sanitizer,
// which would be held forever in a child that is forked then.
bool AwaitIdleThreads() {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < until) {
    bool idle = true;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      if (task.path().filename() == std::to_string(gettid())) continue;
      std::ifstream in(task.path() / "stat");
      std::string stat;
      std::getline(in, stat);
      idle = idle && stat.find(") S ") != std::string::npos;
    }
    if (idle) return true;
    sched_yield();
  }
  return false;
}

const char kNoClients[] = "grpc_xds status 0\n";

TEST(StatusSocket, IsThereOnlyWhenConfigured) {
  TempDir dir;
  EXPECT_EQ(InAProcess([&] {
              unsetenv("GRPC_XDS_STATUS_DIR");
              gxds_status_socket_start();
              return Request(Path(dir.path())) == "gone" ? 0 : 1;
            }),
            0);
}

TEST(StatusSocket, IsTheUsersOwnAndGoesWithTheProcess) {
  TempDir dir;
  const std::string made = dir.path() + "/made";
  std::string path;
  EXPECT_EQ(InAProcess([&] {
              setenv("GRPC_XDS_STATUS_DIR", made.c_str(), 1);
              umask(0);
              gxds_status_socket_start();
              gxds_status_socket_start();  // like the next client
              struct stat info;
              if (stat(made.c_str(), &info) != 0 || (info.st_mode & 0777) != 0700) return 1;
              if (stat(Path(made).c_str(), &info) != 0 || (info.st_mode & 0777) != 0600) return 2;
              return Request(Path(made)) == kNoClients ? 0 : 3;
            }),
            0);
  EXPECT_EQ(rmdir(made.c_str()), 0) << "something was left";
}

TEST(StatusSocket, WhatAKilledProcessLeftIsReplaced) {
  TempDir dir;
  EXPECT_EQ(InAProcess([&] {
              setenv("GRPC_XDS_STATUS_DIR", dir.path().c_str(), 1);
              LeaveASocketBehind(Path(dir.path()));
              if (Request(Path(dir.path())) != "refused") return 1;
              gxds_status_socket_start();
              return Request(Path(dir.path())) == kNoClients ? 0 : 2;
            }),
            0);
}

// The id of a process that has ended.
pid_t DeadPid() {
  pid_t pid = fork();
  if (pid == 0) _exit(0);
  waitpid(pid, nullptr, 0);
  return pid;
}

TEST(StatusSocket, WhatOtherKilledProcessesLeftIsRemoved) {
  TempDir dir;
  const auto socket_of = [&](pid_t pid) {
    return dir.path() + "/" + std::to_string(pid) + ".sock";
  };
  const pid_t dead = DeadPid();
  const pid_t in_another_container = DeadPid();  // its id is not known here
  const std::string other = dir.path() + "/other.sock";
  LeaveASocketBehind(socket_of(dead));
  LeaveASocketBehind(socket_of(getpid()));
  LeaveASocketBehind(other);
  const int bound = socket(AF_UNIX, SOCK_STREAM, 0);
  const sockaddr_un address = Address(socket_of(in_another_container));
  ASSERT_EQ(bind(bound, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(InAProcess([&] {
              setenv("GRPC_XDS_STATUS_DIR", dir.path().c_str(), 1);
              gxds_status_socket_start();
              return 0;
            }),
            0);
  EXPECT_EQ(Request(socket_of(dead)), "gone");
  EXPECT_EQ(Request(socket_of(getpid())), "refused") << "the process runs";
  EXPECT_EQ(Request(other), "refused") << "this is no socket of this library";
  EXPECT_EQ(Request(socket_of(in_another_container)), "refused") << "it is about to listen";
  close(bound);
}

// For example, the socket belongs to another container, which shares the directory but not the
// process ids.
TEST(StatusSocket, OneThatIsInUseIsLeftAlone) {
  TempDir dir;
  EXPECT_EQ(InAProcess([&] {
              setenv("GRPC_XDS_STATUS_DIR", dir.path().c_str(), 1);
              int fd = socket(AF_UNIX, SOCK_STREAM, 0);
              sockaddr_un address = Address(Path(dir.path()));
              if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return 1;
              if (listen(fd, 1) != 0) return 2;
              gxds_status_socket_start();
              return access(address.sun_path, F_OK) == 0 ? 0 : 3;
            }),
            0);
}

TEST(StatusSocket, OneThatIsInUseIsLeftAloneInGvisorToo) {
  const pid_t in_another_container = DeadPid();  // its id is not known here
  for (const bool own_id : {true, false}) {
    TempDir dir;
    EXPECT_EQ(InAProcess([&] {
                g_is_gvisor = true;
                setenv("GRPC_XDS_STATUS_DIR", dir.path().c_str(), 1);
                const pid_t pid = own_id ? getpid() : in_another_container;
                const std::string path = dir.path() + "/" + std::to_string(pid) + ".sock";
                int fd = socket(AF_UNIX, SOCK_STREAM, 0);
                sockaddr_un address = Address(path);
                if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return 1;
                if (listen(fd, 1) != 0) return 2;
                gxds_status_socket_start();
                struct stat info;
                if (stat(path.c_str(), &info) != 0) return 3;
                close(fd);
                return Request(path) == "refused" ? 0 : 4;  // it is the same socket
              }),
              0)
        << own_id;
  }
}

TEST(StatusSocket, ADirectoryThatOthersMayWriteIntoIsRefused) {
  TempDir dir;
  EXPECT_EQ(InAProcess([&] {
              setenv("GRPC_XDS_STATUS_DIR", dir.path().c_str(), 1);
              if (chmod(dir.path().c_str(), 0777) != 0) return 1;
              gxds_status_socket_start();
              return Request(Path(dir.path())) == "gone" ? 0 : 2;
            }),
            0);
}

TEST(StatusSocket, ARelativePathIsRefused) {
  TempDir dir;
  EXPECT_EQ(InAProcess([&] {
              if (chdir(dir.path().c_str()) != 0) return 1;
              setenv("GRPC_XDS_STATUS_DIR", "here", 1);
              gxds_status_socket_start();
              return access("here", F_OK) == 0 ? 2 : 0;
            }),
            0);
}

TEST(StatusSocket, ATooLongPathIsRefused) {
  TempDir dir;
  const std::string far = dir.path() + "/" + std::string(120, 'x');
  EXPECT_EQ(InAProcess([&] {
              setenv("GRPC_XDS_STATUS_DIR", far.c_str(), 1);
              gxds_status_socket_start();
              return 0;
            }),
            0);
}

TEST(StatusSocket, TheChildOfAForkHasItsOwn) {
  TempDir dir;
  EXPECT_EQ(InAProcess([&] {
              setenv("GRPC_XDS_STATUS_DIR", dir.path().c_str(), 1);
              gxds_status_socket_start();
              const std::string parents = Path(dir.path());
              if (Request(parents) != kNoClients || !AwaitIdleThreads()) return 5;
              int child = InAProcess([&] {
                if (Request(Path(dir.path())) != "gone") return 1;
                if (Request(parents) != kNoClients) return 2;
                gxds_status_socket_start();
                return Request(Path(dir.path())) == kNoClients ? 0 : 3;
              });
              if (child != 0) return child;
              return Request(parents) == kNoClients ? 0 : 4;
            }),
            0);
}

// In addition to the socket's mode, the kernel identifies the client's user.
TEST(StatusSocket, OtherUsersGetNothing) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  TempDir dir;
  EXPECT_EQ(InAProcess([&] {
              setenv("GRPC_XDS_STATUS_DIR", dir.path().c_str(), 1);
              gxds_status_socket_start();
              const std::string path = Path(dir.path());
              if (chmod(dir.path().c_str(), 0755) != 0) return 1;
              auto as_another = [&](const std::string& expected) {
                pid_t pid = fork();
                if (pid == 0) {
                  if (setresuid(65534, 65534, 65534) != 0) _exit(9);
                  _exit(Request(path) == expected ? 0 : 1);
                }
                int status = 0;
                waitpid(pid, &status, 0);
                return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
              };
              if (as_another(strerror(EACCES)) != 0) return 2;
              if (chmod(path.c_str(), 0666) != 0) return 3;
              return as_another("") == 0 ? 0 : 4;
            }),
            0);
}

}  // namespace
