// The resource cache of one client's process: what the engine wants kept, and when it may start
// from that.
#ifndef GRPC_XDS_TEST_SIM_CLIENT_CACHE_H_
#define GRPC_XDS_TEST_SIM_CLIENT_CACHE_H_

#include "test/sim/disk.h"
#include "test/sim/world.h"
#include "xds_client/client.h"

namespace gxds_sim {

class Client;
class Shelf;

class ClientCache {
 public:
  ClientCache(World *world, Client *client) : world_(world), client_(client) {}
  ~ClientCache();
  ClientCache(const ClientCache &) = delete;

  Process &process() { return process_; }

  // PERSIST, FORGET and RESTORE, carried out as the production's transport does.
  void Carry(const gxds_action &action);

  // ---- what the client hears of ----
  void OnWatch(int authority);    // the first one of some resource
  void OnUnwatch(int authority);  // the last one of the authority
  // A server is about to be heard. unsure: or not, since its words are odd.
  void OnAnswer(int server, bool unsure);

  // What is to end by a ttl is not kept.
  void CheckEnding();
  // Deadlines were carried out up to then: what is kept is used, if no server answers.
  void CheckStarted(gxds_time carried);
  // All is well: what is used is kept, and none of it is only that.
  void CheckConverged();

 private:
  // Of one authority.
  struct Start {
    bool watched = false;
    gxds_time first_watch = GXDS_TIME_NEVER;  // of the process
    gxds_time since = GXDS_TIME_NEVER;        // it is watched
    bool answered = false;
    bool perhaps_answered = false;
    bool due = false;  // no server was in time
    int from = -1;     // the server whose shelf is used; -1: none yet
    bool from_unsure = false;
  };

  Shelf &ShelfOf(int server);
  bool IsDue(const Start &start, int authority) const;
  void Restore(const gxds_action &action);
  gxds_resource_info InfoOf(int type, int name) const;

  World *world_;
  Client *client_;
  Process process_;
  Start starts_[kAuthorityCount];
  bool planted_ = false;
};

}  // namespace gxds_sim

#endif
