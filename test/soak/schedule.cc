#include "test/soak/schedule.h"

#include <optional>

namespace gxds_soak {

const char* const kDeedNames[kDeeds] = {"kill",    "end",       "stop",  "continue",
                                        "restart", "configure", "spoil", "new channel:"};

namespace {

// The time that a client needs to get all its resources, even on a loaded machine.
constexpr std::chrono::milliseconds kStart(1000);

enum class State { kUp, kStopped, kDown };

// The faults that are allowed for backends, or for control planes.
struct Faults {
  bool stop;
  bool kill;
};

// The next deed for a backend or a control plane: a fault, or the end of one. None: it stays
// stopped, sometimes longer than the deadline of RPCs.
std::optional<Deed> NextDeed(State* state, const Faults& faults, bool plane, Random* random) {
  if (*state == State::kDown) {
    *state = State::kUp;
    return Deed::kRestart;
  }
  const bool stopped = *state == State::kStopped;
  if (stopped && random->OneIn(4)) {
    *state = State::kUp;
    return Deed::kContinue;
  }
  if (stopped && (!faults.kill || !random->OneIn(6))) return std::nullopt;
  if (!stopped && faults.stop && (!faults.kill || random->OneIn(2))) {
    *state = State::kStopped;
    return Deed::kStop;
  }
  *state = State::kDown;
  // A stopped process does not handle SIGTERM, and `xds serve` ends in the same way with both
  // signals.
  return !stopped && !plane && random->OneIn(3) ? Deed::kEnd : Deed::kKill;
}

}  // namespace

std::string Action::Text() const {
  const char* target = deed == Deed::kChannel ? "thread" : plane ? "control plane" : "backend";
  return std::string(kDeedNames[static_cast<int>(deed)]) + " " + target + " " +
         std::to_string(index);
}

Round MakeRound(uint64_t seed, int number) {
  Random random(seed, static_cast<uint64_t>(number));
  Round round;
  round.anchor = random.Below(kBackends);
  // gRPC 1.51.1 never closes a connection that is abandoned after the server's kernel accepted it
  // and before the server sent anything. So while backends are stopped, no configuration removes
  // one, and no client moves to another control plane while one is stopped.
  //
  // A client that starts has no last good configuration except its cache, which it uses only if no
  // control plane responds. So in rounds with new channels nothing is stopped, nothing is spoiled,
  // and control planes have no faults for a while after each new channel.
  const bool starts = random.OneIn(2);
  const Faults backend_faults = {!starts && random.OneIn(2), true};
  const bool planes_stop = !starts && random.OneIn(2);
  const Faults plane_faults = {planes_stop, !planes_stop};
  State backends[kBackends] = {};
  State planes[kPlanes] = {};
  // Long enough for RPCs to miss their deadline, and always less than the resource timeout of 15 s
  // (A57).
  const std::chrono::milliseconds length(backend_faults.stop ? 8000 + random.Below(4000)
                                                             : 3000 + random.Below(6000));
  std::chrono::milliseconds done(0);  // the time of the last action
  std::chrono::milliseconds started = -kStart;
  for (std::chrono::milliseconds at(0); at < length;) {
    at += std::chrono::milliseconds(20 + random.Below(480));
    const int kind = random.Below(20);
    std::optional<Deed> deed;
    bool plane = false;
    int index = random.Below(kWorkers);
    if (starts && kind >= 16) {
      deed = Deed::kChannel;
      started = at;
    } else if (kind < 8 || (kind >= 12 && backend_faults.stop)) {
      index = (round.anchor + 1 + random.Below(kBackends - 1)) % kBackends;
      deed = NextDeed(&backends[index], backend_faults, plane, &random);
    } else if (at >= started + kStart) {
      plane = true;
      index = random.Below(kPlanes);
      deed = kind < 12   ? NextDeed(&planes[index], plane_faults, plane, &random)
             : kind < 16 ? Deed::kConfigure
                         : Deed::kSpoil;
    }
    if (!deed.has_value()) continue;
    round.actions.push_back({at - done, *deed, plane, index, random.Next()});
    done = at;
  }
  return round;
}

}  // namespace gxds_soak
