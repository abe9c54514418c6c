// The configurations that the control planes serve.
//
// All configurations name the same clusters, so that a client that moves from one control plane to
// the other finds all resources: "a", "b" and the aggregate "agg", which always have a route, and
// "c0" to "c3", over which the other RPCs are split. Each cluster has the anchor among its
// endpoints. So no configuration explains a failed RPC. A faulty configuration does not either: the
// fault is in "a", "b", "agg", the listeners or the routes, which the client has held since before
// the round, and it keeps the last good version (A88).
#ifndef GRPC_XDS_TEST_SOAK_CONFIG_H_
#define GRPC_XDS_TEST_SOAK_CONFIG_H_

#include <array>
#include <string>

#include "test/soak/schedule.h"

namespace gxds_soak {

using Ports = std::array<int, kBackends>;

// The target of a client's thread is this, a hyphen and the thread's number.
inline constexpr char kService[] = "soak";
// One method for each cluster of the configuration after healing.
inline const std::array<std::string, 4> kMethods = {"/a/Call", "/b/Call", "/agg/Call", "/c/Call"};

// The configuration after healing: every cluster with a route has every endpoint. A route for the
// method `probe` shows that the configuration is in use.
std::string RecoveredConfig(const Ports& ports, const std::string& probe);

enum class Spoil {
  kNone,
  kFile,           // cut in half, so the control plane keeps its resources
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

// The configuration of that seed.
std::string ChaosConfig(const Ports& ports, int anchor, uint64_t seed, Spoil spoil);
Spoil SpoilOf(uint64_t seed);  // never kNone

}  // namespace gxds_soak

#endif
