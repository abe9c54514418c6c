// `xds serve` under load: many clients, each on its own connection, watch all clusters and
// endpoints of a directory. One endpoint changes ten times a second.
//
// usage, from the folder bazel-bin:
//   serve_load [--clients=N] [--clusters=N] [--seconds=N] [--mode=sotw|delta|both]
//              [--lag-max=MILLISECONDS] [--loud]
//
// It prints times, bytes, memory and CPU for each mode. It fails if a client does not get the last
// change, if a client is notified of an error, or if a lag is longer than --lag-max. With --loud
// the server prints every event to /dev/null; without it the server runs with --quiet.
//
// The lag of a client is the time from before the file is written until the client's engine
// notifies of that endpoint. It includes the time of the clients, and the 50 ms without another
// change for which the server waits.
#include <grpc/grpc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "test/serve_load/clients.h"
#include "test/serve_load/directory.h"
#include "test/serve_load/process.h"
#include "test/support/child.h"

namespace gxds_serve_load {
namespace {

constexpr int kChangesPerSecond = 10;
// When memory is measured the first time: by then all that is made once is there.
constexpr int kSettledSeconds = 10;

struct Options {
  int clients = 2000;
  int clusters = 1000;
  int seconds = 60;
  bool sotw = true;
  bool delta = true;
  double lag_max_ms = 0;  // 0: any
  bool loud = false;
};

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

class Server {
 public:
  Server(const std::string& dir, bool loud) {
    std::vector<std::string> args = {gxds_test::Runfile("tools/xds"),
                                     "serve",
                                     dir,
                                     "--listen",
                                     "127.0.0.1:0",
                                     "--port-file",
                                     PortFile()};
    if (loud) {
      args.insert(args.begin(), {"/bin/sh", "-c", "exec \"$0\" \"$@\" >/dev/null"});
    } else {
      args.push_back("--quiet");
    }
    child_ = std::make_unique<gxds_test::Child>(args);
    grpc_xds::WaitUntil([this] { return std::filesystem::exists(PortFile()); });
    std::ifstream(PortFile()) >> port_;
  }
  uint16_t port() const { return port_; }
  pid_t pid() const { return child_->pid(); }
  std::string Output() { return child_->Output(); }

 private:
  std::string PortFile() const { return files_.path() + "/port"; }

  gxds_test::TempDir files_;
  std::unique_ptr<gxds_test::Child> child_;
  uint16_t port_ = 0;
};

// One mode, from an empty server on.
class Run {
 public:
  Run(const Options& options, bool delta)
      : options_(options),
        mode_(delta ? "delta" : "sotw"),
        changes_(options.seconds * kChangesPerSecond),
        directory_(options.clusters),
        server_(directory_.path(), options.loud),
        clients_({server_.port(), delta, options.clients, options.clusters, directory_.changing(),
                  changes_}) {}

  // False: it failed, and said why.
  bool Do() {
    if (server_.port() == 0) return Fail("the server does not listen");
    const auto began = Clock::now();
    clients_.Open();
    if (!clients_.AwaitComplete()) return Fail("not all clients have all resources");
    start_seconds_ = SecondsSince(began);
    start_cpu_ = CpuSeconds(server_.pid());
    before_ = ConnectionsTo(server_.port());
    Change();
    if (!clients_.AwaitLast()) return Fail("not all clients have the last change");
    Print();
    return Judge();
  }

 private:
  void Change() {
    const auto began = Clock::now();
    const int settled = std::min(kSettledSeconds * kChangesPerSecond, changes_ / 2);
    clients_cpu_ = CpuSeconds(getpid());
    for (int i = 1; i <= changes_; i++) {
      std::this_thread::sleep_until(began +
                                    i * std::chrono::milliseconds(1000) / kChangesPerSecond);
      clients_.OnChange(i);
      directory_.Change(i);
      if (i == settled) settled_mb_ = ResidentMb(server_.pid());
    }
    const double seconds = SecondsSince(began);
    end_mb_ = ResidentMb(server_.pid());
    change_cpu_ = (CpuSeconds(server_.pid()) - start_cpu_) / seconds;
    clients_cpu_ = (CpuSeconds(getpid()) - clients_cpu_) / seconds;
  }

  void Print() {
    const Connections after = ConnectionsTo(server_.port());
    const std::vector<Clients::Lag> lags = clients_.Lags();
    lag_max_ms_ = lags.back().ms;
    printf("%s, %d clients on %d connections, %d clusters, %d changes in %d s:\n", mode_,
           options_.clients, after.count, options_.clusters, changes_, options_.seconds);
    printf("  start: all current after %.2f s, %.1f MB sent, server's CPU %.2f s\n", start_seconds_,
           static_cast<double>(before_.received) / 1e6, start_cpu_);
    printf("  changes: behind by %.0f ms (median), %.0f ms (99 %%), %.0f ms (most, at %.1f s)\n",
           lags[lags.size() / 2].ms, lags[lags.size() * 99 / 100].ms, lag_max_ms_,
           static_cast<double>(lags.back().change) / kChangesPerSecond);
    // Of that change: tells a server that was late to see the file from one that was slow to send.
    const auto first = std::find_if(lags.begin(), lags.end(), [&](const Clients::Lag& lag) {
      return lag.change == lags.back().change;
    });
    printf("  changes: the first client had the latest one after %.0f ms\n", first->ms);
    printf("  changes: %.1f updates per client, %.1f MB sent\n",
           static_cast<double>(clients_.updates()) / options_.clients,
           static_cast<double>(after.received - before_.received) / 1e6);
    printf("  server: CPU %.0f %%, memory %.1f MB then %.1f MB; clients: CPU %.0f %%, %.0f MB\n",
           100 * change_cpu_, settled_mb_, end_mb_, 100 * clients_cpu_, ResidentMb(getpid()));
    fflush(stdout);
  }

  bool Judge() {
    if (clients_.errors()) return Fail("clients were told of errors");
    if (options_.lag_max_ms > 0 && lag_max_ms_ > options_.lag_max_ms) {
      return Fail("a client was too far behind");
    }
    return true;
  }

  bool Fail(const char* what) {
    fprintf(stderr, "%s: FAILED: %s; %s\n%s\n", mode_, what, clients_.Progress().c_str(),
            server_.Output().c_str());
    return false;
  }

  const Options options_;
  const char* const mode_;
  const int changes_;
  Directory directory_;
  Server server_;
  Clients clients_;

  double start_seconds_ = 0;
  double start_cpu_ = 0;   // of the server, in seconds
  double change_cpu_ = 0;  // of the server while changes come: the share of one processor
  double clients_cpu_ = 0;
  double settled_mb_ = 0;
  double end_mb_ = 0;
  double lag_max_ms_ = 0;
  Connections before_;
};

bool Parse(int argc, char** argv, Options* o) {
  for (int i = 1; i < argc; i++) {
    const std::string arg = argv[i];
    const size_t equals = arg.find('=');
    const std::string name = arg.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : arg.substr(equals + 1);
    const int number = atoi(value.c_str());
    if (name == "--clients" && number > 0) {
      o->clients = number;
    } else if (name == "--clusters" && number > 0) {
      o->clusters = number;
    } else if (name == "--seconds" && number > 0 &&
               number <= Directory::kChangesMax / kChangesPerSecond) {
      o->seconds = number;
    } else if (name == "--lag-max" && number > 0) {
      o->lag_max_ms = number;
    } else if (name == "--mode" && (value == "sotw" || value == "delta" || value == "both")) {
      o->sotw = value != "delta";
      o->delta = value != "sotw";
    } else if (arg == "--loud") {
      o->loud = true;
    } else {
      fprintf(stderr, "serve_load: what is %s?\n", arg.c_str());
      return false;
    }
  }
  return true;
}

int Main(int argc, char** argv) {
  Options options;
  if (!Parse(argc, argv, &options)) return 2;
  RaiseFileLimit();
  grpc_init();
  bool ok = true;
  for (const bool delta : {false, true}) {
    if (!(delta ? options.delta : options.sotw)) continue;
    ok = Run(options, delta).Do() && ok;
  }
  grpc_shutdown();
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace gxds_serve_load

int main(int argc, char** argv) { return gxds_serve_load::Main(argc, argv); }
