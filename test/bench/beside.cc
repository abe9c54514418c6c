// Compares other xDS clients: runs the scenes of the benchmark, with its control plane, for one
// peer after the other.
//
// usage: beside [--quick] [--envoy=PROGRAM] [--grpc-go=PROGRAM] [--grpcio=PYTHON,PROGRAM]
//               [--document=FILE] [--only=ROW:SIZE] [--accept]
//
// A peer whose program is not given, or does not run, is left out. --document: replaces the part
// about this in that file with the table. --only: "endpoints:10" or "clusters:1000"; measured once
// and only printed. --accept: all endpoints accept connections, for every peer.
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "test/bench/document.h"
#include "test/bench/peers.h"
#include "test/bench/report.h"
#include "test/bench/scene.h"
#include "test/bench/updates.h"

namespace {

using gxds_bench::Peer;
using gxds_bench::Sample;

constexpr std::chrono::seconds kPatience(60);  // for each peer in each scene, before it is idle
constexpr std::chrono::milliseconds kApart(300);
constexpr int kUpdates = 20;

struct Row {
  std::string title;
  std::string unit;
  std::map<std::string, Sample> samples;  // by peer
};

class Table {
 public:
  Sample& At(const std::string& title, const std::string& unit, const Peer& peer) {
    for (Row& r : rows_) {
      if (r.title == title) return r.samples[peer.name];
    }
    rows_.push_back({title, unit, {}});
    return rows_.back().samples[peer.name];
  }

  void Write(std::ostream& out, const std::vector<Peer>& peers) const {
    out << "| | unit |";
    for (const Peer& p : peers) out << " " << p.name << " |";
    out << "\n|---|---|";
    for (size_t i = 0; i < peers.size(); ++i) out << "---|";
    out << "\n";
    for (const Row& r : rows_) {
      out << "| " << r.title << " | " << r.unit << " |";
      for (const Peer& p : peers) {
        auto found = r.samples.find(p.name);
        out << " " << (found == r.samples.end() ? "–" : Cell(found->second)) << " |";
      }
      out << "\n";
    }
  }

  // The rows in which `one` needs more than `other`, by medians.
  std::vector<std::string> Above(const std::string& one, const std::string& other) const {
    std::vector<std::string> titles;
    for (const Row& r : rows_) {
      auto a = r.samples.find(one), b = r.samples.find(other);
      if (a == r.samples.end() || b == r.samples.end() || b->second.values.empty()) continue;
      if (a->second.values.empty() || a->second.Median() > b->second.Median()) {
        titles.push_back(r.title);
      }
    }
    return titles;
  }

 private:
  std::deque<Row> rows_;
};

// Updates of a scene, and their counterpart in alone.cc.
struct Change {
  std::string title;
  gxds_bench::Updates updates;
  std::string of_alone;
};

// One run of a scene for one peer. updates 0: without updates.
class Run {
 public:
  Run(Table* table, gxds_bench::Scene* scene) : table_(table), scene_(scene) {}

  void Endpoints(const Peer& peer, long count, int updates) {
    const std::string of = gxds_bench::Grouped(count) + " endpoints";
    const auto serve = [&] {
      return Changes{{"one of " + of + " is replaced", scene_->ServeEndpoints(count), "replace"}};
    };
    if (peer.kind != Peer::Kind::kAlone) {
      Measure(peer, "one cluster of " + of, serve, updates);
    } else if (count == 10) {
      MeasureAlone(peer, serve, 1, updates);
    }
  }
  void Clusters(const Peer& peer, long count, int updates) {
    const std::string of = gxds_bench::Grouped(count) + " clusters";
    const auto serve = [&] {
      return Changes{{"two endpoints of one of " + of + " change places",
                      scene_->ServeClusters(count), "swap"},
                     {"one endpoint of one of " + of + " is replaced",
                      scene_->ReplaceInClusters(count), "replace"}};
    };
    if (peer.kind == Peer::Kind::kAlone) {
      MeasureAlone(peer, serve, count, updates);
    } else {
      Measure(peer, of + " of 10 endpoints", serve, updates);
    }
  }

 private:
  using Changes = std::vector<Change>;

  void Measure(const Peer& peer, const std::string& of, const std::function<Changes()>& serve,
               int updates) {
    Note(of, peer);
    Sample& first = table_->At("to the first RPC, " + of, "s", peer);
    if (first.beyond > 0) return;  // no more values are needed
    auto client = gxds_bench::StartPeer(peer, scene_);
    const Changes changes = serve();
    Sample& cpu = table_->At("CPU until idle, " + of, "s", peer);
    Sample& memory = table_->At("resident memory when idle, " + of, "MB", peer);
    const auto seconds = client->First(kPatience);
    if (!seconds) {
      first.values.clear();
      first.beyond = static_cast<double>(kPatience.count());
      cpu.values.clear();
      cpu.beyond = client->Cpu();
      return;
    }
    first.values.push_back(*seconds);
    if (!client->process().WaitForQuiet(std::chrono::milliseconds(200), kPatience)) {
      cpu.beyond = client->Cpu();
      return;
    }
    cpu.values.push_back(client->Cpu());
    memory.values.push_back(client->process().Memory() / 1e6);
    for (const Change& change : changes) {
      if (updates == 0 || !MeasureChange(peer, change, client->process(), updates)) return;
    }
  }

  // Its channel has ten endpoints, so it is measured where clusters have ten.
  void MeasureAlone(const Peer& peer, const std::function<Changes()>& serve, long clusters,
                    int updates) {
    if (updates == 0) return;
    scene_->ServeEnvoyAt(0);
    for (const Change& change : serve()) {
      Note(change.title, peer);
      auto process = gxds_bench::StartAlone(peer, scene_, clusters, change.of_alone);
      if (process == nullptr) return;
      MeasureChange(peer, change, *process, updates);
    }
  }

  bool MeasureChange(const Peer& peer, const Change& change, const gxds_bench::Process& process,
                     int updates) {
    auto spent = CpuOfUpdatesApart(process, change.updates, updates, kApart);
    if (spent) table_->At(change.title + ", CPU", "ms", peer).values.push_back(*spent * 1e3);
    return spent.has_value();
  }

  static void Note(const std::string& what, const Peer& peer) {
    fprintf(stderr, "%6.1f s  %s: %s\n", static_cast<double>(Milliseconds()) / 1e3, what.c_str(),
            peer.name.c_str());
  }

  static long Milliseconds() {
    static const auto start = std::chrono::steady_clock::now();
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                 start)
        .count();
  }

  Table* const table_;
  gxds_bench::Scene* const scene_;
};

struct Arguments {
  bool quick = false;
  bool accept = false;
  std::string envoy, grpc_go, grpcio, document, only;
};

bool Parse(int argc, char** argv, Arguments* out) {
  const std::map<std::string, std::string*> values = {{"--envoy=", &out->envoy},
                                                      {"--grpc-go=", &out->grpc_go},
                                                      {"--grpcio=", &out->grpcio},
                                                      {"--document=", &out->document},
                                                      {"--only=", &out->only}};
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--quick" || arg == "--accept") {
      (arg == "--quick" ? out->quick : out->accept) = true;
      continue;
    }
    auto found = values.find(arg.substr(0, arg.find('=') + 1));
    if (found == values.end()) return false;
    *found->second = arg.substr(found->first.size());
  }
  return true;
}

// The peers that run here, and their versions.
std::vector<Peer> FindPeers(const Arguments& arguments, std::string* versions) {
  std::vector<Peer> peers = {
      {"ours", Peer::Kind::kOurs, {}},
      {"gRPC alone", Peer::Kind::kAlone, {gxds_test::Runfile("test/bench/alone")}},
      {"host's xDS", Peer::Kind::kHost, {}},
      {"Envoy", Peer::Kind::kEnvoy, {arguments.envoy}},
      {"grpc-go", Peer::Kind::kGrpc, {arguments.grpc_go}}};
  const size_t comma = arguments.grpcio.find(',');
  peers.push_back({"grpcio", Peer::Kind::kGrpc, {arguments.grpcio.substr(0, comma)}});
  if (comma != std::string::npos) {
    peers.back().program.push_back(arguments.grpcio.substr(comma + 1));
  }
  std::vector<Peer> found;
  for (const Peer& p : peers) {
    const std::string version = VersionOf(p);
    if (version.empty()) {
      fprintf(stderr, "%s is left out: it is not there\n", p.name.c_str());
      continue;
    }
    found.push_back(p);
    *versions += (versions->empty() ? "" : ", ") + p.name + " " + version;
  }
  return found;
}

// False: no such row.
bool MeasureAll(const Arguments& arguments, const std::vector<Peer>& peers, Table* table) {
  gxds_bench::Scene scene;
  if (arguments.accept) scene.LetAllAccept();
  Run run(table, &scene);
  const int runs = arguments.quick || !arguments.only.empty() ? 1 : 3;
  const size_t size_at = arguments.only.find(':') + 1;
  const long size = strtol(arguments.only.c_str() + size_at, nullptr, 10);
  if (!arguments.only.empty() && size < 2) return false;
  for (int i = 0; i < runs; ++i) {
    auto all = [&](auto measure) {
      for (const Peer& p : peers) measure(p);
    };
    if (!arguments.only.empty()) {
      const std::string row = arguments.only.substr(0, size_at);
      if (row != "endpoints:" && row != "clusters:") return false;
      all([&](const Peer& p) {
        row == "clusters:" ? run.Clusters(p, size, kUpdates) : run.Endpoints(p, size, kUpdates);
      });
      continue;
    }
    all([&](const Peer& p) { run.Endpoints(p, 10, kUpdates); });
    all([&](const Peer& p) { run.Endpoints(p, arguments.quick ? 1000 : 10000, kUpdates); });
    all([&](const Peer& p) { run.Clusters(p, arguments.quick ? 100 : 1000, kUpdates); });
    if (!arguments.quick) all([&](const Peer& p) { run.Clusters(p, 5000, 0); });
  }
  return true;
}

// The start of the measurement, and the CPU time that other processes have used since.
class Others {
 public:
  Others() : began_(Clock::now()), before_(CpuOfOthers()) {}
  double Processors() const {
    return (CpuOfOthers() - before_) / std::chrono::duration<double>(Clock::now() - began_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;

  // CPU seconds of all processes, minus those of this process and its ended children.
  static double CpuOfOthers() {
    std::ifstream in("/proc/stat");
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softirq = 0;
    in >> name >> user >> nice >> system >> idle >> waiting >> irq >> softirq;
    double cpu = (user + nice + system + irq + softirq) / static_cast<double>(sysconf(_SC_CLK_TCK));
    for (int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
      rusage own;
      getrusage(who, &own);
      for (const timeval& t : {own.ru_utime, own.ru_stime}) {
        cpu -= static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
      }
    }
    return cpu;
  }

  const Clock::time_point began_;
  const double before_;
};

// The part of the document.
std::string Part(const Table& table, const std::vector<Peer>& peers, const std::string& versions,
                 double others, bool quick) {
  char date[32];
  const time_t now = time(nullptr);
  strftime(date, sizeof date, "%d %B %Y", gmtime(&now));
  char taken[32];
  snprintf(taken, sizeof taken, "%.1f", others);
  std::ostringstream out;
  out << "`make bench PEERS=1" << (quick ? " QUICK=1" : "") << "` wrote this part on " << date
      << ", on " << std::thread::hardware_concurrency() << " processors,\nof which other work used "
      << taken << " at the same time, with " << versions
      << ".\n[test/bench/README.md](../test/bench/README.md#beside-other-clients) explains the "
         "measurement, and the\ndifferences for Envoy. Each number is a median, with the least and "
         "the "
         "greatest in brackets.\n\n";
  table.Write(out, peers);
  const std::vector<std::string> above = table.Above("ours", "Envoy");
  if (!above.empty()) {
    out << "\nThis library needs more than Envoy in these rows:\n\n";
    for (const std::string& title : above) out << "- " << title << "\n";
  }
  return out.str();
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!Parse(argc, argv, &arguments)) {
    fputs("what may be given: see the top of beside.cc\n", stderr);
    return 2;
  }
  rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  const Others others;
  std::string versions;
  const std::vector<Peer> peers = FindPeers(arguments, &versions);
  Table table;
  if (!MeasureAll(arguments, peers, &table)) {
    fputs("no such row\n", stderr);
    return 2;
  }
  const std::string part = Part(table, peers, versions, others.Processors(), arguments.quick);
  fputs(part.c_str(), stdout);
  if (arguments.document.empty() || !arguments.only.empty()) return 0;
  return gxds_bench::WritePart(arguments.document, gxds_bench::kBesideOthers, part) ? 0 : 1;
}
