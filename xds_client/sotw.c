/* State of the world: every request of a type lists all names, and every response of LDS and CDS
 * has all resources of these names that the server has. */
#include "base/upb.h"
#include "envoy/config/core/v3/base.upb.h"
#include "envoy/service/discovery/v3/discovery.upb.h"
#include "google/protobuf/any.upb.h"
#include "google/rpc/status.upb.h"
#include "xds_client/client_internal.h"

static void set_errors(envoy_service_discovery_v3_DiscoveryRequest *request, gxds_str errors,
                       upb_Arena *arena) {
  google_rpc_Status *detail =
      envoy_service_discovery_v3_DiscoveryRequest_mutable_error_detail(request, arena);
  GXDS_CHECK(detail != NULL);
  google_rpc_Status_set_code(detail, GXDS_INVALID_ARGUMENT);
  google_rpc_Status_set_message(detail, gxds_pb_view(errors));
}

static void set_node(envoy_service_discovery_v3_DiscoveryRequest *request, gxds_str bytes,
                     upb_Arena *arena) {
  envoy_config_core_v3_Node *node = envoy_config_core_v3_Node_parse(bytes.data, bytes.size, arena);
  GXDS_CHECK(node != NULL); /* the bootstrap serialized it itself */
  envoy_service_discovery_v3_DiscoveryRequest_set_node(request, node);
}

/* DiscoveryRequest.resource_names. */
#define RESOURCE_NAMES 3

/* Encodes the names, one field each: field number, size, bytes. All requests that list the same
 * names share the encoded block, so an ACK costs nothing per name. (On the wire the fields of a
 * message may be in any order, so the block can be at the end.) */
static void encode_names(gxds_type_state *t) {
  if (t->names && t->names_until == t->until) return;
  gxds_type_forget_names(t);
  t->names_until = t->until;
  gxds_text names = {0};
  for (const gxds_sub *sub = t->subs; sub != t->until; sub = sub->next) {
    gxds_str name = gxds_entry_name(sub->entry);
    char head[12] = {RESOURCE_NAMES << 3 | 2};
    size_t size = 1;
    size_t rest = name.size;
    for (; rest > 0x7f; rest >>= 7) head[size++] = (char)(rest | 0x80);
    head[size++] = (char)rest;
    gxds_text_add(&names, gxds_str_of(head, size));
    gxds_text_add(&names, name);
  }
  if (names.size) t->names = gxds_block_create(&names);
}

static gxds_str encode_request(const gxds_client *c, const gxds_conn *conn, size_t type,
                               bool with_node) {
  const gxds_type_state *t = &conn->types[type];
  upb_Arena *arena = gxds_arena_create();
  envoy_service_discovery_v3_DiscoveryRequest *request =
      envoy_service_discovery_v3_DiscoveryRequest_new(arena);
  GXDS_CHECK(request != NULL);
  envoy_service_discovery_v3_DiscoveryRequest_set_type_url(
      request, gxds_pb_view(gxds_str_z(c->types[type]->type_url)));
  envoy_service_discovery_v3_DiscoveryRequest_set_version_info(request, gxds_pb_view(t->version));
  envoy_service_discovery_v3_DiscoveryRequest_set_response_nonce(request, gxds_pb_view(t->nonce));
  if (t->errors.size) set_errors(request, t->errors, arena);
  if (with_node) set_node(request, c->bootstrap->node, arena);
  size_t size = 0;
  char *bytes = envoy_service_discovery_v3_DiscoveryRequest_serialize(request, arena, &size);
  return gxds_pb_take(bytes, size, arena);
}

static gxds_response_resource unwrap(const google_protobuf_Any *any, upb_Arena *arena) {
  static const char wrapper_type[] = "envoy.service.discovery.v3.Resource";
  gxds_response_resource r = {.type_url = gxds_pb_str(google_protobuf_Any_type_url(any)),
                              .bytes = gxds_pb_str(google_protobuf_Any_value(any))};
  if (!gxds_str_equal(gxds_type_name(r.type_url), gxds_str_z(wrapper_type))) return r;
  envoy_service_discovery_v3_Resource *wrapper = envoy_service_discovery_v3_Resource_new(arena);
  GXDS_CHECK(wrapper != NULL);
  upb_DecodeStatus status =
      upb_Decode(r.bytes.data, r.bytes.size, wrapper, &envoy_service_discovery_v3_Resource_msginit,
                 NULL, kUpb_DecodeOption_AliasString, arena);
  GXDS_CHECK(status != kUpb_DecodeStatus_OutOfMemory);
  if (status == kUpb_DecodeStatus_Ok) return gxds_unwrap(wrapper);
  return (gxds_response_resource){.fault = "Can't decode Resource proto wrapper"};
}

/* DiscoveryResponse.resource_errors (xRFC TP3). */
#define RESOURCE_ERRORS 7

static bool decode_response(gxds_str message, upb_Arena *arena, gxds_response *out,
                            const char **why) {
  envoy_service_discovery_v3_DiscoveryResponse *response =
      envoy_service_discovery_v3_DiscoveryResponse_new(arena);
  GXDS_CHECK(response != NULL);
  const gxds_str rest = gxds_response_without_errors(message, RESOURCE_ERRORS, arena);
  upb_DecodeStatus status = upb_Decode(rest.data, rest.size, response,
                                       &envoy_service_discovery_v3_DiscoveryResponse_msginit, NULL,
                                       kUpb_DecodeOption_AliasString, arena);
  GXDS_CHECK(status != kUpb_DecodeStatus_OutOfMemory);
  if (status != kUpb_DecodeStatus_Ok) {
    *why = "Can't decode DiscoveryResponse.";
    return false;
  }
  size_t count;
  const google_protobuf_Any *const *resources =
      envoy_service_discovery_v3_DiscoveryResponse_resources(response, &count);
  *out = (gxds_response){
      .type_url = gxds_pb_str(envoy_service_discovery_v3_DiscoveryResponse_type_url(response)),
      .version = gxds_pb_str(envoy_service_discovery_v3_DiscoveryResponse_version_info(response)),
      .nonce = gxds_pb_str(envoy_service_discovery_v3_DiscoveryResponse_nonce(response)),
      .resource_count = count,
      .complete = true};
  if (count > GXDS_RESOURCES_PER_RESPONSE_MAX) {
    out->refused = gxds_too_many_resources;
    out->resource_count = 0;
    return true;
  }
  out->resources = gxds_arena_alloc(arena, count * sizeof *out->resources);
  size_t heartbeats = 0;
  for (size_t i = 0; i < count; i++) {
    out->resources[i] = unwrap(resources[i], arena);
    heartbeats += out->resources[i].heartbeat;
  }
  /* A response of heartbeats only renews resources. */
  if (count > 0 && heartbeats == count) out->complete = false;
  gxds_response_read_errors(message, RESOURCE_ERRORS, arena, out);
  return true;
}

/* A version tells the server that the client has the resources of that version; the server relies
 * on it, and may send nothing. So the first request of a type on a stream has a version only if
 * every requested resource is cached, and came from this server. */
static bool may_send_type_version(const gxds_client *c, const gxds_conn *conn,
                                  const gxds_type_state *t) {
  if (gxds_conn_has_fallback(c, conn)) return false;
  const gxds_sub *sub;
  DL_FOREACH(t->subs, sub) {
    if (!gxds_sub_may_send_version(sub)) return false;
  }
  return true;
}

static bool has_unsent_resubscribed(const gxds_type_state *t) {
  if (t->resubscribed_count == 0) return false;
  const gxds_sub *sub = t->unsent;
  while (sub && !sub->resubscribed) sub = sub->next;
  return sub != NULL;
}

/* An empty list in the first request of a type subscribes to everything. */
static bool has_pending_write(const gxds_type_state *t) { return t->sub_count > 0 || t->requested; }

static void plan_request(gxds_client *c, gxds_conn *conn, size_t type) {
  gxds_type_state *t = &conn->types[type];
  bool first = !t->requested && t->nonce.size == 0;
  if (first && !may_send_type_version(c, conn, t)) gxds_str_free(&t->version);
  bool sends_version = first && t->version.size > 0;
  conn->sent_versions = conn->sent_versions || sends_version;
  for (gxds_sub *sub = t->unsent; sub; sub = sub->next) sub->sends_version = sends_version;
  t->until = t->unacked && has_unsent_resubscribed(t) ? t->unsent : NULL;
  encode_names(t);
}

static void written(gxds_conn *conn, size_t type) {
  gxds_type_state *t = &conn->types[type];
  t->pending_write = t->unsent != NULL;
  t->unacked = false;
  gxds_str_free(&t->errors);
}

static void acknowledge(gxds_conn *conn, size_t type, const gxds_response *response, bool accepted,
                        gxds_str take_errors) {
  gxds_type_state *t = &conn->types[type];
  gxds_str_set(&t->nonce, response->nonce);
  gxds_str_free(&t->errors);
  t->errors = take_errors;
  if (accepted) gxds_str_set(&t->version, response->version);
  bool whole = !response->refused && response->version.size <= GXDS_VERSION_BYTES_MAX;
  bool of_heartbeats = !response->complete; /* a rejected one brought no resource of its version */
  if (whole && (accepted || !of_heartbeats)) gxds_str_set(&t->seen_version, response->version);
  t->unacked = true;
}

const gxds_protocol gxds_protocol_sotw = {
    .method = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources",
    .has_pending_write = has_pending_write,
    .plan_request = plan_request,
    .encode_request = encode_request,
    .written = written,
    .decode_response = decode_response,
    .acknowledge = acknowledge,
};
