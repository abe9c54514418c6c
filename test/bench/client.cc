// The program that is measured: an ordinary gRPC client that knows nothing of the plugin. It takes
// orders, a line each, from a named pipe, and answers with one line on standard output:
//
//   first METHOD           creates the channel and calls until it answered: "first NANOSECONDS"
//   call METHOD            "called OK|FAILED"
//   calls METHOD COUNT     one call after the other: "calls FAILED CPU_NANOSECONDS"
//   count METHOD           has valgrind write what it counted since it last did: "counted OK"
//
// usage: client PIPE TARGET SERVICE_CONFIG [poll]
//
// poll: a thread waits for a completion all the time, as programs with asynchronous calls have.
// Without one, the host's own xDS takes updates in only while a call is made.
#include <grpc/grpc.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <time.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

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

class Client {
 public:
  Client(std::string target, std::string service_config)
      : target_(std::move(target)), service_config_(std::move(service_config)) {
    grpc::Slice slice("request");
    request_ = grpc::ByteBuffer(&slice, 1);
  }

  void First(const std::string& method) {
    const auto start = std::chrono::steady_clock::now();
    grpc::ChannelArguments args;
    // An endpoint that refused is left alone: what is measured is not the reconnecting.
    args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 3600 * 1000);
    args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 3600 * 1000);
    if (!service_config_.empty()) args.SetServiceConfigJSON(service_config_);
    stub_ = std::make_unique<grpc::GenericStub>(
        grpc::CreateCustomChannel(target_, grpc::InsecureChannelCredentials(), args));
    const bool ok = Call(method, true);
    const auto took = std::chrono::steady_clock::now() - start;
    std::cout << "first " << (ok ? std::chrono::nanoseconds(took).count() : -1) << std::endl;
  }

  bool Call(const std::string& method, bool wait_for_ready = false) {
    grpc::ClientContext context;
    context.set_wait_for_ready(wait_for_ready);
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(kPatienceSeconds));
    auto call = stub_->PrepareUnaryCall(&context, method, request_, &calls_);
    grpc::ByteBuffer response;
    grpc::Status status;
    call->StartCall();
    call->Finish(&response, &status, nullptr);
    void* tag;
    bool ok;
    calls_.Next(&tag, &ok);
    return status.ok();
  }

  void Calls(const std::string& method, long count) {
    long failed = 0;
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_DUMP_STATS;
    const int64_t start = CpuNow();
    for (long i = 0; i < count; ++i) failed += Call(method) ? 0 : 1;
    const int64_t cpu = CpuNow() - start;
    CALLGRIND_DUMP_STATS;
    std::cout << "calls " << failed << " " << cpu << std::endl;
  }

 private:
  const std::string target_;
  const std::string service_config_;
  std::unique_ptr<grpc::GenericStub> stub_;
  grpc::CompletionQueue calls_;
  grpc::ByteBuffer request_;
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
    if (order == "calls" && orders >> count) client.Calls(method, count);
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
