// A directory as a server, on the reactor, and its errors if the directory cannot be watched. A web
// server, if it can't be asked.
#include "transport/file_source.h"

#include <grpc/grpc.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>

#include "test/support/child.h"
#include "test/transport/no_threads.h"
#include "test/transport/on_reactor.h"
#include "transport/web_source.h"

namespace grpc_xds {
namespace {

using gxds_test::NoThreads;
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
  ~FileSource() override {
    grpc_shutdown();
    EXPECT_TRUE(WaitUntil([] { return grpc_is_initialized() == 0; }))
        << "the reactor ends only after the thread";
  }

  void Create() {
    OnReactor([this] {
      source = gxds_file_source_create(gxds_str_of(dir.path().data(), dir.path().size()), Events(),
                                       this);
    });
  }
  void CreateWeb() {
    gxds_bootstrap_server server{};
    server.uri = gxds_str_z("http://127.0.0.1:1");  // nobody listens there
    server.web_form = GXDS_WEB_FILES;
    OnReactor([&] { source = gxds_web_source_create(&server, Events(), this); });
  }
  static const gxds_source_events *Events() {
    static const gxds_source_events events = {
        [](void *arg, const gxds_status *status) {
          static_cast<FileSource *>(arg)->log.Put(
              "failed: " + std::string(status->message.data, status->message.size));
        },
        [](void *arg, bool error, gxds_str line) {
          static_cast<FileSource *>(arg)->log.Put((error ? "error: " : "") +
                                                  std::string(line.data, line.size));
        }};
    return &events;
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
  Destroy();
}

const char kNoThread[] = "no thread for it (tried again each second): ";

TEST_F(FileSource, WithoutAThreadFailsUntilThereIsOne) {
  ReactorUse use;
  dir.Write("f.json", "[]");
  OnReactor([] {});
  {
    NoThreads none;
    Create();
    EXPECT_EQ(log.Take().value_or("").find("failed: file source " + dir.path() +
                                           ": no good state: " + kNoThread),
              0u);
  }
  EXPECT_EQ(log.Take().value_or(""), "file source " + dir.path() + ": 0 resources");
  Destroy();
}

TEST_F(FileSource, WithoutAThreadEndsWithItsOwner) {
  ReactorUse use;
  OnReactor([] {});
  NoThreads none;
  Create();
  log.Take();
  Destroy();
}

using WebSource = FileSource;

TEST_F(WebSource, WithoutAThreadEndsWithItsOwner) {
  ReactorUse use;
  OnReactor([] {});
  NoThreads none;
  CreateWeb();
  log.Take();
  Destroy();
}

TEST_F(WebSource, WithoutAThreadFailsUntilThereIsOne) {
  ReactorUse use;
  OnReactor([] {});
  {
    NoThreads none;
    CreateWeb();
    EXPECT_EQ(log.Take().value_or("").find(std::string("failed: ") + kNoThread), 0u);
  }
  // The thread makes the request of a stream that was opened before.
  static const gxds_stream_call_events events = {
      nullptr, nullptr, [](void *arg, uint64_t, const gxds_status *status) {
        static_cast<FileSource *>(arg)->log.Put(
            "closed: " + std::string(status->message.data, status->message.size));
      }};
  OnReactor([&] { source->functions->open(source, 1, &events, this); });
  EXPECT_EQ(log.Take().value_or("").find("closed: http://127.0.0.1:1/"), 0u);
  Destroy();
}

}  // namespace
}  // namespace grpc_xds
