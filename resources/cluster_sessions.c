/* Decodes what a Cluster specifies for sessions (A55, A75): in which health states an endpoint may
 * serve them, and their idle timeout. */
#include "base/wire.h"
#include "envoy/config/cluster/v3/cluster.upb.h"
#include "envoy/config/core/v3/extension.upb.h"
#include "envoy/config/core/v3/health_check.upb.h"
#include "envoy/config/core/v3/protocol.upb.h"
#include "resources/cluster_internal.h"
#include "resources/endpoints.h"

/* The number of a field of envoy.extensions.upstreams.http.v3.HttpProtocolOptions. The host has no
 * table of this message. */
enum { kCommonHttpProtocolOptions = 1 };

#define DEFAULT_IDLE_TIMEOUT (3600 * GXDS_SECOND)

/* A55: other health states are ignored, because a Cluster may also be for clients that support more
 * states. */
static uint8_t decode_status(const envoy_config_core_v3_HealthStatusSet *in) {
  if (!in) return 1u << GXDS_HEALTH_UNKNOWN | 1u << GXDS_HEALTH_HEALTHY;
  size_t count = 0;
  const int32_t *list = envoy_config_core_v3_HealthStatusSet_statuses(in, &count);
  uint8_t set = 0;
  for (size_t i = 0; i < count; i++) {
    switch (list[i]) {
      case envoy_config_core_v3_UNKNOWN:
        set |= 1u << GXDS_HEALTH_UNKNOWN;
        break;
      case envoy_config_core_v3_HEALTHY:
        set |= 1u << GXDS_HEALTH_HEALTHY;
        break;
      case envoy_config_core_v3_DRAINING:
        set |= 1u << GXDS_HEALTH_DRAINING;
        break;
      default:
        break;
    }
  }
  return set;
}

/* Reads the idle timeout from the bytes of an HttpProtocolOptions. */
static gxds_duration decode_idle_timeout(gxds_str options, const gxds_path *up, upb_Arena *scratch,
                                         gxds_errors *errors) {
  const gxds_path *at = GXDS_FIELD(up, "common_http_protocol_options");
  gxds_str bytes = gxds_wire_bytes_at(options, kCommonHttpProtocolOptions);
  if (!bytes.data) return DEFAULT_IDLE_TIMEOUT;
  const envoy_config_core_v3_HttpProtocolOptions *common =
      GXDS_DECODE(envoy_config_core_v3_HttpProtocolOptions, bytes, scratch);
  if (!common) {
    gxds_errors_add(errors, at, "can't decode HttpProtocolOptions");
    return DEFAULT_IDLE_TIMEOUT;
  }
  const google_protobuf_Duration *timeout =
      envoy_config_core_v3_HttpProtocolOptions_idle_timeout(common);
  return timeout ? gxds_duration_decode(timeout, GXDS_FIELD(at, "idle_timeout"), errors)
                 : DEFAULT_IDLE_TIMEOUT;
}

/* A75 */
static void decode_upstream_config(const envoy_config_core_v3_TypedExtensionConfig *in,
                                   upb_Arena *scratch, gxds_errors *errors, gxds_cluster *out) {
  const gxds_path *up = GXDS_FIELD(NULL, "upstream_config");
  const gxds_path *at = GXDS_FIELD(up, "typed_config");
  gxds_extension config;
  if (!gxds_extension_open(envoy_config_core_v3_TypedExtensionConfig_typed_config(in), at, scratch,
                           errors, &config)) {
    return;
  }
  if (!gxds_str_is(config.type, "envoy.extensions.upstreams.http.v3.HttpProtocolOptions")) {
    gxds_errors_add(errors, config.at, "unsupported upstream config type");
  } else if (config.typed_struct || !gxds_wire_is_whole(config.value)) {
    gxds_errors_add(errors, config.at, "can't decode HttpProtocolOptions");
  } else {
    out->session_idle_timeout = decode_idle_timeout(config.value, config.at, scratch, errors);
  }
}

void gxds_cluster_sessions_decode(const envoy_config_cluster_v3_Cluster *in, upb_Arena *scratch,
                                  gxds_errors *errors, gxds_cluster *out) {
  const envoy_config_cluster_v3_Cluster_CommonLbConfig *common =
      envoy_config_cluster_v3_Cluster_common_lb_config(in);
  out->session_health = decode_status(
      common ? envoy_config_cluster_v3_Cluster_CommonLbConfig_override_host_status(common) : NULL);
  out->session_idle_timeout = DEFAULT_IDLE_TIMEOUT;
  const envoy_config_core_v3_TypedExtensionConfig *upstream =
      envoy_config_cluster_v3_Cluster_upstream_config(in);
  if (upstream) decode_upstream_config(upstream, scratch, errors, out);
}
