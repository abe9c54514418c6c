#include <grpc/grpc.h>
#include <gtest/gtest.h>

#include "host/grpc_common/resolver.h"
#include "transport/waiter.h"

namespace grpc_xds {
namespace {

// Fails each RPC.
struct Refusing : gxds_config_selector {
  Refusing() : gxds_config_selector() {
    static constexpr gxds_config_selector_ops kOps = {
        [](gxds_config_selector*) {},
        [](const gxds_config_selector*, gxds_call*, gxds_call_route* out) {
          out->error = gxds_str_z("no route");
        },
        nullptr, nullptr};
    gxds_ref_init(&refs);
    ops = &kOps;
  }
};

TEST(ConfigSelector, TellsTheReactorThatACallBegins) {
  grpc_init();
  gxds_completion woken{};
  gxds_waiter* waiter = gxds_waiter_create(&woken);  // a new one stays inside the host
  Refusing refusing;
  auto selector = ToHost(&refusing, grpc_core::ChannelArgs(), nullptr);
  grpc_slice path = grpc_slice_from_static_string("/s/m");
  EXPECT_EQ(selector->GetCallConfig({&path, nullptr, nullptr}).status,
            absl::UnavailableError("no route"));
  EXPECT_FALSE(gxds_waiter_must_make_way()) << "the call has done that";
  selector.reset();
  gxds_waiter_destroy(waiter);
  grpc_shutdown_blocking();
}

}  // namespace
}  // namespace grpc_xds
