// The examples, run as users run them: each as a program with a bootstrap and a control plane.
// .ci/install_check tests them with pkg-config, CMake, preloading and Ruby.
#include <gtest/gtest.h>

#include <string>

#include "test/support/backend.h"
#include "test/support/child.h"
#include "test/support/control_plane.h"

namespace {

using gxds_test::Backend;
using gxds_test::Child;
using gxds_test::ControlPlane;
using gxds_test::Mesh;
using gxds_test::Runfile;

TEST(Examples, TheClientMakesAnRpcWithThePlugin) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "an example has no list of what the sanitizer cannot see of gRPC's C++ library "
                  "(test/e2e/suppressions.cc)";
#endif
  Backend backend("hello");
  ControlPlane plane;
  Mesh mesh;
  mesh.routes = {{"", "greeter"}};
  mesh.clusters.resize(1);
  mesh.clusters[0].name = "greeter";
  mesh.clusters[0].localities = {{"z", 1, 0, {backend.port()}}};
  plane.Set(mesh);
  plane.Start();
  Child client({Runfile("examples/client"), "xds:///greeter.example", "/demo.Greeter/Hello"},
               {{"GRPC_XDS_BOOTSTRAP_CONFIG", plane.Bootstrap()}, {"GRPC_VERBOSITY", "info"}});
  EXPECT_NE(client.WaitForLine([](const std::string& line) { return line == "hello"; }), "")
      << client.Output();
  EXPECT_NE(client.WaitForLine([](const std::string& line) {
    return line.find(" registered with gRPC core") != std::string::npos;
  }),
            "")
      << client.Output();
  EXPECT_EQ(client.Wait(), 0);
}

TEST(Examples, TheClientPrintsWhyAnRpcFailed) {
  Child client({Runfile("examples/client"), "xds:///greeter.example", "/demo.Greeter/Hello"},
               {{"GRPC_XDS_BOOTSTRAP_CONFIG", "{}"}});
  EXPECT_NE(client.WaitForLine([](const std::string& line) {
    return line.find("RPC failed: ") == 0 && line.find("field:xds_servers") != std::string::npos;
  }),
            "")
      << client.Output();
  EXPECT_EQ(client.Wait(), 1);
}

}  // namespace
