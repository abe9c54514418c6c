// A DNS server on loopback with the names that the test sets. The host's resolver uses this server.
#ifndef GRPC_XDS_TEST_HOST_GRPC_COMMON_DNS_SERVER_H_
#define GRPC_XDS_TEST_HOST_GRPC_COMMON_DNS_SERVER_H_

#include <ares.h>
#include <arpa/inet.h>
#include <grpc/support/port_platform.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#if __has_include("src/core/lib/event_engine/ares_resolver.h")  // gRPC 1.83
#include "src/core/lib/event_engine/ares_resolver.h"

namespace grpc_xds {

// Sets the function that is called for each c-ares channel that the host makes.
inline void SetInjectConfig(void (*inject)(ares_channel channel)) {
  static std::atomic<void (*)(ares_channel)> current;
  current = inject;
  event_engine_grpc_ares_test_only_inject_config = [](ares_channel* channel) {
    current.load()(*channel);
  };
}

}  // namespace grpc_xds
#else  // gRPC 1.51
#include "src/core/ext/filters/client_channel/resolver/dns/c_ares/grpc_ares_wrapper.h"

namespace grpc_xds {

inline void SetInjectConfig(void (*inject)(ares_channel channel)) {
  grpc_ares_test_only_inject_config = inject;
}

}  // namespace grpc_xds
#endif

namespace grpc_xds {

class DnsServer {
 public:
  DnsServer() : socket_(socket(AF_INET, SOCK_DGRAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(socket_, reinterpret_cast<sockaddr*>(&address), size);
    getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port() = ntohs(address.sin_port);
    SetInjectConfig([](ares_channel channel) {
      std::string server = "127.0.0.1:" + std::to_string(port());
      ares_set_servers_ports_csv(channel, server.c_str());
    });
    thread_ = std::thread([this] { Serve(); });
  }
  ~DnsServer() {
    SetInjectConfig([](ares_channel) {});
    shutdown(socket_, SHUT_RDWR);  // ends recvfrom(), although shutdown() fails with ENOTCONN
    thread_.join();
    close(socket_);
  }

  // Sets the IPv4 addresses of a name. A name without addresses is not known.
  void Set(const std::string& name, std::vector<std::string> addresses) {
    std::lock_guard<std::mutex> lock(mu_);
    known_[name] = std::move(addresses);
  }
  // From now on questions are read, but not answered.
  void BeSilent() { silent_ = true; }
  // IPv4 questions so far.
  int questions() const { return questions_; }
  // Questions for TXT records, which hold service configs, so far.
  int text_questions() const { return text_questions_; }

 private:
  enum { kHeader = 12, kTypeA = 1, kTypeTxt = 16, kNameError = 3 };

  // The last server's port. The host's threads read it.
  static std::atomic<int>& port() {
    static std::atomic<int> last{0};
    return last;
  }

  void Serve() {
    for (;;) {
      char buffer[512];
      sockaddr_in peer = {};
      socklen_t peer_size = sizeof peer;
      ssize_t size = recvfrom(socket_, buffer, sizeof buffer, 0, reinterpret_cast<sockaddr*>(&peer),
                              &peer_size);
      if (size <= 0) return;
      std::string answer = Answer(std::string(buffer, static_cast<size_t>(size)));
      if (silent_) continue;
      sendto(socket_, answer.data(), answer.size(), 0, reinterpret_cast<sockaddr*>(&peer),
             peer_size);
    }
  }

  std::string Answer(const std::string& query) {
    std::string name;
    size_t at = kHeader;
    while (query[at] != 0) {
      size_t label = static_cast<unsigned char>(query[at]);
      if (!name.empty()) name += '.';
      name += query.substr(at + 1, label);
      at += 1 + label;
    }
    int type = query[at + 2];
    std::string question = query.substr(kHeader, at + 5 - kHeader);
    std::vector<std::string> addresses;
    bool is_known;
    {
      std::lock_guard<std::mutex> lock(mu_);
      auto it = known_.find(name);
      is_known = it != known_.end();
      if (is_known && type == kTypeA) addresses = it->second;
    }
    if (type == kTypeA) questions_++;
    if (type == kTypeTxt) text_questions_++;
    std::string out = query.substr(0, 2);
    out += '\x81';  // a response, recursion desired
    out += static_cast<char>(0x80 | (is_known ? 0 : kNameError));
    out += std::string("\0\1\0", 3) + static_cast<char>(addresses.size());
    out += std::string("\0\0\0\0", 4) + question;
    for (const auto& address : addresses) {
      in_addr binary = {};
      inet_pton(AF_INET, address.c_str(), &binary);
      // The question's name, type A, class IN, a TTL of 0, four bytes.
      out += std::string("\xc0\x0c\0\1\0\1\0\0\0\0\0\4", 12);
      out += std::string(reinterpret_cast<const char*>(&binary), sizeof binary);
    }
    return out;
  }

  const int socket_;
  std::atomic<bool> silent_{false};
  std::atomic<int> questions_{0};
  std::atomic<int> text_questions_{0};
  std::mutex mu_;
  std::map<std::string, std::vector<std::string>> known_;
  std::thread thread_;
};

}  // namespace grpc_xds

#endif
