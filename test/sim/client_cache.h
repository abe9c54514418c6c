// The resource cache of one client's process: what the engine must store in it, and when it may use
// stored resources.
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

  // Carries out PERSIST, FORGET and RESTORE as the production's transport does.
  void Carry(const gxds_action &action);

  // ---- events of the client ----
  void OnWatch(int authority);    // the first watch of a resource
  void OnUnwatch(int authority);  // the last watch of the authority ended
  // A response of a server is about to be handled. unsure: it may have no effect, since it is odd.
  void OnResponse(int server, bool unsure);

  // Checks that resources with a TTL are not stored.
  void CheckEnding();
  // Deadlines were carried out up to that time. Checks that stored resources are used if no server
  // responds.
  void CheckStarted(gxds_time carried);
  // After the repair: checks that every used resource is stored, and that none still comes from the
  // cache only.
  void CheckConverged();

 private:
  // Of one authority.
  struct Start {
    bool watched = false;
    gxds_time first_watch = GXDS_TIME_NEVER;  // the first watch of the process
    gxds_time since = GXDS_TIME_NEVER;        // watched since then
    bool responded = false;
    bool perhaps_responded = false;
    bool due = false;  // no server responded in time
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
