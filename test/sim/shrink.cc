#include "test/sim/shrink.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "test/sim/world.h"

namespace gxds_sim {
namespace {

std::string ReadAll(int fd) {
  std::string out;
  char buffer[4096];
  ssize_t size;
  while ((size = read(fd, buffer, sizeof buffer)) > 0)
    out.append(buffer, static_cast<size_t>(size));
  return out;
}

// Runs in the child: writes the result to fd, and cleans nothing up.
[[noreturn]] void RunAndReport(const RunSpec &spec, int fd) {
  dup2(fd, STDERR_FILENO);
  World world;
  RunResult r = world.Run(spec);
  fflush(stdout);
  dprintf(fd, "%d\n%d\n%s\n%s", r.failed, r.ops, r.failure.kind.c_str(), r.failure.what.c_str());
  _exit(0);
}

std::string TakeLine(std::string *text) {
  size_t end = text->find('\n');
  std::string line = text->substr(0, end);
  text->erase(0, end == std::string::npos ? end : end + 1);
  return line;
}

}  // namespace

RunResult RunApart(const RunSpec &spec) {
  int ends[2];
  if (pipe(ends) != 0) abort();
  fflush(stdout);
  pid_t child = fork();
  if (child < 0) abort();
  if (child == 0) RunAndReport(spec, ends[1]);
  close(ends[1]);
  std::string text = ReadAll(ends[0]);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  RunResult r;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    r.failed = true;
    r.failure = Failure{TakeLine(&text), "the process ended with status " + std::to_string(status)};
    return r;
  }
  r.failed = TakeLine(&text) == "1";
  r.ops = atoi(TakeLine(&text).c_str());
  r.failure.kind = TakeLine(&text);
  r.failure.what = text;
  return r;
}

namespace {

class Shrinker {
 public:
  Shrinker(const RunSpec &spec, const std::string &kind) : best_(spec), kind_(kind) {}

  RunSpec Run() {
    int ops = RunApart(best_).ops;
    if (ops == 0) ops = DrawOptions(best_.seed).ops;
    CutEnd(ops);
    for (int op = 0; op < kOpCount; op++) {
      RunSpec spec = best_;
      spec.off |= uint64_t{1} << op;
      Try(spec);
    }
    dropped_.assign(static_cast<size_t>(best_.op_limit), false);
    for (int size = best_.op_limit; size >= 1; size /= 2) {
      for (int first = 0; first < best_.op_limit; first += size) Drop(first, size);
    }
    return best_;
  }

 private:
  bool Try(const RunSpec &spec) {
    RunResult r = RunApart(spec);
    bool same = r.failed && r.failure.kind == kind_;
    if (same) best_ = spec;
    return same;
  }

  // Finds the fewest ops from the beginning, as if failing were monotonic in their number.
  void CutEnd(int ops) {
    int least = 0;
    best_.op_limit = ops;
    while (least < best_.op_limit) {
      RunSpec spec = best_;
      spec.op_limit = least + (best_.op_limit - least) / 2;
      if (!Try(spec)) least = spec.op_limit + 1;
    }
  }

  void Drop(int first, int size) {
    std::vector<bool> wanted = dropped_;
    bool more = false;
    for (int i = first; i < std::min(first + size, best_.op_limit); i++) {
      more = more || !wanted[static_cast<size_t>(i)];
      wanted[static_cast<size_t>(i)] = true;
    }
    if (!more) return;
    RunSpec spec = best_;
    spec.drop.clear();
    for (int i = 0; i < best_.op_limit; i++) {
      if (!wanted[static_cast<size_t>(i)]) continue;
      bool follows = !spec.drop.empty() && spec.drop.back().second == i - 1;
      if (follows) {
        spec.drop.back().second = i;
      } else {
        spec.drop.emplace_back(i, i);
      }
    }
    if (Try(spec)) dropped_ = wanted;
  }

  RunSpec best_;
  std::string kind_;
  std::vector<bool> dropped_;
};

}  // namespace

RunSpec Shrink(RunSpec spec, const std::string &kind) {
  spec.trace = false;
  return Shrinker(spec, kind).Run();
}

}  // namespace gxds_sim
