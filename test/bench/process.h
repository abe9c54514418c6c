// A process under measurement, and what it costs.
#ifndef GRPC_XDS_TEST_BENCH_PROCESS_H_
#define GRPC_XDS_TEST_BENCH_PROCESS_H_

#include <time.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "test/support/child.h"

namespace gxds_bench {

// A program that runs, by what the kernel counts of it. Killed in the end.
class Process {
 public:
  Process(const std::vector<std::string>& args, const std::map<std::string, std::string>& env);

  // How long is waited for anything: well beyond what takes that is to be measured.
  static constexpr std::chrono::seconds kPatience{120};

  // CPU time that it used so far, all threads, user and system.
  double Cpu() const;
  // Waits until it used (almost) none for that long. False: it never did.
  bool WaitForQuiet(std::chrono::milliseconds time = std::chrono::milliseconds(200),
                    std::chrono::milliseconds patience = kPatience) const;
  // Resident memory in bytes.
  double Memory() const;

  gxds_test::Child& child() { return child_; }

 private:
  bool IsRunning() const;

  gxds_test::Child child_;
  clockid_t clock_ = 0;
};

enum class Variant {
  kPlain,  // an ipv4: target with the host's round_robin: the floor
  kHost,   // the host's own xDS
  kOurs,   // the plugin, preloaded
};

struct ClientOptions {
  Variant variant = Variant::kOurs;
  std::string target;
  std::string bootstrap;
  bool polls = true;
  bool counts_instructions = false;  // runs under valgrind, which counts from the first question on
  std::vector<std::string> program;  // takes the orders in place of test/bench/client
};

class Client {
 public:
  explicit Client(const ClientOptions& options);
  ~Client();

  const Process& process() const { return *process_; }

  // Creates the channel; seconds to the first answer, nothing if there was none until then.
  std::optional<double> First(std::chrono::seconds patience = Process::kPatience);
  bool Call(const std::string& method = "/bench/Call");
  // Calls, and sends the cookie that came with the answer from then on. False: there was none.
  bool Keep(const std::string& method = "/bench/Call");
  struct Cost {
    double cpu_seconds = 0;   // each
    double instructions = 0;  // each; 0 without counts_instructions
    double seconds = 0;       // on the wall clock, each
  };
  // That many calls, one after the other; nothing when one failed.
  std::optional<Cost> Calls(long count, const std::string& method = "/bench/Call");

  // Subscribes to the endpoints of that many clusters of the control plane that is its target, by
  // gRPC alone, and acknowledges whatever comes. False: nothing came.
  bool Watch(long clusters);
  // Instructions in that time without a call; counts_instructions is needed. Nothing: it failed.
  std::optional<double> Idle(std::chrono::milliseconds time);

  // Instructions of the process so far, all threads; counts_instructions is needed.
  double Instructions();

 private:
  // Of the window between the last two dumps.
  double WindowInstructions();
  std::string Ask(const std::string& order, const std::string& answer,
                  std::chrono::seconds patience = Process::kPatience);

  const Variant variant_;
  const bool counts_instructions_;
  gxds_test::TempDir dir_;
  FILE* orders_ = nullptr;
  std::unique_ptr<Process> process_;
  size_t seen_ = 0;
  int windows_ = 0;          // that callgrind wrote
  double instructions_ = 0;  // in those that Instructions() asked for
};

// Of one EDS resource (decode.cc), each time.
struct DecodeCost {
  double raw = 0;     // instructions: protobuf alone; these three are 0 without valgrind
  double build = 0;   // decoded, validated and built
  double change = 0;  // the same after one that differs in one endpoint
  double held = 0;    // bytes per endpoint, in the resource and in the policy
};
DecodeCost MeasureDecode(long endpoints);

// Instructions in which protobuf alone reads an EDS resource.
double InstructionsOfRawDecode(const std::string& bytes);

// Whether instructions can be counted here.
bool HaveValgrind();

}  // namespace gxds_bench

#endif
