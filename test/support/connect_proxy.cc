#include "test/support/connect_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"

namespace gxds_test {

namespace {

int Listen(int* port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  GXDS_CHECK(bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0);
  GXDS_CHECK(listen(fd, 100) == 0);
  GXDS_CHECK(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  *port = ntohs(address.sin_port);
  return fd;
}

bool WriteAll(int fd, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t written = send(fd, data, size, MSG_NOSIGNAL);
    if (written <= 0) return false;
    data += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

}  // namespace

ConnectProxy::ConnectProxy() : listener_(Listen(&port_)), acceptor_(&ConnectProxy::Accept, this) {}

ConnectProxy::~ConnectProxy() {
  {
    std::lock_guard<std::mutex> lock(mu_);
    stopped_ = true;
    shutdown(listener_, SHUT_RDWR);
    for (int fd : open_) shutdown(fd, SHUT_RDWR);
  }
  acceptor_.join();
  for (auto& tunnel : tunnels_) tunnel.join();
  close(listener_);
}

void ConnectProxy::Refuse(std::string status) {
  std::lock_guard<std::mutex> lock(mu_);
  refusal_ = std::move(status);
}

std::vector<std::string> ConnectProxy::requested() const {
  std::lock_guard<std::mutex> lock(mu_);
  return requested_;
}

void ConnectProxy::Accept() {
  for (;;) {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    std::lock_guard<std::mutex> lock(mu_);
    if (stopped_ || client < 0) {
      if (client >= 0) close(client);
      return;
    }
    open_.insert(client);
    tunnels_.emplace_back(&ConnectProxy::Serve, this, client);
  }
}

std::string ConnectProxy::ReadTarget(int client) {
  std::string request;
  while (request.find("\r\n\r\n") == std::string::npos) {
    char buffer[512];
    const ssize_t size = read(client, buffer, sizeof buffer);
    if (size <= 0) return "";
    request.append(buffer, static_cast<size_t>(size));
  }
  const std::string method = "CONNECT ";
  if (request.compare(0, method.size(), method) != 0) return "";
  return request.substr(method.size(), request.find(' ', method.size()) - method.size());
}

int ConnectProxy::ConnectTo(const std::string& target) {
  const size_t colon = target.rfind(':');
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(std::stoi(target.substr(colon + 1))));
  if (inet_pton(AF_INET, target.substr(0, colon).c_str(), &address.sin_addr) != 1) return -1;
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

void ConnectProxy::Carry(int client, int server) {
  pollfd both[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
  while (poll(both, 2, -1) > 0) {
    for (int i = 0; i < 2; i++) {
      if (both[i].revents == 0) continue;
      char buffer[16384];
      const ssize_t size = read(both[i].fd, buffer, sizeof buffer);
      if (size <= 0 || !WriteAll(both[1 - i].fd, buffer, static_cast<size_t>(size))) return;
    }
  }
}

void ConnectProxy::Serve(int client) {
  const std::string target = ReadTarget(client);
  std::string refusal;
  {
    std::lock_guard<std::mutex> lock(mu_);
    if (!target.empty()) requested_.push_back(target);
    refusal = refusal_;
  }
  const int server = target.empty() || !refusal.empty() ? -1 : ConnectTo(target);
  if (refusal.empty()) refusal = "502 Bad Gateway";
  const std::string answer =
      "HTTP/1.1 " + (server < 0 ? refusal : "200 Connection established") + "\r\n\r\n";
  if (WriteAll(client, answer.data(), answer.size()) && server >= 0) Carry(client, server);
  if (server >= 0) close(server);
  std::lock_guard<std::mutex> lock(mu_);
  open_.erase(client);
  close(client);
}

}  // namespace gxds_test
