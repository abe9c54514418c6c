// Removal of unused cache files, and files that are never removed.
#include "transport/cache_dir.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "test/transport/cache_files.h"

namespace gxds_test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kDay = int64_t{24} * 3600 * GXDS_SECOND;
constexpr int64_t kNow = 1000 * GXDS_SECOND + kWallOffset;  // the time at which a File is opened
constexpr char kOne[] = "0123456789abcdef";

// The beginning of a log with that version of the format.
std::string Log(char version) { return std::string("gxds resources") + version + "\nmore"; }

struct CacheDir : testing::Test {
  CacheDir() { EXPECT_EQ(gxds_cache_dir_open((parent.path() + "/cache").c_str(), &dir), nullptr); }
  ~CacheDir() override { close(dir); }
  // Makes a file that was last modified at that time.
  void Make(const std::string &name, const std::string &bytes, int64_t modified) {
    Write(path + name, bytes);
    Age(name, modified);
  }
  void Age(const std::string &name, int64_t modified) {
    const timespec time = {modified / GXDS_SECOND, modified % GXDS_SECOND};
    const timespec times[2] = {time, time};
    EXPECT_EQ(utimensat(dir, name.c_str(), times, AT_SYMLINK_NOFOLLOW), 0) << name;
  }
  // Makes the three files of one log.
  void MakeAll(char version, int64_t modified) {
    for (const char *ending : {".gxds", ".new"})
      Make(kOne + std::string(ending), Log(version), modified);
    Make(kOne + std::string(".lock"), "", modified);
  }
  std::set<std::string> Names() const {
    std::set<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(path)) {
      names.insert(entry.path().filename());
    }
    return names;
  }
  // Expects that nothing is removed, at any age.
  void ExpectKept() {
    const std::set<std::string> before = Names();
    EXPECT_EQ(gxds_cache_dir_sweep(dir, kNow + 1000 * kDay), 0u);
    EXPECT_EQ(Names(), before);
  }

  TempDir parent;
  std::string path = parent.path() + "/cache/";
  int dir = -1;
};

TEST_F(CacheDir, FileOfAnEarlierFormIsRemoved) {
  MakeAll(1, kNow);
  Make("00000000000000ff.gxds", Log(1), kNow);  // without a lock
  EXPECT_EQ(gxds_cache_dir_sweep(dir, kNow), 2u);
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(CacheDir, FileThatWasNotUsedFor30DaysIsRemoved) {
  for (char version : {2, 3}) {  // also of a later version of the format
    MakeAll(version, kNow);
    EXPECT_EQ(gxds_cache_dir_sweep(dir, kNow + 30 * kDay - 1), 0u);
    EXPECT_THAT(Names(), SizeIs(3));
    EXPECT_EQ(gxds_cache_dir_sweep(dir, kNow + 30 * kDay), 1u);
    EXPECT_THAT(Names(), IsEmpty());
  }
}

TEST_F(CacheDir, WhatAKilledProcessLeftIsRemoved) {
  for (const char *ending : {".gxds", ".lock", ".new"}) {
    Make(kOne + std::string(ending), "", kNow);
    EXPECT_EQ(gxds_cache_dir_sweep(dir, kNow + 30 * kDay - 1), 0u);
    EXPECT_EQ(gxds_cache_dir_sweep(dir, kNow + 30 * kDay), 1u) << ending;
    EXPECT_THAT(Names(), IsEmpty());
  }
}

TEST_F(CacheDir, UseOfAnyOfItsPartsCounts) {
  for (const char *ending : {".gxds", ".lock", ".new"}) {
    MakeAll(2, kNow);
    Age(kOne + std::string(ending), kNow + kDay);
    EXPECT_EQ(gxds_cache_dir_sweep(dir, kNow + 30 * kDay), 0u) << ending;
    EXPECT_EQ(gxds_cache_dir_sweep(dir, kNow + 31 * kDay), 1u) << ending;
  }
}

TEST_F(CacheDir, ClockThatIsBehindRemovesNothing) {
  MakeAll(2, kNow);
  EXPECT_EQ(gxds_cache_dir_sweep(dir, 0), 0u);
}

TEST_F(CacheDir, FileThatAnotherProcessHoldsLockedStays) {
  for (char version : {1, 2}) {
    MakeAll(version, kNow);
    int lock = openat(dir, (kOne + std::string(".lock")).c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_EQ(flock(lock, LOCK_EX), 0);
    ExpectKept();
    close(lock);
    EXPECT_EQ(gxds_cache_dir_sweep(dir, kNow + 30 * kDay), 1u);
  }
}

TEST_F(CacheDir, WhatIsNoCacheFileStays) {
  Make("notes.gxds", Log(1), 0);
  Make("0123456789ABCDEF.gxds", Log(1), 0);
  Make("0123456789abcdef0.gxds", Log(1), 0);
  Make("0123456789abcde.gxds", Log(1), 0);
  Make("0123456789abcdef.gxds~", Log(1), 0);
  Make("0123456789abcdef", Log(1), 0);
  Make("0000000000000001.gxds", "of another program", 0);
  Make("0000000000000001.lock", "", 0);
  Make("0000000000000002.gxds", "gxds", 0);
  Make("0000000000000003.new", "of another program", 0);
  Make("0000000000000003.gxds", Log(1), 0);
  Make("0000000000000004.lock", "another program's", 0);
  Make("0000000000000004.gxds", Log(1), 0);
  ExpectKept();
}

TEST_F(CacheDir, WhatIsNoFileStays) {
  Make("target", Log(1), 0);
  ASSERT_EQ(symlinkat("target", dir, "0000000000000001.gxds"), 0);
  ASSERT_EQ(mkdirat(dir, "0000000000000002.gxds", 0700), 0);
  ASSERT_EQ(mkfifoat(dir, "0000000000000003.gxds", 0600), 0);
  Make("0000000000000004.gxds", Log(1), 0);
  ASSERT_EQ(symlinkat("target", dir, "0000000000000004.lock"), 0);
  ASSERT_EQ(mkdirat(dir, "0000000000000005.lock", 0700), 0);
  ExpectKept();
}

TEST_F(CacheDir, OfAnotherUserStays) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  MakeAll(1, kNow);
  ASSERT_EQ(fchownat(dir, (kOne + std::string(".gxds")).c_str(), 65534, 65534, 0), 0);
  ExpectKept();
}

TEST_F(CacheDir, IsNotLookedAtWithoutEnd) {
  for (int i = 0; i < GXDS_CACHE_ENTRIES_MAX + 100; i++) {
    char name[GXDS_CACHE_NAME_SIZE];
    gxds_cache_name(static_cast<uint64_t>(i), "gxds", name);
    int fd = openat(dir, name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    EXPECT_EQ(write(fd, Log(1).data(), GXDS_CACHE_MAGIC_SIZE), GXDS_CACHE_MAGIC_SIZE);
    close(fd);
  }
  const size_t first = gxds_cache_dir_sweep(dir, kNow);
  EXPECT_LE(first, size_t{GXDS_CACHE_ENTRIES_MAX});
  EXPECT_GT(first, 0u);
  EXPECT_EQ(first + gxds_cache_dir_sweep(dir, kNow), size_t{GXDS_CACHE_ENTRIES_MAX} + 100);
}

// ---- users of a file ----

struct InUse : CacheDir {
  bool IsSwept(int64_t wall) { return gxds_cache_dir_sweep(dir, wall) > 0; }
  std::string cache = parent.path() + "/cache";
};

TEST_F(InUse, OpeningItIsUse) {
  { File(cache).Put("a", "one"); }
  { File f(cache, kNow + 20 * kDay); }
  for (const std::string &name : Names()) {
    if (name.find(".gxds") != std::string::npos) Age(name, kNow);
  }
  EXPECT_FALSE(IsSwept(kNow + 50 * kDay - 1));
  EXPECT_EQ(File(cache, kNow + 20 * kDay).Get("a"), "1 one");
  EXPECT_TRUE(IsSwept(kNow + 50 * kDay));
}

TEST_F(InUse, OpeningItOnlyToReadIsUse) {
  auto first = std::make_unique<File>(cache);
  first->Put("a", "one");
  { File second(cache, kNow + 20 * kDay); }
  first.reset();
  for (const std::string &name : Names()) {
    if (name.find(".gxds") != std::string::npos) Age(name, kNow);
  }
  EXPECT_FALSE(IsSwept(kNow + 50 * kDay - 1));
  EXPECT_TRUE(IsSwept(kNow + 50 * kDay));
}

TEST_F(InUse, HavingItOpenIsUse) {
  {
    File f(cache);
    f.Put("a", "one");
    f.now += 40 * kDay;
    EXPECT_FALSE(IsSwept(f.now + kWallOffset)) << "it is locked";
    f.Settle();  // marks it as in use; the end of the block unlocks it
  }
  for (const std::string &name : Names()) {
    if (name.find(".gxds") != std::string::npos) Age(name, kNow);
  }
  EXPECT_FALSE(IsSwept(kNow + 70 * kDay - 1));
  EXPECT_TRUE(IsSwept(kNow + 70 * kDay));
}

// The file was removed and made again, and now has another writer.
TEST_F(InUse, WhoLocksWhatWasRemovedMeanwhileDoesNotWriteThere) {
  auto first = std::make_unique<File>(cache);
  first->Put("a", "one");
  File second(cache);
  first.reset();
  for (const std::string &name : Names()) Age(name, kNow);
  ASSERT_TRUE(IsSwept(kNow + 30 * kDay));
  File third(cache);
  third.Put("b", "two");
  second.Put("c", "three");
  EXPECT_EQ(second.Get("c"), "nothing") << "the third one keeps it";
  EXPECT_EQ(second.Get("b"), "1 two");
  EXPECT_EQ(File(cache).Count(), 1u);
}

}  // namespace
}  // namespace gxds_test
