// The metrics of a process at its port. The process follows `xds serve`.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "test/support/child.h"
#include "test/support/control_plane.h"

namespace {

using gxds_test::Child;
using gxds_test::ControlPlane;
using gxds_test::kPatience;
using gxds_test::Mesh;
using gxds_test::Runfile;

// Returns -1 if the connection is refused.
int Connect(int port) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) return fd;
  close(fd);
  return -1;
}

// The whole response; "" if there is none.
std::string Request(int port, const std::string& request) {
  int fd = Connect(port);
  std::string response;
  if (fd >= 0 && send(fd, request.data(), request.size(), MSG_NOSIGNAL) ==
                     static_cast<ssize_t>(request.size())) {
    char part[4096];
    for (ssize_t got; (got = recv(fd, part, sizeof part, 0)) > 0;) {
      response.append(part, static_cast<size_t>(got));
    }
  }
  close(fd);
  return response;
}

class Metrics : public ::testing::Test {
 protected:
  void Start(const std::string& address = "127.0.0.1:0") {
    mesh_.routes = {{"", "blue"}};
    mesh_.clusters.resize(1);
    mesh_.clusters[0].name = "blue";
    mesh_.clusters[0].localities = {{"z", 1, 0, {1001}}};
    plane_.Set(mesh_);
    plane_.Start();
    client_ = std::make_unique<Child>(
        std::vector<std::string>{Runfile("tools/xds"), "resolve", "--watch",
                                 "xds:///greeter.example"},
        std::map<std::string, std::string>{{"GRPC_XDS_BOOTSTRAP_CONFIG", plane_.Bootstrap()},
                                           {"GRPC_XDS_METRICS_ADDRESS", address},
                                           {"GRPC_VERBOSITY", "info"}});
  }
  void FindPort() {
    const std::string mark = "grpc_xds: metrics at http://127.0.0.1:";
    std::string line = Line(mark);
    ASSERT_NE(line, "") << client_->Output();
    port_ = std::atoi(line.c_str() + line.find(mark) + mark.size());
  }
  std::string Line(const std::string& text) {
    return client_->WaitForLine(
        [&](const std::string& line) { return line.find(text) != std::string::npos; });
  }
  std::string Get(const std::string& path) {
    return Request(port_, "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  // Repeats the request until the metrics have that line.
  bool WaitForMetric(const std::string& line) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    std::string all;
    while (std::chrono::steady_clock::now() < until) {
      all = Get("/metrics");
      if (all.find("\n" + line + "\n") != std::string::npos) return true;
    }
    ADD_FAILURE() << all;
    return false;
  }
  std::string OfServer(const std::string& metric) {
    return metric + "{grpc_target=\"xds:///greeter.example\",grpc_xds_server=\"127.0.0.1:" +
           std::to_string(plane_.port()) + "\"";
  }

  Mesh mesh_;
  ControlPlane plane_;
  std::unique_ptr<Child> client_;
  int port_ = 0;
};

TEST_F(Metrics, AreServedToPrometheus) {
  Start();
  FindPort();
  ASSERT_NE(Line("an RPC could be sent"), "") << client_->Output();
  const std::string cluster = ",grpc_xds_resource_type=\"envoy.config.cluster.v3.Cluster\"";
  EXPECT_TRUE(WaitForMetric(OfServer("grpc_xds_client_connected") + "} 1"));
  EXPECT_TRUE(
      WaitForMetric(OfServer("grpc_xds_client_resource_updates_valid_total") + cluster + "} 1"));
  EXPECT_TRUE(WaitForMetric(
      "grpc_xds_client_resources{grpc_target=\"xds:///greeter.example\",grpc_xds_authority=\"#old\""
      ",grpc_xds_cache_state=\"acked\"" +
      cluster + "} 1"));
  const std::string all = Get("/metrics");
  EXPECT_EQ(all.find("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4"), 0u) << all;

  mesh_.clusters[0].outlier_detection = R"({"max_ejection_percent":101})";
  plane_.Set(mesh_);
  EXPECT_TRUE(
      WaitForMetric(OfServer("grpc_xds_client_resource_updates_invalid_total") + cluster + "} 1"));
  plane_.Kill();
  EXPECT_TRUE(WaitForMetric(OfServer("grpc_xds_client_connected") + "} 0"));
  EXPECT_TRUE(WaitForMetric(OfServer("grpc_xds_client_server_failure_total") + "} 1"));
}

TEST_F(Metrics, OtherRequestsAreRefused) {
  Start();
  FindPort();
  EXPECT_EQ(Get("/").find("HTTP/1.1 404 "), 0u);
  EXPECT_EQ(Get("/metricsx").find("HTTP/1.1 404 "), 0u);
  EXPECT_EQ(Request(port_, "POST /metrics HTTP/1.1\r\n\r\n").find("HTTP/1.1 404 "), 0u);
  EXPECT_EQ(Request(port_, std::string(100000, 'x')).find("HTTP/1.1 200 "), std::string::npos);
  EXPECT_EQ(Get("/metrics?x=1").find("HTTP/1.1 200 "), 0u);
}

TEST_F(Metrics, AConnectionWithoutARequestKeepsNobodyWaiting) {
  Start();
  FindPort();
  std::vector<int> idle;
  for (int i = 0; i < 15; i++) idle.push_back(Connect(port_));
  EXPECT_EQ(Get("/metrics").find("HTTP/1.1 200 "), 0u);
  for (int fd : idle) {
    char byte;
    EXPECT_EQ(recv(fd, &byte, 1, MSG_DONTWAIT), -1) << "closed: its time was over, then";
    EXPECT_EQ(errno, EAGAIN);
  }
  // With more than sixteen, the oldest are closed.
  for (int i = 0; i < 40; i++) idle.push_back(Connect(port_));
  EXPECT_EQ(Get("/metrics").find("HTTP/1.1 200 "), 0u);
  char byte;
  EXPECT_EQ(recv(idle.back(), &byte, 1, MSG_DONTWAIT), -1) << "closed: its time was over, then";
  for (int fd : idle) close(fd);
}

TEST_F(Metrics, AnAddressThatCannotBeUsedIsLoggedAndHarmsNothing) {
  Start("nonsense");
  EXPECT_NE(Line("no metrics: cannot listen on GRPC_XDS_METRICS_ADDRESS=nonsense: expected "
                 "ADDRESS:PORT"),
            "")
      << client_->Output();
  EXPECT_NE(Line("an RPC could be sent"), "") << client_->Output();
}

TEST_F(Metrics, APortThatIsTooLargeIsNotCutTo16Bits) {
  Start("127.0.0.1:65536");
  EXPECT_NE(Line("no metrics: cannot listen on GRPC_XDS_METRICS_ADDRESS=127.0.0.1:65536: expected "
                 "ADDRESS:PORT, the port at most 65535"),
            "")
      << client_->Output();
}

}  // namespace
