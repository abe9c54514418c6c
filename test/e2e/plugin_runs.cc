// Part of every end-to-end test on the plugin: the other tests prove nothing if the host's own xDS
// ran.
#include "grpc_xds/grpc_xds.h"
#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

TEST(EndToEnd, ThePluginIsWhatRuns) {
  Client client("xds:///any", "{}");  // initialises gRPC
  EXPECT_EQ(grpc_xds_plugin_register(), GRPC_XDS_OK) << "gRPC was initialised without the plugin";
}

}  // namespace
}  // namespace gxds_test
