// A measured process and its cost.
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

// A running program, measured by the kernel's counters. The destructor kills it.
class Process {
 public:
  Process(const std::vector<std::string>& args, const std::map<std::string, std::string>& env);

  // The limit of every wait: well above any measured time.
  static constexpr std::chrono::seconds kPatience{120};

  // The CPU time of all threads so far, user and system.
  double Cpu() const;
  // Waits until it has used (almost) no CPU for that long. False: it never did.
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
  kPlain,  // an ipv4: target with the host's round_robin, as the floor
  kHost,   // the host's own xDS
  kOurs,   // the plugin, preloaded
};

struct ClientOptions {
  Variant variant = Variant::kOurs;
  std::string target;
  std::string bootstrap;
  bool polls = true;
  bool counts_instructions = false;  // runs under valgrind, which counts from the first query on
  std::vector<std::string> program;  // runs in place of test/bench/client, with the same orders
};

class Client {
 public:
  explicit Client(const ClientOptions& options);
  ~Client();

  const Process& process() const { return *process_; }

  // Creates the channel. Returns the seconds to the first successful RPC, or nothing if there was
  // none in that time.
  std::optional<double> First(std::chrono::seconds patience = Process::kPatience);
  bool Call(const std::string& method = "/bench/Call");
  // Makes a call, and sends the cookie of its response from then on. False: there was no cookie.
  bool Keep(const std::string& method = "/bench/Call");
  struct Cost {
    double cpu_seconds = 0;   // each
    double instructions = 0;  // each; 0 without counts_instructions
    double seconds = 0;       // each, by the wall clock
  };
  // Makes that many calls, one after the other. Returns nothing if one failed.
  std::optional<Cost> Calls(long count, const std::string& method = "/bench/Call");

  // With gRPC alone, subscribes to the endpoints of that many clusters at its target, a control
  // plane, and ACKs every response. False: there was no response.
  bool Watch(long clusters);
  // The instructions in that time without a call; needs counts_instructions. Returns nothing if it
  // failed.
  std::optional<double> Idle(std::chrono::milliseconds time);

  // The instructions of all threads so far; needs counts_instructions.
  double Instructions();

 private:
  // The instructions between the last two dumps.
  double WindowInstructions();
  std::string Order(const std::string& order, const std::string& reply,
                    std::chrono::seconds patience = Process::kPatience);

  const Variant variant_;
  const bool counts_instructions_;
  gxds_test::TempDir dir_;
  FILE* orders_ = nullptr;
  std::unique_ptr<Process> process_;
  size_t seen_ = 0;
  int windows_ = 0;          // written by callgrind
  double instructions_ = 0;  // in the windows that Instructions() has read
};

// The cost of one EDS resource (decode.cc).
struct DecodeCost {
  double raw = 0;     // instructions: protobuf alone; these three are 0 without valgrind
  double build = 0;   // decoded, validated and built
  double change = 0;  // the same after one that differs in one endpoint
  double held = 0;    // bytes per endpoint, in the resource and in the policy
};
DecodeCost MeasureDecode(long endpoints);

// The instructions in which protobuf alone decodes an EDS resource.
double InstructionsOfRawDecode(const std::string& bytes);

// Whether instructions can be counted here.
bool HaveValgrind();

}  // namespace gxds_bench

#endif
