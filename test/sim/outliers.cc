#include "test/sim/outliers.h"

#include <algorithm>

#include "envoy/config/cluster/v3/cluster.upb.h"
#include "envoy/config/cluster/v3/outlier_detection.upb.h"
#include "google/protobuf/duration.upb.h"
#include "google/protobuf/wrappers.upb.h"
#include "test/sim/basics.h"
#include "upb/upb.h"

#define OUTLIERS(suffix) envoy_config_cluster_v3_OutlierDetection_##suffix

namespace gxds_sim {

// They are ejected one by one, as long as the percentage is below the greatest.
size_t OutlierDetection::Limit(size_t endpoints) const {
  size_t ejected = 0;
  while (ejected < endpoints && ejected * 100 < max_ejection_percent * endpoints) ejected++;
  return ejected;
}

gxds_duration OutlierDetection::EjectionTime(int multiplier) const {
  return std::min(base_ejection_time * multiplier, std::max(base_ejection_time, max_ejection_time));
}

bool HasOutlierDetection(int number) { return number % 5 == 4; }

OutlierDetection OutlierDetectionOf(int number) {
  static const unsigned percentages[] = {10, 30, 60, 100};
  static const gxds_duration base_times[] = {30 * GXDS_SECOND, 20 * GXDS_SECOND};
  // Some end the second ejection before its time, or are less than the time of the first.
  static const gxds_duration max_times[] = {300 * GXDS_SECOND, 35 * GXDS_SECOND, 10 * GXDS_SECOND};
  Random random(Mix(static_cast<uint64_t>(number), 50));
  OutlierDetection out;
  out.max_ejection_percent = percentages[random.Int(4)];
  out.base_ejection_time = base_times[random.Int(2)];
  out.max_ejection_time = max_times[random.Int(3)];
  return out;
}

void FillOutlierDetection(envoy_config_cluster_v3_Cluster *out, int number, upb_Arena *arena) {
  if (!HasOutlierDetection(number)) return;
  const OutlierDetection settings = OutlierDetectionOf(number);
  const OutlierDetection defaults;
  auto *outlier = envoy_config_cluster_v3_Cluster_mutable_outlier_detection(out, arena);
  if (settings.max_ejection_percent != defaults.max_ejection_percent) {
    google_protobuf_UInt32Value_set_value(OUTLIERS(mutable_max_ejection_percent)(outlier, arena),
                                          settings.max_ejection_percent);
  }
  if (settings.base_ejection_time != defaults.base_ejection_time) {
    google_protobuf_Duration_set_seconds(OUTLIERS(mutable_base_ejection_time)(outlier, arena),
                                         settings.base_ejection_time / GXDS_SECOND);
  }
  if (settings.max_ejection_time != defaults.max_ejection_time) {
    google_protobuf_Duration_set_seconds(OUTLIERS(mutable_max_ejection_time)(outlier, arena),
                                         settings.max_ejection_time / GXDS_SECOND);
  }
  google_protobuf_UInt32Value_set_value(
      OUTLIERS(mutable_failure_percentage_minimum_hosts)(outlier, arena), 1);
  google_protobuf_UInt32Value_set_value(
      OUTLIERS(mutable_failure_percentage_request_volume)(outlier, arena), 1);
  google_protobuf_UInt32Value_set_value(
      OUTLIERS(mutable_enforcing_failure_percentage)(outlier, arena), 100);
}

std::set<std::string> OutliersOf(const OutlierDetection &settings,
                                 const std::map<std::string, Results> &results) {
  std::set<std::string> out;
  for (const auto &[address, r] : results) {
    const int all = r.successes + r.failures;
    if (r.failures * 100 > static_cast<int>(settings.failure_threshold) * all) out.insert(address);
  }
  return out;
}

}  // namespace gxds_sim
