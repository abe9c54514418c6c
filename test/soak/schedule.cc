#include "test/soak/schedule.h"

#include <optional>

namespace gxds_soak {

const char* const kDeedNames[kDeeds] = {"kill",    "end",       "stop",  "continue",
                                        "restart", "configure", "spoil", "new channel:"};

namespace {

// What a client needs to have all it asks for, on a loaded machine too.
constexpr std::chrono::milliseconds kStart(1000);

enum class State { kUp, kStopped, kDown };

// What may be done to backends, or to control planes.
struct Faults {
  bool stop;
  bool kill;
};

// A fault of one that is up, or what comes after it; nothing: it goes on standing still, at times
// for longer than the deadline of RPCs.
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
  // What is stopped notices no SIGTERM; `xds serve` ends at either in the same way.
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
  // gRPC 1.51.1 never closes a connection that is given up after the server's kernel took it and
  // before the server said anything. So while backends stand still no configuration gives one up;
  // nor is a control plane left for another while one stands still.
  //
  // A client that starts has no last good configuration but what its cache holds, which it takes
  // only when no control plane is there. So in rounds in which channels are left for new ones
  // nothing stands still, nothing is spoiled, and control planes are left alone for a while after
  // each.
  const bool starts = random.OneIn(2);
  const Faults backend_faults = {!starts && random.OneIn(2), true};
  const bool planes_stop = !starts && random.OneIn(2);
  const Faults plane_faults = {planes_stop, !planes_stop};
  State backends[kBackends] = {};
  State planes[kPlanes] = {};
  // Long enough for RPCs to miss their deadline; always less than the 15 s for which a resource is
  // waited for (A57).
  const std::chrono::milliseconds length(backend_faults.stop ? 8000 + random.Below(4000)
                                                             : 3000 + random.Below(6000));
  std::chrono::milliseconds done(0);  // when the last action is
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
