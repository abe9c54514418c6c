// The cost of an update for the client.
#ifndef GRPC_XDS_TEST_BENCH_UPDATES_H_
#define GRPC_XDS_TEST_BENCH_UPDATES_H_

#include <functional>
#include <optional>
#include <string>

#include "test/bench/process.h"

namespace gxds_bench {

// Updates of one kind. Each changes something, and all have the same size.
struct Updates {
  std::function<bool(int)> make;  // makes update i, and returns whether it was accepted
  std::string resource;           // the bytes of the changed resource, for protobuf alone
};

// CPU seconds, or instructions, of an update: the median of that many. Each is counted from before
// it is sent until the client is quiet again. The result excludes what the client then uses in the
// same time without an update: gRPC checks its sockets and timers by the clock, which is not part
// of an update, and under valgrind an update takes long. Occasional work (walking the timers of all
// endpoints that refused) may fall into either time, and costs as much as many updates; hence the
// median. Returns nothing if an update failed.
std::optional<double> CpuOfUpdates(const Process& client, const Updates& updates, int count);
std::optional<double> InstructionsOfUpdates(Client* client, const Updates& updates, int count);

// CPU seconds of an update: the mean of that many, or of those of one minute. Their starts are far
// enough apart that the client's caches are cold. The result excludes what the client then uses in
// the same time without an update. Returns nothing if an update failed.
std::optional<double> CpuOfUpdatesApart(const Process& client, const Updates& updates, int count,
                                        std::chrono::milliseconds apart);

// The CPU seconds in which protobuf alone decodes an EDS resource.
double CpuOfRawDecode(const std::string& bytes);

}  // namespace gxds_bench

#endif
