// A control plane that stops responding: keepalive detects it (A57), and RPCs go on as before. The
// test runs in a network namespace of its own, where it can make one.
#include <arpa/inet.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "grpc_xds/grpc_xds.h"
#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

constexpr char kFarAddress[] = "10.9.9.9";

// Sets an address of the loopback interface up or down. While it is down no packet gets to or from
// it, and connections get no error.
bool SetLink(const char* device, const char* address, bool up) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  ifreq request = {};
  strncpy(request.ifr_name, device, IFNAMSIZ - 1);
  sockaddr_in in = {};
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = inet_addr(address);
  memcpy(&request.ifr_addr, &in, sizeof(in));
  bool ok = !up || ioctl(fd, SIOCSIFADDR, &request) == 0;
  request.ifr_flags = static_cast<short>(up ? IFF_UP | IFF_RUNNING : 0);
  ok = ok && ioctl(fd, SIOCSIFFLAGS, &request) == 0;
  close(fd);
  return ok;
}

// Runs before there is any thread, so that all later threads are in the namespace too.
const bool g_isolated =
    (unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0) &&
    SetLink("lo", "127.0.0.1", true) && SetLink("lo:1", kFarAddress, true);

Mesh MeshOf(const Backend& backend) {
  Mesh mesh;
  mesh.routes = {{"", backend.name()}};
  mesh.clusters.push_back({});
  mesh.clusters[0].name = backend.name();
  mesh.clusters[0].localities = {{"z", 1, 0, {backend.port()}}};
  return mesh;
}

// Whether the metrics of the only client show that it has a stream (A78).
bool IsConnected() {
  char* text = nullptr;
  size_t size = 0;
  EXPECT_EQ(grpc_xds_dump_metrics(&text, &size), GRPC_XDS_OK);
  const std::string metrics(text, size);
  free(text);
  const size_t line = metrics.find("\ngrpc_xds_client_connected{");
  const size_t value = metrics.find("} ", line);
  EXPECT_NE(value, std::string::npos) << metrics;
  return metrics.substr(value, 4) == "} 1\n";
}

struct Keepalive : testing::Test {
  // Connects a client, whose RPCs succeed while lose() makes it lose the control plane, and after
  // find() makes it return.
  void Run(ControlPlane* plane, const std::function<void()>& lose,
           const std::function<void()>& find) {
    plane->Set(MeshOf(a));
    plane->Start();
    Client client("xds:///greeter.example", plane->Bootstrap(), {}, nullptr, {0, kShortKeepalive});
    ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
    lose();
    EXPECT_TRUE(client.CallUntil([](const Reply&) { return !IsConnected(); }));
    EXPECT_EQ(client.Call().name, "a");
    plane->Set(MeshOf(b));
    find();
    EXPECT_TRUE(client.CallUntilAnsweredBy("b"));
  }
  Backend a{"a"}, b{"b"};
};

// The kernel still acknowledges the packets, so only keepalive ends the stream.
TEST_F(Keepalive, FindsAFrozenControlPlaneWithoutAFailedRpc) {  // A57
  ControlPlane plane;
  Run(
      &plane, [&] { plane.Freeze(); }, [&] { plane.Thaw(); });
}

TEST_F(Keepalive, FindsADroppedLinkWithoutAFailedRpc) {  // A57
  if (!g_isolated) GTEST_SKIP() << "no network namespace can be made here";
  ControlPlane plane(kFarAddress);
  Run(
      &plane, [] { ASSERT_TRUE(SetLink("lo:1", kFarAddress, false)); },
      [] { ASSERT_TRUE(SetLink("lo:1", kFarAddress, true)); });
}

}  // namespace
}  // namespace gxds_test
