// A real directory and real inotify events. Nothing sleeps: each wait (poll) ends with its event,
// and the test sets the time.
#include "files/dir_watch.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "files/dir.h"
#include "test/files/support.h"

namespace {
bool g_no_more_watches = false;
bool g_no_more_instances = false;
int g_readable_entries = -1;  // how many entries can be read before an error; -1: all
bool g_fails_once = false;    // after that error all entries can be read
}  // namespace

// Replaces libc's readdir(): a file system may fail in the middle of a directory.
extern "C" dirent *readdir(DIR *dir) {
  static const auto real = reinterpret_cast<dirent *(*)(DIR *)>(dlsym(RTLD_NEXT, "readdir"));
  if (g_readable_entries < 0) return real(dir);
  if (g_readable_entries > 0) {
    g_readable_entries--;
    return real(dir);
  }
  if (g_fails_once) g_readable_entries = -1;
  errno = EIO;
  return nullptr;
}

// Replaces libc's inotify_add_watch(), because a test must not use up the limit of the whole
// system.
extern "C" int inotify_add_watch(int fd, const char *path, uint32_t mask) noexcept {
  if (!g_no_more_watches) {
    return static_cast<int>(syscall(SYS_inotify_add_watch, fd, path, mask));
  }
  errno = ENOSPC;
  return -1;
}

extern "C" int inotify_init1(int flags) noexcept {
  if (!g_no_more_instances) return static_cast<int>(syscall(SYS_inotify_init1, flags));
  errno = EMFILE;
  return -1;
}

namespace {

namespace fs = std::filesystem;

std::string Cluster(const std::string &name) {
  return "'@type': type.googleapis.com/envoy.config.cluster.v3.Cluster\nname: " + name + "\n";
}

class DirWatch : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string path = ::testing::TempDir() + "/dir_watch_XXXXXX";
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    root_ = path;
    dir_ = root_ / "resources";
    fs::create_directory(dir_);
  }
  void TearDown() override {
    g_no_more_watches = g_no_more_instances = false;
    g_readable_entries = -1;
    g_fails_once = false;
    gxds_dir_watch_destroy(watch_);
    fs::remove_all(root_);
  }

  void Start(const fs::path &path) {
    gxds_status status;
    watch_ = gxds_dir_watch_create(path.c_str(), now_, &status);
    ASSERT_NE(watch_, nullptr);
  }

  static void Write(const fs::path &path, const std::string &text) {
    std::ofstream(path) << text;  // the destructor closes the file
  }

  // Reads all events that the kernel has queued. The kernel queues an event before the call that
  // causes it returns.
  void Drain() { gxds_dir_watch_on_readable(watch_, now_); }

  // Waits until there are events, then lets the quiet time pass and reads.
  gxds_dir_change Settle() {
    pollfd fd = {gxds_dir_watch_fd(watch_), POLLIN, 0};
    EXPECT_EQ(poll(&fd, 1, 10000), 1) << "no event came";
    Drain();
    return Read();
  }

  gxds_dir_change Read() {
    if (gxds_dir_watch_deadline(watch_) > now_ && gxds_dir_watch_deadline(watch_) < kNever) {
      now_ = gxds_dir_watch_deadline(watch_);
    }
    return gxds_dir_watch_on_deadline(watch_, now_);
  }

  std::string Names() {
    const gxds_file_set *set = gxds_dir_watch_set(watch_);
    std::string s;
    if (!set) return "none";
    for (size_t i = 0; i < set->types[GXDS_FILE_CLUSTER].count; i++) {
      s += String(set->types[GXDS_FILE_CLUSTER].entries[i].resource->name);
    }
    return s;
  }

  std::string Errors() {
    gxds_text text = {};
    gxds_file_errors_render(gxds_dir_watch_errors(watch_), &text);
    return Take(&text);
  }

  std::string Notice() {
    gxds_str notice = gxds_dir_watch_take_notice(watch_);
    std::string s = String(notice);
    gxds_str_free(&notice);
    return s;
  }

  static constexpr gxds_time kNever = GXDS_TIME_NEVER;
  fs::path root_;
  fs::path dir_;
  gxds_dir_watch *watch_ = nullptr;
  gxds_time now_ = 1000 * GXDS_SECOND;
};

// While it exists, the process may open only so many more descriptors.
class FewDescriptors {
 public:
  explicit FewDescriptors(int left) {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    const int next = dup(0);
    close(next);
    rlimit now = before_;
    now.rlim_cur = static_cast<rlim_t>(next + left);
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &now), 0);
  }
  ~FewDescriptors() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }

 private:
  rlimit before_;
};

TEST_F(DirWatch, ReadsAtOnceAndAfterAChange) {
  Write(dir_ / "a.yaml", Cluster("a"));
  Start(dir_);
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "a");
  EXPECT_EQ(Read(), GXDS_DIR_NOTHING);
  Write(dir_ / "b.yml", Cluster("b"));
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "ab");
  fs::remove(dir_ / "a.yaml");
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "b");
}

TEST_F(DirWatch, NothingIsTakenBefore50MillisecondsOfQuiet) {
  Start(dir_);
  Read();
  Write(dir_ / "a.yaml", Cluster("a"));
  Drain();
  EXPECT_EQ(gxds_dir_watch_deadline(watch_), now_ + 50 * GXDS_MILLISECOND);
  now_ += 49 * GXDS_MILLISECOND;
  EXPECT_EQ(gxds_dir_watch_on_deadline(watch_, now_), GXDS_DIR_NOTHING);
  EXPECT_EQ(Names(), "");
  now_ += 1 * GXDS_MILLISECOND;
  EXPECT_EQ(gxds_dir_watch_on_deadline(watch_, now_), GXDS_DIR_SET);
}

TEST_F(DirWatch, ABrokenFileKeepsTheLastGoodStateAndIsReported) {
  Write(dir_ / "a.yaml", Cluster("a"));
  Start(dir_);
  Read();
  Write(dir_ / "a.yaml", Cluster("b") + "typo: 1\n");
  EXPECT_EQ(Settle(), GXDS_DIR_ERRORS);
  EXPECT_EQ(Names(), "a");
  EXPECT_EQ(Errors(), "a.yaml:3: field typo: no such field in envoy.config.cluster.v3.Cluster\n");
  Write(dir_ / "c.yaml", Cluster("c"));  // the same error again is no change
  EXPECT_EQ(Settle(), GXDS_DIR_NOTHING);
  EXPECT_EQ(Names(), "a");
  Write(dir_ / "a.yaml", Cluster("b"));
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "bc");
  EXPECT_EQ(Errors(), "");
}

TEST_F(DirWatch, GoodAgainAfterErrorsIsAChange) {
  Write(dir_ / "a.yaml", Cluster("a"));
  Start(dir_);
  Read();
  Write(dir_ / "a.yaml", "");
  EXPECT_EQ(Settle(), GXDS_DIR_ERRORS);
  Write(dir_ / "a.yaml", Cluster("a"));
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
}

TEST_F(DirWatch, AHalfWrittenFileIsNotTakenThoughItIsValid) {
  Write(dir_ / "a.yaml", Cluster("a"));
  Start(dir_);
  Read();
  std::string text = Cluster("x") + "---\n" + Cluster("y");
  int fd = open((dir_ / "a.yaml").c_str(), O_WRONLY | O_TRUNC);
  size_t half = Cluster("x").size();
  ASSERT_EQ(write(fd, text.data(), half), static_cast<ssize_t>(half));
  Drain();
  now_ += 60 * GXDS_MILLISECOND;
  EXPECT_EQ(gxds_dir_watch_on_deadline(watch_, now_), GXDS_DIR_NOTHING);
  EXPECT_EQ(Names(), "a");
  ASSERT_GT(write(fd, text.data() + half, text.size() - half), 0);
  close(fd);
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "xy");
}

TEST_F(DirWatch, ASwappedSymlinkIsTakenInOneStep) {
  fs::path second = root_ / "second";
  fs::create_directory(second);
  Write(dir_ / "a.yaml", Cluster("a"));
  Write(second / "b.yaml", Cluster("b"));
  fs::create_directory_symlink("resources", root_ / "current");
  Start(root_ / "current");
  Read();
  EXPECT_EQ(Names(), "a");
  fs::create_directory_symlink("second", root_ / "new");
  fs::rename(root_ / "new", root_ / "current");
  Drain();
  EXPECT_LE(gxds_dir_watch_deadline(watch_), now_);  // no quiet time
  EXPECT_EQ(gxds_dir_watch_on_deadline(watch_, now_), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "b");
  // The new directory is watched, and the old one is not.
  Write(dir_ / "c.yaml", Cluster("c"));
  Drain();
  EXPECT_EQ(gxds_dir_watch_deadline(watch_), kNever);
  Write(second / "d.yaml", Cluster("d"));
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "bd");
}

TEST_F(DirWatch, ASymlinkOnTheWayToTheDirectoryIsWatchedToo) {
  for (const char *version : {"v1", "v2"}) {
    fs::create_directories(root_ / version / "xds");
    Write(root_ / version / "xds" / "c.yaml", Cluster(version));
  }
  fs::create_directory_symlink(root_ / "v1", root_ / "current");
  Start(root_ / "current" / "." / "xds" / ".." / "xds");
  Read();
  EXPECT_EQ(Names(), "v1");
  fs::create_directory_symlink(root_ / "v2", root_ / "new");
  fs::rename(root_ / "new", root_ / "current");
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "v2");
}

// DIR/c.yaml → ..data/c.yaml, and DIR/..data → ..v1, which is replaced by ..v2.
class KubernetesVolume : public DirWatch {
 protected:
  void SetUp() override {
    DirWatch::SetUp();
    for (const char *version : {"v1", "v2"}) {
      fs::path data = dir_ / (std::string("..") + version);
      fs::create_directory(data);
      Write(data / "c.yaml", Cluster(version));
    }
    fs::create_directory_symlink("..v1", dir_ / "..data");
    fs::create_symlink("..data/c.yaml", dir_ / "c.yaml");
    Start(dir_);
    Read();
    EXPECT_EQ(Names(), "v1");
  }
  void Swap() {
    fs::create_directory_symlink("..v2", dir_ / "..data_tmp");
    fs::rename(dir_ / "..data_tmp", dir_ / "..data");
  }
};

TEST_F(KubernetesVolume, IsTakenInOneStep) {
  Swap();
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "v2");
}

// The kubelet adds the links of new files after it has replaced ..data.
TEST_F(KubernetesVolume, ANewFileIsTakenWithTheOthers) {
  Write(dir_ / "..v2" / "new.yaml", Cluster("new"));
  Swap();
  Drain();
  EXPECT_EQ(gxds_dir_watch_on_deadline(watch_, now_), GXDS_DIR_NOTHING);
  EXPECT_EQ(Names(), "v1");
  fs::create_symlink("..data/new.yaml", dir_ / "new.yaml");
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "newv2");
}

// It removes the links of files that are gone after that, too.
TEST_F(KubernetesVolume, AFileThatIsGoneIsNoError) {
  Write(dir_ / "..v1" / "old.yaml", Cluster("old"));
  fs::create_symlink("..data/old.yaml", dir_ / "old.yaml");
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "oldv1");
  Swap();
  Drain();
  EXPECT_EQ(gxds_dir_watch_on_deadline(watch_, now_), GXDS_DIR_NOTHING);
  fs::remove(dir_ / "old.yaml");
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "v2");
}

TEST_F(DirWatch, AFileBehindASymlinkIsWatchedWhereItIs) {
  Write(root_ / "elsewhere.txt", Cluster("a"));
  fs::create_symlink(root_ / "elsewhere.txt", dir_ / "a.yaml");
  Start(dir_);
  Read();
  Write(root_ / "elsewhere.txt", Cluster("b"));
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "b");
}

TEST_F(DirWatch, ADirectoryThatComesLaterIsFound) {
  Start(root_ / "later" / "resources");
  EXPECT_EQ(Read(), GXDS_DIR_ERRORS);
  EXPECT_EQ(Errors(), (root_ / "later" / "resources").string() +
                          ": cannot open the directory: No such file or directory\n");
  EXPECT_EQ(Names(), "none");
  fs::create_directory(root_ / "later");
  EXPECT_EQ(Settle(), GXDS_DIR_NOTHING);  // the same error
  Write(dir_ / "a.yaml", Cluster("a"));
  fs::rename(dir_, root_ / "later" / "resources");
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "a");
}

TEST_F(DirWatch, ARemovedDirectoryKeepsTheLastGoodState) {
  Write(dir_ / "a.yaml", Cluster("a"));
  Start(dir_);
  Read();
  fs::rename(dir_, root_ / "gone");
  EXPECT_EQ(Settle(), GXDS_DIR_ERRORS);
  EXPECT_EQ(Names(), "a");
}

TEST_F(DirWatch, ADirectoryThatIsRemovedAndMadeAgainIsFollowed) {
  for (bool seen : {true, false}) {  // whether it is noticed while the directory is gone
    Write(dir_ / "a.yaml", Cluster("a"));
    if (watch_ == nullptr) Start(dir_);
    EXPECT_EQ(Read(), GXDS_DIR_SET);
    EXPECT_EQ(Names(), "a");
    fs::remove_all(dir_);
    if (seen) {
      EXPECT_EQ(Settle(), GXDS_DIR_ERRORS);
      EXPECT_EQ(Names(), "a");
    }
    fs::create_directory(dir_);
    Write(dir_ / "b.yaml", Cluster("b"));
    EXPECT_EQ(Settle(), GXDS_DIR_SET) << seen;
    EXPECT_EQ(Names(), "b");
    Write(dir_ / "c.yaml", Cluster("c"));
    EXPECT_EQ(Settle(), GXDS_DIR_SET) << "it is watched";
    EXPECT_EQ(Names(), "bc");
    fs::remove(dir_ / "b.yaml");
    fs::remove(dir_ / "c.yaml");
    EXPECT_EQ(Settle(), GXDS_DIR_SET);
    Write(dir_ / "a.yaml", Cluster("a"));
    Drain();
  }
}

TEST_F(DirWatch, ADirectoryOnTheWayThatIsRemovedAndMadeAgainIsFollowed) {
  const fs::path path = root_ / "mount" / "xds" / "resources";
  fs::create_directories(path);
  Write(path / "a.yaml", Cluster("a"));
  Start(path);
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  fs::remove_all(root_ / "mount");
  EXPECT_EQ(Settle(), GXDS_DIR_ERRORS);
  for (const char *name : {"mount", "mount/xds", "mount/xds/resources"}) {
    EXPECT_EQ(Names(), "a");
    fs::create_directory(root_ / name);
    Settle();
  }
  EXPECT_EQ(Names(), "");
  Write(path / "b.yaml", Cluster("b"));
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "b");
}

// Runs in a mount namespace of its own, which ends with the process. Needs root.
class DirWatchMount : public DirWatch {
 protected:
  void SetUp() override {
    DirWatch::SetUp();
    if (unshare(CLONE_NEWNS) != 0) GTEST_SKIP() << "no mounts: " << strerror(errno);
    // Otherwise the mounts would also be the machine's. In a chroot the root is no mount, and
    // containers refuse this.
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      GTEST_SKIP() << "no mounts of its own: " << strerror(errno);
    }
  }
  void TearDown() override {
    while (umount2(dir_.c_str(), MNT_DETACH) == 0) {
    }
    DirWatch::TearDown();
  }
  void Mount() { ASSERT_EQ(mount("gxds", dir_.c_str(), "tmpfs", 0, nullptr), 0); }
  void Unmount() { ASSERT_EQ(umount(dir_.c_str()), 0); }
};

TEST_F(DirWatchMount, WhatIsMountedOverTheDirectoryIsRead) {
  Write(dir_ / "a.yaml", Cluster("a"));
  Start(dir_);
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  Mount();
  Write(dir_ / "b.yaml", Cluster("b"));
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "b");
  Write(dir_ / "c.yaml", Cluster("c"));
  EXPECT_EQ(Settle(), GXDS_DIR_SET) << "it is watched";
  EXPECT_EQ(Names(), "bc");
  Unmount();
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "a");
}

TEST_F(DirWatchMount, OfAnUnmountedDirectoryTheLastGoodStateStaysUntilItIsBack) {
  Mount();
  Write(dir_ / "a.yaml", Cluster("a"));
  Start(dir_);
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  Unmount();
  EXPECT_EQ(Settle(), GXDS_DIR_ERRORS);
  EXPECT_EQ(Errors(), dir_.string() +
                          ": holds no resource files, and is on another file system than before: "
                          "was that unmounted?\n");
  EXPECT_EQ(Names(), "a");
  Mount();
  Write(dir_ / "b.yaml", Cluster("b"));
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "b");
  Unmount();  // and, before the watch looks, mounted again, with the same device number
  Mount();
  Write(dir_ / "c.yaml", Cluster("c"));
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "c");
}

TEST_F(DirWatchMount, MountsElsewhereAreNoReasonToReadIt) {
  Start(dir_);
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  const fs::path other = root_ / "other";
  fs::create_directory(other);
  Drain();
  Read();
  ASSERT_EQ(mount("gxds", other.c_str(), "tmpfs", 0, nullptr), 0);
  Drain();
  EXPECT_EQ(gxds_dir_watch_deadline(watch_), kNever);
  EXPECT_EQ(umount(other.c_str()), 0);
}

TEST_F(DirWatchMount, AChangeOfTheMountIsWaitedForOnce) {
  Start(dir_);
  Read();
  Mount();
  Drain();
  const gxds_time due = gxds_dir_watch_deadline(watch_);
  now_ += GXDS_MILLISECOND;
  Drain();
  EXPECT_EQ(gxds_dir_watch_deadline(watch_), due);
}

TEST_F(DirWatchMount, AreNoticedOnceThereAreDescriptorsForThat) {
  {
    FewDescriptors only_epoll(1);
    Start(dir_);
  }
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  Mount();
  Write(dir_ / "a.yaml", Cluster("a"));
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "a");
}

TEST_F(DirWatch, ADirectoryOnTheWayThatIsReplacedIsFollowed) {
  for (const char *release : {"current", "next"}) {
    fs::create_directories(root_ / release / "xds" / "resources");
    Write(root_ / release / "xds" / "resources" / "a.yaml", Cluster(release));
  }
  Start(root_ / "current" / "xds" / "resources");
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "current");
  fs::rename(root_ / "current", root_ / "old");
  fs::rename(root_ / "next", root_ / "current");
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "next");
  Write(root_ / "current" / "xds" / "resources" / "a.yaml", Cluster("later"));
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "later");
}

TEST_F(DirWatch, AFileOnTheWayThatBecomesADirectoryIsFollowed) {
  const fs::path way = root_ / "way";
  Write(way, "");
  Start(way / "resources");
  EXPECT_EQ(Read(), GXDS_DIR_ERRORS);
  fs::remove(way);
  fs::create_directories(way / "resources");
  Write(way / "resources" / "a.yaml", Cluster("a"));
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "a");
}

TEST_F(DirWatch, ADirectoryOnTheWayToALinkedFileIsFollowed) {
  for (const char *release : {"current", "next"}) {
    fs::create_directories(root_ / release / "xds");
    Write(root_ / release / "xds" / "a.yaml", Cluster(release));
  }
  fs::create_symlink(root_ / "current" / "xds" / "a.yaml", dir_ / "a.yaml");
  Start(dir_);
  Read();
  fs::rename(root_ / "current", root_ / "old");
  fs::rename(root_ / "next", root_ / "current");
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "next");
}

TEST_F(DirWatch, OtherFilesAreNotRead) {
  Write(dir_ / "README.md", "hello");
  Write(dir_ / ".a.yaml", "half");
  Write(dir_ / "a.yaml.swp", "half");
  fs::create_directory(dir_ / "below");
  Write(dir_ / "below" / "a.yaml", "half");
  Start(dir_);
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "");
  Write(dir_ / ".b.yaml", "x");
  Drain();
  EXPECT_EQ(gxds_dir_watch_deadline(watch_), kNever);
  fs::rename(dir_ / "README.md", dir_ / ".c.yaml");
  Write(dir_ / ".c.yaml", Cluster("c"));
  fs::rename(dir_ / ".c.yaml", dir_ / "c.yaml");  // like careful writers
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "c");
}

TEST_F(DirWatch, MoreFilesThanADirectoryMayHaveAreReported) {
  for (unsigned i = 0; i <= GXDS_DIR_FILES_MAX; i++) {
    close(
        open((dir_ / (std::to_string(i) + ".yaml")).c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  }
  Start(dir_);
  EXPECT_EQ(Read(), GXDS_DIR_ERRORS);
  EXPECT_EQ(Errors(), dir_.string() + ": more than 10000 resource files\n");
}

TEST_F(DirWatch, AFileThatIsNotReadableInAFullDirectoryIsReported) {
  fs::create_directory(dir_ / "dir.yaml");
  for (unsigned i = 1; i < GXDS_DIR_FILES_MAX; i++) {
    close(
        open((dir_ / (std::to_string(i) + ".json")).c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  }
  Start(dir_);
  EXPECT_EQ(Read(), GXDS_DIR_ERRORS);
  EXPECT_EQ(Errors(), "dir.yaml: is no regular file\n");
}

TEST_F(DirWatch, WhatIsNoReadableFileIsReported) {
  fs::create_directory(dir_ / "dir.yaml");
  fs::create_symlink("nowhere", dir_ / "link.yaml");
  Start(dir_);
  EXPECT_EQ(Read(), GXDS_DIR_ERRORS);
  EXPECT_EQ(Errors(),
            "dir.yaml: is no regular file\n"
            "link.yaml: cannot open: it is gone, or a link to nothing\n");
}

// The time until the next reading without an event.
gxds_duration Wait(const gxds_dir_watch *w, gxds_time now) {
  return gxds_dir_watch_deadline(w) - now;
}

// While it exists, root may not read what its mode forbids either.
class NoPrivileges {
 public:
  NoPrivileges() {
    EXPECT_EQ(syscall(SYS_capget, &header_, before_), 0);
    __user_cap_data_struct now[] = {before_[0], before_[1]};
    now[0].effective &= ~(1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH);
    EXPECT_EQ(syscall(SYS_capset, &header_, now), 0);
  }
  ~NoPrivileges() { EXPECT_EQ(syscall(SYS_capset, &header_, before_), 0); }

 private:
  __user_cap_header_struct header_ = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct before_[2] = {};
};

TEST_F(DirWatch, AFileThatBecomesReadableIsRead) {
  NoPrivileges none;
  Write(dir_ / "a.yaml", Cluster("a"));
  fs::permissions(dir_ / "a.yaml", fs::perms::none);
  Start(dir_);
  EXPECT_EQ(Read(), GXDS_DIR_ERRORS);
  EXPECT_EQ(Errors(), "a.yaml: cannot open: Permission denied\n");
  fs::permissions(dir_ / "a.yaml", fs::perms::owner_read);
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "a");
}

TEST_F(DirWatch, ADirectoryThatBecomesReadableIsRead) {
  NoPrivileges none;
  Write(dir_ / "a.yaml", Cluster("a"));
  fs::permissions(dir_, fs::perms::none);
  Start(dir_);
  EXPECT_EQ(Read(), GXDS_DIR_ERRORS);
  EXPECT_EQ(Errors(), dir_.string() + ": cannot open the directory: Permission denied\n");
  fs::permissions(dir_, fs::perms::owner_all);
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "a");
}

// A directory that may be searched, but not read, cannot be watched.
TEST_F(DirWatch, ALinkThatCannotBeWatchedIsFollowedWithoutAnEvent) {
  NoPrivileges none;
  for (const char *version : {"v1", "v2"}) {
    fs::create_directory(root_ / version);
    Write(root_ / version / "a.yaml", Cluster(version));
  }
  const fs::path hidden = root_ / "hidden";
  fs::create_directory(hidden);
  fs::create_directory_symlink("../v1", hidden / "current");
  fs::permissions(hidden, fs::perms::owner_write | fs::perms::owner_exec);
  Start(hidden / "current");
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "v1");
  EXPECT_EQ(Notice(),
            "not all of it is watched: Permission denied. Until that is mended it is read again "
            "each 30 s at the latest, and changes are noticed then");
  fs::create_directory_symlink("../v2", hidden / "new");
  fs::rename(hidden / "new", hidden / "current");
  EXPECT_EQ(Wait(watch_, now_), GXDS_DIR_WATCH_RETRY_MIN);
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "v2");
  fs::permissions(hidden, fs::perms::owner_all);
}

TEST_F(DirWatch, OfADirectoryThatCannotBeListedToItsEndTheLastGoodStateStays) {
  Write(dir_ / "a.yaml", Cluster("a"));
  Write(dir_ / "b.yaml", Cluster("b"));
  Start(dir_);
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  // The directory has four entries. It is read for links first, up to its end.
  for (int readable : {0, 4 + 1 + 3}) {
    g_readable_entries = readable;
    Write(dir_ / "a.yaml", Cluster("a" + std::to_string(readable)));
    EXPECT_EQ(Settle(), readable == 0 ? GXDS_DIR_ERRORS : GXDS_DIR_NOTHING) << "reported once";
    EXPECT_EQ(Names(), "ab");
    EXPECT_EQ(Errors(), dir_.string() + ": cannot list the directory: Input/output error\n");
  }
  g_readable_entries = -1;
  Write(dir_ / "a.yaml", Cluster("c"));
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "bc");
}

TEST_F(DirWatch, AfterAnErrorOfTheFileSystemItIsReadAgainWithoutAnEvent) {
  Write(dir_ / "a.yaml", Cluster("a"));
  Start(dir_);
  g_readable_entries = 0;
  EXPECT_EQ(Read(), GXDS_DIR_ERRORS);
  EXPECT_EQ(Notice(),
            "not all of it is watched: Input/output error. Until that is mended it is read again "
            "each 30 s at the latest, and changes are noticed then");
  EXPECT_EQ(Wait(watch_, now_), GXDS_DIR_WATCH_RETRY_MIN);
  g_readable_entries = -1;
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "a");
  EXPECT_EQ(gxds_dir_watch_deadline(watch_), kNever);
}

// If the error is over when the files are read, the links must be looked for again.
TEST_F(DirWatch, AfterAnErrorWhileLinksAreLookedForTheyAreLookedForAgain) {
  fs::create_directory(root_ / "far");
  Write(root_ / "far" / "c.yaml", Cluster("a"));
  fs::create_symlink(root_ / "far" / "c.yaml", dir_ / "c.yaml");
  Start(dir_);
  g_readable_entries = 0;
  g_fails_once = true;
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  EXPECT_EQ(Wait(watch_, now_), GXDS_DIR_WATCH_RETRY_MIN);
  EXPECT_EQ(Read(), GXDS_DIR_NOTHING);
  Write(root_ / "far" / "c.yaml", Cluster("b"));
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "b");
}

TEST_F(DirWatch, WithoutWatchesItIsReadAgainEachTimeLaterAndThatIsLoggedOnce) {
  Write(dir_ / "a.yaml", Cluster("a"));
  Start(dir_);
  g_no_more_watches = true;
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  EXPECT_EQ(Notice(),
            "not all of it is watched: the user has no more inotify watches "
            "(fs.inotify.max_user_watches). Until that is mended it is read again each 30 s at the "
            "latest, and changes are noticed then");
  for (int seconds : {1, 2, 4, 8, 16, 30, 30}) {
    EXPECT_EQ(Wait(watch_, now_), seconds * GXDS_SECOND);
    EXPECT_EQ(Read(), GXDS_DIR_NOTHING);
    EXPECT_EQ(Notice(), "");
  }
  Write(dir_ / "a.yaml", Cluster("b"));
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "b");

  g_no_more_watches = false;
  Write(dir_ / "a.yaml", Cluster("c"));
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  EXPECT_EQ(Notice(), "all of it is watched again");
  EXPECT_EQ(gxds_dir_watch_deadline(watch_), kNever);
  Write(dir_ / "a.yaml", Cluster("d"));
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "d");
}

TEST_F(DirWatch, WithoutAnInotifyInstanceItIsReadAgainEachTimeLater) {
  Write(dir_ / "a.yaml", Cluster("a"));
  g_no_more_instances = true;
  Start(dir_);
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "a");
  EXPECT_EQ(Notice(),
            "not all of it is watched: the user has no more inotify instances "
            "(fs.inotify.max_user_instances), or the process no more file descriptors "
            "(RLIMIT_NOFILE, ulimit -n). Until that is mended it is read again each 30 s at the "
            "latest, and changes are noticed then");
  for (int seconds : {1, 2}) {
    EXPECT_EQ(Wait(watch_, now_), seconds * GXDS_SECOND);
    const std::string name = "after" + std::to_string(seconds);
    Write(dir_ / "a.yaml", Cluster(name));
    Drain();
    EXPECT_EQ(Read(), GXDS_DIR_SET);
    EXPECT_EQ(Names(), name);
  }
  g_no_more_instances = false;
  EXPECT_EQ(Read(), GXDS_DIR_NOTHING);
  EXPECT_EQ(Notice(), "all of it is watched again");
  Write(dir_ / "a.yaml", Cluster("b"));
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "b");
}

TEST_F(DirWatch, AnEventIsTakenBeforeTheNextTry) {
  Write(root_ / "elsewhere.txt", Cluster("a"));
  Start(dir_);
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  g_no_more_watches = true;  // except existing watches
  fs::create_symlink(root_ / "elsewhere.txt", dir_ / "a.yaml");
  EXPECT_EQ(Settle(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "a");
  EXPECT_EQ(Wait(watch_, now_), GXDS_DIR_WATCH_RETRY_MIN);
}

TEST_F(DirWatch, WithoutDescriptorsTheLastGoodStateStaysAndItIsReadAgain) {
  Write(dir_ / "a.yaml", Cluster("a"));
  Start(dir_);
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  Write(dir_ / "a.yaml", Cluster("b"));
  {
    FewDescriptors none(0);
    EXPECT_EQ(Settle(), GXDS_DIR_ERRORS);
    EXPECT_EQ(Errors(), dir_.string() +
                            ": cannot open the directory: the process has no more file descriptors "
                            "(RLIMIT_NOFILE, ulimit -n)\n");
    EXPECT_NE(Notice(), "");
    fs::rename(dir_ / "a.yaml", dir_ / "b.yaml");
    EXPECT_EQ(Settle(), GXDS_DIR_NOTHING);  // already reported
    EXPECT_EQ(Wait(watch_, now_), GXDS_DIR_WATCH_RETRY_MIN) << "an event asked for it";
    EXPECT_EQ(Read(), GXDS_DIR_NOTHING);
    EXPECT_EQ(Notice(), "");
    EXPECT_EQ(Names(), "a");
  }
  EXPECT_EQ(Wait(watch_, now_), 2 * GXDS_DIR_WATCH_RETRY_MIN);
  EXPECT_EQ(Read(), GXDS_DIR_SET);
  EXPECT_EQ(Names(), "b");
  EXPECT_EQ(gxds_dir_watch_deadline(watch_), kNever);
}

}  // namespace
