// Clients that take xDS, this project's among them: how each is started, and asked for its first
// RPC. Each is a process of its own.
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
    kGrpc,   // a program that takes the order "first" as test/bench/client does
    kEnvoy,  // it has no channel: RPCs go through its listener
  };
  std::string name;  // as people call it
  Kind kind = Kind::kGrpc;
  std::vector<std::string> program;  // kGrpc, kEnvoy
};

// What the program of a peer says that it is, by its --version, or of the host's gRPC and the
// plugin. Empty: it does not run here.
std::string VersionOf(const Peer& peer);

// One process of a peer.
class PeerClient {
 public:
  virtual ~PeerClient() = default;
  // Seconds to the first RPC that was answered, from the creation of the channel; an Envoy's from
  // its start. Nothing: there was none in that time. Once.
  virtual std::optional<double> First(std::chrono::seconds patience) = 0;
  // CPU time that it used since what First() counts from.
  virtual double Cpu() const = 0;
  virtual const Process& process() const = 0;
};

// A client of what the scene is to serve; so this comes before the scene serves.
std::unique_ptr<PeerClient> StartPeer(const Peer& peer, Scene* scene);

}  // namespace gxds_bench

#endif
