// What a channel's policies make of its snapshots: the production's, on the host in memory, above
// backends that are up, refuse connections, hang, die and fail RPCs. Everything that they do is
// checked, by these names:
//  - routed: an RPC is routed to the cluster of the first route that matches;
//  - where-to: a pick goes to a backend that is connected, and that the newest snapshot or the one
//    before has for that cluster; or one of older ones, while none of the newest's first priority,
//    or of that locality, is connected (a policy goes on with what it has until then);
//  - authority: an RPC whose route wants that is told the hostname of the endpoint that is picked;
//  - session: an RPC of a session goes to the session's endpoint, if the cluster has it and it is
//    connected (A55), also while it drains, if the cluster allows that; and is told which endpoint
//    it went to;
//  - draining: an endpoint that drains serves sessions that have it, if the cluster allows that,
//    and nobody else;
//  - subset: an RPC that wants a version of the endpoints goes to none of another (E5), and to that
//    in the end;
//  - addresses: in the end an endpoint with several addresses has one connection (A61);
//  - waits: a pick does not wait, or fail, while a backend of the first priority is connected;
//  - failover: where the first priority hangs, the next one is tried after ten seconds (A56);
//  - breaker: a cluster never has more RPCs in flight than it may (A32), nor drops one below;
//  - counts: load reports have each RPC that started, by cluster and locality;
//  - ring: in the end, with all backends up, an RPC with a hash goes where A42's ring leads in a
//    cluster of ring_hash; and to the next on the ring while that one refuses connections, or the
//    two;
//  - load: in the end, shares of endpoints follow the load that they report, in a cluster of
//    weighted_round_robin (A58);
//  - ejected: in the end, an endpoint whose RPCs all fail gets none after the next sweep of outlier
//    detection (A50), and gets some again once its ejection is over;
//  - spared: and one that is no outlier, by its failures or its success rate, is not ejected;
//  - enforcement: nor, by chance, is an outlier;
//  - ejection-limit: nor are more than max_ejection_percent allows;
//  - multiplier: the more often an endpoint was ejected, the longer it is ejected again, and each
//    interval in between shortens that;
//  - settled: in the end, with all backends up, each cluster that has endpoints serves, from its
//    first priority with endpoints, by the weights of localities, and no connection is kept that it
//    does not need, once the time for that is over;
//  - left-over: after the end no policy, subchannel, picker, timer is left.
//
// ring_hash connects when it is asked to, so its picks may wait; while outlier detection (A50) may
// have ejected backends, picks may fail.
#ifndef GRPC_XDS_TEST_SIM_BALANCING_H_
#define GRPC_XDS_TEST_SIM_BALANCING_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "host/config_selector.h"
#include "lrs/load_store.h"
#include "test/host/memory_host.h"
#include "test/sim/balancing_plants.h"
#include "test/sim/basics.h"
#include "test/sim/outliers.h"
#include "test/sim/world.h"
#include "xds_resolver/cluster_ref.h"
#include "xds_resolver/config.h"
#include "xds_resolver/mailbox.h"

namespace gxds_sim {

class Balancing {
 public:
  // where: for the trace.
  Balancing(World *world, std::string where);
  ~Balancing();
  Balancing(const Balancing &) = delete;

  gxds_load_store *load_store() { return store_; }  // borrow

  // The channel published that, and what its routes name. Borrow: during the call.
  void Apply(const gxds_config *config, const gxds_names *route_clusters);
  // The channel fails (the resolver gives it an empty config, and its policies end).
  void Stop();
  // Something happens to backends and RPCs, drawn from random.
  void Step(Random *random);
  // All is well: see above.
  void CheckSettled();
  // The channel ends.
  void Finish();

 private:
  enum Mood : uint8_t { kUp, kRefuses, kHangs };
  struct Backend {
    Mood mood = kUp;
    bool breaks = false;  // its RPCs fail
    grpc_connectivity_state state = GRPC_CHANNEL_IDLE;
    gxds_time changes_at = GXDS_TIME_NEVER;  // it connects, or its backoff is over
  };
  struct Rpc {
    std::unique_ptr<memory::Call> call;
    std::string breaker;  // whose limit it counts for
    bool breaks = false;
    std::string load;  // what its backend reports with its end (A51)
  };
  struct Bounds {  // of RPCs that were reported, and may have been
    uint64_t least = 0;
    uint64_t most = 0;
  };

  struct Ejectable {  // a cluster whose endpoints may be ejected
    std::string root;
    std::string leaf;
    std::set<std::string> addresses;  // of its first priority
    size_t endpoints;                 // of all priorities
    OutlierDetection settings;
  };

  struct Moment {  // of what was not seen: after the one time, and not after the other
    gxds_time after;
    gxds_time until;
  };

  gxds_time now() const { return host_.now(); }
  // What the world's time is here.
  void PassToNow();
  // Lets time go on until then, with all that happens on the way.
  void PassUntil(gxds_time time);
  Backend &At(const std::string &address);
  void SetState(const std::string &address, Backend *backend, grpc_connectivity_state state);
  void Connects(const std::string &address);
  void Change(const std::string &address, Backend *backend);
  void ChangeBackend(Random *random);
  void StartRpc(Random *random);
  // The cluster that the ConfigSelector has for an RPC; empty: none. has_header: that of the first
  // route.
  std::string Route(bool has_header);
  void FinishRpc(size_t index);

  // Picks for a root cluster, and checks what becomes of it. session, hash: null: the RPC has none.
  // version: of the endpoints that it wants; empty: any.
  std::unique_ptr<memory::Call> Pick(const std::string &root, gxds_session *session = nullptr,
                                     const uint64_t *hash = nullptr,
                                     const std::string &version = "");
  // Of an RPC of the session that there is for that cluster, if the listener has sessions.
  std::unique_ptr<memory::Call> PickOfSession(const std::string &root, const std::string &version);
  // Whether RPCs go to that endpoint of a cluster when their session has it; by its addresses.
  bool MayServeSession(const std::string &root, const std::string &addresses);
  // session: the addresses that it has; empty: none. version: as above.
  void CheckPicked(const memory::Call &call, const std::string &root, const std::string &session,
                   const std::string &version);
  void CheckVersion(const memory::Call &call, const std::string &root, const std::string &version);
  void CheckDropped(const std::string &root, const std::string &why);
  void CheckWaiting(const std::string &root, const std::string &text);
  void CheckFailover(const gxds_cluster_entry *leaf);
  bool Has(const gxds_config *config, const std::string &leaf, const std::string &address) const;
  // Likewise, among those that drain. allowed: and serve sessions.
  static bool HasDraining(const gxds_config *config, const std::string &leaf,
                          const std::string &address, bool allowed);
  // Whether the policies of a cluster are certain to know that an endpoint is connected.
  bool IsReady(const std::string &leaf, const gxds_locality &locality,
               const gxds_endpoint &endpoint);
  // Whether what a cluster is told now is in force for a connection: not for an endpoint that it
  // has no more, nor where other policies take the place of those that it had, until they can
  // serve.
  bool IsOfNewest(const std::string &root, const memory::Subchannel &subchannel) const;
  // Whether it is of policies that a cluster had before the ones that it has, or is to have.
  bool IsReplaced(const std::string &cluster, const memory::Subchannel &subchannel) const;
  void NoteReplaced(const gxds_config *config);
  // Whether the newest snapshot has an endpoint in the first priority of a leaf cluster that is
  // connected; and so in that zone, if there are any in that. version: among its endpoints alone,
  // where the cluster has subsets; empty: among all.
  bool IsConnected(const std::string &leaf, const std::string &zone,
                   const std::string &version = "");
  // What a cluster's picks go to when all is well; null: it has none.
  static const gxds_cluster_entry *ServingLeaf(const gxds_config *config,
                                               const gxds_cluster_entry *root);
  static const gxds_priority *FirstPriority(const gxds_cluster_entry *leaf,
                                            const std::string &version = "");
  // The leaf cluster that was picked for, and whose limit it counts for.
  static std::string LeafOf(const memory::Call &call);
  std::string BreakerOf(const std::string &leaf) const;
  uint32_t LimitOf(const std::string &leaf, bool greatest) const;
  void Count(const memory::Call &call, const std::string &root);
  void CheckCounts();
  void CheckServes(const gxds_cluster_entry *root);
  void CheckEndpointShares(const std::string &root, const gxds_cluster_entry &leaf,
                           const gxds_locality &locality);
  // That RPCs to those addresses, and no others, go to each by its weight.
  void CheckWeights(const char *kind, const std::string &root,
                    const std::map<std::string, double> &weights);
  // Of a cluster whose policy is weighted_round_robin.
  void CheckLoadShares(const std::string &root, const gxds_cluster_entry &leaf,
                       const gxds_priority &priority);
  // RPCs one after the other, each of which reports the load of where it goes; none of the silent
  // one.
  void ReportLoad(const std::string &root, size_t rpcs, const std::string &silent);
  void CheckShares(const std::string &root, const gxds_cluster_entry &leaf,
                   const gxds_priority &priority);
  // Of a cluster that has outlier detection, where all is well.
  void CheckEjection(const std::string &root, const gxds_cluster_entry &leaf,
                     const gxds_priority &priority);
  // Lets RPCs end so, and returns who is ejected for it. No RPC may have ended in this interval.
  std::set<std::string> CheckWhoIsEjected(const Ejectable &cluster,
                                          const std::map<std::string, Results> &wanted);
  static std::map<std::string, Results> DrawResults(const Ejectable &cluster, Random *random);
  // Of one whose outliers are ejected by chance.
  void CheckEnforcement(const Ejectable &cluster);
  // That those still are.
  void CheckGone(const Ejectable &cluster, const std::set<std::string> &ejected);
  // That an endpoint's ejections last as long as A50 has it. ejected: when it was for the first
  // time. well: for how many intervals it is before the last.
  void CheckMultiplier(const Ejectable &cluster, const std::string &address, Moment ejected,
                       int well);
  // That it is ejected, and comes back when its time is over, and returns when. fail: the first RPC
  // that goes there then fails.
  Moment CheckReturn(const Ejectable &cluster, const std::string &address, Moment ejected,
                     int multiplier, bool fail);
  // Whether an RPC goes there, which ends at once if it is to fail.
  bool IsBack(const Ejectable &cluster, const std::string &address, bool fail);
  // Those of its addresses that RPCs go to; enough: it may end when it has found so many.
  std::set<std::string> Reached(const Ejectable &cluster, size_t enough);
  // RPCs to its endpoints that end at once, as many as wanted, the failures first. What was sent.
  std::map<std::string, Results> Send(const Ejectable &cluster,
                                      const std::map<std::string, Results> &wanted);
  // Where an RPC goes; empty: not to one of those.
  static std::string AddressIn(const Ejectable &cluster, const memory::Call &call);
  // Of a cluster whose policy is ring_hash, where all is well.
  void CheckRing(const std::string &root, const gxds_cluster_entry &leaf,
                 const gxds_priority &priority);
  // Where an RPC with that hash goes, which must be one of those.
  std::string CheckOwner(const std::string &root, uint64_t hash,
                         const std::set<std::string> &owners);
  void CheckKept();
  // Of a cluster that has subsets, where all is well.
  void CheckSubsets(const std::string &root, const gxds_cluster_entry &leaf);
  void CheckSubset(const std::string &root, const std::string &version,
                   const std::set<std::string> &addresses);
  void CheckAddresses();
  // That those that drain serve sessions that have them, if the cluster allows it.
  void CheckDraining(const std::string &root, const gxds_cluster_entry &leaf);
  void WaitUntilConnected();

  World *const world_;
  const std::string where_;
  memory::Host host_;
  gxds_load_store *const store_;
  gxds_mailbox *const mailbox_;
  const memory::Config manager_;
  gxds_cluster_refs *const refs_;
  gxds_config_selector *selector_ = nullptr;
  const gxds_config *newest_ = nullptr;  // references
  const gxds_config *previous_ = nullptr;
  gxds_duration ahead_ = 0;  // the host's time less the world's
  std::map<std::string, Backend> backends_;
  gxds_time quiet_since_ = 0;  // no update came and no connection changed
  std::vector<Rpc> rpcs_;
  std::map<std::string, uint64_t>
      replaced_;  // by cluster: the first subchannel of its policies now
  // Clusters whose endpoints have, or had, two addresses: policies that are to be replaced make
  // subchannels to these whenever they connect.
  std::set<std::string> two_addressed_;
  std::map<std::string, std::string> sessions_;  // by cluster: the endpoint of one
  std::map<std::string, Bounds> counted_;        // by cluster and zone
  std::set<const gxds_bootstrap_server *> reported_to_;
  BalancingPlants plants_;
};

// RPCs in flight by what limits them, of all channels of all clients: they are one process here.
std::map<std::string, uint32_t> &InFlight();

}  // namespace gxds_sim

#endif
