// What is done to backends and control planes, and when: a pure function of the seed.
#ifndef GRPC_XDS_TEST_SOAK_SCHEDULE_H_
#define GRPC_XDS_TEST_SOAK_SCHEDULE_H_

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace gxds_soak {

inline constexpr int kBackends = 6;
inline constexpr int kPlanes = 2;   // the second is what a client falls back to
inline constexpr int kWorkers = 4;  // threads of the client

// Numbers of a seed, the same with every standard library.
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
  kEnd,        // SIGTERM: a backend ends its connections in order
  kStop,       // SIGSTOP
  kContinue,   // SIGCONT
  kRestart,    // of what was killed or ended
  kConfigure,  // a control plane gets another good configuration
  kSpoil,      // a control plane gets one with something wrong in it
  kChannel,    // a thread of the client leaves its channel for a new one, and so starts anew
};
inline constexpr int kDeeds = 8;
extern const char* const kDeedNames[kDeeds];

struct Action {
  std::chrono::milliseconds after;  // the one before
  Deed deed;
  bool plane;     // the target is a control plane rather than a backend
  int index;      // of the target; of the thread for kChannel
  uint64_t seed;  // of a configuration

  std::string Text() const;  // "kill backend 3"
};

// Some seconds of faults; when they are over everything is healed.
struct Round {
  int anchor;  // the backend to which nothing is done, and which every configuration names
  std::vector<Action> actions;
};

Round MakeRound(uint64_t seed, int number);

}  // namespace gxds_soak

#endif
