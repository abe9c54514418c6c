#include "files/response_writer.h"

#include "base/check.h"
#include "base/upb.h"
#include "envoy/service/discovery/v3/discovery.upb.h"
#include "google/protobuf/any.upb.h"
#include "google/rpc/status.upb.h"
#include "upb/upb.h"

gxds_str gxds_nonce_text(uint64_t nonce) {
  return gxds_str_format("%llu", (unsigned long long)nonce);
}

bool gxds_nonce_is(uint64_t nonce, gxds_str text) {
  gxds_str own = gxds_nonce_text(nonce);
  const bool same = nonce != 0 && gxds_str_equal(text, own);
  gxds_str_free(&own);
  return same;
}

void gxds_response_writer_init(gxds_response_writer *w, gxds_file_type type, gxds_str version,
                               gxds_str nonce) {
  w->arena = gxds_arena_create();
  w->response = envoy_service_discovery_v3_DiscoveryResponse_new(w->arena);
  GXDS_CHECK(w->response != NULL);
  w->errors = (gxds_text){0};
  envoy_service_discovery_v3_DiscoveryResponse_set_type_url(
      w->response, upb_StringView_FromString(gxds_file_types[type].type_url));
  envoy_service_discovery_v3_DiscoveryResponse_set_version_info(w->response, gxds_pb_view(version));
  envoy_service_discovery_v3_DiscoveryResponse_set_nonce(w->response, gxds_pb_view(nonce));
}

void gxds_response_writer_add(gxds_response_writer *w, const gxds_file_resource *resource) {
  google_protobuf_Any *any =
      envoy_service_discovery_v3_DiscoveryResponse_add_resources(w->response, w->arena);
  GXDS_CHECK(any != NULL);
  google_protobuf_Any_set_type_url(
      any, upb_StringView_FromString(gxds_file_types[resource->type].type_url));
  google_protobuf_Any_set_value(any, gxds_pb_view(resource->bytes));
}

/* Adds a field of wire type 2, which holds bytes. */
static void add_field(unsigned number, gxds_str bytes, gxds_text *out) {
  char byte = (char)(number << 3 | 2);
  gxds_text_add(out, gxds_str_of(&byte, 1));
  size_t size = bytes.size;
  do {
    byte = (char)((size & 0x7f) | (size > 0x7f ? 0x80 : 0));
    gxds_text_add(out, gxds_str_of(&byte, 1));
    size >>= 7;
  } while (size > 0);
  gxds_text_add(out, bytes);
}

/* Writes the error by hand, because xRFC TP3 is newer than the host's tables:
 * DiscoveryResponse.resource_errors = 7, of message ResourceError { ResourceName resource_name = 1;
 * google.rpc.Status error_detail = 2; } */
void gxds_response_writer_add_missing(gxds_response_writer *w, gxds_str name, gxds_str message) {
  google_rpc_Status *status = google_rpc_Status_new(w->arena);
  GXDS_CHECK(status != NULL);
  google_rpc_Status_set_code(status, 5); /* NOT_FOUND */
  google_rpc_Status_set_message(status, gxds_pb_view(message));
  size_t size;
  const char *detail = google_rpc_Status_serialize(status, w->arena, &size);
  GXDS_CHECK(detail != NULL);
  gxds_text named = {0};
  gxds_text error = {0};
  add_field(1, name, &named);
  add_field(1, gxds_text_str(&named), &error);
  add_field(2, gxds_str_of(detail, size), &error);
  add_field(7, gxds_text_str(&error), &w->errors);
  gxds_text_fini(&named);
  gxds_text_fini(&error);
}

gxds_str gxds_response_writer_finish(gxds_response_writer *w) {
  size_t size;
  const char *bytes =
      envoy_service_discovery_v3_DiscoveryResponse_serialize(w->response, w->arena, &size);
  GXDS_CHECK(bytes != NULL);
  gxds_text out = {0};
  gxds_text_add(&out, gxds_str_of(bytes, size));
  gxds_text_add(&out, gxds_text_str(&w->errors));
  gxds_text_fini(&w->errors);
  upb_Arena_Free(w->arena);
  return gxds_text_take(&out);
}
