// The resolver's result, as a channel receives it.
#include <grpc/grpc.h>

#include <deque>
#include <future>

#include "host/grpc_common/args.h"
#include "host/grpc_common/core.h"
#include "src/core/lib/iomgr/pollset_set.h"
#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

using grpc_core::Resolver;

// The results of a resolver.
class Results {
 public:
  void Add(Resolver::Result result) {
    std::lock_guard<std::mutex> lock(mu_);
    results_.push_back(std::move(result));
    changed_.notify_all();
  }
  // Waits until there are so many. False: they did not come in time.
  bool Await(size_t count) {
    std::unique_lock<std::mutex> lock(mu_);
    return changed_.wait_for(lock, kPatience, [&] { return results_.size() >= count; });
  }
  // Its address stays valid.
  const Resolver::Result& At(size_t i) {
    std::lock_guard<std::mutex> lock(mu_);
    return results_[i];
  }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  std::deque<Resolver::Result> results_;
};

class Handler : public Resolver::ResultHandler {
 public:
  explicit Handler(Results* results) : results_(results) {}
  void ReportResult(Resolver::Result result) override { results_->Add(std::move(result)); }

 private:
  Results* results_;
};

class ResolverResult : public ::testing::Test {
 protected:
  ResolverResult() : a_("a"), b_("b") {
    plane_.Set(SimpleMesh({&a_}));
    plane_.Start();
    grpc_init();
    const auto& config = grpc_core::CoreConfiguration::Get();
    grpc_core::ChannelArgs args =
        config.channel_args_preconditioning().PreconditionChannelArgs(nullptr).Set(
            "grpc.TEST_ONLY_DO_NOT_USE_IN_PROD.xds_bootstrap_config", plane_.Bootstrap());
    polled_ = grpc_pollset_set_create();
    serializer_ = grpc_xds::MakeSerializer();
    resolver_ = config.resolver_registry().CreateResolver(
        "xds:///greeter.example", args, polled_, serializer_, std::make_unique<Handler>(&results_));
    In([this] { resolver_->StartLocked(); });
  }
  ~ResolverResult() override {
    In([this] { resolver_.reset(); });
    grpc_pollset_set_destroy(polled_);
    grpc_shutdown();
  }
  // If the serializer is busy with a report, that thread runs the work, perhaps after Run() has
  // returned.
  void In(const std::function<void()>& work) {
    grpc_xds::CallbackExecCtx callbacks;
    grpc_core::ExecCtx exec_ctx;
    std::promise<void> done;
    serializer_->Run(
        [&] {
          work();
          done.set_value();
        },
        DEBUG_LOCATION);
    done.get_future().wait();
  }

  Backend a_, b_;
  ControlPlane plane_;
  Results results_;
  grpc_pollset_set* polled_;
  std::shared_ptr<grpc_core::WorkSerializer> serializer_;
  grpc_core::OrphanablePtr<Resolver> resolver_;
};

TEST_F(ResolverResult, HasAnEmptyListOfAddresses) {  // A27.44
  ASSERT_TRUE(results_.Await(1));
  const Resolver::Result& first = results_.At(0);
  EXPECT_TRUE(first.service_config.ok()) << first.service_config.status();
  ASSERT_TRUE(first.addresses.ok()) << first.addresses.status();
  EXPECT_TRUE(first.addresses->empty());
}

// The channel keeps the args of the first result for as long as it lives.
TEST_F(ResolverResult, LosesItsSnapshotWithTheNextOne) {
  ASSERT_TRUE(results_.Await(1));
  plane_.Set(SimpleMesh({&b_}));
  ASSERT_TRUE(results_.Await(2));
  bool first = true, second = false;
  In([&] {
    first = grpc_xds::ConfigOf(results_.At(0).args) != nullptr;
    second = grpc_xds::ConfigOf(results_.At(1).args) != nullptr;
  });
  EXPECT_FALSE(first);
  EXPECT_TRUE(second);
}

}  // namespace
}  // namespace gxds_test
