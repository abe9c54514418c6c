// A program that contains all of gRPC and the plugin. The host's own initializers run after ours
// there, so the program must register the plugin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grpc_xds/grpc_xds.h"
#include "test/plugin/process.h"

namespace {

using gxds_test::Outcome;
using gxds_test::Runfile;
using gxds_test::RunProgram;
using testing::HasSubstr;

TEST(Static, ExplicitCallRegistersOurs) {
  Outcome outcome = RunProgram({Runfile("test/plugin/static_program"), "xds:///service"},
                               {{"GRPC_XDS_BOOTSTRAP_CONFIG", "{}"}, {"GRPC_VERBOSITY", "INFO"}});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("result 0\nresult 0\npolicy 6\n"));
  EXPECT_THAT(outcome.output, HasSubstr("] (xds_servers line 1)"));
  EXPECT_THAT(outcome.output, HasSubstr("grpc_xds: " GRPC_XDS_VERSION
                                        " registered with gRPC core " HOST_NUMBER ".0.0\n"));
}

}  // namespace
