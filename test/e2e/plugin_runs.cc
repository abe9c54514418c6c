// In every end-to-end test on the plugin: whatever else passes there proves nothing if the host's
// own xDS did it.
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
