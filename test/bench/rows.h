// The scenarios: each measures its rows once, for the host's xDS and ours (and plain gRPC where
// that is the floor) one after the other.
#ifndef GRPC_XDS_TEST_BENCH_ROWS_H_
#define GRPC_XDS_TEST_BENCH_ROWS_H_

#include <memory>
#include <vector>

#include "test/bench/plane.h"
#include "test/bench/report.h"
#include "test/support/backend.h"

namespace gxds_bench {

class Rows {
 public:
  explicit Rows(Report* report);

  // CPU of a unary RPC.
  void RpcCpu(long calls);
  // Instructions of a unary RPC with that many exact routes, of which it matches the last. polls:
  // of a program with a thread that waits for completions all the time.
  void RpcInstructions(long routes, bool polls);
  // One cluster of that many endpoints in ten localities, in each of which one accepts connections:
  // the time to the first RPC, memory, and the CPU of an update that changes one endpoint.
  void Endpoints(long count, int updates, bool with_host);
  // That many clusters of ten endpoints, one of which accepts connections: the time to the first
  // RPC, and the CPU of an update that swaps two of one cluster's endpoints.
  void Clusters(long count, int updates, bool with_host);
  // The endpoints of the only cluster are replaced: the time from the push to the first RPC there.
  void Moved(int moves);

 private:
  ClientOptions Options(Variant variant) const;
  // The service "bench" with these routes, or one that sends everything to cluster "c0".
  void Serve(const std::vector<struct Route>& routes = {});

  Report* const report_;
  Plane plane_;
  std::vector<std::unique_ptr<gxds_test::Backend>> backends_;
};

}  // namespace gxds_bench

#endif
