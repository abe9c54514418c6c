// One history of a server (`xds serve`'s own), and two clients of it that are told to do the same
// at the same moments: one in state of the world, one in delta. At every quiet point (nothing is on
// its way, nothing is waited for) both must hold the same.
//
// Two things the protocols can't agree in, and so a history has either the one or the other:
// - A client keeps the last good resource when it becomes invalid or is deleted (A88). Which one
// was
//   the last that it saw depends on what it saw between. So a *calm* history reaches a quiet point
//   after each change, and a change of many resources leaves none invalid or missing; a *rough* one
//   goes on while messages are on their way, and makes everything valid before its quiet points.
// - State of the world has no word for the deletion of a route configuration or endpoints. That
//   makes no difference as long as what was deleted is kept; calm histories with
//   fail_on_data_errors leave it out.
#ifndef GRPC_XDS_TEST_DIFFERENTIAL_HISTORY_H_
#define GRPC_XDS_TEST_DIFFERENTIAL_HISTORY_H_

#include <cstdint>
#include <string>

#include "test/differential/peer.h"

namespace gxds_differential {

// What happens in a history.
enum Happening {
  kDidSet,
  kDidSetBad,
  kDidDelete,
  kDidAddAgain,
  kDidSetMany,
  kDidWatch,
  kDidEndWatch,
  kDidSubscribe,
  kDidHold,
  kDidReconnect,
  kDidWait,
  kDidCompare,
  kDidCompareSnapshots,  // and there were some
  kHappeningCount
};

struct HistoryResult {
  std::string difference;  // empty: there was none
  uint32_t counts[kHappeningCount] = {};
};

// Depends on its arguments only.
HistoryResult RunHistory(uint64_t seed, Plant plant);

}  // namespace gxds_differential

#endif
