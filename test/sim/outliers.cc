#include "test/sim/outliers.h"

#include <algorithm>
#include <cmath>

#include "envoy/config/cluster/v3/cluster.upb.h"
#include "envoy/config/cluster/v3/outlier_detection.upb.h"
#include "google/protobuf/duration.upb.h"
#include "google/protobuf/wrappers.upb.h"
#include "test/sim/basics.h"
#include "upb/upb.h"

#define OUTLIERS(suffix) envoy_config_cluster_v3_OutlierDetection_##suffix

namespace gxds_sim {

// Endpoints are ejected one by one while the percentage is below the maximum.
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
  // Some maximum times shorten the second ejection, or are shorter than the first.
  static const gxds_duration max_times[] = {300 * GXDS_SECOND, 35 * GXDS_SECOND, 10 * GXDS_SECOND};
  Random random(Mix(static_cast<uint64_t>(number), 50));
  OutlierDetection out;
  out.max_ejection_percent = percentages[random.Int(4)];
  out.base_ejection_time = base_times[random.Int(2)];
  out.max_ejection_time = max_times[random.Int(3)];
  static const unsigned factors[] = {300, 900, 1200, 1500};
  const unsigned which = static_cast<unsigned>(number) / 5;
  if (which % 3 == 2) {
    out.enforcing_failures = 0;
    out.success_rate_minimum_hosts = which / 3 % 3 == 1 ? 3 : 2;
    out.success_rate_request_volume = 2 + which / 3 % 3;
    out.success_rate_stdev_factor = factors[which / 3 % 4];
  }
  if (which % 12 == 4) out.enforcing_failures = 50;
  if (which % 12 == 8) out.enforcing_success_rate = 50;
  return out;
}

// Fields with default values are not set.
void FillOutlierDetection(envoy_config_cluster_v3_Cluster *out, int number, upb_Arena *arena) {
  if (!HasOutlierDetection(number)) return;
  const OutlierDetection defaults;
  const OutlierDetection settings = OutlierDetectionOf(number);
  auto *outlier = envoy_config_cluster_v3_Cluster_mutable_outlier_detection(out, arena);
  auto set = [&](auto field, unsigned value, unsigned otherwise) {
    if (value == otherwise) return;
    google_protobuf_UInt32Value_set_value(field(outlier, arena), value);
  };
  auto set_time = [&](auto field, gxds_duration value, gxds_duration otherwise) {
    if (value == otherwise) return;
    google_protobuf_Duration_set_seconds(field(outlier, arena), value / GXDS_SECOND);
  };
  set(OUTLIERS(mutable_max_ejection_percent), settings.max_ejection_percent,
      defaults.max_ejection_percent);
  set_time(OUTLIERS(mutable_base_ejection_time), settings.base_ejection_time,
           defaults.base_ejection_time);
  set_time(OUTLIERS(mutable_max_ejection_time), settings.max_ejection_time,
           defaults.max_ejection_time);
  set(OUTLIERS(mutable_enforcing_success_rate), settings.enforcing_success_rate,
      defaults.enforcing_success_rate);
  set(OUTLIERS(mutable_success_rate_minimum_hosts), settings.success_rate_minimum_hosts,
      defaults.success_rate_minimum_hosts);
  set(OUTLIERS(mutable_success_rate_request_volume), settings.success_rate_request_volume,
      defaults.success_rate_request_volume);
  set(OUTLIERS(mutable_success_rate_stdev_factor), settings.success_rate_stdev_factor,
      defaults.success_rate_stdev_factor);
  set(OUTLIERS(mutable_enforcing_failure_percentage), settings.enforcing_failures, 0);
  set(OUTLIERS(mutable_failure_percentage_minimum_hosts), 1, 5);
  set(OUTLIERS(mutable_failure_percentage_request_volume), 1, 50);
}

namespace {

using AllResults = std::map<std::string, Results>;

// More than the rounding error of a success rate.
constexpr double kDoubt = 1e-9;

std::set<std::string> ByFailures(const OutlierDetection &settings, const AllResults &results) {
  std::set<std::string> out;
  for (const auto &[address, r] : results) {
    const int all = r.successes + r.failures;
    if (r.failures * 100 > static_cast<int>(settings.failure_threshold) * all) out.insert(address);
  }
  return out;
}

// The endpoints whose success rate is below the mean of all minus a multiple of the standard
// deviation. Endpoints with too few RPCs do not count.
std::set<std::string> BySuccessRate(const OutlierDetection &settings, const AllResults &results,
                                    double tolerance) {
  std::map<std::string, double> rates;
  for (const auto &[address, r] : results) {
    const int all = r.successes + r.failures;
    if (all < static_cast<int>(settings.success_rate_request_volume)) continue;
    rates[address] = static_cast<double>(r.successes) / all;
  }
  std::set<std::string> out;
  if (rates.empty() || rates.size() < settings.success_rate_minimum_hosts) return out;
  const auto hosts = static_cast<double>(rates.size());
  double sum = 0;
  for (const auto &[address, rate] : rates) sum += rate;
  const double mean = sum / hosts;
  double squares = 0;
  for (const auto &[address, rate] : rates) squares += (rate - mean) * (rate - mean);
  const double least =
      mean - std::sqrt(squares / hosts) * settings.success_rate_stdev_factor / 1000;
  for (const auto &[address, rate] : rates) {
    if (rate < least + tolerance) out.insert(address);
  }
  return out;
}

}  // namespace

std::set<std::string> OutliersOf(const OutlierDetection &settings, const AllResults &results,
                                 std::set<std::string> *certain) {
  if (settings.enforcing_failures > 0) return *certain = ByFailures(settings, results);
  *certain = BySuccessRate(settings, results, -kDoubt);
  return BySuccessRate(settings, results, kDoubt);
}

}  // namespace gxds_sim
