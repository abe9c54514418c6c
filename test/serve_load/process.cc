#include "test/serve_load/process.h"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace gxds_serve_load {
namespace {

std::string ReadProc(pid_t pid, const char* file) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/" + file);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

uint16_t PeerPort(int fd) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return 0;
  if (peer.ss_family == AF_INET) return ntohs(reinterpret_cast<sockaddr_in&>(peer).sin_port);
  if (peer.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6&>(peer).sin6_port);
  return 0;
}

}  // namespace

double ResidentMb(pid_t pid) {
  const std::string pages = ReadProc(pid, "statm");
  const size_t space = pages.find(' ');
  if (space == std::string::npos) return 0;
  return std::stod(pages.substr(space)) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

double CpuSeconds(pid_t pid) {
  const std::string stat = ReadProc(pid, "stat");
  size_t at = stat.rfind(')');  // the program's name may hold anything
  if (at == std::string::npos) return 0;
  // After the name: state, ten fields, utime, stime.
  for (int i = 0; i < 12; i++) at = stat.find(' ', at + 1);
  size_t used;
  const double user = std::stod(stat.substr(at), &used);
  const double system = std::stod(stat.substr(at + used));
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

Connections ConnectionsTo(uint16_t port) {
  Connections connections;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int fd = std::stoi(entry.path().filename());
    if (PeerPort(fd) != port) continue;
    tcp_info info{};
    socklen_t size = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) continue;
    connections.count++;
    connections.received += info.tcpi_bytes_received;
  }
  return connections;
}

void RaiseFileLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace gxds_serve_load
