// Faults planted in policies, at the seam between them and the host. The checks of balancing.h must
// find them.
#ifndef GRPC_XDS_TEST_SIM_BALANCING_PLANTS_H_
#define GRPC_XDS_TEST_SIM_BALANCING_PLANTS_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/pick.h"
#include "lb_policies/pace/limits.h"
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

  // Whether to lose this update.
  bool LosesUpdate();
  // The snapshot that the policies get in place of `after`. The caller owns the returned reference.
  const gxds_config *Snapshot(const gxds_config *before, const gxds_config *after);
  // From now on the weights of some localities are one more than the servers sent.
  void BendWeights(const gxds_config *config);
  // Changes outlier detection's settings from what the servers sent.
  void BendOutlierDetection(const gxds_config *config);
  // Whether to lose this new state of a connection, so that its watchers are not notified.
  bool LosesState(grpc_connectivity_state state);
  // Whether to lose a timer of that length.
  bool LosesTimer(gxds_duration delay);
  // The limits that the policies get in place of these.
  gxds_connect_limits Limits(const gxds_connect_limits &limits) const;
  // Whether to lose work that is posted, as pokes are.
  bool LosesPost() const { return plant_ == kPlantLbNoGrowth && bends_growth; }
  // Some faults happen only while a check that must find them says so, because other checks would
  // find them first.
  bool bends_growth = false;
  bool loses_patience = false;
  // The picker that the host uses. Borrowed: valid until the next call.
  gxds_picker *Picker(gxds_picker *of_policies);
  // Keeps a reference to the subchannel, as if a policy forgot to release it.
  void Keep(memory::Subchannel *subchannel);
  // The same for the subchannel of an endpoint's second address.
  void KeepSecond(memory::Subchannel *subchannel);
  // Changes, from what the servers sent, which clusters let draining endpoints serve sessions.
  void BendDraining(const gxds_config *config);
  // Releases the pickers, when the policies have ended.
  void DropPickers();

 private:
  bool Once(Plant plant, int after);

  const Plant plant_;
  int occasions_ = 0;
  gxds_picker *last_ = nullptr;  // references, to pickers of the policies
  gxds_picker *stale_ = nullptr;
  gxds_picker *planted_ = nullptr;
  std::vector<gxds_subchannel *> kept_;                              // references
  std::map<std::string, std::set<const gxds_subchannel *>> led_to_;  // by cluster and hash
};

}  // namespace gxds_sim

#endif
