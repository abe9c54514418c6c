/* Delta on a stream of the ADS server. */
#include <envoy/config/core/v3/base.upb.h>
#include <envoy/service/discovery/v3/discovery.upb.h>
#include <google/protobuf/any.upb.h>
#include <google/rpc/status.upb.h>

#include "base/memory.h"
#include "base/upb.h"
#include "files/response_writer.h"
#include "tools/serve/ads_internal.h"
#include "tools/serve/wire_input.h"

typedef const envoy_service_discovery_v3_DeltaDiscoveryRequest request;

/* ---- responses ---- */

static upb_StringView version_view(uint64_t version, upb_Arena *arena) {
  gxds_text text = {0};
  gxds_file_version_render(version, &text);
  const upb_StringView out = gxds_pb_view(gxds_arena_dup(arena, gxds_text_str(&text)));
  gxds_text_fini(&text);
  return out;
}

/* Does not set system_version_info, because each resource has its own version. */
gxds_str gxds_ads_delta_encode(gxds_file_type type, const gxds_ads_response *response,
                               gxds_str nonce) {
  upb_Arena *arena = upb_Arena_New();
  upb_StringView url = upb_StringView_FromString(gxds_file_types[type].type_url);
  envoy_service_discovery_v3_DeltaDiscoveryResponse *msg =
      envoy_service_discovery_v3_DeltaDiscoveryResponse_new(arena);
  envoy_service_discovery_v3_DeltaDiscoveryResponse_set_type_url(msg, url);
  envoy_service_discovery_v3_DeltaDiscoveryResponse_set_nonce(msg, gxds_pb_view(nonce));
  for (size_t i = 0; i < response->count; i++) {
    const gxds_file_resource *r = response->resources[i];
    envoy_service_discovery_v3_Resource *resource =
        envoy_service_discovery_v3_DeltaDiscoveryResponse_add_resources(msg, arena);
    envoy_service_discovery_v3_Resource_set_name(resource, gxds_pb_view(r->name));
    envoy_service_discovery_v3_Resource_set_version(resource, version_view(r->version, arena));
    for (size_t k = 0; k < r->alias_count; k++) {
      envoy_service_discovery_v3_Resource_add_aliases(resource, gxds_pb_view(r->aliases[k]), arena);
    }
    google_protobuf_Any *any =
        envoy_service_discovery_v3_Resource_mutable_resource(resource, arena);
    google_protobuf_Any_set_type_url(any, url);
    google_protobuf_Any_set_value(any, gxds_pb_view(r->bytes));
  }
  for (size_t i = 0; i < response->removed_count; i++) {
    envoy_service_discovery_v3_DeltaDiscoveryResponse_add_removed_resources(
        msg, gxds_pb_view(response->removed[i]), arena);
  }
  size_t size;
  const char *data = envoy_service_discovery_v3_DeltaDiscoveryResponse_serialize(msg, arena, &size);
  return gxds_pb_take(data, size, arena);
}

/* ---- requests ---- */

/* An ACK or NACK of an older response is reported too, but the last response stays outstanding. */
static void take_nonce(gxds_serve_queue *q, gxds_ads_stream *st, gxds_file_type type,
                       request *msg) {
  gxds_str nonce =
      gxds_pb_str(envoy_service_discovery_v3_DeltaDiscoveryRequest_response_nonce(msg));
  const google_rpc_Status *error =
      envoy_service_discovery_v3_DeltaDiscoveryRequest_error_detail(msg);
  if (nonce.size == 0 && !error) return;
  gxds_ads_type_state *t = &st->types[type];
  if (gxds_nonce_is(t->nonce, nonce)) t->outstanding = false;
  gxds_serve_event event = gxds_ads_event(st, error ? GXDS_SERVE_NACK : GXDS_SERVE_ACK, type);
  event.nonce = gxds_str_dup(nonce);
  if (error) event.detail = gxds_str_dup(gxds_pb_str(google_rpc_Status_message(error)));
  gxds_serve_queue_event(q, &event);
}

/* All names of a request: those that it subscribes to, and those in initial_resource_versions. */
static gxds_ads_name *names_of(request *msg, size_t *count) {
  size_t subscribed;
  const upb_StringView *names =
      envoy_service_discovery_v3_DeltaDiscoveryRequest_resource_names_subscribe(msg, &subscribed);
  size_t initial =
      envoy_service_discovery_v3_DeltaDiscoveryRequest_initial_resource_versions_size(msg);
  gxds_ads_name *out = gxds_calloc(subscribed + initial, sizeof *out);
  *count = 0;
  for (size_t i = 0; i < subscribed; i++) {
    gxds_ads_name *n = &out[(*count)++];
    upb_StringView version;
    *n = (gxds_ads_name){.name = gxds_pb_str(names[i]), .subscribe = true};
    n->initial = initial > 0 &&
                 envoy_service_discovery_v3_DeltaDiscoveryRequest_initial_resource_versions_get(
                     msg, names[i], &version);
    if (n->initial) n->version = gxds_pb_str(version);
  }
  size_t iterator = kUpb_Map_Begin;
  upb_StringView name;
  upb_StringView version;
  while (GXDS_MAP_NEXT(envoy_service_discovery_v3_DeltaDiscoveryRequest, initial_resource_versions,
                       InitialResourceVersionsEntry, msg, &iterator, &name, &version)) {
    out[(*count)++] = (gxds_ads_name){
        .name = gxds_pb_str(name), .initial = true, .version = gxds_pb_str(version)};
  }
  return out;
}

static void take_names(gxds_serve_queue *q, gxds_ads_stream *st, gxds_file_type type,
                       request *msg) {
  size_t count;
  gxds_ads_name *names = names_of(msg, &count);
  size_t dropped_count;
  const upb_StringView *given_up =
      envoy_service_discovery_v3_DeltaDiscoveryRequest_resource_names_unsubscribe(msg,
                                                                                  &dropped_count);
  gxds_str *unsubscribed = gxds_calloc(dropped_count, sizeof *unsubscribed);
  for (size_t i = 0; i < dropped_count; i++) unsubscribed[i] = gxds_pb_str(given_up[i]);
  gxds_serve_event added = gxds_ads_event(st, GXDS_SERVE_SUBSCRIBED, type);
  gxds_serve_event dropped = gxds_ads_event(st, GXDS_SERVE_UNSUBSCRIBED, type);
  gxds_ads_subscription_update(&st->types[type].subscription, names, count, unsubscribed,
                               dropped_count, &added, &dropped);
  gxds_free(names);
  gxds_free(unsubscribed);
  gxds_ads_emit_names(q, &st->types[type], &added, &dropped);
}

static void take_request(gxds_serve_queue *q, gxds_ads_stream *st, request *msg, gxds_str url) {
  gxds_ads_keep_node(st, envoy_service_discovery_v3_DeltaDiscoveryRequest_node(msg));
  gxds_file_type type = gxds_file_type_find(url);
  if (type == GXDS_FILE_TYPE_COUNT) {
    gxds_ads_emit_unknown_type(q, st, url);
    return;
  }
  take_nonce(q, st, type, msg);
  take_names(q, st, type, msg);
}

const char *gxds_ads_delta_take(gxds_serve_queue *q, gxds_ads_stream *st, gxds_str bytes) {
  upb_Arena *arena = upb_Arena_New();
  request *msg = GXDS_SERVE_PARSE(envoy_service_discovery_v3_DeltaDiscoveryRequest, bytes, arena);
  const char *why = "the message is no DeltaDiscoveryRequest";
  if (msg) {
    gxds_str url = gxds_pb_str(envoy_service_discovery_v3_DeltaDiscoveryRequest_type_url(msg));
    why = gxds_ads_check_type(gxds_ads_service_type(st->service), &url);
    if (!why) take_request(q, st, msg, url);
  }
  upb_Arena_Free(arena);
  return why;
}
