// What an update costs the client that takes it in.
#ifndef GRPC_XDS_TEST_BENCH_UPDATES_H_
#define GRPC_XDS_TEST_BENCH_UPDATES_H_

#include <functional>
#include <optional>
#include <string>

#include "test/bench/process.h"

namespace gxds_bench {

// Updates of one kind: each changes something, and is of the size of the others.
struct Updates {
  std::function<bool(int)> make;  // the one of that number; returns when it is accepted, or false
  std::string resource;           // the bytes of what changes, as protobuf alone reads them
};

// CPU seconds, or instructions, of an update: the median of so many. Each counts from before it is
// sent until the client is quiet again. Taken off is what the client then uses in as much time when
// nothing comes: gRPC looks at its sockets and timers by the clock, which is no part of an update,
// and under valgrind an update takes long. What it does now and then (it walks the timers of all
// endpoints that refused) may fall into either time, and is as much as many updates: hence the
// median. Nothing: an update failed.
std::optional<double> CpuOfUpdates(const Process& client, const Updates& updates, int count);
std::optional<double> InstructionsOfUpdates(Client* client, const Updates& updates, int count);

// CPU seconds of an update: the mean of so many (or of those of one minute), whose starts are at
// least so far apart that the client's caches are cold. Taken off is what the client then uses in
// as much time when nothing comes. Nothing: an update failed.
std::optional<double> CpuOfUpdatesApart(const Process& client, const Updates& updates, int count,
                                        std::chrono::milliseconds apart);

// CPU seconds for which protobuf alone reads an EDS resource.
double CpuOfRawDecode(const std::string& bytes);

}  // namespace gxds_bench

#endif
