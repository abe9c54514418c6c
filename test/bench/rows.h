// The scenarios: each measures its rows once, for the host's xDS and ours (and plain gRPC where
// that is the floor) one after the other.
#ifndef GRPC_XDS_TEST_BENCH_ROWS_H_
#define GRPC_XDS_TEST_BENCH_ROWS_H_

#include <chrono>

#include "test/bench/report.h"
#include "test/bench/scene.h"

namespace gxds_bench {

class Rows {
 public:
  explicit Rows(Report* report);

  // CPU of a unary RPC.
  void RpcCpu(long calls);
  // Instructions of a unary RPC, with a thread that waits for completions all the time.
  void RpcInstructions(long calls);
  // Instructions of a unary RPC of a synchronous program with that many routes, of which it matches
  // the last: exact paths, or a mix of all kinds.
  void RpcRoutes(long routes, bool mixed, long calls);
  // The same with one route, which has a timeout and retries.
  void RpcMethodConfig(long calls);
  // The same, of a session: with its cookie; and one that goes to a subset of the endpoints. Ours
  // alone.
  void RpcOfSession(long calls);
  void RpcWithSubset(long calls);
  // One cluster of that many endpoints in ten localities, in each of which one accepts connections:
  // the time to the first RPC, memory, and the CPU of an update that changes one endpoint.
  void Endpoints(long count, int updates, bool with_host);
  // That many clusters of ten endpoints, one of which accepts connections: the time to the first
  // RPC, and the CPU of an update that swaps two of one cluster's endpoints. Who has no RPC
  // answered in that time is given up.
  void Clusters(long count, int updates, bool with_host,
                std::chrono::seconds patience = Process::kPatience);
  // What gRPC alone needs for such an update, in CPU or in instructions: it takes in the message
  // and sends the acknowledgement with all names. The floor of those rows.
  void Acknowledgement(long clusters, int updates, bool counts_instructions);
  // Instructions of those two updates, ours alone, over those of protobuf's reading of the
  // resource.
  void EndpointInstructions(long count, int updates);
  void ClusterInstructions(long count, int updates);
  // The first of these where RPCs have sessions.
  void SessionEndpointInstructions(long count, int updates);
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
  void Instructions(Row* row, bool plain, bool polls, long calls);
  // Of calls by a client with these options. keeps: it has a session.
  static void InstructionsOf(Row* row, const ClientOptions& options, bool keeps, long calls);
  // The CPU of so many updates; beside ours that of protobuf alone.
  void ChangeCpu(Row* row, Variant variant, const Client& client, const Updates& updates,
                 int count);
  // The instructions of so many, of a client of ours, and those of protobuf alone.
  void ChangeInstructions(Row* row, const Updates& updates, int count);

  Report* const report_;
  Scene scene_;
};

}  // namespace gxds_bench

#endif
