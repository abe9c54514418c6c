// A channel of a client: the production's dependency manager, driven as the production's resolver
// drives it, and a record of the resources and errors that it received. Everything that it
// publishes is checked against that record. Whenever it waits for nothing, its snapshot is also
// compared with a reference (reference.h).
#ifndef GRPC_XDS_TEST_SIM_CHANNEL_H_
#define GRPC_XDS_TEST_SIM_CHANNEL_H_

#include <memory>
#include <string>

#include "test/sim/balancing.h"
#include "test/sim/client.h"
#include "test/sim/reference.h"
#include "xds_resolver/dependency_manager.h"

namespace gxds_sim {

class Channel {
 public:
  Channel(World *world, Client *client, int index, int listener);
  ~Channel();
  Channel(const Channel &) = delete;

  int index() const { return index_; }
  int listener() const { return received_.listener; }
  bool touched = false;  // Settle() is needed

  // ---- notifications from the client ----
  void OnResource(const Watch &watch, const gxds_resource *resource, const gxds_error *error);
  void OnAmbient(const Watch &watch, const gxds_error *error);

  // ---- actions of its user; each is followed by Client::Touch() ----
  void ToggleHold(int cluster);
  void ToggleSubscription(int cluster, bool dangling);
  void Reresolve(bool fail);
  // Ends the last RPC on a cluster that no route names any more. Returns whether anything changed.
  bool Release(int cluster);
  // The query with the number `query` has a result. Returns whether anything changed.
  bool OnDnsResult(int host, int query);
  void LateEvent(Random *random);
  void Repair();

  // Settles the dependency manager and carries out its actions.
  void Settle();

  // Draws an event of backends and RPCs.
  void StepPolicies(Random *random) { balancing_->Step(random); }

  // Checks that every notification has come, that the snapshot equals the reference, and that the
  // policies have settled.
  void CheckConverged();
  // Ends the channel. Its policies must leave nothing behind.
  void Finish() { balancing_->Finish(); }
  uint64_t Digest() const;

 private:
  void Carry(const gxds_dependency_action &action);
  void OnWatch(const gxds_dependency_action &action);
  void OnUnwatch(uint64_t token);
  void OnDnsStart(const gxds_dependency_action &action);
  void OnPublish(const gxds_config *config, const gxds_names *route_clusters);
  void HoldRoutes(const gxds_names *route_clusters);
  void QueryDns(int host);
  const gxds_config *PlantInConfig(const gxds_config *take);
  void CheckSnapshot(const gxds_config *config, const gxds_names *route_clusters);
  void CheckRoot(const gxds_config *config);
  void CheckEntry(const gxds_config *config, const gxds_cluster_entry *entry);
  void CheckError(const gxds_cluster_entry *entry, int name);
  void CheckLeaf(const gxds_cluster_entry *entry);
  bool MayBeKept(const gxds_cluster_entry *entry);
  void CheckKept(const gxds_config *config, const gxds_cluster_entry *entry);
  void CheckAggregate(const gxds_config *config, const gxds_cluster_entry *entry);
  void CompareWithReference();
  void CheckWatches(const Reference &expected);
  void Forget(Received *received);

  World *world_;
  Client *client_;
  int index_;
  std::unique_ptr<Balancing> balancing_;
  gxds_dependency_manager *manager_;
  ReceivedTable received_;
  Mask held_ = 0;
  Mask wanted_held_ = 0;  // by ToggleHold(): held also when no route names them
  int subscriptions_[kNameCount] = {};
  const gxds_config *config_ = nullptr;
  Mask routes_ = 0;  // of config_
  bool failed_ = false;
  bool awaited_ = false;  // at the last Settle(), the manager waited for something
  uint64_t last_token_ = 0;
  int dns_queries_[kDnsCount] = {};
  bool dns_fails_[kDnsCount] = {};
  bool planted_ = false;
};

}  // namespace gxds_sim

#endif
