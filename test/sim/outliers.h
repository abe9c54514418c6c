// Outlier detection in the simulated world: the settings of clusters, and the endpoints that they
// eject by A50, computed without the production code.
#ifndef GRPC_XDS_TEST_SIM_OUTLIERS_H_
#define GRPC_XDS_TEST_SIM_OUTLIERS_H_

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "base/time.h"

struct envoy_config_cluster_v3_Cluster;
struct upb_Arena;

namespace gxds_sim {

// The settings, with a Cluster's defaults.
struct OutlierDetection {
  gxds_duration interval = 10 * GXDS_SECOND;  // always the default here
  gxds_duration base_ejection_time = 30 * GXDS_SECOND;
  gxds_duration max_ejection_time = 300 * GXDS_SECOND;
  unsigned max_ejection_percent = 10;
  unsigned failure_threshold = 85;  // a percentage; always the default here
  // The percentages of outliers that are ejected; 0: the algorithm is off.
  unsigned enforcing_failures = 100;
  unsigned enforcing_success_rate = 100;
  // The default is more than the endpoints of a cluster in this world.
  unsigned success_rate_minimum_hosts = 5;
  unsigned success_rate_request_volume = 100;
  unsigned success_rate_stdev_factor = 1900;

  // Whether every outlier is ejected, not only a random part.
  bool EjectsAll() const {
    return (enforcing_failures > 0 ? enforcing_failures : enforcing_success_rate) == 100;
  }
  // How many of that many endpoints may be ejected.
  size_t Limit(size_t endpoints) const;
  // The length of an ejection with that multiplier.
  gxds_duration EjectionTime(int multiplier) const;
};

// The settings of the cluster with that number, if it has outlier detection. One of the two
// algorithms is on. With the one for failures, a single failed RPC is enough.
bool HasOutlierDetection(int number);
OutlierDetection OutlierDetectionOf(int number);
void FillOutlierDetection(envoy_config_cluster_v3_Cluster *out, int number, upb_Arena *arena);

// How the RPCs to an endpoint ended in one interval.
struct Results {
  int successes = 0;
  int failures = 0;
};

// The endpoints that may be ejected at the end of an interval, if the limit allows it. *certain:
// those that must be ejected. Rounding decides about the others.
std::set<std::string> OutliersOf(const OutlierDetection &settings,
                                 const std::map<std::string, Results> &results,
                                 std::set<std::string> *certain);

}  // namespace gxds_sim

#endif
