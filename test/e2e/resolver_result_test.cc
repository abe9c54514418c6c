// The resolver's result, as a channel receives it.
#include <grpc/grpc.h>

#include <future>

#include "host/grpc_common/core.h"
#include "src/core/lib/iomgr/pollset_set.h"
#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

using grpc_core::Resolver;

// The first result of a resolver.
struct First {
  std::mutex mu;
  std::condition_variable changed;
  bool there = false;
  decltype(Resolver::Result::addresses) addresses;
  absl::Status service_config;
};

class Handler : public Resolver::ResultHandler {
 public:
  explicit Handler(First* first) : first_(first) {}
  void ReportResult(Resolver::Result result) override {
    std::lock_guard<std::mutex> lock(first_->mu);
    if (first_->there) return;
    first_->there = true;
    first_->addresses = std::move(result.addresses);
    first_->service_config = result.service_config.status();
    first_->changed.notify_all();
  }

 private:
  First* first_;
};

TEST(ResolverResult, HasAnEmptyListOfAddresses) {  // A27.44
  Backend a("a");
  ControlPlane plane;
  plane.Set(SimpleMesh({&a}));
  plane.Start();
  grpc_init();
  First first;
  {
    grpc_xds::CallbackExecCtx callbacks;
    grpc_core::ExecCtx exec_ctx;
    const auto& config = grpc_core::CoreConfiguration::Get();
    grpc_core::ChannelArgs args =
        config.channel_args_preconditioning().PreconditionChannelArgs(nullptr).Set(
            "grpc.TEST_ONLY_DO_NOT_USE_IN_PROD.xds_bootstrap_config", plane.Bootstrap());
    grpc_pollset_set* polled = grpc_pollset_set_create();
    auto serializer = grpc_xds::MakeSerializer();
    auto resolver = config.resolver_registry().CreateResolver(
        "xds:///greeter.example", args, polled, serializer, std::make_unique<Handler>(&first));
    ASSERT_NE(resolver, nullptr);
    serializer->Run([&] { resolver->StartLocked(); }, DEBUG_LOCATION);
    std::unique_lock<std::mutex> lock(first.mu);
    EXPECT_TRUE(first.changed.wait_for(lock, kPatience, [&] { return first.there; }));
    lock.unlock();
    // If the serializer is busy with a report, that thread runs this, perhaps after Run() has
    // returned.
    std::promise<void> gone;
    serializer->Run(
        [&] {
          resolver.reset();
          gone.set_value();
        },
        DEBUG_LOCATION);
    gone.get_future().wait();
    grpc_pollset_set_destroy(polled);
  }
  EXPECT_TRUE(first.service_config.ok()) << first.service_config;
  ASSERT_TRUE(first.addresses.ok()) << first.addresses.status();
  EXPECT_TRUE(first.addresses->empty());
  grpc_shutdown();
}

}  // namespace
}  // namespace gxds_test
