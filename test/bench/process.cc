#include "test/bench/process.h"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace gxds_bench {
namespace {

constexpr char kValgrind[] = "/usr/bin/valgrind";
constexpr char kRoundRobin[] = R"({"loadBalancingConfig":[{"round_robin":{}}]})";

// The instructions of all threads in the file of one window.
double TotalInstructions(const std::string& file) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("totals: ", 0) == 0) return std::stod(line.substr(8));
  }
  // A count of 0 would look like a good result.
  fprintf(stderr, "callgrind counted nothing in %s\n", file.c_str());
  abort();
}

}  // namespace

bool HaveValgrind() { return access(kValgrind, X_OK) == 0; }

Process::Process(const std::vector<std::string>& args,
                 const std::map<std::string, std::string>& env)
    : child_(args, env) {
  if (clock_getcpuclockid(child_.pid(), &clock_) != 0) abort();
}

double Process::Cpu() const {
  timespec now = {};
  clock_gettime(clock_, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Needed because on a loaded machine a thread that is ready to run may wait long for a processor.
bool Process::IsRunning() const {
  std::error_code gone;
  const std::string tasks = "/proc/" + std::to_string(child_.pid()) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, gone)) {
    std::ifstream in(task.path() / "stat");
    std::string stat;
    std::getline(in, stat);
    // The state comes after the name, which is in brackets.
    const size_t name_end = stat.rfind(')');
    if (name_end != std::string::npos && stat.compare(name_end, 3, ") R") == 0) return true;
  }
  return false;
}

bool Process::WaitForQuiet(std::chrono::milliseconds time,
                           std::chrono::milliseconds patience) const {
  constexpr auto kStep = std::chrono::milliseconds(5);
  constexpr double kAlmostNone = 0.0002;  // seconds of CPU per step
  const auto until = std::chrono::steady_clock::now() + patience;
  for (auto quiet = std::chrono::milliseconds(0); quiet < time;) {
    if (std::chrono::steady_clock::now() > until) return false;
    const double before = Cpu();
    std::this_thread::sleep_for(kStep);
    const bool idle = Cpu() - before < kAlmostNone && !IsRunning();
    quiet = idle ? quiet + kStep : std::chrono::milliseconds(0);
  }
  return true;
}

double Process::Memory() const {
  std::ifstream in("/proc/" + std::to_string(child_.pid()) + "/statm");
  double size = 0, resident = 0;
  in >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

Client::Client(const ClientOptions& options)
    : variant_(options.variant), counts_instructions_(options.counts_instructions) {
  const std::string pipe = dir_.path() + "/orders";
  if (mkfifo(pipe.c_str(), 0600) != 0) abort();
  std::vector<std::string> args;
  if (counts_instructions_) {
    args = {kValgrind,
            "--quiet",
            "--tool=callgrind",
            "--fair-sched=yes",
            "--instr-atstart=no",
            "--callgrind-out-file=" + dir_.path() + "/instructions"};
  }
  if (options.program.empty()) {
    args.push_back(gxds_test::Runfile("test/bench/client"));
  } else {
    args.insert(args.end(), options.program.begin(), options.program.end());
  }
  args.insert(args.end(),
              {pipe, options.target, options.variant == Variant::kPlain ? kRoundRobin : ""});
  if (options.polls) args.push_back("poll");
  std::map<std::string, std::string> env = {{"GRPC_XDS_BOOTSTRAP_CONFIG", options.bootstrap},
                                            {"GRPC_VERBOSITY", "info"}};
  if (options.variant == Variant::kOurs) {
    env["LD_PRELOAD"] = std::filesystem::absolute(gxds_test::Runfile("libgrpc_xds.so"));
  }
  process_ = std::make_unique<Process>(args, env);
  orders_ = fopen(pipe.c_str(), "w");  // waits for the client
  if (orders_ == nullptr) abort();
}

Client::~Client() { fclose(orders_); }

std::string Client::Order(const std::string& order, const std::string& reply,
                          std::chrono::seconds patience) {
  fprintf(orders_, "%s\n", order.c_str());
  fflush(orders_);
  std::string line = process_->child().WaitForLine(
      [&](const std::string& l) { return l.rfind(reply + " ", 0) == 0; }, seen_, patience);
  seen_ = process_->child().Lines().size();
  if (line.empty()) {
    fprintf(stderr, "no reply to \"%s\" in %ld s\n", order.c_str(), long{patience.count()});
    return line;
  }
  return line.substr(reply.size() + 1);
}

std::optional<double> Client::First(std::chrono::seconds patience) {
  std::string nanoseconds = Order("first /bench/Call", "first", patience);
  if (nanoseconds.empty() || nanoseconds == "-1") return std::nullopt;
  // Without the plugin, everything would run on the host's own xDS.
  const bool registered = process_->child().Output().find("grpc_xds: ") != std::string::npos;
  if (registered != (variant_ == Variant::kOurs)) {
    fprintf(stderr, "measured the wrong xDS:\n%s", process_->child().Output().c_str());
    abort();
  }
  return std::stod(nanoseconds) / 1e9;
}

bool Client::Call(const std::string& method) { return Order("call " + method, "called") == "OK"; }

bool Client::Keep(const std::string& method) { return Order("keep " + method, "kept") == "OK"; }

std::optional<Client::Cost> Client::Calls(long count, const std::string& method) {
  std::istringstream reply(Order("calls " + method + " " + std::to_string(count), "calls"));
  long failed = 0;
  double cpu = 0;
  double took = 0;
  if (!(reply >> failed >> cpu >> took) || failed > 0) return std::nullopt;
  const auto calls = static_cast<double>(count);
  Cost cost;
  cost.cpu_seconds = cpu / 1e9 / calls;
  cost.seconds = took / 1e9 / calls;
  if (counts_instructions_) cost.instructions = WindowInstructions() / calls;
  return cost;
}

bool Client::Watch(long clusters) {
  return Order("watch - " + std::to_string(clusters), "watching") == "OK";
}

std::optional<double> Client::Idle(std::chrono::milliseconds time) {
  if (Order("idle - " + std::to_string(time.count()), "idle").empty()) return std::nullopt;
  return WindowInstructions();
}

double Client::WindowInstructions() {
  windows_ += 2;
  return TotalInstructions(dir_.path() + "/instructions." + std::to_string(windows_));
}

double Client::Instructions() {
  if (!counts_instructions_ || Order("count -", "counted").empty()) abort();
  instructions_ += TotalInstructions(dir_.path() + "/instructions." + std::to_string(++windows_));
  return instructions_;
}

namespace {

// Runs decode.cc. Returns the instructions of one round.
double InstructionsOfDecode(const char* mode, const std::string& what) {
  constexpr int kRounds = 3;
  gxds_test::TempDir dir;
  const std::string out = dir.path() + "/" + mode;
  gxds_test::Child child({kValgrind, "--quiet", "--tool=callgrind", "--callgrind-out-file=" + out,
                          gxds_test::Runfile("test/bench/decode"), mode, what,
                          std::to_string(kRounds)});
  if (child.Wait() != 0) abort();
  return TotalInstructions(out + ".2") / kRounds;
}

}  // namespace

DecodeCost MeasureDecode(long endpoints) {
  const std::string count = std::to_string(endpoints);
  DecodeCost cost;
  if (HaveValgrind()) {
    cost.raw = InstructionsOfDecode("raw", count);
    cost.build = InstructionsOfDecode("build", count);
    cost.change = InstructionsOfDecode("change", count);
  }
  gxds_test::Child child({gxds_test::Runfile("test/bench/decode"), "held", count, "1"});
  if (child.Wait() != 0) abort();
  cost.held = std::stod(child.Output());
  return cost;
}

double InstructionsOfRawDecode(const std::string& bytes) {
  gxds_test::TempDir dir;
  const std::string file = dir.path() + "/resource";
  std::ofstream(file) << bytes;
  return InstructionsOfDecode("file", file);
}

}  // namespace gxds_bench
