// The faults of backends and control planes with their times: a pure function of the seed.
#ifndef GRPC_XDS_TEST_SOAK_SCHEDULE_H_
#define GRPC_XDS_TEST_SOAK_SCHEDULE_H_

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace gxds_soak {

inline constexpr int kBackends = 6;
inline constexpr int kPlanes = 2;   // the second is the fallback
inline constexpr int kWorkers = 4;  // threads of the client

// Random numbers from a seed, the same with every standard library.
class Random {
 public:
  Random(uint64_t seed, uint64_t stream) : engine_(seed * 0x9e3779b97f4a7c15u + stream) {}
  uint64_t Next() { return engine_(); }
  int Below(int limit) { return static_cast<int>(engine_() % static_cast<uint64_t>(limit)); }
  bool OneIn(int n) { return Below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

enum class Deed {
  kKill,       // SIGKILL
  kEnd,        // SIGTERM: a backend closes its connections gracefully
  kStop,       // SIGSTOP
  kContinue,   // SIGCONT
  kRestart,    // of a killed or ended process
  kConfigure,  // a control plane gets another good configuration
  kSpoil,      // a control plane gets a faulty configuration
  kChannel,    // a thread of the client replaces its channel, and so starts anew
};
inline constexpr int kDeeds = 8;
extern const char* const kDeedNames[kDeeds];

struct Action {
  std::chrono::milliseconds after;  // after the action before
  Deed deed;
  bool plane;     // the target is a control plane rather than a backend
  int index;      // of the target; of the thread for kChannel
  uint64_t seed;  // of a configuration

  std::string Text() const;  // "kill backend 3"
};

// Some seconds of faults, after which everything recovers.
struct Round {
  int anchor;  // the backend without faults, which every configuration names
  std::vector<Action> actions;
};

Round MakeRound(uint64_t seed, int number);

}  // namespace gxds_soak

#endif
