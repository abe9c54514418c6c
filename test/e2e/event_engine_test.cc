// A program's own event engine stays in use with the plugin.
#include <grpc/event_engine/event_engine.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <utility>

#include "host/grpc_common/core.h"
#include "src/core/lib/event_engine/default_event_engine_factory.h"
#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

using grpc_event_engine::experimental::EventEngine;
using grpc_event_engine::experimental::MemoryAllocator;
using grpc_event_engine::experimental::MemoryAllocatorFactory;

std::atomic<int> g_made{0};
std::atomic<long> g_ran{0};        // at once
std::atomic<long> g_scheduled{0};  // for later

// Passes everything on to the host's own engine.
class CountingEngine : public EventEngine {
 public:
  CountingEngine() : inner_(grpc_event_engine::experimental::DefaultEventEngineFactory()) {
    ++g_made;
  }

  absl::StatusOr<std::unique_ptr<Listener>> CreateListener(
      Listener::AcceptCallback on_accept, absl::AnyInvocable<void(absl::Status)> on_shutdown,
      const grpc_event_engine::experimental::EndpointConfig& config,
      std::unique_ptr<MemoryAllocatorFactory> factory) override {
    return inner_->CreateListener(std::move(on_accept), std::move(on_shutdown), config,
                                  std::move(factory));
  }
  ConnectionHandle Connect(OnConnectCallback on_connect, const ResolvedAddress& address,
                           const grpc_event_engine::experimental::EndpointConfig& args,
                           MemoryAllocator allocator, Duration timeout) override {
    return inner_->Connect(std::move(on_connect), address, args, std::move(allocator), timeout);
  }
  bool CancelConnect(ConnectionHandle handle) override { return inner_->CancelConnect(handle); }
  bool IsWorkerThread() override { return inner_->IsWorkerThread(); }
  decltype(std::declval<EventEngine&>().GetDNSResolver({})) GetDNSResolver(
      const DNSResolver::ResolverOptions& options) override {
    return inner_->GetDNSResolver(options);
  }
  void Run(Closure* closure) override {
    ++g_ran;
    inner_->Run(closure);
  }
  void Run(absl::AnyInvocable<void()> closure) override {
    ++g_ran;
    inner_->Run(std::move(closure));
  }
  TaskHandle RunAfter(Duration when, Closure* closure) override {
    ++g_scheduled;
    return inner_->RunAfter(when, closure);
  }
  TaskHandle RunAfter(Duration when, absl::AnyInvocable<void()> closure) override {
    ++g_scheduled;
    return inner_->RunAfter(when, std::move(closure));
  }
  bool Cancel(TaskHandle handle) override { return inner_->Cancel(handle); }
#if __has_include(<grpc/event_engine/extensible.h>)  // gRPC 1.83
  void* QueryExtension(absl::string_view id) override { return inner_->QueryExtension(id); }
#endif

 private:
  const std::shared_ptr<EventEngine> inner_;
};

// Set before anything uses gRPC, as a program does.
const bool g_set = [] {
  grpc_event_engine::experimental::SetEventEngineFactory(
      [] { return std::make_unique<CountingEngine>(); });
  return true;
}();

// Whether a new channel gets the program's engine.
bool ChannelsHaveOurs() {
  const auto args =
      grpc_core::CoreConfiguration::Get().channel_args_preconditioning().PreconditionChannelArgs(
          nullptr);
  return dynamic_cast<CountingEngine*>(args.GetObject<EventEngine>()) != nullptr;
}

TEST(EventEngine, ThatOfAProgramStaysWhatChannelsRunOn) {
  Backend a("a"), b("b");
  ControlPlane plane;
  plane.Set(SimpleMesh({&a}));
  plane.Start();
  Client client("xds:///greeter.example", plane.Bootstrap());
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  EXPECT_TRUE(ChannelsHaveOurs());
  EXPECT_EQ(g_made, 1);
  EXPECT_GT(g_scheduled, 0) << "timers";
  const long ran = g_ran;
  plane.Set(SimpleMesh({&b}));
  ASSERT_TRUE(client.CallUntilAnsweredBy("b"));
  EXPECT_GT(g_ran, ran) << "the update";
}

// In the child, the plugin replaces the host's own engine, whose threads are gone. The program
// itself must replace its own engine.
TEST(EventEngine, ThatOfAProgramIsLeftAloneInTheChildOfAFork) {
  Client client("xds:///any", "{}");
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(ChannelsHaveOurs() ? 7 : 8);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

}  // namespace
}  // namespace gxds_test
