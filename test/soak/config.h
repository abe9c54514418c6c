// The configurations that the control planes serve.
//
// All name the same clusters, so that a client that goes from one control plane to the other finds
// all that it asks for: "a", "b" and the aggregate "agg", which always have a route; and "c0" to
// "c3", among which the other RPCs are split. Each cluster has the anchor among its endpoints. So
// no configuration explains a failed RPC, nor does one with something wrong in it: that is in "a",
// "b", "agg", the listeners or the routes, which the client has held since before the round, and
// the last good one stays (A88).
#ifndef GRPC_XDS_TEST_SOAK_CONFIG_H_
#define GRPC_XDS_TEST_SOAK_CONFIG_H_

#include <array>
#include <string>

#include "test/soak/schedule.h"

namespace gxds_soak {

using Ports = std::array<int, kBackends>;

// What the client's threads call: this, a hyphen and the thread's number.
inline constexpr char kService[] = "soak";
// One method for each cluster of the configuration of a healed world.
inline const std::array<std::string, 4> kMethods = {"/a/Call", "/b/Call", "/agg/Call", "/c/Call"};

// Of a healed world: every endpoint in every cluster that has a route, and a route for the method
// probe, by which it is seen to be in use.
std::string HealedConfig(const Ports& ports, const std::string& probe);

enum class Spoil {
  kNone,
  kFile,           // cut in half: the control plane keeps what it had
  kBadListener,    // two HTTP filters of one name
  kBadRoutes,      // a retry policy of no retries
  kBadCluster,     // an unknown balancing policy
  kBadEndpoints,   // a priority left out
  kNoListener,     // deleted, with its routes
  kNoCluster,      // deleted, with its endpoints
  kNoEndpoints,    // deleted
  kEmptyEndpoints  // of agg's first cluster: the second carries the RPCs
};
inline constexpr int kSpoils = 10;
extern const char* const kSpoilNames[kSpoils];

// Of that seed.
std::string ChaosConfig(const Ports& ports, int anchor, uint64_t seed, Spoil spoil);
Spoil SpoilOf(uint64_t seed);  // never kNone

}  // namespace gxds_soak

#endif
