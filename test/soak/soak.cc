// Soak: a client under RPCs while backends and control planes are killed, stopped and misconfigured
// (`make soak MINUTES=10 SEED=1`). Each failed RPC must be explained by a backend that was killed
// or stopped at that time. The client's heap must not grow, and the numbers of its file
// descriptors, subchannels and threads must return to their first values.
//
// usage, from the folder bazel-bin: soak [--minutes=N] [--seed=N] [--verbose] [--leak]
//
// With --leak the client leaks some bytes at each RPC, which the run must find (3 minutes are
// enough).
//
// After each round of faults everything recovers. When the client has the configuration after
// healing and every backend has answered it, its threads rest and it is measured.
#include <signal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "test/soak/world.h"

namespace gxds_soak {
namespace {

// Rounds until each part of the client and the host has run, and has allocated the memory that it
// keeps.
constexpr int kWarmUp = 1;
// With fewer rests a slope means nothing.
constexpr size_t kRestsToJudge = 8;
// Growth below this is ignored. A leak of one small object in each of many rounds is more.
constexpr double kNegligible = 64 * 1024;  // bytes over the second half
// In a run of this length the client has started with the first control plane down, and with both
// down.
constexpr double kMinutesToFallBack = 10;

volatile sig_atomic_t interrupted = 0;

struct Options {
  double minutes = 1;
  uint64_t seed = 1;
  bool verbose = false;
  bool leak = false;
};

// The kinds of explained and unexplained failures.
constexpr int kCauses = 3;
const char* const kCauseNames[kCauses] = {"its backend was killed", "its backend was stopped",
                                          "unexplained"};

class Soak {
 public:
  explicit Soak(const Options& options);
  // The exit status.
  int Run();

 private:
  bool Start();
  bool RunRound(int number);
  void Do(const Action& action, int anchor);
  bool Recover(int number);
  bool AllResponded();
  bool Failed(const std::string& what);
  bool Measure();
  void Account();
  bool Judge();
  bool JudgeMemory();
  bool JudgeOpen();
  bool JudgeFallback();
  double Elapsed() const { return std::chrono::duration<double>(Now() - began_).count(); }
  std::string Bootstrap() const;

  const Options options_;
  const Time began_ = Now();
  Outages outages_;
  std::array<std::unique_ptr<BackendProcess>, kBackends> backends_;
  Ports ports_ = {};
  std::array<std::unique_ptr<PlaneProcess>, kPlanes> planes_;
  gxds_test::TempDir cache_;
  std::unique_ptr<ClientProcess> client_;
  std::string log_;             // of this round
  long deeds_[kDeeds][2] = {};  // to backends (or threads), and to control planes
  long failed_[kCauses] = {};
  std::vector<std::pair<double, Rest>> rests_;  // by seconds; from the end of the warm-up on
  Open before_;                                 // before there was an xDS channel
  Open after_;
};

Soak::Soak(const Options& options) : options_(options) {
  for (int i = 0; i < kBackends; ++i) {
    backends_[i] = std::make_unique<BackendProcess>(i, &outages_);
    ports_[i] = backends_[i]->port();
  }
  for (auto& plane : planes_) plane = std::make_unique<PlaneProcess>(RecoveredConfig(ports_, "/-"));
  client_ = std::make_unique<ClientProcess>(Bootstrap(), cache_.path() + "/cache");
}

// One server uses incremental xDS, and the other state of the world.
std::string Soak::Bootstrap() const {
  const bool first = options_.seed % 2 == 0;
  return R"({"xds_servers":[)" + planes_[0]->plane().ServerJson(first ? "delta" : "") + "," +
         planes_[1]->plane().ServerJson(first ? "" : "delta") +
         R"(],"node":{"id":"soak"},"resource_cache":{"dir":")" + cache_.path() + R"(/cache"}})";
}

void Soak::Do(const Action& action, int anchor) {
  const char* what =
      action.deed == Deed::kSpoil ? kSpoilNames[static_cast<int>(SpoilOf(action.seed))] : "";
  char line[128];
  std::snprintf(line, sizeof line, "%8.3f %s %s\n", Elapsed(), action.Text().c_str(), what);
  log_ += line;
  ++deeds_[static_cast<int>(action.deed)][action.plane ? 1 : 0];
  if (action.deed == Deed::kConfigure || action.deed == Deed::kSpoil) {
    const Spoil spoil = action.deed == Deed::kSpoil ? SpoilOf(action.seed) : Spoil::kNone;
    planes_[action.index]->Configure(ChaosConfig(ports_, anchor, action.seed, spoil));
  } else if (action.deed == Deed::kChannel) {
    client_->Renew(action.index);
  } else if (action.plane) {
    planes_[action.index]->Do(action.deed);
  } else {
    backends_[action.index]->Do(action.deed);
  }
}

bool Soak::Start() {
  if (!client_->Start(&before_)) return Failed("the client does not start");
  return Recover(0) && (client_->RanPlugin() || Failed("the client ran on the host's own xDS"));
}

bool Soak::RunRound(int number) {
  const Round round = MakeRound(options_.seed, number);
  for (const Action& action : round.actions) {
    std::this_thread::sleep_for(action.after);
    if (interrupted) return false;
    Do(action, round.anchor);
  }
  return Recover(number) && Measure();
}

bool Soak::Recover(int number) {
  const std::string probe = "/probe/" + std::to_string(number) + "/";
  for (int i = 0; i < kPlanes; ++i) {
    planes_[i]->Configure(RecoveredConfig(ports_, probe + std::to_string(i) + "/"));
    planes_[i]->Recover();
  }
  for (auto& b : backends_) b->Recover();
  // The probe of the first control plane, to which the client must have returned.
  if (client_->Probe(probe + "0/Call") && AllResponded()) return true;
  if (interrupted) return false;
  return Failed("after round " + std::to_string(number) +
                " the client does not reach what is there");
}

// Prints what the client failed to do, and its state.
bool Soak::Failed(const std::string& what) {
  std::printf("FAILED: %s; %s", what.c_str(), client_->Describe().c_str());
  return false;
}

// Waits until each backend has answered each method.
bool Soak::AllResponded() {
  constexpr Time kPatience = std::chrono::seconds(120);
  std::map<std::string, long> before;
  if (!client_->Counts(&before)) return false;
  for (const Time until = Now() + kPatience; Now() < until && !interrupted;) {
    std::map<std::string, long> now;
    if (!client_->Counts(&now)) return false;
    size_t grew = 0;
    for (const auto& [key, count] : now) grew += count > before[key] ? 1 : 0;
    if (grew == kMethods.size() * kBackends) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

bool Soak::Measure() {
  Rest rest;
  if (!client_->AtRest(&rest)) return Failed("the client does not come to rest");
  rests_.emplace_back(Elapsed(), rest);
  return true;
}

// If a failure is not explained, prints the failures and actions of the round.
void Soak::Account() {
  const std::vector<Failure> failures = client_->TakeFailures();
  const bool tell =
      options_.verbose || std::any_of(failures.begin(), failures.end(), [this](const Failure& f) {
        return outages_.Explain(f) == Cause::kUnexplained;
      });
  if (tell) std::printf("%s", log_.c_str());
  log_.clear();
  for (const Failure& f : failures) {
    const Cause cause = outages_.Explain(f);
    ++failed_[static_cast<int>(cause)];
    if (!tell) continue;
    const double at = std::chrono::duration<double>(f.began - began_).count();
    const double took = std::chrono::duration<double>(f.ended - f.began).count();
    const auto backend = std::find(ports_.begin(), ports_.end(), f.port);
    const std::string to = backend == ports_.end()
                               ? "some backend or none"
                               : "backend " + std::to_string(backend - ports_.begin());
    std::printf("%8.3f RPC to %s failed after %.3f s with code %d:%s (%s)\n", at, to.c_str(), took,
                static_cast<int>(f.code), f.message.c_str(), kCauseNames[static_cast<int>(cause)]);
  }
}

int Soak::Run() {
  if (!Start()) return 1;
  if (options_.leak) client_->Leak();
  bool ok = true;
  int round = 1;
  for (; ok && !interrupted && (round <= kWarmUp || Elapsed() < 60 * options_.minutes); ++round) {
    ok = RunRound(round);
    Account();
    if (round < kWarmUp) rests_.clear();
    if (rests_.empty()) continue;
    const Rest& r = rests_.back().second;
    std::printf(
        "%5.1f min, round %d: %ld RPCs, failed: %ld killed, %ld stopped, %ld unexplained; "
        "heap %.0f, resident %.0f kB; fds %ld and %ld, threads %ld and %ld\n",
        Elapsed() / 60, round, r.calls, failed_[0], failed_[1], failed_[2], r.heap / 1024,
        r.resident / 1024, r.open.fds, r.open.connections, r.open.threads, r.open.pool);
    std::fflush(stdout);
  }
  if (interrupted) return 1;
  if (!ok) return 1;
  if (!client_->End(&after_)) {
    Failed("the client does not end what it has");
    return 1;
  }
  std::printf("\nseed %llu, %.1f minutes, %d rounds\n",
              static_cast<unsigned long long>(options_.seed), Elapsed() / 60, round - 1);
  ok = Judge();
  std::printf("%s\n", ok ? "passed" : "FAILED");
  return ok ? 0 : 1;
}

bool Soak::JudgeMemory() {
  std::vector<Point> heap, resident;
  for (size_t i = rests_.size() / 2; i < rests_.size(); ++i) {
    const auto& [at, rest] = rests_[i];
    heap.push_back({at / 60, rest.heap});
    resident.push_back({at / 60, rest.resident});
  }
  if (heap.size() < kRestsToJudge) {
    std::printf("heap in use          not judged: only %zu rests in the second half\n",
                heap.size());
    return true;
  }
  const Line line = FitLine(heap);
  const Line beside = FitLine(resident);
  std::printf("heap in use          %+.1f +- %.1f kB a minute over the second half (%zu rests)\n",
              line.slope / 1024, line.error / 1024, heap.size());
  std::printf("resident             %+.1f +- %.1f kB a minute (not judged)\n", beside.slope / 1024,
              beside.error / 1024);
  const double grown = line.slope * (heap.back().x - heap.front().x);
  if (!line.Rises() || grown < kNegligible) return true;
  std::printf("FAILED: the heap grows\n");
  return false;
}

bool Soak::Judge() {
  std::printf("done to              ");
  for (int d = 0; d < kDeeds; ++d) {
    const char* target = d == static_cast<int>(Deed::kChannel) ? "thread" : "backend";
    if (deeds_[d][0] > 0) std::printf("%s %s %ld, ", kDeedNames[d], target, deeds_[d][0]);
    if (deeds_[d][1] > 0) std::printf("%s control plane %ld, ", kDeedNames[d], deeds_[d][1]);
  }
  std::printf("\n");
  if (rests_.empty()) return false;
  std::printf("RPCs                 %ld\n", rests_.back().second.calls);
  for (int c = 0; c < kCauses; ++c) std::printf("failed, %-24s %ld\n", kCauseNames[c], failed_[c]);
  bool ok = JudgeMemory();
  if (failed_[static_cast<int>(Cause::kUnexplained)] > 0) {
    std::printf("FAILED: RPCs failed that should not\n");
    ok = false;
  }
  ok = JudgeFallback() && ok;
  return JudgeOpen() && ok;
}

bool Soak::JudgeFallback() {
  const long fallbacks = client_->fallbacks(), starts = client_->cache_starts();
  std::printf("fell back %ld times, started from the cache %ld times\n", fallbacks, starts);
  if (options_.minutes < kMinutesToFallBack || (fallbacks > 0 && starts > 0)) return true;
  std::printf("FAILED: it should have done both\n");
  return false;
}

// Prints a count, and returns whether it is the same as before. slack: the allowed difference while
// there are channels.
bool Returned(const char* what, long Open::*count, long slack, const Open& before,
              const Open& first, const Open& last, const Open& after) {
  std::printf("%-20s %ld before, %ld after the warm-up, %ld at the end, %ld without channels\n",
              what, before.*count, first.*count, last.*count, after.*count);
  const long grown = last.*count - first.*count;
  if (std::abs(grown) <= slack && before.*count == after.*count) return true;
  std::printf("FAILED: they do not return to what they were\n");
  return false;
}

bool Soak::JudgeOpen() {
  const Open& first = rests_.front().second.open;
  const Open& last = rests_.back().second.open;
  bool ok = Returned("file descriptors", &Open::fds, 0, before_, first, last, after_);
  // These include the subchannels of the xDS clients: one to the first control plane, and one to
  // another while loads are reported there.
  ok = Returned("subchannels", &Open::subchannels, kPlanes - 1, before_, first, last, after_) && ok;
  ok = Returned("threads", &Open::threads, 0, before_, first, last, after_) && ok;
  // Every other connection belongs to a subchannel.
  std::printf("connections          %ld at the end; %ld were never closed by the host\n",
              last.connections, after_.connections);
  std::printf("threads of the host's pool %ld after the warm-up, %ld at the end\n", first.pool,
              last.pool);
  return ok;
}

bool Parse(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg.rfind("--minutes=", 0) == 0) {
      options->minutes = std::atof(argv[i] + strlen("--minutes="));
    } else if (arg.rfind("--seed=", 0) == 0) {
      options->seed = std::strtoull(argv[i] + strlen("--seed="), nullptr, 10);
    } else if (arg == "--verbose") {
      options->verbose = true;
    } else if (arg == "--leak") {
      options->leak = true;
    } else {
      std::fprintf(stderr, "usage: soak [--minutes=N] [--seed=N] [--verbose] [--leak]\n");
      return false;
    }
  }
  return true;
}

}  // namespace
}  // namespace gxds_soak

int main(int argc, char** argv) {
  gxds_soak::Options options;
  if (!gxds_soak::Parse(argc, argv, &options)) return 2;
  // A stopped process would outlive this one.
  for (int s : {SIGINT, SIGTERM}) signal(s, [](int) { gxds_soak::interrupted = 1; });
  try {
    return gxds_soak::Soak(options).Run();
  } catch (const std::exception& e) {  // after the destructors, which end all processes
    std::fprintf(stderr, "soak: %s\n", e.what());
    return 2;
  }
}
