// The file that keeps what a server sent: format, directory, damage, compaction.
#include "transport/cache_file.h"

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

#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "test/support/child.h"

namespace {
int g_write_error = 0;  // errno's
bool g_read_only = false;
size_t g_bytes_read = 0;
}  // namespace

// In the place of libc's: to fill a disk is not for a test.
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

gxds_str Str(const std::string &s) { return gxds_str_of(s.data(), s.size()); }
std::string String(gxds_str s) { return std::string(s.data ? s.data : "", s.size); }

const char kType[] = "type.googleapis.com/Foo";

class File {
 public:
  explicit File(const std::string &dir, const std::string &target = "xds:///t",
                const std::string &server = "server:1") {
    file_ = gxds_cache_file_open(Str(dir), Str(target), Str(server), now, &log_);
  }
  ~File() {
    gxds_cache_file_close(file_);
    gxds_text_fini(&log_);
  }
  std::string Log() const { return String(gxds_text_str(&log_)); }
  std::string Path() const { return String(gxds_cache_file_path(file_)); }
  size_t Count() const { return gxds_cache_file_count(file_); }
  void Put(const std::string &name, const std::string &bytes, const std::string &version = "1") {
    gxds_cache_record r = {};
    r.accepted = 42;
    r.type = gxds_str_z(kType);
    r.name = Str(name);
    r.version = Str(version);
    r.bytes = Str(bytes);
    gxds_cache_file_put(file_, &r, now, &log_);
  }
  void Remove(const std::string &name) {
    gxds_cache_record r = {};
    r.removed = true;
    r.type = gxds_str_z(kType);
    r.name = Str(name);
    gxds_cache_file_put(file_, &r, now, &log_);
  }
  std::string Get(const std::string &name) {
    gxds_cache_record r;
    if (!gxds_cache_file_find(file_, gxds_str_z(kType), Str(name), &r)) return "nothing";
    EXPECT_EQ(r.accepted, 42);
    EXPECT_EQ(String(r.type), kType);
    EXPECT_EQ(String(r.name), name);
    return String(r.version) + " " + String(r.bytes);
  }

  bool TakeLost() { return gxds_cache_file_take_lost(file_); }
  std::string TakeLog() {
    std::string log = Log();
    gxds_text_clear(&log_);
    return log;
  }
  gxds_time now = 1000 * GXDS_SECOND;

 private:
  gxds_text log_ = {};
  gxds_cache_file *file_;
};

std::string Read(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void Write(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// A directory as the cache makes it, with two resources in a file.
struct CacheFile : testing::Test {
  CacheFile() {
    File f(dir);
    f.Put("a", "one");
    f.Put("b", std::string("\0two", 4), "2");
    EXPECT_EQ(f.Log(), "");
    path = f.Path();
  }
  TempDir parent;
  std::string dir = parent.path() + "/cache";
  std::string path;
};

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

TEST_F(CacheFile, DirectoryThatIsNotThereIsTriedAgainLaterAndThatToldOnce) {
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
  f.now += GXDS_CACHE_RETRY_AFTER;
  f.Put("c", "three");
  EXPECT_EQ(f.TakeLog(), "resource cache " + f.Path() + ": written again");
  EXPECT_TRUE(f.TakeLost()) << "what came before is to be put again";
  EXPECT_EQ(File(mount + "/cache").Get("c"), "1 three");
}

TEST_F(CacheFile, WhatIsThereInADirectoryThatComesLateIsUsed) {
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

TEST_F(CacheFile, DirectoryThatIsRemovedOrMountedOverIsBegunAnew) {
  File f(dir);
  ASSERT_EQ(rename(dir.c_str(), (parent.path() + "/hidden").c_str()), 0);
  ASSERT_EQ(mkdir(dir.c_str(), 0700), 0);
  f.Put("c", "three");
  EXPECT_EQ(File(parent.path() + "/hidden").Get("c"), "1 three");
  f.now += GXDS_CACHE_RETRY_AFTER;
  f.Put("d", "four");
  EXPECT_EQ(f.TakeLog(), "resource cache " + f.Path() + ": removed, or mounted over: begun anew");
  EXPECT_TRUE(f.TakeLost()) << "all that there was is to be put again";
  EXPECT_EQ(File(dir).Get("d"), "1 four");
  for (const std::string &name : {path, path.substr(0, path.rfind('.')) + ".lock"}) {
    ASSERT_EQ(unlink(name.c_str()), 0);
    f.now += GXDS_CACHE_RETRY_AFTER;
    f.Put("e", name);
    EXPECT_THAT(f.TakeLog(), HasSubstr("removed, or mounted over: begun anew")) << name;
    EXPECT_TRUE(f.TakeLost());
    EXPECT_THAT(File(dir).Log(), HasSubstr("another process keeps it"));
    EXPECT_EQ(File(dir).Get("e"), "1 " + name);
  }
  f.now += GXDS_CACHE_RETRY_AFTER;
  f.Put("f", "six");
  EXPECT_EQ(f.TakeLog(), "");
}

TEST_F(CacheFile, AnotherFailureIsTold) {
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
  f.now += GXDS_CACHE_RETRY_AFTER;
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
    f.Put("c", "three");  // and what is cut can be gone on with
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
  other[14] = 2;
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
  for (int i = 0; i < 5; i++) first->Put("c", big + std::to_string(i));  // it is written anew
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

// While it lives, no file can grow beyond that, and this thread blocks signals, as the reactor
// does.
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

TEST_F(CacheFile, ProcessThatCannotWriteLeavesItToAnother) {
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

TEST_F(CacheFile, IsWrittenAgainWhenFilesMayBeLonger) {
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
  EXPECT_THAT(f.Log(), HasSubstr("written again"));
  EXPECT_EQ(File(dir).Get("c"), "1 three");
}

TEST_F(CacheFile, IsReadAgainOnlyWhereAnotherProcessChangedIt) {
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
  }
  EXPECT_EQ(File(dir).Count(), 4u);
}

TEST_F(CacheFile, OnAReadOnlyFileSystemIsRead) {
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

class WriteError : public CacheFile, public testing::WithParamInterface<int> {
  void TearDown() override { g_write_error = 0; }
};
INSTANTIATE_TEST_SUITE_P(All, WriteError, testing::Values(ENOSPC, EDQUOT, EIO, EFBIG));

TEST_P(WriteError, IsTriedAgainAndToldOnce) {
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
  f.now += GXDS_CACHE_RETRY_AFTER;
  f.Put("c", "three");
  EXPECT_THAT(f.Log(), HasSubstr("written again"));
  EXPECT_TRUE(f.TakeLost()) << "what could not be written is to be put again";
  EXPECT_FALSE(f.TakeLost());
  File again(dir);
  EXPECT_EQ(again.Get("a"), "1 one");
  EXPECT_EQ(again.Get("c"), "1 three");
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
