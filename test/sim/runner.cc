// Many seeds, in several processes: see --help.
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "test/sim/arguments.h"
#include "test/sim/shrink.h"
#include "test/sim/world.h"

namespace gxds_sim {
namespace {

constexpr int kWorkerMax = 256;
constexpr uint64_t kChunk = 16;
constexpr int kHistogram = 4096;  // events of a run; more count as this many

// Written by one worker, read by the parent.
struct Worker {
  std::atomic<uint64_t> seed;  // the current seed
  std::atomic<uint64_t> done;
  std::atomic<uint64_t> events;
  std::atomic<bool> failed;  // at that seed
  uint64_t op_counts[kOpCount];
  uint64_t op_runs[kOpCount];  // the runs with this op
  uint64_t counts[kHappeningCount];
  uint64_t runs[kHappeningCount];
  uint32_t histogram[kHistogram];
};

struct Shared {
  std::atomic<uint64_t> next;
  std::atomic<bool> stop;
  Worker workers[kWorkerMax];
};

double Now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

void Count(Worker *w, const RunResult &r) {
  for (int i = 0; i < kOpCount; i++) {
    w->op_counts[i] += r.op_counts[i];
    w->op_runs[i] += r.op_counts[i] > 0;
  }
  for (int i = 0; i < kHappeningCount; i++) {
    w->counts[i] += r.counts[i];
    w->runs[i] += r.counts[i] > 0;
  }
  w->histogram[std::min<uint32_t>(r.events, kHistogram - 1)]++;
  w->events.fetch_add(r.events, std::memory_order_relaxed);
  w->done.fetch_add(1, std::memory_order_relaxed);
}

[[noreturn]] void Work(Shared *shared, Worker *w, const Flags &flags) {
  World world;
  RunSpec spec;
  spec.plant = flags.spec.plant;
  for (;;) {
    uint64_t first = shared->next.fetch_add(kChunk);
    for (uint64_t i = first; i < std::min(first + kChunk, flags.seeds); i++) {
      if (shared->stop.load(std::memory_order_relaxed)) _exit(0);
      spec.seed = flags.first_seed + i;
      w->seed.store(spec.seed);
      RunResult r = world.Run(spec);
      if (r.failed) {
        w->failed.store(true);
        shared->stop.store(true);
        _exit(0);
      }
      Count(w, r);
    }
    if (first >= flags.seeds) _exit(0);
  }
}

class Runner {
 public:
  explicit Runner(const Flags &flags) : flags_(flags) {
    void *memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) abort();
    shared_ = static_cast<Shared *>(memory);
  }

  // Returns whether all runs passed.
  bool Run() {
    double began = Now();
    for (int i = 0; i < flags_.threads; i++) {
      pid_t child = fork();
      if (child < 0) abort();
      if (child == 0) Work(shared_, &shared_->workers[i], flags_);
      children_.push_back(child);
    }
    double reported = began;
    while (Wait()) {
      usleep(20000);
      if (Now() - reported < 1) continue;
      reported = Now();
      Progress(reported - began);
    }
    Progress(Now() - began);
    if (failed_seed_ == UINT64_MAX) {
      Report();
      return true;
    }
    Explain();
    return false;
  }

 private:
  // False: all workers have ended.
  bool Wait() {
    bool running = false;
    for (size_t i = 0; i < children_.size(); i++) {
      if (children_[i] < 0) continue;
      int status = 0;
      if (waitpid(children_[i], &status, WNOHANG) == 0) {
        running = true;
        continue;
      }
      children_[i] = -1;
      const Worker &w = shared_->workers[i];
      bool crashed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
      if (!crashed && !w.failed) continue;
      shared_->stop.store(true);
      failed_seed_ = std::min(failed_seed_, w.seed.load());
    }
    return running;
  }

  void Progress(double seconds) {
    uint64_t done = 0;
    uint64_t events = 0;
    for (int i = 0; i < flags_.threads; i++) {
      done += shared_->workers[i].done;
      events += shared_->workers[i].events;
    }
    printf("%6.1f s  %" PRIu64 " of %" PRIu64 " seeds, %.0f seeds/s, %.2f million events\n",
           seconds, done, flags_.seeds, static_cast<double>(done) / seconds,
           static_cast<double>(events) * 1e-6);
    fflush(stdout);
  }

  template <typename Get>
  uint64_t Sum(Get get) {
    uint64_t sum = 0;
    for (int i = 0; i < flags_.threads; i++) sum += get(shared_->workers[i]);
    return sum;
  }

  uint32_t Percentile(int percent) {
    uint64_t total = Sum([](const Worker &w) { return w.done.load(); });
    uint64_t below = 0;
    for (int e = 0; e < kHistogram; e++) {
      below += Sum([&](const Worker &w) { return w.histogram[e]; });
      if (below * 100 >= total * static_cast<uint64_t>(percent)) return static_cast<uint32_t>(e);
    }
    return kHistogram;
  }

  void Report() {
    uint64_t total = Sum([](const Worker &w) { return w.done.load(); });
    printf("\n%-52s %12s %8s\n", "what was done to clients and servers", "times", "seeds");
    for (int i = 0; i < kOpCount; i++) {
      Row(kOpLabels[i], Sum([&](const Worker &w) { return w.op_counts[i]; }),
          Sum([&](const Worker &w) { return w.op_runs[i]; }), total);
    }
    printf("\n%-52s %12s %8s\n", "what happened", "times", "seeds");
    for (int i = 0; i < kHappeningCount; i++) {
      Row(kHappeningLabels[i], Sum([&](const Worker &w) { return w.counts[i]; }),
          Sum([&](const Worker &w) { return w.runs[i]; }), total);
    }
    printf("\n%" PRIu64
           " seeds passed; events per seed: %u at the 5th percentile, median %u, "
           "%u at the 95th\n",
           total, Percentile(5), Percentile(50), Percentile(95));
  }

  static void Row(const char *label, uint64_t count, uint64_t runs, uint64_t total) {
    printf("%-52s %12" PRIu64 " %7.1f%%\n", label, count,
           100 * static_cast<double>(runs) / static_cast<double>(std::max<uint64_t>(total, 1)));
  }

  // Prints why the seed failed, and how to run it again.
  void Explain() {
    RunSpec spec;
    spec.seed = failed_seed_;
    spec.plant = flags_.spec.plant;
    RunResult r = RunApart(spec);
    printf("\nFAILED: seed %" PRIu64 ": %s: %s\n", spec.seed, r.failure.kind.c_str(),
           r.failure.what.c_str());
    printf("replay: bazel-bin/test/sim/sim --trace %s\n", Arguments(spec).c_str());
    if (!r.failed) {
      printf("but not when it runs alone\n");
      return;
    }
    if (!flags_.shrink) return;
    RunSpec small = Shrink(spec, r.failure.kind);
    printf("\nshrunken: bazel-bin/test/sim/sim --trace %s\n", Arguments(small).c_str());
    small.trace = true;
    r = RunApart(small);
    printf("FAILED: %s: %s\n", r.failure.kind.c_str(), r.failure.what.c_str());
  }

  Flags flags_;
  Shared *shared_ = nullptr;
  std::vector<pid_t> children_;
  uint64_t failed_seed_ = UINT64_MAX;
};

int RunOne(const Flags &flags) {
  World world;
  RunResult r = world.Run(flags.spec);
  printf("seed %" PRIu64 ": %s%s%s, %u events\n", flags.spec.seed,
         r.failed ? r.failure.kind.c_str() : "passed", r.failed ? ": " : "", r.failure.what.c_str(),
         r.events);
  return r.failed ? 1 : 0;
}

void Help() {
  printf(
      "usage: sim [--seeds=N] [--first-seed=S] [--threads=N] [--plant=NAME] [--no-shrink]\n"
      "       sim --seed=S [--trace] [--plant=NAME] [--ops=N] [--drop=I-J,…] [--off=OP,…]\n\n"
      "Runs the client engine and the dependency manager in a simulated world, once per seed.\n"
      "With --plant a fault is planted, which a run must find:\n");
  for (int i = 1; i < kPlantCount; i++)
    printf("  %-16s %s\n", kPlantNames[i], kPlantDescriptions[i]);
}

}  // namespace
}  // namespace gxds_sim

int main(int argc, char **argv) {
  gxds_sim::Flags flags;
  std::string problem;
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!gxds_sim::ParseArguments(arguments, &flags, &problem) || flags.help) {
    if (!problem.empty()) fprintf(stderr, "%s\n", problem.c_str());
    gxds_sim::Help();
    return flags.help ? 0 : 2;
  }
  if (flags.threads == 0) flags.threads = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  flags.threads = std::min(flags.threads, gxds_sim::kWorkerMax);
  if (flags.one) return gxds_sim::RunOne(flags);
  return gxds_sim::Runner(flags).Run() ? 0 : 1;
}
