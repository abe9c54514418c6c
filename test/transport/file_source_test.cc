// A directory as a server, on the reactor, and its errors if the directory cannot be watched.
#include "transport/file_source.h"

#include <grpc/grpc.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>

#include "test/support/child.h"
#include "test/transport/on_reactor.h"

namespace grpc_xds {
namespace {

using gxds_test::TempDir;

// While it exists, no descriptor can be opened.
class NoDescriptors {
 public:
  NoDescriptors() {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    rlimit none = before_;
    none.rlim_cur = 0;
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptors() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }

 private:
  rlimit before_;
};

struct FileSource : testing::Test {
  FileSource() { grpc_init(); }
  ~FileSource() override { grpc_shutdown(); }

  void Create() {
    static const gxds_source_events events = {
        [](void *arg, const gxds_status *status) {
          static_cast<FileSource *>(arg)->log.Put(
              "failed: " + std::string(status->message.data, status->message.size));
        },
        [](void *arg, bool error, gxds_str line) {
          static_cast<FileSource *>(arg)->log.Put((error ? "error: " : "") +
                                                  std::string(line.data, line.size));
        }};
    OnReactor([this] {
      source =
          gxds_file_source_create(gxds_str_of(dir.path().data(), dir.path().size()), &events, this);
    });
  }
  void Destroy() {
    OnReactor([this] { source->functions->destroy(source); });
  }

  TempDir dir;
  Inbox<std::string> log;
  gxds_source *source = nullptr;
};

TEST_F(FileSource, ThatCanNotBeWatchedIsTriedAgain) {
  ReactorUse use;
  dir.Write("f.json", "[]");
  OnReactor([] {});  // the reactor runs and has its descriptors
  {
    NoDescriptors none;
    Create();
    EXPECT_EQ(log.Take().value_or(""),
              "failed: file source " + dir.path() + ": no good state: epoll: Too many open files");
  }
  EXPECT_EQ(log.Take().value_or(""), "file source " + dir.path() + ": 0 resources");
  Destroy();
}

TEST_F(FileSource, ErrorsAreOneLineThatEndsWithTheLastOfThem) {
  ReactorUse use;
  dir.Write("a.yaml", "");
  dir.Write("b.yaml", "");
  Create();
  EXPECT_EQ(
      log.Take().value_or(""),
      "failed: file source " + dir.path() +
          ": no good state: a.yaml:1: holds no resource: write [] for none;b.yaml:1: holds no "
          "resource: write [] for none");
  Destroy();
}

TEST_F(FileSource, ThatCanNotBeWatchedEndsWithItsOwner) {
  ReactorUse use;
  OnReactor([] {});
  NoDescriptors none;
  Create();
  log.Take();
  Destroy();  // the reactor ends only after the thread
}

}  // namespace
}  // namespace grpc_xds
