// The program that is watched: an ordinary gRPC client, whose threads call in a closed loop, each
// on a channel of its own. It takes orders, a line each, from a named pipe:
//
//   start              measures the process, which has used gRPC, but not the plugin; then makes
//                      the channels and begins to call: "started OPEN"
//   probe METHOD       calls each thread's target until it is answered: "probed OK|FAILED"
//   answered           how often each method was answered by each backend: "answered KEY=COUNT …"
//   rest               lets all threads end their call and measures the process: "rest RPCS HEAP
//                      RESIDENT OPEN" (bytes); they go on afterwards
//   channel THREAD     has a thread leave its channel for a new one; its target has no other
//   leak               has each call lose a little from now on
//   end                ends the threads, and with them the channels, and measures: "ended OPEN"
//
// where OPEN is: file descriptors that are no connections and none of the cache's, connections,
// subchannels, threads but for those of the host's pools, threads of those. It prints each failed
// call, with times of the monotonic clock in microseconds:
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
// Between two calls of a thread: what is looked for are faults, and other processes of a small
// machine must have their turn.
constexpr std::chrono::microseconds kPause(500);
constexpr std::chrono::seconds kPatience(60);

void Say(const std::string& line) {
  static std::mutex mu;
  std::lock_guard<std::mutex> lock(mu);
  std::cout << line << std::endl;
}

long long Microseconds(Clock::time_point t) {
  return std::chrono::duration_cast<std::chrono::microseconds>(t.time_since_epoch()).count();
}

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& target) {
  grpc::ChannelArguments args;
  // What comes back is found soon, so that the world is soon whole again after the faults.
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 2000);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  // Less than the deadline of calls, which wait for it when endpoints accept and say nothing.
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

// What all threads share.
class Work {
 public:
  Work(std::string target, std::chrono::milliseconds deadline, std::vector<std::string> methods)
      : target_(std::move(target)), deadline_(deadline), methods_(std::move(methods)) {}

  void Start() {
    for (int i = 0; i < kWorkers; ++i) threads_.emplace_back([this, i] { Run(i); });
  }

  void Renew(int worker) { renew_[worker % kWorkers] = true; }
  void Leak() { leak_ = true; }

  // Until Resume() no call is under way.
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

  std::string Answered() {
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
        stub.reset();  // first, so that what served it ends
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
    // The host names the target where there was no backend.
    const bool sent = out.peer.rfind("ipv4:", 0) == 0;
    const std::string port = sent ? out.peer.substr(out.peer.rfind(':') + 1) : "0";
    std::string message = out.status.error_message();
    std::replace(message.begin(), message.end(), '\n', ' ');
    Say("failed " + std::to_string(Microseconds(began)) + " " +
        std::to_string(Microseconds(ended)) + " " + std::to_string(out.status.error_code()) + " " +
        port + " " + message);
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

// But for those of the cache: it opens a server's files when that one first has something to keep.
long Fds(const std::string& cache) {
  long fds = -1;  // the folder itself is open
  for (const auto& fd : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string file = std::filesystem::read_symlink(fd.path(), gone);
    if (file.rfind(cache, 0) != 0) ++fds;
  }
  return fds;
}

// Of the host's pools, which make one when they have much to do and keep it for a while or for
// good; and others.
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

// How many of the host's objects there are of the kind that get() renders: they are numbered, and
// the host does not say how far. newest: the last that was seen so far.
long CountObjects(char* (*get)(intptr_t), intptr_t* newest) {
  constexpr intptr_t kMostBetweenLooks = 200000;  // a look a round, of seconds
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

// What is ended goes away in the background: looks until it is what it was, or has been something
// else for long.
Open Look(const Open& was, const std::string& cache) {
  Open open = LookOnce(cache);
  for (const auto until = Clock::now() + std::chrono::seconds(15);
       !(open == was) && Clock::now() < until; open = LookOnce(cache)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return open;
}

// Bytes that are allocated, in all arenas. What is being freed at that moment, by a timer or a
// connection that ends, is none of it: the least of some looks.
size_t Heap() {
  size_t least = SIZE_MAX;
  for (int i = 0; i < 10; ++i) {
    const struct mallinfo2 info = mallinfo2();
    least = std::min(least, info.uordblks + info.hblkhd);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return least;
}

// So that what the host makes once is there.
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
  grpc_init();  // and not to be ended: what is left is looked at
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
      Say("started " + before.Text());
      work->Start();
    } else if (order == "probe") {
      Say(std::string("probed ") + (work->Probe(argument) ? "OK" : "FAILED"));
    } else if (order == "answered") {
      Say(work->Answered());
    } else if (order == "channel") {
      work->Renew(std::stoi(argument));
    } else if (order == "leak") {
      work->Leak();
    } else if (order == "rest") {
      work->Rest();
      rested = Look(rested, cache);
      const size_t heap = Heap();
      Say("rest " + std::to_string(work->calls()) + " " + std::to_string(heap) + " " +
          std::to_string(Resident()) + " " + rested.Text());
      work->Resume();
    } else if (order == "end") {
      work->End();
      Say("ended " + Look(before, cache).Text());
    }
  }
  return 0;
}
