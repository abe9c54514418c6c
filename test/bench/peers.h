// xDS clients, including this project's: how to start each, and how to make its first RPC. Each is
// a process of its own.
#ifndef GRPC_XDS_TEST_BENCH_PEERS_H_
#define GRPC_XDS_TEST_BENCH_PEERS_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "test/bench/process.h"
#include "test/bench/scene.h"

namespace gxds_bench {

struct Peer {
  enum class Kind {
    kHost,   // test/bench/client on the host's own xDS
    kOurs,   // the same with the plugin preloaded
    kGrpc,   // a program that takes the order "first" like test/bench/client
    kEnvoy,  // has no channel; RPCs go through its listener
    kAlone,  // test/bench/alone: gRPC's own part of an update
  };
  std::string name;  // its common name
  Kind kind = Kind::kGrpc;
  std::vector<std::string> program;  // kGrpc, kEnvoy, kAlone
};

// The output of the peer's program for --version, or the versions of the host's gRPC and the
// plugin. Empty: it does not run here.
std::string VersionOf(const Peer& peer);

// One process of a peer.
class PeerClient {
 public:
  virtual ~PeerClient() = default;
  // Seconds from the creation of the channel, or the start of an Envoy, to the first successful
  // RPC; none if there was none in that time. Call it once.
  virtual std::optional<double> First(std::chrono::seconds patience) = 0;
  // CPU time that it used since the time from which First() counts.
  virtual double Cpu() const = 0;
  virtual const Process& process() const = 0;
};

// Starts a client of the scene, which is not kAlone. Call it before the scene serves.
std::unique_ptr<PeerClient> StartPeer(const Peer& peer, Scene* scene);

// Starts a kAlone for the scene, which serves that many clusters to gRPC. change: what it does with
// each update, "swap" or "replace" (alone.cc). Returns null if it does not watch in time.
std::unique_ptr<Process> StartAlone(const Peer& peer, Scene* scene, long clusters,
                                    const std::string& change);

}  // namespace gxds_bench

#endif
