#include "test/soak/world.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "test/support/kept_port.h"

namespace gxds_soak {
namespace {

using gxds_test::Child;
using gxds_test::Runfile;

// A client recovers within some seconds after all control planes and backends are up again. A
// loaded machine may take much longer.
constexpr std::chrono::seconds kPatience(120);
// The deadline of an RPC. No RPC takes this long, even on a loaded machine, unless its backend is
// stopped.
constexpr int kDeadlineMs = 5000;

[[noreturn]] void Die(const std::string& why) { throw std::runtime_error(why); }

std::istream& operator>>(std::istream& in, Open& open) {
  return in >> open.fds >> open.connections >> open.subchannels >> open.threads >> open.pool;
}

bool Read(const std::string& line, Open* open) {
  std::istringstream words(line);
  return static_cast<bool>(words >> *open);
}

}  // namespace

Time Now() {
  return std::chrono::duration_cast<Time>(std::chrono::steady_clock::now().time_since_epoch());
}

BackendProcess::BackendProcess(int index, Outages* outages)
    : name_("b" + std::to_string(index)), port_(gxds_test::KeptPort()), outages_(outages) {
  Start();
}

void BackendProcess::Start() {
  child_ = std::make_unique<Child>(
      std::vector<std::string>{Runfile("test/soak/backend"), name_, std::to_string(port_)});
  const std::string line =
      child_->WaitForLine([](const std::string& l) { return l.rfind("port ", 0) == 0; });
  if (line.empty()) Die("a backend does not start: " + child_->Output());
}

void BackendProcess::Do(Deed deed) {
  if (deed == Deed::kRestart) return Start();
  if (deed == Deed::kStop) {
    outages_->Stopped(port_, Now());
    child_->Stop();
    stopped_ = true;
    return;
  }
  if (deed == Deed::kContinue) {
    child_->Signal(SIGCONT);
  } else {
    outages_->Killed(port_, Now());
    child_->Signal(deed == Deed::kEnd ? SIGTERM : SIGKILL);
    child_->Wait();
    child_.reset();
  }
  if (stopped_) outages_->StopEnded(port_, Now());
  stopped_ = false;
}

void BackendProcess::Recover() {
  if (child_ == nullptr) Do(Deed::kRestart);
  if (stopped_) Do(Deed::kContinue);
}

PlaneProcess::PlaneProcess(const std::string& config) {
  Configure(config);
  plane_.Start();
  if (plane_.Count({R"("event":"listening")"}) == 0) Die("xds serve does not start");
}

void PlaneProcess::Do(Deed deed) {
  if (deed == Deed::kRestart) {
    plane_.Start();
  } else if (deed == Deed::kStop) {
    plane_.Freeze();
  } else if (deed == Deed::kContinue) {
    plane_.Thaw();
  } else {
    plane_.Kill();
  }
  down_ = deed == Deed::kKill;
  stopped_ = deed == Deed::kStop;
}

void PlaneProcess::Recover() {
  if (down_) Do(Deed::kRestart);
  if (stopped_) Do(Deed::kContinue);
}

ClientProcess::ClientProcess(const std::string& bootstrap, const std::string& cache) {
  const std::string pipe = dir_.path() + "/orders";
  if (mkfifo(pipe.c_str(), 0600) != 0) Die("no named pipe at " + pipe);
  std::vector<std::string> args = {Runfile("test/soak/client"), pipe,
                                   std::string("xds:///") + kService, cache,
                                   std::to_string(kDeadlineMs)};
  args.insert(args.end(), kMethods.begin(), kMethods.end());
  child_ = std::make_unique<Child>(
      args, std::map<std::string, std::string>{
                {"GRPC_XDS_BOOTSTRAP_CONFIG", bootstrap},
                {"GRPC_VERBOSITY", "info"},
                {"LD_PRELOAD", std::filesystem::absolute(Runfile("libgrpc_xds.so"))},
                // Memory in glibc's caches is free, but would not count as free.
                {"GLIBC_TUNABLES", "glibc.malloc.tcache_count=0"},
                {"MALLOC_ARENA_MAX", "1"}});
  // Also opened for reading, so that nothing waits for an ended client or is killed by SIGPIPE.
  const int fd = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  orders_ = fd >= 0 ? fdopen(fd, "w") : nullptr;
  if (orders_ == nullptr) Die("no pipe to the client");
}

ClientProcess::~ClientProcess() { std::fclose(orders_); }

void ClientProcess::Order(const std::string& order) {
  std::fprintf(orders_, "%s\n", order.c_str());
  std::fflush(orders_);
}

bool ClientProcess::ReadReply(const std::string& word, std::string* rest) {
  // Looks at each line once.
  const std::string line = child_->WaitForLine(
      [&](const std::string& l) {
        ++seen_;
        OnLine(l);
        return l.rfind(word, 0) == 0;
      },
      seen_, kPatience);
  if (line.empty()) return false;
  *rest = line.substr(word.size());
  return true;
}

void ClientProcess::OnLine(const std::string& line) {
  if (line.find("grpc_xds: ") != std::string::npos) ran_plugin_ = true;
  if (line.find(": falling back to ") != std::string::npos) ++fallbacks_;
  if (line.find(": starting from the resource cache") != std::string::npos) ++cache_starts_;
  std::istringstream words(line);
  std::string word;
  long long began, ended;
  int code;
  Failure f;
  if (!(words >> word) || word != "failed") return;
  if (!(words >> began >> ended >> code >> f.port)) Die("not understood: " + line);
  f.began = Time(began);
  f.ended = Time(ended);
  f.code = static_cast<grpc::StatusCode>(code);
  std::getline(words, f.message);
  failures_.push_back(f);
}

std::string ClientProcess::Describe() {
  constexpr size_t kLines = 60;
  siginfo_t info = {};
  // Its output may end shortly before the process.
  for (const Time until = Now() + std::chrono::seconds(2); info.si_pid == 0 && Now() < until;) {
    if (waitid(P_PID, static_cast<id_t>(child_->pid()), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::string text = "the client ";
  if (info.si_pid == 0) {
    text += "runs";
  } else if (info.si_code == CLD_EXITED) {
    text += "ended with status " + std::to_string(info.si_status);
  } else {
    text += "was ended by signal " + std::to_string(info.si_status);
  }
  text += "; the last lines that it printed:\n";
  const std::vector<std::string> lines = child_->Lines();
  for (size_t i = lines.size() - std::min(lines.size(), kLines); i < lines.size(); ++i) {
    text += lines[i] + "\n";
  }
  return text;
}

bool ClientProcess::Start(Open* before) {
  std::string line;
  Order("start");
  return ReadReply("started ", &line) && Read(line, before);
}

bool ClientProcess::Probe(const std::string& method) {
  std::string reply;
  Order("probe " + method);
  return ReadReply("probed ", &reply) && reply == "OK";
}

bool ClientProcess::Counts(std::map<std::string, long>* counts) {
  std::string line;
  Order("answered");
  if (!ReadReply("answered", &line)) return false;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const size_t equals = word.rfind('=');
    (*counts)[word.substr(0, equals)] = std::stol(word.substr(equals + 1));
  }
  return true;
}

bool ClientProcess::AtRest(Rest* rest) {
  std::string line;
  Order("rest");
  if (!ReadReply("rest ", &line)) return false;
  std::istringstream words(line);
  return static_cast<bool>(words >> rest->calls >> rest->heap >> rest->resident >> rest->open);
}

bool ClientProcess::End(Open* after) {
  std::string line;
  Order("end");
  return ReadReply("ended ", &line) && Read(line, after);
}

void ClientProcess::Leak() { Order("leak"); }

void ClientProcess::Renew(int thread) { Order("channel " + std::to_string(thread)); }

}  // namespace gxds_soak
