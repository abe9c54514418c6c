#include "host/grpc_1_51/routed_call.h"

#include <gtest/gtest.h>

#include "src/core/ext/filters/client_channel/client_channel.h"

namespace grpc_xds {
namespace {

using Controller = grpc_core::ConfigSelector::CallDispatchController;

// That of a program's own ConfigSelector. Its members look like those of ours.
class ForeignController : public Controller {
 public:
  bool ShouldRetry() override { return true; }
  void Commit() override {}

  gxds_call_hold* const no_hold = nullptr;
  const absl::string_view no_cluster = "foreign";
};

// What the channel makes of the ConfigSelector's result for one RPC.
class RoutedCall {
 public:
  explicit RoutedCall(Controller* controller) : data_(nullptr, nullptr, {}, controller, context_) {}

  absl::string_view cluster() const { return ClusterOf(context_); }
  Controller* controller() { return data_.call_dispatch_controller(); }

 private:
  grpc_call_context_element context_[GRPC_CONTEXT_COUNT] = {};
  grpc_core::ClientChannelServiceConfigCallData data_;
};

TEST(ClusterOf, IsThatOfOurController) {  // A31.1
  gxds_call_hold hold = {};
  DispatchController controller(&hold, "c");
  EXPECT_EQ(RoutedCall(&controller).cluster(), "c");
}

TEST(ClusterOf, IsEmptyIfAnotherConfigSelectorRoutedTheRpc) {
  ForeignController foreign;
  EXPECT_EQ(RoutedCall(&foreign).cluster(), "");
  EXPECT_EQ(RoutedCall(nullptr).cluster(), "");
}

TEST(ClusterOf, IsEmptyBeforeTheRpcIsRouted) {
  const grpc_call_context_element context[GRPC_CONTEXT_COUNT] = {};
  EXPECT_EQ(ClusterOf(context), "");
}

TEST(DispatchController, CommitsTheHold) {  // A31.7
  struct Counted : gxds_call_hold {
    int commits = 0;
  } hold;
  hold.commit = [](gxds_call_hold* h) { static_cast<Counted*>(h)->commits++; };
  DispatchController controller(&hold, "c");
  RoutedCall call(&controller);
  EXPECT_TRUE(call.controller()->ShouldRetry());
  EXPECT_EQ(hold.commits, 0);
  call.controller()->Commit();
  EXPECT_EQ(hold.commits, 1);
}

}  // namespace
}  // namespace grpc_xds
