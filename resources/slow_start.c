/* Decodes slow start, as in Envoy, for round_robin and least_request of a Cluster. */
#include <math.h>

#include "envoy/config/core/v3/base.upb.h"
#include "envoy/type/v3/percent.upb.h"
#include "resources/cluster_internal.h"
#include "resources/json_internal.h"

/* 1 by default, and, as in Envoy, if the value is not greater than 0: then a runtime that gRPC does
 * not have would set it. */
static double decode_aggression(const envoy_config_core_v3_RuntimeDouble *in) {
  const double aggression = in ? envoy_config_core_v3_RuntimeDouble_default_value(in) : 1;
  return isfinite(aggression) && aggression > 0 ? aggression : 1;
}

static double decode_percent(const envoy_type_v3_Percent *in, const gxds_path *at,
                             gxds_errors *errors) {
  if (!in) return 10;
  const double percent = envoy_type_v3_Percent_value(in);
  if (percent >= 0 && percent <= 100) return percent;
  gxds_errors_add(errors, GXDS_FIELD(at, "value"), "must be in the range [0, 100]");
  return 10;
}

bool gxds_slow_start_decode(const envoy_config_cluster_v3_Cluster_SlowStartConfig *in,
                            const gxds_path *at, gxds_errors *errors, gxds_text *json) {
  const google_protobuf_Duration *in_window =
      in ? envoy_config_cluster_v3_Cluster_SlowStartConfig_slow_start_window(in) : NULL;
  if (!in_window) return false;
  const gxds_duration window =
      gxds_duration_decode(in_window, GXDS_FIELD(at, "slow_start_window"), errors);
  const double aggression =
      decode_aggression(envoy_config_cluster_v3_Cluster_SlowStartConfig_aggression(in));
  const double percent =
      decode_percent(envoy_config_cluster_v3_Cluster_SlowStartConfig_min_weight_percent(in),
                     GXDS_FIELD(at, "min_weight_percent"), errors);
  if (window == 0) return false;
  gxds_text_add_z(json, "\"slowStart\":{\"aggression\":");
  gxds_json_add_number(json, aggression, 17);
  gxds_text_add_z(json, ",\"minWeightPercent\":");
  gxds_json_add_number(json, percent, 17);
  gxds_text_add_z(json, ",\"window\":");
  gxds_json_add_duration(json, window);
  gxds_text_add_z(json, "}");
  return true;
}
