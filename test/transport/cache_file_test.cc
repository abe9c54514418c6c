// A file of the resource cache: format, directory, damage, compaction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>

#include "test/transport/cache_files.h"

namespace gxds_test {
namespace {

using ::testing::HasSubstr;

TEST_F(CacheFile, HoldsWhatWasPutThere) {
  File f(dir);
  EXPECT_EQ(f.Count(), 2u);
  EXPECT_EQ(f.Get("a"), "1 one");
  EXPECT_EQ(f.Get("b"), std::string("2 \0two", 6));
  EXPECT_EQ(f.Get("c"), "nothing");
  EXPECT_EQ(f.Log(), "");
}

TEST_F(CacheFile, LaterRecordTakesThePlaceOfAnEarlier) {
  {
    File f(dir);
    f.Put("a", "other");
    f.Remove("b");
    f.Remove("c");
    EXPECT_EQ(f.Get("a"), "1 other");
  }
  File f(dir);
  EXPECT_EQ(f.Count(), 1u);
  EXPECT_EQ(f.Get("a"), "1 other");
}

TEST_F(CacheFile, SameAgainIsNotWritten) {
  const std::string before = Read(path);
  File f(dir);
  f.Put("a", "one");
  EXPECT_EQ(Read(path), before);
}

TEST_F(CacheFile, IsOfItsOwnerAlone) {
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  ASSERT_EQ(stat(dir.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700u);
}

TEST_F(CacheFile, DirectoryThatOthersMayWriteIsRefused) {
  for (mode_t mode : {0770, 0707, 01777}) {
    ASSERT_EQ(chmod(dir.c_str(), mode), 0);
    File f(dir);
    EXPECT_EQ(f.Count(), 0u);
    EXPECT_THAT(f.Log(), HasSubstr("resource cache " + path +
                                   ": the directory can't be used: others may write into it"));
    f.now += GXDS_CACHE_RETRY_AFTER;
    f.Put("c", "three");
    EXPECT_EQ(f.Count(), 0u);
  }
}

TEST_F(CacheFile, FileThatOthersMayWriteIsIgnored) {
  ASSERT_EQ(chmod(path.c_str(), 0620), 0);
  File f(dir);
  EXPECT_EQ(f.Count(), 0u);
  EXPECT_THAT(f.TakeLog(), HasSubstr("ignored: others may write to it"));
  f.now += GXDS_CACHE_RETRY_AFTER;
  f.Put("a", "new");
  EXPECT_EQ(f.Count(), 0u);
  EXPECT_EQ(f.TakeLog(), "");
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  f.now += 2 * GXDS_CACHE_RETRY_AFTER;
  f.Put("a", "new");
  EXPECT_EQ(f.Count(), 2u);
  EXPECT_EQ(f.Get("a"), "1 new");
}

TEST_F(CacheFile, FileThatIsTooLongIsIgnored) {
  ASSERT_EQ(truncate(path.c_str(), static_cast<off_t>(GXDS_CACHE_FILE_MAX) + 1), 0);  // sparse
  File f(dir);
  EXPECT_THAT(f.Log(), HasSubstr("it is too long"));
  EXPECT_EQ(f.Count(), 0u);
}

TEST_F(CacheFile, LinkIsNotFollowed) {
  const std::string other = parent.path() + "/other";
  ASSERT_EQ(rename(path.c_str(), other.c_str()), 0);
  ASSERT_EQ(symlink(other.c_str(), path.c_str()), 0);
  File f(dir);
  EXPECT_EQ(f.Count(), 0u);
  EXPECT_THAT(f.Log(), HasSubstr("can't be opened"));
}

TEST_F(CacheFile, OtherTargetsAndServersHaveTheirOwn) {
  File target(dir, "xds:///other");
  File server(dir, "xds:///t", "server:2");
  EXPECT_EQ(target.Count(), 0u);
  EXPECT_EQ(server.Count(), 0u);
  EXPECT_NE(target.Path(), server.Path());
}

TEST_F(CacheFile, CutAtAnyByteHoldsWhatIsWhole) {
  const std::string whole = Read(path);
  for (size_t size = 0; size < whole.size(); size++) {
    Write(path, whole.substr(0, size));
    File f(dir);
    EXPECT_EQ(f.Log(), "") << size;
    EXPECT_LE(f.Count(), 1u);
    const size_t before = f.Count();
    EXPECT_EQ(f.Get("a"), before == 1 ? "1 one" : "nothing");
    f.Put("c", "three");  // writing goes on after the cut
    File again(dir);
    EXPECT_EQ(again.Count(), before + 1);
    EXPECT_EQ(again.Get("c"), "1 three");
  }
}

TEST_F(CacheFile, AnyOtherByteMakesItUnusable) {
  const std::string whole = Read(path);
  for (size_t at = 0; at < whole.size(); at++) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    Write(path, damaged);
    File f(dir);
    EXPECT_EQ(f.Count(), 0u) << at;
    EXPECT_THAT(f.Log(), HasSubstr("ignored: it is ")) << at;
  }
}

TEST_F(CacheFile, DamagedOneIsReplaced) {
  std::string damaged = Read(path);
  damaged.back() ^= 1;
  Write(path, damaged);
  {
    File f(dir);
    EXPECT_THAT(f.Log(), HasSubstr("it is damaged"));
    f.Put("c", "three");
  }
  File f(dir);
  EXPECT_EQ(f.Log(), "");
  EXPECT_EQ(f.Count(), 1u);
}

TEST_F(CacheFile, ForeignOneIsLeftAlone) {
  Write(path, "something of another program, which happens to have that name");
  const std::string before = Read(path);
  File f(dir);
  EXPECT_THAT(f.Log(), HasSubstr("no resource cache"));
  f.Put("a", "one");
  EXPECT_EQ(Read(path), before);
}

TEST_F(CacheFile, OfAnotherVersionIsIgnored) {
  std::string other = Read(path);
  other[14] = 3;
  Write(path, other);
  File f(dir);
  EXPECT_EQ(f.Count(), 0u);
  EXPECT_THAT(f.Log(), HasSubstr("another version of the format"));
}

TEST_F(CacheFile, SecondProcessOnlyReads) {
  File first(dir);
  File second(dir);
  EXPECT_THAT(second.Log(), HasSubstr("only read: another process keeps it"));
  EXPECT_EQ(second.Get("a"), "1 one");
  second.Put("a", "other");
  EXPECT_EQ(second.Get("a"), "1 one");
  first.Put("a", "mine");
  EXPECT_EQ(File(dir).Get("a"), "1 mine");
}

TEST_F(CacheFile, SecondProcessGoesOnWhereTheFirstLeftOff) {
  auto first = std::make_unique<File>(dir);
  File second(dir), third(dir);
  second.Put("b", "not kept");
  first->Put("a", "mine");
  const std::string big(GXDS_CACHE_COMPACT_MIN / 2, 'x');
  for (int i = 0; i < 5; i++) first->Put("c", big + std::to_string(i));  // the log is compacted
  first.reset();
  second.Put("d", "four");
  EXPECT_THAT(second.Log(), HasSubstr("kept by this process from now on"));
  EXPECT_EQ(second.Get("a"), "1 mine");
  EXPECT_EQ(second.Get("c"), "1 " + big + "4");
  third.Put("d", "not kept either");
  File fourth(dir);
  EXPECT_EQ(fourth.Count(), 4u);
  EXPECT_EQ(fourth.Get("b"), std::string("2 \0two", 6));
  EXPECT_EQ(fourth.Get("d"), "1 four");
}

TEST_F(CacheFile, ProcessThatGoesOnWantsWhatItCouldNotWriteBefore) {
  auto first = std::make_unique<File>(dir);
  File second(dir);
  second.Put("b", "newer");
  EXPECT_FALSE(second.TakeLost());
  first.reset();
  second.Put("c", "three");
  EXPECT_TRUE(second.TakeLost());
  File third(dir);
  third.Put("d", "four");
  EXPECT_FALSE(third.TakeLost());
}

TEST_F(CacheFile, ChildOfAForkDoesNotKeepTheLockOfItsParent) {
  int running[2];
  int end[2];
  ASSERT_EQ(pipe(running), 0);
  ASSERT_EQ(pipe(end), 0);
  char byte = 0;
  const pid_t writer = fork();
  if (writer == 0) {
    File f(dir);
    if (fork() == 0) {
      close(end[1]);
      (void)!write(running[1], "", 1);
      (void)!read(end[0], &byte, 1);
      _exit(0);
    }
    (void)!read(running[0], &byte, 1);
    _exit(0);  // the kernel closes the file
  }
  ASSERT_EQ(waitpid(writer, nullptr, 0), writer);
  File f(dir);
  EXPECT_EQ(f.Log(), "");
  f.Put("a", "other");
  EXPECT_EQ(File(dir).Get("a"), "1 other");
  for (int fd : {running[0], running[1], end[0], end[1]}) close(fd);
}

TEST_F(CacheFile, IsWrittenAnewWhenMostOfItIsOutOfDate) {
  const std::string big(GXDS_CACHE_COMPACT_MIN / 8, 'x');
  size_t largest = 0;
  {
    File f(dir);
    for (int i = 0; i < 40; i++) {
      f.Put("c", big + std::to_string(i));
      largest = std::max(largest, Read(path).size());
    }
    EXPECT_EQ(f.Get("a"), "1 one");
    EXPECT_EQ(f.Get("c"), "1 " + big + "39");
  }
  EXPECT_LE(largest, GXDS_CACHE_COMPACT_MIN + 2 * big.size());
  File f(dir);
  EXPECT_EQ(f.Count(), 3u);
  EXPECT_EQ(f.Get("a"), "1 one");
  EXPECT_EQ(f.Get("c"), "1 " + big + "39");
}

}  // namespace
}  // namespace gxds_test
