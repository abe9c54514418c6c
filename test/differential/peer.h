// One of the two compared clients: the production's engine and dependency manager, driven as the
// production's reactor drives them, and its stream to the server of `xds serve`. Messages on the
// stream wait for Move().
#ifndef GRPC_XDS_TEST_DIFFERENTIAL_PEER_H_
#define GRPC_XDS_TEST_DIFFERENTIAL_PEER_H_

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "test/sim/resources.h"
#include "tools/serve/ads_server.h"
#include "xds_client/client.h"
#include "xds_resolver/dependency_manager.h"

namespace gxds_differential {

// Faults planted in the delta client, which the comparison must find.
enum Plant {
  kPlantNone,
  kPlantLostUpdate,    // a watcher is not notified of a resource
  kPlantLostResponse,  // a response is lost
  kPlantOldResponse,   // a response is delivered again later
  kPlantCount
};

struct PeerOptions {
  bool delta = false;
  bool fail_on_data_errors = false;
  bool transient_timer = false;
  // Delta: the server ignores the names in stale ACKs and in NACKs, as Istio does.
  bool server_drops_names = false;
  Plant plant = kPlantNone;
};

class Peer {
 public:
  // The server must outlive the peer.
  Peer(gxds_ads_server *server, const PeerOptions &options, gxds_time now);
  ~Peer();
  Peer(const Peer &) = delete;

  // ---- what its owner does ----
  void Watch(int slot, int type, const std::string &name, gxds_time now);
  void EndWatch(int slot, gxds_time now);
  void Subscribe(const std::string &cluster, bool begin, gxds_time now);
  void Hold(const std::string &cluster, bool begin, gxds_time now);

  // ---- what the network does ---- Takes the server's message for that stream. False: the stream
  // belongs to the other peer.
  bool TakeResponse(uint64_t server_stream, gxds_str bytes);
  bool CanMove() const;
  // Delivers one message, in either direction.
  void Move(gxds_sim::Random *random, gxds_time now);
  void EndStream(gxds_time now);
  gxds_time deadline() const { return gxds_client_deadline(engine_); }
  void OnDeadline(gxds_time now);

  // What it holds: the snapshot, and the last notification of each watcher. It omits the texts of
  // errors, which contain versions and details of one protocol.
  std::string Dump() const;

 private:
  struct RawWatch {
    gxds_watch_id id = 0;
    int type = 0;
    std::string name;
    int held = kNothing;
  };
  enum { kNothing = -1, kUntold = -2, kSocket = -3 };

  void MakeBootstrap();
  void Drain(gxds_time now);
  void Carry(const gxds_action &action, gxds_time now);
  void Notify(const gxds_action &action);
  bool CarryManager(gxds_time now);
  void DeliverRequest(gxds_time now);
  void DeliverResponse(gxds_time now);
  bool Strike();  // whether the planted fault happens now
  static int NumberOf(const gxds_resource *resource);
  static void DumpEntry(void *arg, const gxds_cluster_entry *entry);

  gxds_ads_server *server_;
  PeerOptions options_;
  gxds_bootstrap_server server_config_ = {};
  const gxds_bootstrap_server *servers_[1] = {&server_config_};
  gxds_bootstrap_authority authority_ = {};
  gxds_bootstrap bootstrap_ = {};
  std::string node_;
  gxds_client *engine_ = nullptr;
  gxds_dependency_manager *manager_ = nullptr;
  std::map<uint64_t, gxds_watch_id> manager_watches_;  // by token
  const gxds_config *config_ = nullptr;
  bool failed_ = false;
  std::vector<RawWatch> watches_;

  // The stream.
  gxds_stream_id stream_ = 0;
  uint64_t server_stream_ = 0;
  bool read_wanted_ = false;
  std::deque<std::string> up_;
  std::deque<std::string> down_;
  std::string last_;  // the last delivered response
  int strikes_ = 0;
};

}  // namespace gxds_differential

#endif
