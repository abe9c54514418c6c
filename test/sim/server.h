// A fake control plane: its copy of the truth, and the server's end of its streams.
#ifndef GRPC_XDS_TEST_SIM_SERVER_H_
#define GRPC_XDS_TEST_SIM_SERVER_H_

#include <string>
#include <vector>

#include "bootstrap/bootstrap.h"
#include "test/sim/codec.h"
#include "test/sim/world.h"

namespace gxds_sim {

class Server {
 public:
  Server(World *world, int index);
  Server(const Server &) = delete;

  int index() const { return index_; }
  const gxds_bootstrap_server *config() const { return &config_; }
  const ServerOptions &options() const { return world_->options().server[index_]; }

  // A change of the truth has arrived here. content -1: the resource is deleted.
  void Replicate(int type, int name, int content);
  void Resync();  // copies all of the truth
  void Forget();  // its resources, versions and nonces
  int Held(int type, int name) const { return store_[type][name]; }
  // Schedules a push to every stream that requests this type.
  void PushAll(int type);

  // The server remembers what a client has acknowledged beyond the stream. If a new stream starts
  // with that version and those names, and nothing has changed, it trusts the client, and *s is
  // what the client has.
  void Remember(const Stream &stream, const Request &request, const SotwServerEnd &s);
  bool Trusts(const Stream &stream, const Request &request, SotwServerEnd *s) const;

  std::string Version() const;
  std::string NextNonce() { return "n" + std::to_string(++nonces_); }

  bool up = true;
  gxds_time mute_until = 0;
  gxds_time last_replication = 0;  // so that changes arrive in order

 private:
  void RepeatAll();

  struct Acknowledged {
    uint64_t client = 0;
    int type = 0;
    std::string version;
    Mask names = 0;
    int given[kNameCount] = {};
  };

  World *world_;
  int index_;
  std::vector<Acknowledged> acknowledged_;
  std::string uri_;
  gxds_bootstrap_server config_ = {};
  int store_[kTypeCount][kNameCount];
  int version_ = 0;
  int nonces_ = 0;
};

}  // namespace gxds_sim

#endif
