// A process that is killed at any instant leaves a readable cache with everything that it had
// written. The environment variable GXDS_KILLS sets how many processes are killed.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "test/support/child.h"
#include "transport/cache_file.h"

namespace gxds_test {
namespace {

constexpr unsigned kNames = 40;

struct Shared {
  // By name, the number of the last put that began, and of the last that is done; 0: none. Even
  // numbers are removals.
  std::atomic<unsigned> begun[kNames];
  std::atomic<unsigned> done[kNames];
};

std::string Name(unsigned name) { return "resource" + std::to_string(name); }

// The contents of a resource, made from its name and number, so that they can be checked.
std::string Bytes(unsigned name, unsigned number) {
  std::string bytes = Name(name) + " " + std::to_string(number) + " ";
  bytes.resize(bytes.size() + (number * 7919 + name) % 20000, static_cast<char>(number));
  return bytes;
}

gxds_str Str(const std::string &s) { return gxds_str_of(s.data(), s.size()); }

[[noreturn]] void WriteUntilKilled(const std::string &dir, Shared *shared, unsigned seed) {
  gxds_text log = {};
  gxds_cache_file *f = gxds_cache_file_open(Str(dir), gxds_str_z("t"), gxds_str_z("s"), 0, 0, &log);
  if (f == nullptr || log.size > 0) _exit(1);
  std::minstd_rand random(seed);
  for (;;) {
    const unsigned name = random() % kNames;
    const unsigned number = shared->begun[name] + 1;
    shared->begun[name] = number;
    const std::string text = Name(name);
    const std::string bytes = number % 2 ? Bytes(name, number) : "";
    gxds_cache_record r = {};
    r.removed = number % 2 == 0;
    r.type = gxds_str_z("type");
    r.name = Str(text);
    r.bytes = Str(bytes);
    gxds_cache_file_put(f, &r, 0, &log);
    if (log.size > 0) _exit(2);
    shared->done[name] = number;
  }
}

// Checks that every resource is the last one written or, if a write was interrupted, an earlier
// one.
void Check(const std::string &dir, Shared *shared) {
  gxds_text log = {};
  gxds_cache_file *f = gxds_cache_file_open(Str(dir), gxds_str_z("t"), gxds_str_z("s"), 0, 0, &log);
  ASSERT_NE(f, nullptr);
  ASSERT_EQ(log.size, 0u) << log.data;
  for (unsigned name = 0; name < kNames; name++) {
    const std::string text = Name(name);
    gxds_cache_record r;
    const bool found = gxds_cache_file_find(f, gxds_str_z("type"), Str(text), &r);
    const unsigned begun = shared->begun[name], done = shared->done[name];
    ASSERT_LE(begun - done, 1u);
    unsigned now = done;
    if (begun != done && found == (begun % 2 == 1)) now = begun;
    ASSERT_EQ(found, now % 2 == 1) << text;
    if (found) {
      ASSERT_EQ(std::string(r.bytes.data, r.bytes.size), Bytes(name, now));
    }
    shared->begun[name] = shared->done[name] = now;
  }
  gxds_cache_file_close(f);
  gxds_text_fini(&log);
}

TEST(CacheKill, LeavesWhatWasWritten) {
  const char *wanted = getenv("GXDS_KILLS");
  const int kills = wanted != nullptr ? std::atoi(wanted) : 300;
  TempDir parent;
  const std::string dir = parent.path() + "/cache";
  auto *shared = static_cast<Shared *>(
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(shared, MAP_FAILED);
  std::minstd_rand random(1);
  long written = 0;
  for (int i = 0; i < kills; i++) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) WriteUntilKilled(dir, shared, static_cast<unsigned>(random()));
    const timespec wait = {0, static_cast<long>(random() % 4000000)};
    nanosleep(&wait, nullptr);  // the kill may come at any instant, so this waits for no event
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself: " << WEXITSTATUS(status);
    ASSERT_NO_FATAL_FAILURE(Check(dir, shared)) << "kill " << i;
    random();
  }
  for (const auto &n : shared->done) written += n;
  std::printf("%d kills, %ld records written\n", kills, written);
  EXPECT_GT(written, 0);
  munmap(shared, sizeof(Shared));
}

}  // namespace
}  // namespace gxds_test
