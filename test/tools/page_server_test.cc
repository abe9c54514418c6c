// The real `xds serve --http`: the page, the state, and a change of a weight, over HTTP.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>

#include "test/support/child.h"

namespace {

using gxds_test::Child;
using gxds_test::kPatience;
using gxds_test::Runfile;
using gxds_test::TempDir;

const char kEndpoints[] = R"(
'@type': type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment
cluster_name: a
endpoints:
- locality: {region: r, zone: z1}
  load_balancing_weight: 3
)";

class PageServer : public ::testing::Test {
 protected:
  void SetUp() override {
    files_.Write("a.yaml", kEndpoints);
    serve_ = std::make_unique<Child>(
        std::vector<std::string>{Runfile("tools/xds"), "serve", files_.path(), "--listen",
                                 "127.0.0.1:0", "--http", "127.0.0.1:0", "--json"});
    std::string line = serve_->WaitForLine(
        [](const std::string& s) { return s.find("\"service\":\"http\"") != std::string::npos; });
    ASSERT_NE(line, "") << serve_->Output();
    port_ = std::atoi(line.c_str() + line.rfind(':') + 1);
  }

  // The whole response to a request, after which the server closes the connection.
  std::string Request(const std::string& request) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(send(fd, request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    std::string response;
    char part[4096];
    ssize_t size;
    while ((size = recv(fd, part, sizeof part, 0)) > 0)
      response.append(part, static_cast<size_t>(size));
    close(fd);
    return response;
  }
  std::string Get(const std::string& path, const std::string& host = "localhost") {
    return Request("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
  }
  std::string Post(const std::string& body, const std::string& type = "application/json") {
    return Request(
        "POST /weight HTTP/1.1\r\nHost: 127.0.0.1:1\r\nConnection: close\r\nContent-Type: " + type +
        "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  // Repeats the request for the state until it contains that part.
  testing::AssertionResult Shows(const std::string& part) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    std::string state;
    while (std::chrono::steady_clock::now() < deadline) {
      state = Get("/state");
      if (Has(state, part)) return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << state;
  }
  static bool Has(const std::string& response, const std::string& part) {
    return response.find(part) != std::string::npos;
  }

  TempDir files_;
  std::unique_ptr<Child> serve_;
  int port_ = 0;
};

TEST_F(PageServer, GivesThePageWhole) {
  std::string page = Get("/");
  EXPECT_TRUE(Has(page, "200 OK"));
  EXPECT_TRUE(Has(page, "text/html"));
  EXPECT_TRUE(Has(page, "<title>xds serve</title>"));
  EXPECT_EQ(page.substr(page.size() - 8), "</html>\n");
}

TEST_F(PageServer, SendsTheStateOnceUntilItChanges) {
  std::string state = Get("/state?after=0");
  EXPECT_TRUE(Has(state, "\"weight\":3")) << state;
  size_t at = state.find("{\"number\":") + 10;
  std::string number = state.substr(at, state.find(',', at) - at);
  EXPECT_TRUE(Has(Get("/state?after=" + number), "304 Not Modified"));
}

TEST_F(PageServer, AWeightIsServedUntilAFileChanges) {
  EXPECT_TRUE(Has(Post(R"({"resource":"a","region":"r","zone":"z1","weight":8})"), "202 Accepted"));
  EXPECT_TRUE(Shows("\"weight\":8"));
  files_.Write("b.yaml", "'@type': type.googleapis.com/envoy.config.cluster.v3.Cluster\nname: c\n");
  EXPECT_TRUE(Shows("\"weight\":3"));
}

TEST_F(PageServer, RefusesWhatItCannotDoWithAReason) {
  EXPECT_TRUE(Has(Post("{}"), "400 Bad Request"));
  EXPECT_TRUE(Has(Post("nonsense"), "400 Bad Request"));
  EXPECT_TRUE(Has(Post(R"({"resource":"a","weight":-1})"), "expected 0 to 4294967295"));
  EXPECT_TRUE(Has(Post(R"({"resource":"b","weight":1})"), "no locality"));
  EXPECT_TRUE(Has(Post(std::string(70000, ' ')), "413 "));
  EXPECT_TRUE(Has(Get("/etc/passwd"), "404 Not Found"));
}

TEST_F(PageServer, PagesFromElsewhereCanNeitherReadNorChange) {
  EXPECT_TRUE(Has(Get("/state", "attacker.example"), "403 Forbidden"));
  EXPECT_TRUE(Has(Post(R"({"resource":"a","weight":1})", "text/plain"), "415 "));
  EXPECT_TRUE(Has(Get("/state", "[::1]:80"), "200 OK"));
}

TEST_F(PageServer, AnAddressThatCannotBeIsReported) {
  Child bad({Runfile("tools/xds"), "serve", files_.path(), "--listen", "127.0.0.1:0", "--http",
             "nonsense"});
  EXPECT_NE(bad.WaitForLine([](const std::string& s) {
    return Has(s, "--http: expected ADDRESS:PORT, found nonsense");
  }),
            "")
      << bad.Output();
  EXPECT_NE(bad.Wait(), 0);
}

}  // namespace
