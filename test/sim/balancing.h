// The production's policies of a channel, given its snapshots. They run on the host in memory, with
// backends that are up, refuse connections, hang, die and fail RPCs. Everything that they do is
// checked, under these names:
//  - routed: an RPC is routed to the cluster of the first route that matches;
//  - where-to: a pick goes to a connected backend of that cluster in the newest snapshot or the one
//    before. It may go to a backend of an older snapshot while no endpoint of the newest snapshot's
//    first priority, or of that locality, is connected: a policy uses what it has until then. If
//    the cluster no longer leads to that backend's leaf, the endpoints of its present leaf count;
//  - authority: an RPC whose route requests that gets the hostname of the picked endpoint;
//  - session: an RPC of a session goes to the session's endpoint, if the cluster has it and it is
//    connected (A55), also while it drains, if the cluster allows that. The session gets the
//    addresses of the endpoint that was picked;
//  - draining: a draining endpoint serves only the sessions that have it, and only if the cluster
//    allows that;
//  - subset: an RPC that selects a version of the endpoints goes to no other version (E5), and in
//    the end to that version;
//  - addresses: in the end an endpoint with several addresses has one connection (A61);
//  - waits: a pick does not wait or fail while a backend of the first priority is connected;
//  - failover: if the first priority hangs, the next one is tried after ten seconds (A56);
//  - breaker: a cluster never has more RPCs in flight than its limit (A32), and drops none below
//    that;
//  - counts: load reports contain each RPC that started, by cluster and locality;
//  - ring: in the end, with all backends up, an RPC with a hash goes to its endpoint on A42's ring
//    in a cluster of ring_hash, and to the next on the ring while that one, or the first two,
//    refuse connections;
//  - load: in the end, shares of endpoints follow the load that they report, in a cluster of
//    weighted_round_robin (A58);
//  - ejected: in the end, an endpoint whose RPCs all fail gets none after the next sweep of outlier
//    detection (A50), and gets some again once its ejection is over;
//  - spared: an endpoint that is no outlier, by its failures or its success rate, is not ejected;
//  - enforcement: some outliers are spared by chance;
//  - ejection-limit: no more endpoints are ejected than max_ejection_percent allows;
//  - multiplier: each further ejection of an endpoint is longer, and each interval in between
//    shortens the next one;
//  - eager: before RPCs need them, new policies connect to a window of endpoints in each locality,
//    and to no more than the limits of the channel allow;
//  - quiet: without RPCs, updates and changes of backends, nothing connects;
//  - growth: when picks have used each connected endpoint of a locality once, the locality connects
//    to as many more, or at least to a window. It does not do so earlier;
//  - last-one: if only one endpoint is up, which was left out, RPCs go there, and do not fail;
//  - settled: in the end, with all backends up, each cluster that has endpoints serves from its
//    first priority with endpoints, by the weights of localities. It keeps no connection that it
//    does not need, once the time for that is over;
//  - left-over: after the end no policy, subchannel, picker or timer is left.
//
// In some runs the limits of connections are so small that endpoints are left out until RPCs need
// them. Then picks may wait for a moment after each change.
//
// ring_hash connects only when a pick needs it, so its picks may wait. While outlier detection
// (A50) may have ejected backends, picks may fail.
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
  // where: the name of the channel in the trace.
  Balancing(World *world, std::string where);
  ~Balancing();
  Balancing(const Balancing &) = delete;

  gxds_load_store *load_store() { return store_; }  // borrow

  // The channel published this snapshot, whose routes name these clusters. Borrowed: valid during
  // the call.
  void Apply(const gxds_config *config, const gxds_names *route_clusters);
  // The channel fails (the resolver gives it an empty config, and its policies end).
  void Stop();
  // Draws an event of backends and RPCs.
  void Step(Random *random);
  // Runs the checks "in the end" of the list above. All backends must be up.
  void CheckSettled();
  // Ends the channel.
  void Finish();

 private:
  enum Mood : uint8_t { kUp, kRefuses, kHangs };
  struct Backend {
    Mood mood = kUp;
    bool breaks = false;  // its RPCs fail
    grpc_connectivity_state state = GRPC_CHANNEL_IDLE;
    gxds_time changes_at = GXDS_TIME_NEVER;  // when it has connected, or its backoff is over
  };
  struct Rpc {
    std::unique_ptr<memory::Call> call;
    std::string breaker;    // the circuit breaker that counts it
    bool in_doubt = false;  // its policies may have another breaker, of an older snapshot
    bool breaks = false;
    std::string load;  // the load that its backend reports at its end (A51)
  };
  struct Bounds {  // the least and the most RPCs that may be reported
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

  struct Group {  // the endpoints of a leaf policy that grows by use
    std::string leaf;
    std::map<std::string, double> weights;  // by address
    size_t connected = 0;
    size_t picks = 0;  // since it grew
  };

  struct Moment {  // an unobserved event: later than `after`, and not later than `until`
    gxds_time after;
    gxds_time until;
  };

  gxds_time now() const { return host_.now(); }
  // Advances the host's time to the world's, by kPassedMax at most.
  void PassToNow();
  // Advances the host's time, with all events on the way.
  void PassUntil(gxds_time time);
  Backend &At(const std::string &address);
  void SetState(const std::string &address, Backend *backend, grpc_connectivity_state state);
  void Connects(const std::string &address);
  void Change(const std::string &address, Backend *backend);
  void ChangeBackend(Random *random);
  void StartRpc(Random *random);
  // The ConfigSelector's cluster for an RPC; empty: none. has_header: the RPC has the header that
  // the first route matches.
  std::string Route(bool has_header);
  void FinishRpc(size_t index);

  // Makes a pick for a root cluster, and checks its result. session, hash: null if the RPC has
  // none. version: the version of endpoints that the RPC selects; empty: any.
  std::unique_ptr<memory::Call> Pick(const std::string &root, gxds_session *session = nullptr,
                                     const uint64_t *hash = nullptr,
                                     const std::string &version = "");
  // Makes a pick for an RPC of that cluster's session, if the listener has sessions.
  std::unique_ptr<memory::Call> PickOfSession(const std::string &root, const std::string &version);
  // Whether RPCs whose session has this endpoint, given by its addresses, go to it.
  bool MayServeSession(const std::string &root, const std::string &addresses);
  // session: the addresses of the session's endpoint; empty: none. version: as above.
  void CheckPicked(const memory::Call &call, const std::string &root, const std::string &session,
                   const std::string &version);
  void CheckVersion(const memory::Call &call, const std::string &root, const std::string &version);
  void CheckDropped(const std::string &root, const std::string &why);
  void CheckWaiting(const std::string &root, const std::string &text);
  void CheckFailover(const gxds_cluster_entry *leaf);
  bool Has(const gxds_config *config, const std::string &leaf, const std::string &address) const;
  // The same, among draining endpoints. allowed: only of clusters whose draining endpoints serve
  // sessions.
  static bool HasDraining(const gxds_config *config, const std::string &leaf,
                          const std::string &address, bool allowed);
  // Whether the policies of a cluster certainly know that an endpoint is connected.
  bool IsReady(const std::string &leaf, const gxds_locality &locality,
               const gxds_endpoint &endpoint);
  // Whether the root is that leaf cluster, or an aggregate that has it.
  bool LeadsTo(const std::string &root, const std::string &leaf) const;
  // Whether only one of the roots leads to that cluster.
  bool IsAlone(const std::string &leaf) const;
  // If endpoints may be left out: whether the policies have had the time to connect to all that
  // they need, and to those that the cluster's RPCs need.
  bool IsCalm(const std::string &root) const;
  bool IsWatched(const std::string &leaf, const std::string &address) const;
  // Whether a cluster's newest configuration applies to a connection. It does not if the endpoint
  // was removed, or while new policies replace those of the cluster and cannot serve yet.
  bool IsOfNewest(const std::string &root, const memory::Subchannel &subchannel) const;
  // Whether the subchannel belongs to policies of a cluster that others have replaced or are
  // replacing.
  bool IsReplaced(const std::string &cluster, const memory::Subchannel &subchannel) const;
  void NoteReplaced(const gxds_config *config);
  // Whether the first priority of a leaf cluster in the newest snapshot has a connected endpoint,
  // in that zone if the zone has endpoints. version: only among the endpoints of this version, if
  // the cluster has subsets; empty: among all.
  bool IsConnected(const std::string &leaf, const std::string &zone,
                   const std::string &version = "");
  // Whether a pick of the root that goes to an old endpoint of that leaf, in that zone, could go to
  // a connected endpoint of the newest snapshot.
  bool HasBetter(const std::string &root, const std::string &leaf, const std::string &zone,
                 const std::string &version);
  // The leaf that a cluster's picks go to when all backends are up; null: none.
  static const gxds_cluster_entry *ServingLeaf(const gxds_config *config,
                                               const gxds_cluster_entry *root);
  static const gxds_priority *FirstPriority(const gxds_cluster_entry *leaf,
                                            const std::string &version = "");
  // The leaf cluster of a picked call, whose limit counts the call.
  static std::string LeafOf(const memory::Call &call);
  std::string BreakerOf(const std::string &leaf) const;
  uint32_t LimitOf(const std::string &leaf, bool greatest) const;
  void Count(const memory::Call &call, const std::string &root);
  void CheckCounts();
  void CheckServes(const gxds_cluster_entry *root);
  void CheckEndpointShares(const std::string &root, const gxds_cluster_entry &leaf,
                           const gxds_locality &locality);
  // Checks that each of these addresses gets its share, by its weight, of the RPCs that go to any
  // of them.
  void CheckWeights(const char *kind, const std::string &root,
                    const std::map<std::string, double> &weights);
  // For a cluster with weighted_round_robin.
  void CheckLoadShares(const std::string &root, const gxds_cluster_entry &leaf,
                       const gxds_priority &priority);
  // Makes RPCs one after the other. Each reports the load of its endpoint, except the silent one.
  void ReportLoad(const std::string &root, size_t rpcs, const std::string &silent);
  void CheckShares(const std::string &root, const gxds_cluster_entry &leaf,
                   const gxds_priority &priority);
  // For a cluster with outlier detection, when all backends are up.
  void CheckEjection(const std::string &root, const gxds_cluster_entry &leaf,
                     const gxds_priority &priority);
  // Ends RPCs with these results, checks the ejections and returns the ejected endpoints. No RPC
  // may have ended in this interval before.
  std::set<std::string> CheckWhoIsEjected(const Ejectable &cluster,
                                          const std::map<std::string, Results> &wanted);
  static std::map<std::string, Results> DrawResults(const Ejectable &cluster, Random *random);
  // For a cluster whose outliers are ejected with a probability.
  void CheckEnforcement(const Ejectable &cluster);
  // Checks that those endpoints are still ejected.
  void CheckGone(const Ejectable &cluster, const std::set<std::string> &ejected);
  // Checks that an endpoint's ejections last as long as A50 says. ejected: when it was first
  // ejected. well: the number of intervals without an ejection before the last ejection.
  void CheckMultiplier(const Ejectable &cluster, const std::string &address, Moment ejected,
                       int well);
  // Checks that the endpoint is ejected and comes back when its time is over, and returns when it
  // did. fail: the first RPC that goes there then fails.
  Moment CheckReturn(const Ejectable &cluster, const std::string &address, Moment ejected,
                     int multiplier, bool fail);
  // Whether an RPC goes to this address. If it is to fail, it ends at once.
  bool IsBack(const Ejectable &cluster, const std::string &address, bool fail);
  // The cluster's addresses that RPCs go to. enough: it may stop after finding that many.
  std::set<std::string> Reached(const Ejectable &cluster, size_t enough);
  // Makes RPCs to the cluster's endpoints that end at once, with at most the wanted results, the
  // failures first. Returns the results that were sent.
  std::map<std::string, Results> Send(const Ejectable &cluster,
                                      const std::map<std::string, Results> &wanted);
  // The address that an RPC goes to; empty: it is not one of the cluster's.
  static std::string AddressIn(const Ejectable &cluster, const memory::Call &call);
  // For a cluster with ring_hash, when all backends are up.
  void CheckRing(const std::string &root, const gxds_cluster_entry &leaf,
                 const gxds_priority &priority);
  // The address that an RPC with that hash goes to. It must be one of the owners.
  std::string CheckOwner(const std::string &root, uint64_t hash,
                         const std::set<std::string> &owners);
  void CheckKept();
  // For a cluster with subsets, when all backends are up.
  void CheckSubsets(const std::string &root, const gxds_cluster_entry &leaf);
  void CheckSubset(const std::string &root, const std::string &version,
                   const std::set<std::string> &addresses);
  void CheckAddresses();
  // Checks that draining endpoints serve their sessions, if the cluster allows it.
  void CheckDraining(const std::string &root, const gxds_cluster_entry &leaf);
  void AllUp();
  void WaitUntilConnected();
  // If endpoints may be left out: makes RPCs until none is.
  void GrowFully(const std::string &root);
  // For endpoints that are left out, when all backends are up. New policies replace those of the
  // channel.
  void CheckLeftOut();
  void RenewPolicies();
  // The groups of a root's first priority. Empty: its policy does not leave out endpoints, or other
  // roots lead to its cluster too.
  std::vector<Group> GroupsOf(const gxds_cluster_entry *root) const;
  // Counts the connections to the group's endpoints.
  size_t Connected(const Group &group) const;
  void CheckEager();
  void CheckQuiet();
  // Makes RPCs until no endpoints are left out, or the groups have grown that often.
  void CheckGrowth(const std::string &root, std::vector<Group> *groups, int rounds);
  // Makes RPCs until one of the groups grows.
  void UseUntilGrown(const std::string &root, std::vector<Group> *groups);
  void CheckWeightsOfConnected(const std::string &root, const std::vector<Group> &groups);
  void CheckLastOne(const std::string &root, const std::vector<Group> &groups, Random *random);

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
  gxds_time quiet_since_ = 0;                      // no update came and no connection changed
  std::map<std::string, gxds_time> picked_since_;  // by root: its first pick since the last update
  std::vector<Rpc> rpcs_;
  std::map<std::string, uint64_t>
      replaced_;  // by cluster: the number of the first subchannel of its current policies
  // Clusters whose endpoints have, or had, two addresses. Policies that are being replaced make
  // subchannels to these whenever they connect.
  std::set<std::string> two_addressed_;
  std::map<std::string, std::string> sessions_;  // by cluster: the endpoint of a session
  std::map<std::string, Bounds> counted_;        // by cluster and zone
  std::set<const gxds_bootstrap_server *> reported_to_;
  BalancingPlants plants_;
};

// RPCs in flight by their circuit breaker, of all channels of all clients, which are one process
// here.
std::map<std::string, uint32_t> &InFlight();
// Those of them that another breaker may count.
std::map<std::string, uint32_t> &InDoubt();

}  // namespace gxds_sim

#endif
