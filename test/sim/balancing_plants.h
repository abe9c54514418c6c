// Faults planted in policies, at the seam between them and the host: see that the checks of
// balancing.h find them.
#ifndef GRPC_XDS_TEST_SIM_BALANCING_PLANTS_H_
#define GRPC_XDS_TEST_SIM_BALANCING_PLANTS_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/pick.h"
#include "test/host/memory_host.h"
#include "test/sim/options.h"
#include "test/sim/resources.h"
#include "xds_resolver/config.h"

namespace gxds_sim {

class BalancingPlants {
 public:
  explicit BalancingPlants(Plant plant) : plant_(plant) {}
  ~BalancingPlants();
  BalancingPlants(const BalancingPlants &) = delete;

  // Whether an update does not reach the policies.
  bool LosesUpdate();
  // What the policies are given in place of the snapshot: one reference, the caller's.
  const gxds_config *Snapshot(const gxds_config *before, const gxds_config *after);
  // The weights of some localities are one more from now on than the servers say.
  void BendWeights(const gxds_config *config);
  // What outlier detection is told is not what the servers say.
  void BendOutlierDetection(const gxds_config *config);
  // Whether a new state of a connection is not told to who watches it.
  bool LosesState(grpc_connectivity_state state);
  // Whether a timer of that length is lost.
  bool LosesTimer(gxds_duration delay);
  // The picker by which the host picks; borrow: until the next call.
  gxds_picker *Picker(gxds_picker *of_policies);
  // A policy forgets to give a subchannel up.
  void Keep(memory::Subchannel *subchannel);
  // Nor one to an endpoint's second address.
  void KeepSecond(memory::Subchannel *subchannel);
  // Which clusters let endpoints that drain serve sessions is not what the servers say.
  void BendDraining(const gxds_config *config);
  // The policies have ended.
  void DropPickers();

 private:
  bool Once(Plant plant, int after);

  const Plant plant_;
  int occasions_ = 0;
  gxds_picker *last_ = nullptr;  // references: of the policies
  gxds_picker *stale_ = nullptr;
  gxds_picker *planted_ = nullptr;
  std::vector<gxds_subchannel *> kept_;                              // references
  std::map<std::string, std::set<const gxds_subchannel *>> led_to_;  // by cluster and hash
};

}  // namespace gxds_sim

#endif
