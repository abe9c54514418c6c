#include "resources/http_proxy_internal.h"

#include "base/wire.h"
#include "envoy/config/core/v3/address.upb.h"
#include "envoy/config/core/v3/base.upb.h"
#include "google/protobuf/any.upb.h"
#include "resources/additional_addresses_internal.h"
#include "upb/msg.h"

#define KEY "envoy.http11_proxy_transport_socket.proxy_address"

static const gxds_str none;

static gxds_str read_address(const envoy_config_core_v3_Address *in, const gxds_path *at,
                             upb_Arena *scratch, gxds_errors *errors) {
  gxds_address address;
  if (!gxds_endpoint_address_check(in, at, errors, &address)) return none;
  if (address.port == 0) {
    gxds_errors_add(errors, GXDS_FIELD(GXDS_FIELD(at, "socket_address"), "port_value"),
                    "must be set");
    return none;
  }
  gxds_text text = {0};
  gxds_address_render(&address, &text);
  const gxds_str out = gxds_arena_dup(scratch, gxds_text_str(&text));
  gxds_text_fini(&text);
  return out;
}

gxds_str gxds_http_proxy_in(const envoy_config_core_v3_Metadata *in, const gxds_path *at,
                            upb_Arena *scratch, gxds_errors *errors) {
  google_protobuf_Any *value = NULL;
  if (!in || !envoy_config_core_v3_Metadata_typed_filter_metadata_get(
                 in, upb_StringView_FromString(KEY), &value)) {
    return none;
  }
  const gxds_path *at_value = GXDS_KEY(at, "typed_filter_metadata", KEY);
  gxds_extension e;
  if (!gxds_extension_open(value, at_value, scratch, errors, &e) ||
      !gxds_str_is(e.type, "envoy.config.core.v3.Address")) {
    return none;
  }
  const envoy_config_core_v3_Address *address =
      e.typed_struct ? NULL : GXDS_DECODE(envoy_config_core_v3_Address, e.value, scratch);
  if (!address) {
    gxds_errors_add(errors, e.at, "can't decode Address");
    return none;
  }
  return read_address(address, e.at, scratch, errors);
}

#ifdef GXDS_HOST_HAS_LOCALITY_METADATA

gxds_str gxds_http_proxy_of_locality(const envoy_config_endpoint_v3_LocalityLbEndpoints *in,
                                     const gxds_path *at, upb_Arena *scratch, gxds_errors *errors) {
  return gxds_http_proxy_in(envoy_config_endpoint_v3_LocalityLbEndpoints_metadata(in),
                            GXDS_FIELD(at, "metadata"), scratch, errors);
}

#else

/* The number of the field in LocalityLbEndpoints. Its table in gRPC 1.51 lacks the field, so it is
 * read from the fields that upb does not know. */
enum { kMetadata = 9 };

gxds_str gxds_http_proxy_of_locality(const envoy_config_endpoint_v3_LocalityLbEndpoints *in,
                                     const gxds_path *up, upb_Arena *scratch, gxds_errors *errors) {
  const gxds_path *at = GXDS_FIELD(up, "metadata");
  size_t size = 0;
  const char *unknown = upb_Message_GetUnknown(in, &size);
  gxds_str rest = gxds_str_of(unknown, size);
  gxds_str bytes;
  gxds_str out = none;
  while (gxds_wire_next_value(&rest, kMetadata, &bytes)) {
    const envoy_config_core_v3_Metadata *metadata =
        GXDS_DECODE(envoy_config_core_v3_Metadata, bytes, scratch);
    if (!metadata) {
      gxds_errors_add(errors, at, "can't decode Metadata");
      return none;
    }
    const gxds_str named = gxds_http_proxy_in(metadata, at, scratch, errors);
    if (named.size > 0) out = named;
  }
  return out;
}

#endif
