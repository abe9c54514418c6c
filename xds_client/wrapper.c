/* The wrapper message around a resource. Every resource of a delta response has one. In SotW a
 * server uses it to send more than the resource's bytes, such as a ttl. */
#include "base/upb.h"
#include "envoy/service/discovery/v3/discovery.upb.h"
#include "google/protobuf/any.upb.h"
#include "google/protobuf/duration.upb.h"
#include "xds_client/client_internal.h"

/* Reads a ttl. Returns false if it is not a valid positive duration. A ttl beyond the range of the
 * clock counts as none: *out stays as it is. */
static bool read_ttl(const google_protobuf_Duration *ttl, gxds_duration *out) {
  int64_t seconds = google_protobuf_Duration_seconds(ttl);
  int32_t nanos = google_protobuf_Duration_nanos(ttl);
  if (seconds < 0 || nanos < 0 || nanos >= GXDS_SECOND || (seconds == 0 && nanos == 0))
    return false;
  if (seconds >= GXDS_TIME_NEVER / GXDS_SECOND) return true;
  *out = seconds * GXDS_SECOND + nanos;
  return true;
}

gxds_response_resource gxds_unwrap(const envoy_service_discovery_v3_Resource *wrapper) {
  gxds_response_resource r = {
      .name = gxds_pb_str(envoy_service_discovery_v3_Resource_name(wrapper)),
      .version = gxds_pb_str(envoy_service_discovery_v3_Resource_version(wrapper))};
  r.aliases = envoy_service_discovery_v3_Resource_aliases(wrapper, &r.alias_count);
  const google_protobuf_Duration *ttl = envoy_service_discovery_v3_Resource_ttl(wrapper);
  if (ttl && !read_ttl(ttl, &r.ttl)) r.fault = "ttl: must be a positive duration";
  if (r.version.size > GXDS_VERSION_BYTES_MAX) {
    r.fault = "version too long";
    r.version = gxds_str_of(NULL, 0);
  }
  if (r.alias_count > GXDS_ALIASES_MAX) {
    r.fault = "more than 100 aliases";
    r.alias_count = GXDS_ALIASES_MAX;
  }
  const google_protobuf_Any *inner = envoy_service_discovery_v3_Resource_resource(wrapper);
  if (inner) {
    r.type_url = gxds_pb_str(google_protobuf_Any_type_url(inner));
    r.bytes = gxds_pb_str(google_protobuf_Any_value(inner));
  } else {
    r.heartbeat = ttl != NULL;
  }
  return r;
}
