// Requests to a web server whose answers the test sets.
#include "transport/http.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.h"

namespace gxds_test {
namespace {

// The lookup of the name held.example: it does not end before the test releases it, or 5 s later.
struct HeldLookup {
  int Run() {
    std::unique_lock<std::mutex> lock(mu);
    begun = true;
    changed.notify_all();
    changed.wait_for(lock, std::chrono::seconds(5), [this] { return released; });
    ended = true;
    changed.notify_all();
    return EAI_AGAIN;
  }
  void Await(const bool &flag) {
    std::unique_lock<std::mutex> lock(mu);
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(30), [&] { return flag; }));
  }
  std::mutex mu;
  std::condition_variable changed;
  bool begun = false, released = false, ended = false;
};
HeldLookup g_held;

}  // namespace
}  // namespace gxds_test

// Replaces libc's, in libcurl too.
extern "C" __attribute__((visibility("default"))) int getaddrinfo(const char *node,
                                                                  const char *service,
                                                                  const addrinfo *hints,
                                                                  addrinfo **out) {
  static const auto real =
      reinterpret_cast<decltype(&getaddrinfo)>(dlsym(RTLD_NEXT, "getaddrinfo"));
  if (node != nullptr && std::string(node) == "held.example") return gxds_test::g_held.Run();
  return real(node, service, hints, out);
}

namespace gxds_test {
namespace {

// Handles each connection with a function, which gets the whole request, headers and body.
class Server {
 public:
  using Handler = std::function<void(int fd, const std::string &request)>;
  explicit Server(Handler handler) : handler_(std::move(handler)) {
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr *>(&address), size), 0);
    EXPECT_EQ(listen(fd_, 8), 0);
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr *>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Run(); });
  }
  ~Server() {
    stopped_ = true;
    shutdown(fd_, SHUT_RDWR);
    thread_.join();
    close(fd_);
  }
  std::string uri() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::vector<std::string> requests() {
    std::lock_guard<std::mutex> lock(mu_);
    return requests_;
  }

 private:
  void Run() {
    for (;;) {
      int fd = accept(fd_, nullptr, nullptr);
      if (fd < 0 || stopped_) return;
      const std::string request = Read(fd);
      {
        std::lock_guard<std::mutex> lock(mu_);
        requests_.push_back(request);
      }
      handler_(fd, request);
      close(fd);
    }
  }
  static std::string Read(int fd) {
    std::string all;
    char part[4096];
    size_t whole = std::string::npos;
    while (all.size() < whole) {
      const ssize_t got = recv(fd, part, sizeof part, 0);
      if (got <= 0) break;
      all.append(part, static_cast<size_t>(got));
      const size_t end = all.find("\r\n\r\n");
      if (end == std::string::npos) continue;
      const size_t length = all.find("Content-Length: ");
      whole = end + 4 + (length == std::string::npos ? 0 : std::stoul(all.substr(length + 16)));
    }
    return all;
  }

  Handler handler_;
  int fd_ = -1;
  int port_ = 0;
  std::atomic<bool> stopped_{false};
  std::thread thread_;
  std::mutex mu_;
  std::vector<std::string> requests_;
};

void Send(int fd, const std::string &text) {
  (void)!send(fd, text.data(), text.size(), MSG_NOSIGNAL);
}
Server::Handler Responding(const std::string &text) {
  return [text](int fd, const std::string &) { Send(fd, text); };
}

struct Result {
  uint64_t id = 0;
  int code = -1;
  std::string error, body, etag, content_type;
  gxds_duration max_age = 0, retry_after = 0;
  bool too_long = false;
};

std::string String(gxds_str s) { return s.size ? std::string(s.data, s.size) : ""; }

class Http : public testing::Test {
 protected:
  ~Http() override { gxds_http_destroy(http_); }
  void Create(const std::string &uri) {
    options_.uri = gxds_str_of(uri.data(), uri.size());
    gxds_text error = {};
    http_ = gxds_http_create(&options_, &error);
    ASSERT_NE(http_, nullptr) << error.data;
  }
  void Start(uint64_t id, const std::string &path, const std::string &body = "",
             const std::string &etag = "", size_t size_max = 1000) {
    gxds_http_start(http_, {id, gxds_str_dup(gxds_str_of(path.data(), path.size())),
                            gxds_str_dup(gxds_str_of(body.data(), body.size())),
                            gxds_str_dup(gxds_str_of(etag.data(), etag.size())), size_max});
  }
  // The next request that has ended.
  Result Take() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (results_.empty() && std::chrono::steady_clock::now() < deadline) {
      gxds_http_wait(http_, -1, 100);
      gxds_http_turn(
          http_,
          [](void *arg, const gxds_web_response *a) {
            static_cast<Http *>(arg)->results_.push_back(
                {a->id, a->code, String(a->error), String(a->body), String(a->etag),
                 String(a->content_type), a->max_age, a->retry_after, a->too_long});
          },
          this);
    }
    if (results_.empty()) return {};
    Result r = results_.front();
    results_.erase(results_.begin());
    return r;
  }
  Result Get(const std::string &path = "/x", size_t size_max = 1000) {
    Start(7, path, "", "", size_max);
    return Take();
  }

  gxds_http_options options_ = {{}, nullptr, GXDS_HTTP_CONNECT, GXDS_HTTP_SLOW, GXDS_HTTP_WHOLE};
  gxds_http *http_ = nullptr;
  std::vector<Result> results_;
};

TEST_F(Http, AGetHasTheEtagAndWhatItAccepts) {
  Server server(
      Responding("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nETag: \"e\"\r\nContent-Type: a/b\r\n"
                 "cache-control: public, max-age=60\r\n\r\nhi"));
  Create(server.uri());
  Start(9, "/dir/f.json", "", "\"old\"");
  Result r = Take();
  EXPECT_EQ(r.id, 9u);
  EXPECT_EQ(r.code, 200);
  EXPECT_EQ(r.body, "hi");
  EXPECT_EQ(r.etag, "\"e\"");
  EXPECT_EQ(r.content_type, "a/b");
  EXPECT_EQ(r.max_age, 60 * GXDS_SECOND);
  const std::string request = server.requests()[0];
  EXPECT_EQ(request.find("GET /dir/f.json HTTP/1.1\r\n"), 0u) << request;
  EXPECT_NE(request.find("If-None-Match: \"old\"\r\n"), std::string::npos) << request;
  EXPECT_NE(request.find("Accept-Encoding: "), std::string::npos) << request;
  EXPECT_EQ(request.find("Cookie"), std::string::npos);
  EXPECT_EQ(request.find("Authorization"), std::string::npos);
}
TEST_F(Http, APostHasItsBodyAsJson) {
  Server server(Responding("HTTP/1.1 304 Not Modified\r\n\r\n"));
  Create(server.uri());
  const std::string body(5000, 'x');
  Start(1, "/v3/discovery:clusters", body);
  EXPECT_EQ(Take().code, 304);
  const std::string request = server.requests()[0];
  EXPECT_EQ(request.find("POST /v3/discovery:clusters HTTP/1.1\r\n"), 0u) << request;
  EXPECT_NE(request.find("Content-Type: application/json\r\n"), std::string::npos);
  EXPECT_EQ(request.find("Expect"), std::string::npos) << "a round trip for nothing";
  EXPECT_NE(request.find("\r\n\r\n" + body), std::string::npos);
}
TEST_F(Http, WhatMayNotBeKeptHasNoAge) {
  Server server(
      Responding("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nCache-Control: no-cache, "
                 "max-age=60\r\n\r\n"));
  Create(server.uri());
  EXPECT_EQ(Get().max_age, 0);
}
// nginx sends both lines if it has "expires" and "add_header Cache-Control".
TEST_F(Http, SeveralCacheControlLinesAreOne) {
  for (const char *lines : {"Cache-Control: no-cache\r\nCache-Control: max-age=60\r\n",
                            "Cache-Control: max-age=60\r\nCache-Control: no-cache\r\n"}) {
    Server server(
        Responding("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + std::string(lines) + "\r\n"));
    Create(server.uri());
    EXPECT_EQ(Get().max_age, 0) << lines;
    gxds_http_destroy(std::exchange(http_, nullptr));
  }
  Server server(Responding(
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nCache-Control: max-age=60\r\nCache-Control: "
      "public\r\n\r\n"));
  Create(server.uri());
  EXPECT_EQ(Get().max_age, 60 * GXDS_SECOND);
}
TEST_F(Http, AResponseOfACacheIsFreshForLess) {
  Server server(Responding(
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nAge: 50\r\nCache-Control: max-age=60\r\n\r\n"));
  Create(server.uri());
  EXPECT_EQ(Get().max_age, 10 * GXDS_SECOND);
}
TEST_F(Http, AStaleResponseOfACacheIsNotFresh) {
  Server server(Responding(
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nCache-Control: max-age=60\r\nAge: 70\r\n\r\n"));
  Create(server.uri());
  EXPECT_EQ(Get().max_age, 0);
}
TEST_F(Http, AMaxAgeThatIsNoNumberOfSecondsIsNone) {
  Server server(
      Responding("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nCache-Control: max-age=-1\r\n\r\n"));
  Create(server.uri());
  EXPECT_EQ(Get().max_age, 0);
}
TEST_F(Http, AMaxAgeBeyondAllBoundsIsTheLongest) {
  Server server(
      Responding("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
                 "Cache-Control: max-age=99999999999999999999999\r\n\r\n"));
  Create(server.uri());
  EXPECT_EQ(Get().max_age, ((gxds_duration)1 << 31) * GXDS_SECOND);
}
TEST_F(Http, RetryAfterIsReported) {
  Server server(Responding("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nRetry-After: 120\r\n\r\n"));
  Create(server.uri());
  Result r = Get();
  EXPECT_EQ(r.code, 503);
  EXPECT_EQ(r.retry_after, 120 * GXDS_SECOND);
}
TEST_F(Http, ARedirectIsAResponse) {
  Server server(Responding("HTTP/1.1 302 Found\r\nLocation: /y\r\nContent-Length: 0\r\n\r\n"));
  Create(server.uri());
  EXPECT_EQ(Get().code, 302);
  EXPECT_EQ(server.requests().size(), 1u);
}
TEST_F(Http, HalfAResponseIsNone) {
  Server server(Responding("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"));
  Create(server.uri());
  Result r = Get();
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.body, "");
  EXPECT_NE(r.error, "");
}
TEST_F(Http, NobodyThereIsNoResponse) {
  std::string uri;
  { uri = Server(Responding("")).uri(); }
  Create(uri);
  Result r = Get();
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.error.find("127.0.0.1"), std::string::npos) << r.error;
}
TEST_F(Http, BytesThatDripAreGivenUp) {
  options_.slow = GXDS_SECOND;
  Server server([](int fd, const std::string &) {
    Send(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    char end;
    // Sends one byte at a time until the client closes the connection.
    while (recv(fd, &end, 1, MSG_DONTWAIT) != 0) {
      Send(fd, "x");
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  Create(server.uri());
  Result r = Get("/x", 1000000);
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.error.find("too slow"), std::string::npos) << r.error;
}
// 200,000 zeros, compressed with gzip.
const unsigned char kZeros[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xed, 0xc1, 0x31, 0x01, 0x00, 0x00,
    0x00, 0xc2, 0xa0, 0xf5, 0x4f, 0x6d, 0x06, 0x7f, 0xa0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0xd7, 0x00, 0x7b, 0x58, 0xe0,
    0x5c, 0x40, 0x0d, 0x03, 0x00};

TEST_F(Http, SizesCountAfterDecompression) {
  const std::string zeros(reinterpret_cast<const char *>(kZeros), sizeof kZeros);
  Server server(Responding("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " +
                           std::to_string(zeros.size()) + "\r\n\r\n" + zeros));
  Create(server.uri());
  EXPECT_EQ(Get("/x", 200000).body.size(), 200000u);
  Result r = Get("/x", 199999);
  EXPECT_EQ(r.code, 0);
  EXPECT_TRUE(r.too_long);
  EXPECT_EQ(r.error, "the response has more than 199999 bytes");
}
TEST_F(Http, CancelledOnesGetNoResponse) {
  Server server([](int fd, const std::string &request) {
    if (request.find("/held") != std::string::npos) {
      char end;
      while (recv(fd, &end, 1, 0) > 0) {
      }
    } else {
      Send(fd, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    }
  });
  Create(server.uri());
  Start(1, "/held");
  gxds_http_turn(
      http_, [](void *, const gxds_web_response *) { FAIL(); }, nullptr);
  gxds_http_cancel_all(http_);
  Start(2, "/x");
  EXPECT_EQ(Take().id, 2u);
}
TEST_F(Http, TheLookupOfANameHoldsUpNoEnd) {
  Create("http://held.example:80");
  Start(1, "/x");
  gxds_http_turn(
      http_, [](void *, const gxds_web_response *) { FAIL(); }, nullptr);
  g_held.Await(g_held.begun);
  gxds_http_destroy(std::exchange(http_, nullptr));
  std::unique_lock<std::mutex> lock(g_held.mu);
  EXPECT_FALSE(g_held.ended) << "the end waited for it";
  g_held.released = true;
  lock.unlock();
  g_held.changed.notify_all();
  g_held.Await(g_held.ended);
}
TEST_F(Http, TheProxyIsTheOneThatGrpcUses) {
  Server proxy(Responding("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nproxy"));
  Server server(Responding("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ndirect"));
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  setenv("grpc_proxy", proxy.uri().c_str(), 1);
  Create(server.uri());
  EXPECT_EQ(Get().body, "proxy");
  EXPECT_EQ(proxy.requests()[0].find("GET " + server.uri() + "/x HTTP/1.1"), 0u);
  gxds_http_destroy(http_);
  setenv("no_grpc_proxy", "127.0.0.1", 1);
  Create(server.uri());
  EXPECT_EQ(Get().body, "direct");
  gxds_http_destroy(http_);
  unsetenv("no_grpc_proxy");
  setenv("grpc_proxy", "socks5://127.0.0.1:1", 1);  // gRPC speaks to none such
  Create(server.uri());
  EXPECT_EQ(Get().body, "direct");
  unsetenv("grpc_proxy");
  unsetenv("http_proxy");
}

}  // namespace
}  // namespace gxds_test
