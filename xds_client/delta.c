/* Incremental xDS: a request has only the changes of the subscription, and a response only the
 * changes of the resources.
 *
 * - A server reads every request without a nonce, even if it crossed a response. So each name is
 *   subscribed to once, and unsubscribed from once.
 * - A request either is an ACK or NACK, with the nonce of its response, or changes the
 *   subscription. The protocol allows both in one request. But Istio ignores an ACK of any response
 *   but its last one, and every NACK, together with the names in them.
 * - A stream begins with the versions of the cached resources, and the server sends only newer
 *   ones.
 * - A server responds to a name with its resource or with a removal. After a removal the client
 *   does not wait for the does-not-exist timer. */
#include "base/upb.h"
#include "envoy/config/core/v3/base.upb.h"
#include "envoy/service/discovery/v3/discovery.upb.h"
#include "google/rpc/status.upb.h"
#include "xds_client/client_internal.h"

/* gRPC servers refuse messages above 4 MiB unless they are configured otherwise. Names and versions
 * beyond this go into further requests. A NACK stays below it anyway: its errors are cut. */
#define REQUEST_BYTES_MAX 4000000

/* ---- requests ---- */

/* If the first request of a type has no names, it subscribes to everything. So a response of a type
 * that was never requested is not ACKed. */
static bool has_pending_write(const gxds_type_state *t) {
  return t->unsent || t->dropped || t->pending_acks;
}

/* The most bytes on the wire: besides the text, a name has one tag and length, an entry of a map
 * has three. */
static size_t name_bytes(const gxds_sub *sub) { return gxds_entry_name(sub->entry).size + 6; }
static size_t version_bytes(const gxds_sub *sub) {
  const gxds_entry *e = sub->entry;
  return gxds_entry_name(e).size + gxds_entry_version(e).size + 18;
}

static bool may_send_version(const gxds_sub *sub) {
  if (sub->entry->version_size == 0 || gxds_entry_alias_of(sub->entry).size > 0) return false;
  return gxds_sub_may_send_version(sub);
}

/* Whether a name must be unsubscribed and subscribed to again. That takes two requests, in this
 * order: in one request the two would cancel each other. */
static bool crosses(const gxds_type_state *t) {
  if (!t->dropped) return false;
  for (const gxds_sub *sub = t->unsent; sub; sub = sub->next) {
    if (gxds_type_find_dropped(t, gxds_entry_name(sub->entry))) return true;
  }
  return false;
}

static void plan_request(gxds_client *c, gxds_conn *conn, size_t type) {
  gxds_type_state *t = &conn->types[type];
  size_t size = c->bootstrap->node.size;
  t->unsubscribing = 0;
  /* Names go before ACKs: RPCs wait for subscribed resources, and nothing waits for an ACK. */
  t->acking = !t->unsent && !t->dropped;
  t->until = t->unsent;
  for (const gxds_dropped *d = t->dropped; d; d = d->hh.next) {
    size += d->name.size + 6;
    if (size > REQUEST_BYTES_MAX && t->unsubscribing > 0) return;
    t->unsubscribing++;
  }
  if (crosses(t)) return;
  bool none = t->initial_written || gxds_conn_has_fallback(c, conn);
  for (gxds_sub *sub = t->unsent; sub; sub = sub->next) {
    sub->sends_version = !none && may_send_version(sub);
    size += name_bytes(sub) + (sub->sends_version ? version_bytes(sub) : 0);
    if (size > REQUEST_BYTES_MAX && sub != t->unsent) return;
    if (sub->sends_version) conn->sent_versions = true;
    t->until = sub->next;
  }
}

static void set_subscribed(envoy_service_discovery_v3_DeltaDiscoveryRequest *request,
                           const gxds_type_state *t, upb_Arena *arena) {
  size_t count = 0;
  for (const gxds_sub *sub = t->unsent; sub != t->until; sub = sub->next) count++;
  upb_StringView *names =
      envoy_service_discovery_v3_DeltaDiscoveryRequest_resize_resource_names_subscribe(
          request, count, arena);
  GXDS_CHECK(names != NULL || count == 0);
  for (const gxds_sub *sub = t->unsent; sub != t->until; sub = sub->next) {
    *names++ = gxds_pb_view(gxds_entry_name(sub->entry));
    if (!sub->sends_version) continue;
    bool set = envoy_service_discovery_v3_DeltaDiscoveryRequest_initial_resource_versions_set(
        request, gxds_pb_view(gxds_entry_name(sub->entry)),
        gxds_pb_view(gxds_entry_version(sub->entry)), arena);
    GXDS_CHECK(set);
  }
}

static void set_unsubscribed(envoy_service_discovery_v3_DeltaDiscoveryRequest *request,
                             const gxds_type_state *t, upb_Arena *arena) {
  upb_StringView *names =
      envoy_service_discovery_v3_DeltaDiscoveryRequest_resize_resource_names_unsubscribe(
          request, t->unsubscribing, arena);
  GXDS_CHECK(names != NULL || t->unsubscribing == 0);
  const gxds_dropped *d = t->dropped;
  for (size_t i = 0; i < t->unsubscribing; i++, d = d->hh.next) names[i] = gxds_pb_view(d->name);
}

static void set_ack(envoy_service_discovery_v3_DeltaDiscoveryRequest *request,
                    const gxds_pending_ack *ack, upb_Arena *arena) {
  envoy_service_discovery_v3_DeltaDiscoveryRequest_set_response_nonce(request,
                                                                      gxds_pb_view(ack->nonce));
  if (ack->errors.size == 0) return;
  google_rpc_Status *detail =
      envoy_service_discovery_v3_DeltaDiscoveryRequest_mutable_error_detail(request, arena);
  GXDS_CHECK(detail != NULL);
  google_rpc_Status_set_code(detail, GXDS_INVALID_ARGUMENT);
  google_rpc_Status_set_message(detail, gxds_pb_view(ack->errors));
}

static gxds_str encode_request(const gxds_client *c, const gxds_conn *conn, size_t type,
                               bool with_node) {
  const gxds_type_state *t = &conn->types[type];
  upb_Arena *arena = gxds_arena_create();
  envoy_service_discovery_v3_DeltaDiscoveryRequest *request =
      envoy_service_discovery_v3_DeltaDiscoveryRequest_new(arena);
  GXDS_CHECK(request != NULL);
  envoy_service_discovery_v3_DeltaDiscoveryRequest_set_type_url(
      request, gxds_pb_view(gxds_str_z(c->types[type]->type_url)));
  set_subscribed(request, t, arena);
  set_unsubscribed(request, t, arena);
  if (t->acking) set_ack(request, t->pending_acks, arena);
  if (with_node) {
    gxds_str bytes = c->bootstrap->node;
    envoy_config_core_v3_Node *node =
        envoy_config_core_v3_Node_parse(bytes.data, bytes.size, arena);
    GXDS_CHECK(node != NULL); /* the bootstrap serialized it itself */
    envoy_service_discovery_v3_DeltaDiscoveryRequest_set_node(request, node);
  }
  size_t size = 0;
  /* Deterministic, because the order of the map's entries must not depend on hashes. */
  char *bytes = envoy_service_discovery_v3_DeltaDiscoveryRequest_serialize_ex(
      request, kUpb_EncodeOption_Deterministic, arena, &size);
  return gxds_pb_take(bytes, size, arena);
}

static void forget_ack(gxds_conn *conn, gxds_type_state *t, gxds_pending_ack *ack) {
  DL_DELETE(t->pending_acks, ack);
  conn->pending_ack_count--;
  gxds_str_free(&ack->nonce);
  gxds_str_free(&ack->errors);
  gxds_free(ack);
}

void gxds_delta_forget_acks(gxds_conn *conn, gxds_type_state *t) {
  while (t->pending_acks) forget_ack(conn, t, t->pending_acks);
}

static void written(gxds_conn *conn, size_t type) {
  gxds_type_state *t = &conn->types[type];
  for (; t->unsubscribing > 0; t->unsubscribing--) gxds_type_forget_dropped(t, t->dropped);
  if (t->acking) forget_ack(conn, t, t->pending_acks);
  t->acking = false;
  t->pending_write = has_pending_write(t);
  if (!t->unsent) t->initial_written = true;
}

/* ---- responses ---- */

/* DeltaDiscoveryResponse.resource_errors (xRFC TP3). */
#define RESOURCE_ERRORS 9

/* A Resource with a name and nothing else says that the resource does not exist, as
 * removed_resources does. With a version or a ttl it is a heartbeat, or invalid. */
static bool is_absence(const envoy_service_discovery_v3_Resource *r) {
  return !envoy_service_discovery_v3_Resource_has_resource(r) &&
         !envoy_service_discovery_v3_Resource_has_ttl(r) &&
         envoy_service_discovery_v3_Resource_version(r).size == 0 &&
         envoy_service_discovery_v3_Resource_name(r).size > 0;
}

static void read_resources(const envoy_service_discovery_v3_Resource *const *resources,
                           size_t count, upb_Arena *arena, gxds_response *out) {
  upb_StringView *removed = gxds_arena_alloc(arena, (out->removed_count + count) * sizeof *removed);
  out->resources = gxds_arena_alloc(arena, count * sizeof *out->resources);
  for (size_t i = 0; i < out->removed_count; i++) removed[i] = out->removed[i];
  out->removed = removed;
  out->resource_count = 0;
  for (size_t i = 0; i < count; i++) {
    if (is_absence(resources[i])) {
      removed[out->removed_count++] = envoy_service_discovery_v3_Resource_name(resources[i]);
    } else {
      out->resources[out->resource_count++] = gxds_unwrap(resources[i]);
    }
  }
}

static bool decode_response(gxds_str message, upb_Arena *arena, gxds_response *out,
                            const char **why) {
  envoy_service_discovery_v3_DeltaDiscoveryResponse *response =
      envoy_service_discovery_v3_DeltaDiscoveryResponse_new(arena);
  GXDS_CHECK(response != NULL);
  const gxds_str rest = gxds_response_without_errors(message, RESOURCE_ERRORS, arena);
  upb_DecodeStatus status = upb_Decode(rest.data, rest.size, response,
                                       &envoy_service_discovery_v3_DeltaDiscoveryResponse_msginit,
                                       NULL, kUpb_DecodeOption_AliasString, arena);
  GXDS_CHECK(status != kUpb_DecodeStatus_OutOfMemory);
  if (status != kUpb_DecodeStatus_Ok) {
    *why = "Can't decode DeltaDiscoveryResponse.";
    return false;
  }
  size_t count;
  const envoy_service_discovery_v3_Resource *const *resources =
      envoy_service_discovery_v3_DeltaDiscoveryResponse_resources(response, &count);
  *out = (gxds_response){
      .type_url = gxds_pb_str(envoy_service_discovery_v3_DeltaDiscoveryResponse_type_url(response)),
      .version = gxds_pb_str(
          envoy_service_discovery_v3_DeltaDiscoveryResponse_system_version_info(response)),
      .nonce = gxds_pb_str(envoy_service_discovery_v3_DeltaDiscoveryResponse_nonce(response)),
      .resource_count = count,
      .versioned = true};
  out->removed = envoy_service_discovery_v3_DeltaDiscoveryResponse_removed_resources(
      response, &out->removed_count);
  if (count > GXDS_RESOURCES_PER_RESPONSE_MAX ||
      out->removed_count > GXDS_RESOURCES_PER_RESPONSE_MAX) {
    out->refused = gxds_too_many_resources;
    out->resource_count = 0;
    return true;
  }
  read_resources(resources, count, arena, out);
  gxds_response_read_errors(message, RESOURCE_ERRORS, arena, out);
  return true;
}

static void acknowledge(gxds_conn *conn, size_t type, const gxds_response *response, bool accepted,
                        gxds_str take_errors) {
  (void)accepted; /* in delta, each resource has its own version */
  if (!conn->types[type].requested) {
    gxds_str_free(&take_errors);
    return;
  }
  gxds_pending_ack *a = GXDS_NEW(gxds_pending_ack);
  a->nonce = gxds_str_dup(response->nonce);
  a->errors = take_errors;
  DL_APPEND(conn->types[type].pending_acks, a);
  conn->pending_ack_count++;
}

const gxds_protocol gxds_protocol_delta = {
    .method = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources",
    .has_pending_write = has_pending_write,
    .plan_request = plan_request,
    .encode_request = encode_request,
    .written = written,
    .decode_response = decode_response,
    .acknowledge = acknowledge,
};
