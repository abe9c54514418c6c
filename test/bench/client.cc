// The measured program: an ordinary gRPC client without any knowledge of the plugin. It reads
// orders from a named pipe, one on each line, and answers with one line on standard output:
//
//   first METHOD           creates the channel and calls until one succeeds: "first NANOSECONDS"
//   call METHOD            "called OK|FAILED"
//   keep METHOD            calls, and keeps the cookie of the response, which all later calls send:
//                          "kept OK|FAILED"
//   calls METHOD COUNT     one call after the other: "calls FAILED CPU_NANOSECONDS NANOSECONDS"
//   idle METHOD COUNT      makes no call for that many milliseconds: "idle OK"
//   watch METHOD COUNT     opens an ADS stream of its own, requests the endpoints of that many
//                          clusters on it, and only ACKs each response: "watching OK" after the
//                          first
//   count METHOD           has valgrind write its counts since the last time: "counted OK"
//
// usage: client PIPE TARGET SERVICE_CONFIG [poll]
//
// poll: a thread always waits for a completion, as in programs with asynchronous calls. Without
// one, the host's own xDS receives updates only during a call.
#include <grpc/grpc.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <time.h>
#if GRPC_CPP_VERSION_MINOR == 51
#include <grpc/support/log.h>
#endif

#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "test/bench/ads_stream.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_DUMP_STATS
#endif

namespace {

constexpr int kPatienceSeconds = 600;

int64_t CpuNow() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * int64_t{1000000000} + now.tv_nsec;
}

// The log of the first RPC shows which xDS is in use. From then on the program logs as little as
// others do, or each connection that fails costs a line.
void BeQuiet() {
#if GRPC_CPP_VERSION_MINOR == 51
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);
#endif
}

class Client {
 public:
  Client(std::string target, std::string service_config)
      : target_(std::move(target)), service_config_(std::move(service_config)) {
    grpc::Slice slice("request");
    request_ = grpc::ByteBuffer(&slice, 1);
  }

  void First(const std::string& method) {
    const auto start = std::chrono::steady_clock::now();
    CreateStub();
    const bool ok = Call(method, true);
    const auto took = std::chrono::steady_clock::now() - start;
    BeQuiet();
    std::cout << "first " << (ok ? std::chrono::nanoseconds(took).count() : -1) << std::endl;
  }

  void Watch(long count) {
    CreateStub();
    stream_ = std::make_unique<gxds_bench::AdsStream>(stub_.get(), count, [first = true]() mutable {
      if (std::exchange(first, false)) std::cout << "watching OK" << std::endl;
    });
  }

  bool Call(const std::string& method, bool wait_for_ready = false) {
    grpc::ClientContext context;
    return CallIn(&context, method, wait_for_ready);
  }

  bool Keep(const std::string& method) {
    grpc::ClientContext context;
    if (!CallIn(&context, method, true)) return false;
    const auto& headers = context.GetServerInitialMetadata();
    const auto set_cookie = headers.find("set-cookie");
    if (set_cookie == headers.end()) return false;
    const std::string text(set_cookie->second.data(), set_cookie->second.size());
    cookie_ = text.substr(0, text.find(';'));
    return true;
  }

  void Calls(const std::string& method, long count) {
    long failed = 0;
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_DUMP_STATS;
    const auto start = std::chrono::steady_clock::now();
    const int64_t cpu_start = CpuNow();
    for (long i = 0; i < count; ++i) failed += Call(method) ? 0 : 1;
    const int64_t cpu = CpuNow() - cpu_start;
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - start;
    CALLGRIND_DUMP_STATS;
    std::cout << "calls " << failed << " " << cpu << " " << took.count() << std::endl;
  }

  static void Idle(long milliseconds) {
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_DUMP_STATS;
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    CALLGRIND_DUMP_STATS;
    std::cout << "idle OK" << std::endl;
  }

 private:
  bool CallIn(grpc::ClientContext* context, const std::string& method, bool wait_for_ready) {
    if (!cookie_.empty()) context->AddMetadata("cookie", cookie_);
    context->set_wait_for_ready(wait_for_ready);
    context->set_deadline(std::chrono::system_clock::now() +
                          std::chrono::seconds(kPatienceSeconds));
    auto call = stub_->PrepareUnaryCall(context, method, request_, &calls_);
    grpc::ByteBuffer response;
    grpc::Status status;
    call->StartCall();
    call->Finish(&response, &status, nullptr);
    void* tag;
    bool ok;
    calls_.Next(&tag, &ok);
    return status.ok();
  }

  void CreateStub() {
    grpc::ChannelArguments args;
    args.SetMaxReceiveMessageSize(-1);
    // An endpoint that refused a connection is not retried, since reconnecting is not measured.
    args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 3600 * 1000);
    args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 3600 * 1000);
    if (!service_config_.empty()) args.SetServiceConfigJSON(service_config_);
    stub_ = std::make_unique<grpc::GenericStub>(
        grpc::CreateCustomChannel(target_, grpc::InsecureChannelCredentials(), args));
  }

  const std::string target_;
  const std::string service_config_;
  std::string cookie_;  // empty: none is kept
  std::unique_ptr<grpc::GenericStub> stub_;
  grpc::CompletionQueue calls_;
  grpc::ByteBuffer request_;
  std::unique_ptr<gxds_bench::AdsStream> stream_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  std::ifstream orders(argv[1]);
  Client client(argv[2], argv[3]);
  grpc::CompletionQueue idle;
  std::thread poller;
  if (argc > 4) {
    poller = std::thread([&idle] {
      void* tag;
      bool ok;
      while (idle.Next(&tag, &ok)) {
      }
    });
  }
  std::cout << "ready" << std::endl;
  for (std::string order, method; orders >> order >> method;) {
    long count = 0;
    if (order == "first") client.First(method);
    if (order == "call") {
      std::cout << "called " << (client.Call(method) ? "OK" : "FAILED") << std::endl;
    }
    if (order == "keep") {
      std::cout << "kept " << (client.Keep(method) ? "OK" : "FAILED") << std::endl;
    }
    if (order == "calls" && orders >> count) client.Calls(method, count);
    if (order == "watch" && orders >> count) client.Watch(count);
    if (order == "idle" && orders >> count) Client::Idle(count);
    if (order == "count") {
      CALLGRIND_START_INSTRUMENTATION;
      CALLGRIND_DUMP_STATS;
      std::cout << "counted OK" << std::endl;
    }
  }
  idle.Shutdown();
  if (poller.joinable()) poller.join();
  return 0;
}
