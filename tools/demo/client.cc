// An ordinary gRPC program: it knows a target and a method, but nothing about xDS or this project.
//
//   client TARGET RPCS_PER_SECOND
//
// Four workers call the target in a closed loop. Ten times a second the program prints how many
// RPCs got each reply so far. When a reply comes that did not come for a while, it prints that at
// once (times are those of the monotonic clock):
//   at MICROSECONDS FAILED REPLY=COUNT REPLY=COUNT …
//   arrive MICROSECONDS REPLY
// A line on standard input ends the RPCs ("done …" is printed after the last); the end of standard
// input ends the program, so the channel stays open in between.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/byte_buffer.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kAWhile = std::chrono::milliseconds(500);

long long Microseconds(Clock::time_point t) {
  return std::chrono::duration_cast<std::chrono::microseconds>(t.time_since_epoch()).count();
}

class Tally {
 public:
  void Add(const grpc::Status& status, const std::string& reply) {
    std::lock_guard<std::mutex> lock(mu_);
    if (status.ok()) {
      auto now = Clock::now();
      Seen& seen = replies_[reply];
      if (++seen.count == 1 || now - seen.last > kAWhile) {
        std::printf("arrive %lld %s\n", Microseconds(now), reply.c_str());
        std::fflush(stdout);
      }
      seen.last = now;
    } else {
      ++failed_;
      std::fprintf(stderr, "RPC failed: %s\n", status.error_message().c_str());
    }
  }
  void Print(const char* word) {
    std::lock_guard<std::mutex> lock(mu_);
    std::printf("%s %lld %ld", word, Microseconds(Clock::now()), failed_);
    for (const auto& [reply, seen] : replies_) std::printf(" %s=%ld", reply.c_str(), seen.count);
    std::printf("\n");
    std::fflush(stdout);
  }

 private:
  struct Seen {
    long count = 0;
    Clock::time_point last;
  };
  std::mutex mu_;
  std::map<std::string, Seen> replies_;
  long failed_ = 0;
};

std::string Text(grpc::ByteBuffer* buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!buffer->Dump(&slices).ok()) return text;
  for (const auto& s : slices) text.append(reinterpret_cast<const char*>(s.begin()), s.size());
  return text;
}

void Call(grpc::GenericStub* stub, Tally* tally) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(5));
  grpc::Slice empty("");
  grpc::ByteBuffer request(&empty, 1);
  grpc::ByteBuffer response;
  std::mutex mu;
  std::condition_variable cv;
  bool done = false;
  stub->UnaryCall(&context, "/demo.Greeter/Hello", {}, &request, &response,
                  [&](const grpc::Status& status) {
                    tally->Add(status, status.ok() ? Text(&response) : "");
                    std::lock_guard<std::mutex> lock(mu);
                    done = true;
                    cv.notify_one();
                  });
  std::unique_lock<std::mutex> lock(mu);
  cv.wait(lock, [&] { return done; });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: client TARGET RPCS_PER_SECOND\n");
    return 2;
  }
  constexpr int kWorkers = 4;
  auto channel = grpc::CreateChannel(argv[1], grpc::InsecureChannelCredentials());
  grpc::GenericStub stub(channel);
  Tally tally;
  std::atomic<bool> stop{false};
  const auto pause = std::chrono::microseconds(1000000 * kWorkers / std::atoi(argv[2]));
  std::vector<std::thread> workers;
  workers.reserve(kWorkers);
  for (int i = 0; i < kWorkers; ++i) {
    workers.emplace_back([&] {
      for (auto next = Clock::now(); !stop; next += pause) {
        std::this_thread::sleep_until(next);
        Call(&stub, &tally);
      }
    });
  }
  std::thread printer([&] {
    for (auto next = Clock::now(); !stop; next += std::chrono::milliseconds(100)) {
      tally.Print("at");
      std::this_thread::sleep_until(next + std::chrono::milliseconds(100));
    }
  });
  std::string line;
  std::getline(std::cin, line);
  stop = true;
  for (auto& w : workers) w.join();
  printer.join();
  tally.Print("done");
  while (std::getline(std::cin, line)) {
  }
  return 0;
}
