// The program under test: an ordinary gRPC client whose threads make calls in a closed loop, each
// on a channel of its own. It reads orders from a named pipe, one on each line:
//
//   start              measures the process, which has used gRPC but not the plugin, then makes the
//                      channels and starts to call: "started OPEN"
//   probe METHOD       calls each thread's target until a call succeeds: "probed OK|FAILED"
//   answered           how often each backend answered each method: "answered KEY=COUNT …"
//   rest               lets all threads end their call and measures the process: "rest RPCS HEAP
//                      RESIDENT OPEN" (bytes); then the threads go on
//   channel THREAD     has a thread replace its channel, the only one of its target
//   leak               has each call leak a little from now on
//   end                ends the threads with their channels, and measures: "ended OPEN"
//
// OPEN is: file descriptors (without connections and those of the cache), connections, subchannels,
// threads (without those of the host's pools), threads of those pools. The program prints each
// failed call, with times of the monotonic clock in microseconds:
//
//   failed BEGAN ENDED CODE PORT MESSAGE
//
// usage: client PIPE TARGET CACHE DEADLINE_MS METHOD...
//
// The target of a thread is TARGET-N, with its number; CACHE is the folder of the resource cache.
#include <grpc/grpc.h>
#include <grpc/support/alloc.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWorkers = 4;
// The pause between two calls of a thread. The test looks for faults, and other processes need CPU
// time on a small machine.
constexpr std::chrono::microseconds kPause(500);
constexpr std::chrono::seconds kPatience(60);

void Print(const std::string& line) {
  static std::mutex mu;
  std::lock_guard<std::mutex> lock(mu);
  std::cout << line << std::endl;
}

long long Microseconds(Clock::time_point t) {
  return std::chrono::duration_cast<std::chrono::microseconds>(t.time_since_epoch()).count();
}

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& target) {
  grpc::ChannelArguments args;
  // The client soon finds a server that is up again, so the world soon recovers after the faults.
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 2000);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  // Less than the deadline of calls, which wait for the failover when endpoints accept connections
  // and send nothing.
  args.SetInt("grpc.priority_failover_timeout_ms", 1000);
  return grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), args);
}

std::string Text(grpc::ByteBuffer* buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!buffer->Dump(&slices).ok()) return text;
  for (const auto& s : slices) text.append(reinterpret_cast<const char*>(s.begin()), s.size());
  return text;
}

struct Outcome {
  grpc::Status status;
  std::string reply;
  std::string peer;
};

Outcome CallOnce(grpc::GenericStub* stub, grpc::CompletionQueue* cq, const std::string& method,
                 std::chrono::milliseconds deadline) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + deadline);
  grpc::Slice slice("request");
  auto call = stub->PrepareUnaryCall(&context, method, grpc::ByteBuffer(&slice, 1), cq);
  grpc::ByteBuffer response;
  Outcome out;
  call->StartCall();
  call->Finish(&response, &out.status, nullptr);
  void* tag;
  bool ok;
  cq->Next(&tag, &ok);
  if (out.status.ok()) out.reply = Text(&response);
  out.peer = context.peer();
  return out;
}

// The state that all threads share.
class Work {
 public:
  Work(std::string target, std::chrono::milliseconds deadline, std::vector<std::string> methods)
      : target_(std::move(target)), deadline_(deadline), methods_(std::move(methods)) {}

  void Start() {
    for (int i = 0; i < kWorkers; ++i) threads_.emplace_back([this, i] { Run(i); });
  }

  void Renew(int worker) { renew_[worker % kWorkers] = true; }
  void Leak() { leak_ = true; }

  // Waits until no call is in progress, and starts none until Resume().
  void Rest() {
    std::unique_lock<std::mutex> lock(mu_);
    rest_ = true;
    changed_.wait(lock, [this] { return resting_ == kWorkers; });
  }
  void Resume() {
    std::lock_guard<std::mutex> lock(mu_);
    rest_ = false;
    changed_.notify_all();
  }

  void End() {
    end_ = true;
    for (auto& t : threads_) t.join();
    threads_.clear();
  }

  bool Probe(const std::string& method) {
    const auto until = Clock::now() + kPatience;
    for (int i = 0; i < kWorkers; ++i) {
      if (!ProbeTarget(Target(i), method, until)) return false;
    }
    return true;
  }

  std::string Counts() {
    std::lock_guard<std::mutex> lock(mu_);
    std::string line = "answered";
    for (const auto& [key, count] : answered_) line += " " + key + "=" + std::to_string(count);
    return line;
  }
  long calls() const { return calls_; }

 private:
  std::string Target(int worker) const { return target_ + "-" + std::to_string(worker); }

  bool ProbeTarget(const std::string& target, const std::string& method, Clock::time_point until) {
    grpc::GenericStub stub(MakeChannel(target));
    grpc::CompletionQueue cq;
    while (Clock::now() < until) {
      if (CallOnce(&stub, &cq, method, deadline_).status.ok()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }

  void Run(int worker) {
    auto stub = std::make_unique<grpc::GenericStub>(MakeChannel(Target(worker)));
    grpc::CompletionQueue cq;
    for (size_t i = static_cast<size_t>(worker); !end_; ++i) {
      if (rest_) Pause();
      if (renew_[worker].exchange(false)) {
        stub.reset();  // first, so that its policies end
        stub = std::make_unique<grpc::GenericStub>(MakeChannel(Target(worker)));
      }
      CallAndCount(stub.get(), &cq, methods_[i % methods_.size()]);
      std::this_thread::sleep_for(kPause);
    }
  }

  void CallAndCount(grpc::GenericStub* stub, grpc::CompletionQueue* cq, const std::string& method) {
    const auto began = Clock::now();
    const Outcome out = CallOnce(stub, cq, method, deadline_);
    const auto ended = Clock::now();
    ++calls_;
    if (out.status.ok()) {
      std::lock_guard<std::mutex> lock(mu_);
      if (leak_) lost_.push_back(std::make_unique<long>(calls_));
      ++answered_[method + ":" + out.reply];
      return;
    }
    // If there was no backend, the host names the target.
    const bool sent = out.peer.rfind("ipv4:", 0) == 0;
    const std::string port = sent ? out.peer.substr(out.peer.rfind(':') + 1) : "0";
    std::string message = out.status.error_message();
    std::replace(message.begin(), message.end(), '\n', ' ');
    Print("failed " + std::to_string(Microseconds(began)) + " " +
          std::to_string(Microseconds(ended)) + " " + std::to_string(out.status.error_code()) +
          " " + port + " " + message);
  }

  void Pause() {
    std::unique_lock<std::mutex> lock(mu_);
    ++resting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !rest_; });
    --resting_;
  }

  const std::string target_;
  const std::chrono::milliseconds deadline_;
  const std::vector<std::string> methods_;
  std::vector<std::thread> threads_;
  std::atomic<bool> renew_[kWorkers] = {};
  std::atomic<bool> rest_{false};
  std::atomic<bool> end_{false};
  std::atomic<bool> leak_{false};
  std::atomic<long> calls_{0};
  std::mutex mu_;
  std::condition_variable changed_;
  int resting_ = 0;
  std::map<std::string, long> answered_;
  std::vector<std::unique_ptr<long>> lost_;
};

// The file descriptors, except those of the cache, which opens a server's files when that server
// first has resources to store.
long Fds(const std::string& cache) {
  long fds = -1;  // the folder itself is open
  for (const auto& fd : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string file = std::filesystem::read_symlink(fd.path(), gone);
    if (file.rfind(cache, 0) != 0) ++fds;
  }
  return fds;
}

// The threads of the host's pools, and other threads. A pool starts a thread when it has much work,
// and keeps it for some time or forever.
std::pair<long, long> Threads() {
  static const std::set<std::string> kPools = {"event_engine", "default-executo", "resolver-execut",
                                               "grpc_global_tim", "timer_manager"};
  std::pair<long, long> threads;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream in(task.path() / "comm");
    std::string name;
    std::getline(in, name);
    ++(kPools.count(name) > 0 ? threads.first : threads.second);
  }
  return threads;
}

// The number of the host's objects of the kind that get() renders. They are numbered, and the host
// does not report the highest number. newest: the highest number seen so far.
long CountObjects(char* (*get)(intptr_t), intptr_t* newest) {
  constexpr intptr_t kMostBetweenLooks = 200000;  // it counts once in a round, which takes seconds
  long count = 0;
  for (intptr_t id = 1; id < *newest + kMostBetweenLooks; ++id) {
    char* json = get(id);
    if (json == nullptr) continue;
    ++count;
    *newest = std::max(*newest, id);
    gpr_free(json);
  }
  return count;
}

struct Open {
  long fds;
  long connections;
  long subchannels;
  long threads;
  long pool;

  bool operator==(const Open& o) const {
    return fds == o.fds && subchannels == o.subchannels && threads == o.threads;
  }
  std::string Text() const {
    return std::to_string(fds) + " " + std::to_string(connections) + " " +
           std::to_string(subchannels) + " " + std::to_string(threads) + " " + std::to_string(pool);
  }
};

Open LookOnce(const std::string& cache) {
  static intptr_t newest = 0;
  Open open;
  open.connections = CountObjects(grpc_channelz_get_socket, &newest);
  open.subchannels = CountObjects(grpc_channelz_get_subchannel, &newest);
  std::tie(open.pool, open.threads) = Threads();
  open.fds = Fds(cache) - open.connections;
  return open;
}

// Ended objects go away in the background. Counts until the result equals `was`, or has been
// different for a long time.
Open Look(const Open& was, const std::string& cache) {
  Open open = LookOnce(cache);
  for (const auto until = Clock::now() + std::chrono::seconds(15);
       !(open == was) && Clock::now() < until; open = LookOnce(cache)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return open;
}

// The allocated bytes in all arenas. Takes the lowest of several readings, to exclude memory that a
// timer or an ending connection is just freeing.
size_t Heap() {
  size_t least = SIZE_MAX;
  for (int i = 0; i < 10; ++i) {
    const struct mallinfo2 info = mallinfo2();
    least = std::min(least, info.uordblks + info.hblkhd);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return least;
}

// Uses gRPC once, so that the objects that the host makes only once exist.
Open UseGrpc(const std::string& cache) {
  {
    grpc::GenericStub stub(
        grpc::CreateChannel("ipv4:127.0.0.1:1", grpc::InsecureChannelCredentials()));
    grpc::CompletionQueue cq;
    CallOnce(&stub, &cq, "/none/Call", std::chrono::seconds(1));
  }
  Open open = LookOnce(cache);
  for (; open.subchannels > 0; open = LookOnce(cache)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return open;
}

long Resident() {
  std::ifstream in("/proc/self/statm");
  long size = 0, resident = 0;
  in >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  grpc_init();  // never shut down, because the remaining objects are counted
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::ifstream orders(argv[1]);
  const std::string cache = argv[3];
  auto work = std::make_unique<Work>(argv[2], std::chrono::milliseconds(std::stol(argv[4])),
                                     std::vector<std::string>(argv + 5, argv + argc));
  Open before = {};
  Open rested = {};  // at the last rest
  for (std::string line; std::getline(orders, line);) {
    std::istringstream words(line);
    std::string order, argument;
    words >> order >> argument;
    if (order == "start") {
      before = UseGrpc(cache);
      Print("started " + before.Text());
      work->Start();
    } else if (order == "probe") {
      Print(std::string("probed ") + (work->Probe(argument) ? "OK" : "FAILED"));
    } else if (order == "answered") {
      Print(work->Counts());
    } else if (order == "channel") {
      work->Renew(std::stoi(argument));
    } else if (order == "leak") {
      work->Leak();
    } else if (order == "rest") {
      work->Rest();
      rested = Look(rested, cache);
      const size_t heap = Heap();
      Print("rest " + std::to_string(work->calls()) + " " + std::to_string(heap) + " " +
            std::to_string(Resident()) + " " + rested.Text());
      work->Resume();
    } else if (order == "end") {
      work->End();
      Print("ended " + Look(before, cache).Text());
    }
  }
  return 0;
}
