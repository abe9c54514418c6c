// A fake control plane: what it holds of the truth, and the server's end of its streams.
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

  // A change of the truth has come here. content: -1: there is none.
  void Replicate(int type, int name, int content);
  void Resync();  // with all of the truth
  void Forget();  // all that it holds, its versions and nonces
  int Held(int type, int name) const { return store_[type][name]; }
  // Every stream that asks for this type is looked at soon.
  void PushAll(int type);

  // What a client has acknowledged is remembered beyond the stream. When a new one starts with that
  // version and those names, and nothing has changed, the client is believed: *s is what it has.
  void Remember(const Stream &stream, const Request &request, const SotwServed &s);
  bool Trusts(const Stream &stream, const Request &request, SotwServed *s) const;

  std::string Version() const;
  std::string NextNonce() { return "n" + std::to_string(++nonces_); }

  bool up = true;
  gxds_time mute_until = 0;
  gxds_time last_replication = 0;  // changes come in order

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
