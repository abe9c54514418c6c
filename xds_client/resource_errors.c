/* Errors that a server reports of single resources (xRFC TP3). The tables of gRPC 1.51 for
 * responses lack this field. Those of 1.83 have it, but one error that can't be decoded would make
 * the whole response undecodable. So the field is found by hand among the message's fields, and its
 * contents are decoded with the host's tables. */
#include <string.h>

#include "base/upb.h"
#include "base/wire.h"
#include "envoy/service/discovery/v3/discovery.upb.h"
#include "google/rpc/status.upb.h"
#include "upb/upb.h"
#include "xds_client/client_internal.h"

/* message ResourceError { ResourceName resource_name = 1; google.rpc.Status error_detail = 2; } */
enum { RESOURCE_NAME = 1, ERROR_DETAIL = 2 };

static bool read_name(gxds_str bytes, upb_Arena *arena, gxds_resource_error *out) {
  const envoy_service_discovery_v3_ResourceName *name =
      gxds_pb_decode(bytes, envoy_service_discovery_v3_ResourceName_new(arena),
                     &envoy_service_discovery_v3_ResourceName_msginit, arena);
  if (!name) return false;
  out->name = gxds_pb_str(envoy_service_discovery_v3_ResourceName_name(name));
  return true;
}

static bool read_detail(gxds_str bytes, upb_Arena *arena, gxds_resource_error *out) {
  const google_rpc_Status *detail =
      gxds_pb_decode(bytes, google_rpc_Status_new(arena), &google_rpc_Status_msginit, arena);
  if (!detail) return false;
  out->code = google_rpc_Status_code(detail);
  out->message = gxds_pb_str(google_rpc_Status_message(detail));
  return true;
}

static gxds_resource_error read_error(gxds_str bytes, upb_Arena *arena) {
  gxds_resource_error out = {0};
  gxds_wire_field field;
  out.undecodable = !gxds_wire_is_whole(bytes);
  while (!out.undecodable && gxds_wire_next(&bytes, &field)) {
    if (!field.has_size) continue;
    if (field.number == RESOURCE_NAME) out.undecodable = !read_name(field.value, arena, &out);
    if (field.number == ERROR_DETAIL) out.undecodable = !read_detail(field.value, arena, &out);
  }
  return out;
}

/* Most responses have no such fields, so they cost only this pass, which does not decode the
 * fields. */
static size_t count_fields(gxds_str message, uint64_t number) {
  size_t count = 0;
  gxds_wire_field field;
  while (gxds_wire_next(&message, &field)) count += field.number == number && field.has_size;
  return count;
}

gxds_str gxds_response_without_errors(gxds_str message, uint64_t number, upb_Arena *arena) {
  if (count_fields(message, number) == 0) return message;
  char *bytes = gxds_arena_alloc(arena, message.size);
  size_t size = 0;
  gxds_wire_field field;
  while (gxds_wire_next(&message, &field)) {
    if (field.number == number && field.has_size) continue;
    memcpy(bytes + size, field.whole.data, field.whole.size);
    size += field.whole.size;
  }
  return gxds_str_of(bytes, size);
}

void gxds_response_read_errors(gxds_str message, uint64_t number, upb_Arena *arena,
                               gxds_response *out) {
  size_t count = count_fields(message, number);
  out->errors = NULL;
  out->error_count = 0;
  if (count > GXDS_RESOURCES_PER_RESPONSE_MAX) out->refused = gxds_too_many_resources;
  if (count == 0 || out->refused) return;
  out->errors = gxds_arena_alloc(arena, count * sizeof *out->errors);
  gxds_wire_field field;
  while (gxds_wire_next(&message, &field)) {
    if (field.number != number || !field.has_size) continue;
    out->errors[out->error_count++] = read_error(field.value, arena);
  }
}
