// The scenarios. Each measures its rows once, one after the other for the host's xDS and ours, and
// for plain gRPC if that is the floor.
#ifndef GRPC_XDS_TEST_BENCH_ROWS_H_
#define GRPC_XDS_TEST_BENCH_ROWS_H_

#include <chrono>

#include "test/bench/report.h"
#include "test/bench/scene.h"

namespace gxds_bench {

class Rows {
 public:
  explicit Rows(Report* report);

  // The CPU time of a unary RPC.
  void RpcCpu(long calls);
  // The instructions of a unary RPC, with a thread that always waits for completions.
  void RpcInstructions(long calls);
  // The instructions of a unary RPC of a synchronous program with that many routes. It matches the
  // last of them. The routes match exact paths, or are a mix of all kinds.
  void RpcRoutes(long routes, bool mixed, long calls);
  // The same with one route, which has a timeout and retries.
  void RpcMethodConfig(long calls);
  // The same, for ours only: an RPC of a session with its cookie, and an RPC that selects a subset
  // of the endpoints.
  void RpcOfSession(long calls);
  void RpcWithSubset(long calls);
  // One cluster with that many endpoints in ten localities, each of which has one endpoint that
  // accepts connections. Measures the time to the first RPC, memory, and the CPU time of an update
  // that changes one endpoint.
  void Endpoints(long count, int updates, bool with_host);
  // That many clusters of ten endpoints, one of which accepts connections. Measures the time to the
  // first RPC, and the CPU time of an update that swaps two endpoints of one cluster. Stops a
  // client without a successful RPC in that time.
  void Clusters(long count, int updates, bool with_host,
                std::chrono::seconds patience = Process::kPatience);
  // The CPU time or instructions that gRPC alone needs for such an update: it receives the message
  // and sends the ACK with all names. This is the floor of those rows.
  void Acknowledgement(long clusters, int updates, bool counts_instructions);
  // The same for one cluster with that many endpoints, in instructions.
  void EndpointsArrive(long endpoints, int updates);
  // The instructions of those two updates, for ours only, and of protobuf's decoding of the
  // resource.
  void EndpointInstructions(long count, int updates);
  void ClusterInstructions(long count, int updates);
  // The first of these, with sessions.
  void SessionEndpointInstructions(long count, int updates);
  // Replaces the endpoints of the only cluster. Measures the time from the push to the first RPC on
  // the new ones.
  void Moved(int moves);
  // Switches the route to a cluster whose endpoints arrive half a second late. Measures the longest
  // RPC.
  void Late(int times);
  // Measures the time from an update to its ACK, in a synchronous program that makes no calls.
  void Idle(int updates);
  // The instructions to build the resource from the bytes of an EDS resource with that many
  // endpoints, compared with protobuf alone, and the memory held for each endpoint.
  void Decode(long endpoints);

 private:
  void Instructions(Row* row, bool plain, bool polls, long calls);
  // Measures calls of a client with these options. keeps: it has a session.
  static void InstructionsOf(Row* row, const ClientOptions& options, bool keeps, long calls);
  // Measures what gRPC alone needs for that many updates, when it requests so many clusters.
  void Alone(Row* row, const Updates& changes, long clusters, int updates);
  // Measures the CPU time of that many updates, and for ours also that of protobuf alone.
  void ChangeCpu(Row* row, Variant variant, const Client& client, const Updates& updates,
                 int count);
  // Measures the instructions of that many updates, of a client of ours and of protobuf alone.
  void ChangeInstructions(Row* row, const Updates& updates, int count);

  Report* const report_;
  Scene scene_;
};

}  // namespace gxds_bench

#endif
