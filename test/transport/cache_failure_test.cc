// Failures of the resource cache, and how a process goes on: no directory, no space, no permission,
// a limit of the file's size.
#include <errno.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "test/transport/cache_files.h"

namespace {
int g_write_error = 0;  // an errno; 0: none
bool g_read_only = false;
size_t g_bytes_read = 0;
}  // namespace

// Replaces libc's pwrite(), because a test must not fill a disk.
extern "C" ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
  if (g_write_error == 0) return syscall(SYS_pwrite64, fd, bytes, size, at);
  errno = g_write_error;
  return -1;
}

extern "C" ssize_t pread(int fd, void *bytes, size_t size, off_t at) {
  g_bytes_read += size;
  return syscall(SYS_pread64, fd, bytes, size, at);
}

extern "C" int openat(int dir, const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & O_CREAT) {
    va_list more;
    va_start(more, flags);
    mode = va_arg(more, mode_t);
    va_end(more);
  }
  if (!g_read_only || (flags & O_ACCMODE) == O_RDONLY) {
    return static_cast<int>(syscall(SYS_openat, dir, path, flags, mode));
  }
  errno = EROFS;
  return -1;
}

namespace gxds_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using CacheFailure = CacheFile;

TEST_F(CacheFailure, DirectoryThatIsNotThereIsTriedAgainLaterAndLoggedOnce) {
  const std::string mount = parent.path() + "/mount";
  File f(mount + "/cache");
  EXPECT_EQ(f.TakeLog(), "resource cache " + f.Path() +
                             ": the directory can't be used: No such file or directory");
  f.Put("c", "three");
  f.now += GXDS_CACHE_RETRY_AFTER;
  f.Put("c", "three");
  ASSERT_EQ(mkdir(mount.c_str(), 0700), 0);
  f.Put("c", "too early to try");
  EXPECT_EQ(f.TakeLog(), "");
  EXPECT_FALSE(f.TakeLost());
  f.now += 2 * GXDS_CACHE_RETRY_AFTER;
  f.Put("c", "three");
  EXPECT_TRUE(f.TakeLost()) << "what came before is to be put again";
  f.Settle();
  EXPECT_EQ(f.TakeLog(), "resource cache " + f.Path() + ": written again");
  EXPECT_EQ(File(mount + "/cache").Get("c"), "1 three");
}

TEST_F(CacheFailure, WhatIsThereInADirectoryThatComesLateIsUsed) {
  const std::string late = parent.path() + "/late";
  ASSERT_EQ(symlink("nowhere", late.c_str()), 0);
  File f(late);
  EXPECT_EQ(f.Count(), 0u);
  ASSERT_EQ(rename(dir.c_str(), (parent.path() + "/nowhere").c_str()), 0);
  f.now += GXDS_CACHE_RETRY_AFTER;
  f.Put("c", "three");
  EXPECT_EQ(f.Count(), 3u);
  EXPECT_EQ(f.Get("a"), "1 one");
}

TEST_F(CacheFailure, DirectoryThatIsRemovedOrMountedOverIsBegunAnew) {
  File f(dir);
  ASSERT_EQ(rename(dir.c_str(), (parent.path() + "/hidden").c_str()), 0);
  ASSERT_EQ(mkdir(dir.c_str(), 0700), 0);
  f.Put("c", "three");
  EXPECT_EQ(File(parent.path() + "/hidden").Get("c"), "1 three");
  f.now += GXDS_CACHE_RETRY_AFTER;
  f.Put("d", "four");
  EXPECT_EQ(f.TakeLog(), "resource cache " + f.Path() + ": removed, or mounted over: rewritten");
  EXPECT_TRUE(f.TakeLost()) << "all that there was is to be put again";
  EXPECT_EQ(File(dir).Get("d"), "1 four");
  for (const std::string &name : {path, path.substr(0, path.rfind('.')) + ".lock"}) {
    ASSERT_EQ(unlink(name.c_str()), 0);
    f.now += GXDS_CACHE_RETRY_AFTER;
    f.Put("e", name);
    EXPECT_THAT(f.TakeLog(), HasSubstr("removed, or mounted over: rewritten")) << name;
    EXPECT_TRUE(f.TakeLost());
    EXPECT_THAT(File(dir).Log(), HasSubstr("another process keeps it"));
    EXPECT_EQ(File(dir).Get("e"), "1 " + name);
  }
  f.now += GXDS_CACHE_RETRY_AFTER;
  f.Put("f", "six");
  EXPECT_EQ(f.TakeLog(), "");
}

TEST_F(CacheFailure, AnotherFailureIsLogged) {
  const std::string later = parent.path() + "/not/there";
  File f(later);
  EXPECT_THAT(f.TakeLog(), HasSubstr("No such file or directory"));
  ASSERT_EQ(mkdir((parent.path() + "/not").c_str(), 0700), 0);
  ASSERT_EQ(mkdir(later.c_str(), 0700), 0);
  ASSERT_EQ(chmod(later.c_str(), 0777), 0);
  f.now += GXDS_CACHE_RETRY_AFTER;
  f.Put("c", "three");
  EXPECT_THAT(f.TakeLog(), HasSubstr("others may write into it"));
}

// While it exists, no file can grow beyond this size, and this thread blocks signals, like the
// reactor.
class FilesOfAtMost {
 public:
  explicit FilesOfAtMost(rlim_t size) {
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    rlimit now = before_;
    now.rlim_cur = size;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask_);
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &now), 0);
  }
  ~FilesOfAtMost() {
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before_), 0);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    const timespec none = {};
    EXPECT_EQ(sigtimedwait(&signals, nullptr, &none), SIGXFSZ) << "which would have ended us";
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }

 private:
  rlimit before_;
  sigset_t mask_;
};

TEST_F(CacheFailure, ProcessThatCannotWriteLeavesItToAnother) {
  File first(dir);
  File second(dir);
  {
    FilesOfAtMost bytes(1000);
    first.Put("c", std::string(2000, 'x'));
    EXPECT_THAT(first.Log(), HasSubstr("not written for now: File too large"));
  }
  first.Put("d", "not kept");
  second.Put("e", "five");
  EXPECT_THAT(second.Log(), HasSubstr("kept by this process from now on"));
  EXPECT_EQ(second.Get("e"), "1 five");
  EXPECT_EQ(first.Get("a"), "1 one") << "what it holds goes on being read";
  File third(dir);
  EXPECT_EQ(third.Count(), 3u);
  EXPECT_EQ(third.Get("a"), "1 one");
}

TEST_F(CacheFailure, IsWrittenAgainWhenFilesMayBeLonger) {
  const std::string before = Read(path);
  File f(dir);
  {
    FilesOfAtMost bytes(before.size() + 10);
    f.Put("c", "three");
    EXPECT_EQ(Read(path), before) << "no part is left";
  }
  EXPECT_THAT(f.Log(), HasSubstr("not written for now: File too large"));
  f.now += GXDS_CACHE_RETRY_AFTER;
  f.Put("c", "three");
  EXPECT_TRUE(f.TakeLost());
  f.Settle();
  EXPECT_THAT(f.Log(), HasSubstr("written again"));
  EXPECT_EQ(File(dir).Get("c"), "1 three");
}

// Puts the two records of an engine: one that fits, and one that is too long.
void PutBoth(File *f, int number) {
  f->Put("fits", std::to_string(number));
  f->Put("long", std::string(2000, 'x'));
  if (f->TakeLost()) PutBoth(f, number);
  f->Settle();
}

TEST_F(CacheFailure, OneRecordThatDoesNotFitIsLoggedOnceThoughOthersDo) {
  File f(dir);
  {
    FilesOfAtMost bytes(1000);
    PutBoth(&f, 0);
    EXPECT_THAT(f.TakeLog(), HasSubstr("not written for now: File too large"));
    for (int i = 1; i < 5; i++) {
      f.now += GXDS_CACHE_RETRY_AFTER_MAX;
      f.Put("fits", std::to_string(i));
      EXPECT_EQ(f.Get("fits"), "1 " + std::to_string(i));
      if (f.TakeLost()) PutBoth(&f, i);
      f.Settle();
      EXPECT_EQ(f.TakeLog(), "");
    }
  }
  f.now += GXDS_CACHE_RETRY_AFTER_MAX;
  PutBoth(&f, 5);
  EXPECT_EQ(f.TakeLog(), "resource cache " + path + ": written again");
  f.Settle();
  EXPECT_EQ(f.TakeLog(), "");
}

TEST_F(CacheFailure, ThatLastsIsTriedAgainLessAndLessUntilAllWasWritten) {
  File f(dir);
  for (const std::string round : {"first", "second"}) {
    g_write_error = ENOSPC;
    f.Put(round, "x");
    for (int seconds : {10, 20, 40, 80, 160, 320, 600, 600}) {
      f.now += seconds * GXDS_SECOND - 1;
      g_write_error = 0;
      const std::string name = round + std::to_string(f.now);
      f.Put(name, "too early to try");
      EXPECT_EQ(f.Get(name), "nothing") << seconds;
      f.now++;
      f.Put(name, "three");
      EXPECT_EQ(f.Get(name), "1 three") << seconds;
      EXPECT_TRUE(f.TakeLost());
      g_write_error = ENOSPC;
      f.Put(round, "x");
      f.Settle();
    }
    g_write_error = 0;
    f.now += GXDS_CACHE_RETRY_AFTER_MAX;
    f.Put(round, "x");
    EXPECT_TRUE(f.TakeLost());
    f.Settle();
    EXPECT_THAT(f.TakeLog(), HasSubstr("written again"));
  }
}

TEST_F(CacheFailure, EndsOnlyWhenSomethingWasWritten) {
  File f(dir);
  g_write_error = ENOSPC;
  f.Put("c", "three");
  f.TakeLog();
  g_write_error = 0;
  f.now += GXDS_CACHE_RETRY_AFTER;
  f.Put("a", "one");  // it exists already
  EXPECT_TRUE(f.TakeLost());
  f.Settle();
  EXPECT_EQ(f.TakeLog(), "");
  f.Put("c", "three");
  f.Settle();
  EXPECT_THAT(f.TakeLog(), HasSubstr("written again"));
}

TEST_F(CacheFailure, ProcessThatFailedAndFindsAnotherThereWaitsToo) {
  File first(dir);
  g_write_error = ENOSPC;
  first.Put("c", "three");
  auto second = std::make_unique<File>(dir);
  first.now += GXDS_CACHE_RETRY_AFTER;
  first.Put("c", "three");
  EXPECT_THAT(first.TakeLog(), HasSubstr("another process keeps it"));
  second.reset();
  first.Put("c", "three");
  EXPECT_EQ(first.TakeLog(), "") << "it is not handed to and fro";
  first.now += GXDS_CACHE_RETRY_AFTER;
  first.Put("c", "three");
  EXPECT_EQ(first.TakeLog(), "resource cache " + path +
                                 ": kept by this process from now on: the other one let it go");
  g_write_error = 0;
}

TEST_F(CacheFailure, RemovalThatCouldNotBeWrittenIsMadeUpFor) {
  File f(dir);
  g_write_error = ENOSPC;
  f.Remove("");  // there is no record of that name
  f.Remove("a");
  f.Remove("b");
  f.Put("b", "newer");
  g_write_error = 0;
  EXPECT_EQ(File(dir).Count(), 2u);
  f.now += GXDS_CACHE_RETRY_AFTER;
  f.Put("c", "three");
  File again(dir);
  EXPECT_EQ(again.Get("a"), "nothing");
  EXPECT_EQ(again.Get("b"), std::string("2 \0two", 6)) << "it exists, and is put again";
  EXPECT_EQ(again.Get("c"), "1 three");
}

TEST_F(CacheFailure, RemovalWhileAnotherProcessKeptItIsMadeUpFor) {
  auto first = std::make_unique<File>(dir);
  File second(dir);
  second.Remove("a");
  first->Put("d", "four");  // the existing file is read again
  first.reset();
  EXPECT_EQ(File(dir).Get("a"), "1 one");
  second.Put("c", "three");
  EXPECT_EQ(File(dir).Get("a"), "nothing");
}

TEST_F(CacheFailure, NoMoreRemovalsAreRememberedThanThat) {
  auto first = std::make_unique<File>(dir);
  File second(dir);
  for (int i = 0; i < GXDS_CACHE_REMOVALS_MAX; i++) second.Remove("x" + std::to_string(i));
  second.Remove("a");
  first.reset();
  second.Put("c", "three");
  EXPECT_EQ(File(dir).Get("a"), "1 one");
}

TEST_F(CacheFailure, ProcessThatCannotUseWhatAnotherLeftDoesNotLogThatItKeepsIt) {
  auto first = std::make_unique<File>(dir);
  File second(dir);
  second.TakeLog();
  first.reset();
  ASSERT_EQ(chmod(path.c_str(), 0620), 0);
  second.Put("c", "three");
  EXPECT_EQ(second.TakeLog(), "resource cache " + path + ": ignored: others may write to it");
}

TEST_F(CacheFailure, IsReadAgainOnlyWhereAnotherProcessChangedIt) {
  File f(dir);
  for (bool changed : {false, true}) {
    g_write_error = EIO;
    f.now += GXDS_CACHE_RETRY_AFTER;
    f.Put("c", changed ? "3" : "three");
    g_write_error = 0;
    if (changed) File(dir).Put("d", "four");
    f.now += GXDS_CACHE_RETRY_AFTER;
    g_bytes_read = 0;
    f.Put("c", changed ? "3" : "three");
    EXPECT_EQ(g_bytes_read > 0, changed);
    EXPECT_EQ(f.Count(), changed ? 4u : 3u);
    EXPECT_EQ(f.Get("a"), "1 one");
    EXPECT_TRUE(f.TakeLost());
    f.Settle();
  }
  EXPECT_EQ(File(dir).Count(), 4u);
}

TEST_F(CacheFailure, OnAReadOnlyFileSystemIsRead) {
  g_read_only = true;
  File f(dir);
  g_read_only = false;
  EXPECT_THAT(f.Log(), HasSubstr("only read: Read-only file system"));
  EXPECT_EQ(f.Get("a"), "1 one");
  f.Put("a", "newer");
  EXPECT_EQ(f.Get("a"), "1 one");
  EXPECT_FALSE(f.TakeLost());
  f.now += GXDS_CACHE_RETRY_AFTER;
  f.Put("a", "newer");
  EXPECT_EQ(f.Get("a"), "1 newer") << "it may be written now";
  EXPECT_TRUE(f.TakeLost());
}

class WriteError : public CacheFailure, public testing::WithParamInterface<int> {
  void TearDown() override { g_write_error = 0; }
};
INSTANTIATE_TEST_SUITE_P(All, WriteError, testing::Values(ENOSPC, EDQUOT, EIO, EFBIG));

TEST_P(WriteError, IsTriedAgainAndLoggedOnce) {
  File f(dir);
  g_write_error = GetParam();
  f.Put("a", "newer");
  f.Put("b", "newer too");
  EXPECT_THAT(f.Log(), HasSubstr(std::string("not written for now: ") + strerror(GetParam())));
  f.now += GXDS_CACHE_RETRY_AFTER;
  f.Put("a", "newer");
  EXPECT_EQ(f.Log().find("not written", f.Log().find("not written") + 1), std::string::npos)
      << f.Log();
  EXPECT_FALSE(f.TakeLost());
  g_write_error = 0;
  f.Put("c", "too early to try");
  EXPECT_EQ(File(dir).Count(), 2u);
  f.now += 2 * GXDS_CACHE_RETRY_AFTER;
  f.Put("c", "three");
  f.Settle();
  EXPECT_THAT(f.Log(), Not(HasSubstr("written again"))) << "not all was";
  EXPECT_TRUE(f.TakeLost()) << "what could not be written is to be put again";
  EXPECT_FALSE(f.TakeLost());
  f.Settle();
  EXPECT_THAT(f.Log(), HasSubstr("written again"));
  File again(dir);
  EXPECT_EQ(again.Get("a"), "1 one");
  EXPECT_EQ(again.Get("c"), "1 three");
}

}  // namespace
}  // namespace gxds_test
