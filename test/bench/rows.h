// The scenarios: each measures its rows once, for the host's xDS and ours (and plain gRPC where
// that is the floor) one after the other.
#ifndef GRPC_XDS_TEST_BENCH_ROWS_H_
#define GRPC_XDS_TEST_BENCH_ROWS_H_

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "test/bench/plane.h"
#include "test/bench/report.h"
#include "test/bench/resources.h"
#include "test/support/backend.h"

namespace gxds_bench {

using Localities = std::vector<std::vector<Endpoint>>;

class Rows {
 public:
  explicit Rows(Report* report);

  // CPU of a unary RPC.
  void RpcCpu(long calls);
  // Instructions of a unary RPC, with a thread that waits for completions all the time.
  void RpcInstructions();
  // Instructions of a unary RPC of a synchronous program with that many routes, of which it matches
  // the last: exact paths, or a mix of all kinds.
  void RpcRoutes(long routes, bool mixed);
  // One cluster of that many endpoints in ten localities, in each of which one accepts connections:
  // the time to the first RPC, memory, and the CPU of an update that changes one endpoint.
  void Endpoints(long count, int updates, bool with_host);
  // That many clusters of ten endpoints, one of which accepts connections: the time to the first
  // RPC, and the CPU of an update that swaps two of one cluster's endpoints. Who has no RPC
  // answered in that time is given up.
  void Clusters(long count, int updates, bool with_host,
                std::chrono::seconds patience = Client::kPatience);
  // What gRPC alone needs for such an update, in CPU and in instructions: it takes in the message
  // and sends the acknowledgement with all names. The floor of those rows.
  void AcknowledgementAlone(long clusters, int updates);
  void AcknowledgementInstructions(long clusters, int updates);
  // Instructions of those two updates, ours alone, over those of protobuf's reading of the
  // resource.
  void EndpointInstructions(long count, int updates);
  void ClusterInstructions(long count, int updates);
  // The endpoints of the only cluster are replaced: the time from the push to the first RPC there.
  void Moved(int moves);
  // The route is switched to a cluster whose endpoints come half a second late: the longest RPC.
  void Late(int times);
  // A synchronous program that makes no calls: from an update to its acceptance.
  void Idle(int updates);
  // Instructions from the bytes of an EDS resource of that many endpoints to what is built of it,
  // over those of protobuf alone; and the memory that is held for each of them.
  void Decode(long endpoints);

 private:
  ClientOptions Options(Variant variant) const;
  void Instructions(Row* row, bool plain, bool polls);
  // The service "bench" with these routes, or one that sends everything to cluster "c0".
  void Serve(const std::vector<Route>& routes = {});
  Localities LocalitiesOf(long count) const;
  // Replaces one endpoint of one of them, another one in each update.
  bool ChangeEndpoint(Localities* localities, long count, int update);
  std::string EndpointsOfCluster(long cluster, bool swapped) const;
  void ServeClusters(long count);
  bool ChangeCluster(long count, int update);
  ClientOptions AloneOptions() const;

  Report* const report_;
  Plane plane_;
  std::vector<std::unique_ptr<gxds_test::Backend>> backends_;
};

}  // namespace gxds_bench

#endif
