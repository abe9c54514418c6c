// One history of a server (the one of `xds serve`) and two of its clients, which do the same at the
// same times: one in state of the world, one in delta. At every quiet point (no message is on its
// way, and nothing is awaited) both must hold the same.
//
// In two cases the protocols cannot agree, so a history avoids them:
// - A client keeps the last good resource when the resource becomes invalid or is deleted (A88).
//   Which version was its last depends on the versions that it received in between. So a *calm*
//   history reaches a quiet point after each change, and a change of many resources leaves none
//   invalid or missing. A *rough* history goes on while messages are on their way, and makes
//   everything valid before its quiet points.
// - State of the world cannot express the deletion of a route configuration or endpoints. That
//   makes no difference while deleted resources are kept. Calm histories with fail_on_data_errors
//   do not delete these.
#ifndef GRPC_XDS_TEST_DIFFERENTIAL_HISTORY_H_
#define GRPC_XDS_TEST_DIFFERENTIAL_HISTORY_H_

#include <cstdint>
#include <string>

#include "test/differential/peer.h"

namespace gxds_differential {

// The events of a history.
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
  kDidCompareSnapshots,  // and the clients had snapshots
  kHappeningCount
};

struct HistoryResult {
  std::string difference;  // empty: no difference
  uint32_t counts[kHappeningCount] = {};
};

// Depends on its arguments only.
HistoryResult RunHistory(uint64_t seed, Plant plant);

}  // namespace gxds_differential

#endif
