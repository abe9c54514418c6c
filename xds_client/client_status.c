#include "xds_client/client_status.h"

#include "base/upb.h"
#include "envoy/admin/v3/config_dump_shared.upb.h"
#include "envoy/config/core/v3/base.upb.h"
#include "envoy/service/status/v3/csds.upb.h"
#include "google/protobuf/any.upb.h"
#include "google/protobuf/timestamp.upb.h"
#include "xds_client/client_internal.h"

typedef envoy_service_status_v3_ClientConfig config_message;
typedef envoy_service_status_v3_ClientConfig_GenericXdsConfig entry_message;

typedef struct assembly {
  upb_Arena *arena;
  config_message *config;
  int64_t epoch;
} assembly;

/* Like gxds_pb_view(), for a string that does not live as long as the message. */
static upb_StringView copy_of(const assembly *a, gxds_str s) {
  return gxds_pb_view(gxds_arena_dup(a->arena, s));
}

static assembly begin(int64_t epoch) {
  assembly a = {.arena = gxds_arena_create(), .epoch = epoch};
  a.config = envoy_service_status_v3_ClientConfig_new(a.arena);
  GXDS_CHECK(a.config != NULL);
  return a;
}

static gxds_str finish(assembly *a) {
  size_t size = 0;
  char *bytes = envoy_service_status_v3_ClientConfig_serialize(a->config, a->arena, &size);
  return gxds_pb_take(bytes, size, a->arena);
}

static google_protobuf_Timestamp *timestamp(const assembly *a, gxds_time at) {
  google_protobuf_Timestamp *t = google_protobuf_Timestamp_new(a->arena);
  GXDS_CHECK(t != NULL);
  int64_t since_1970 = a->epoch + at;
  google_protobuf_Timestamp_set_seconds(t, since_1970 / GXDS_SECOND);
  google_protobuf_Timestamp_set_nanos(t, (int32_t)(since_1970 % GXDS_SECOND));
  return t;
}

/* envoy.admin.v3.ClientResourceStatus. The host's tables lack the two values of A88. */
static int32_t client_status(gxds_resource_state state) {
  static const int32_t numbers[] = {
      [GXDS_RESOURCE_REQUESTED] = envoy_admin_v3_REQUESTED,
      [GXDS_RESOURCE_ACKED] = envoy_admin_v3_ACKED,
      [GXDS_RESOURCE_NACKED] = envoy_admin_v3_NACKED,
      [GXDS_RESOURCE_DOES_NOT_EXIST] = envoy_admin_v3_DOES_NOT_EXIST,
      [GXDS_RESOURCE_RECEIVED_ERROR] = 5,
      [GXDS_RESOURCE_TIMEOUT] = 6,
  };
  return numbers[state];
}

static void set_resource(const assembly *a, entry_message *entry, const gxds_resource_info *info) {
  google_protobuf_Any *any =
      envoy_service_status_v3_ClientConfig_GenericXdsConfig_mutable_xds_config(entry, a->arena);
  GXDS_CHECK(any != NULL);
  google_protobuf_Any_set_type_url(any, gxds_pb_view(gxds_str_z(info->type->type_url)));
  google_protobuf_Any_set_value(any, gxds_pb_view(info->bytes));
  envoy_service_status_v3_ClientConfig_GenericXdsConfig_set_version_info(
      entry, gxds_pb_view(info->version));
  envoy_service_status_v3_ClientConfig_GenericXdsConfig_set_last_updated(
      entry, timestamp(a, info->updated));
}

/* A88: every resource in error has an error_state, also one that does not exist. */
static void set_error(const assembly *a, entry_message *entry, const gxds_resource_info *info) {
  envoy_admin_v3_UpdateFailureState *error = envoy_admin_v3_UpdateFailureState_new(a->arena);
  GXDS_CHECK(error != NULL);
  gxds_text details = {0};
  gxds_error_render(info->error, &details);
  envoy_admin_v3_UpdateFailureState_set_details(error, copy_of(a, gxds_text_str(&details)));
  gxds_text_fini(&details);
  envoy_admin_v3_UpdateFailureState_set_version_info(error, gxds_pb_view(info->failed_version));
  envoy_admin_v3_UpdateFailureState_set_last_update_attempt(error, timestamp(a, info->failed));
  envoy_service_status_v3_ClientConfig_GenericXdsConfig_set_error_state(entry, error);
}

static void add_resource(void *arg, const gxds_resource_info *info) {
  const assembly *a = arg;
  entry_message *entry =
      envoy_service_status_v3_ClientConfig_add_generic_xds_configs(a->config, a->arena);
  GXDS_CHECK(entry != NULL);
  envoy_service_status_v3_ClientConfig_GenericXdsConfig_set_type_url(
      entry, gxds_pb_view(gxds_str_z(info->type->type_url)));
  envoy_service_status_v3_ClientConfig_GenericXdsConfig_set_name(entry, gxds_pb_view(info->name));
  envoy_service_status_v3_ClientConfig_GenericXdsConfig_set_client_status(
      entry, client_status(info->state));
  if (info->resource) set_resource(a, entry, info);
  if (info->error) set_error(a, entry, info);
}

/* The host's ClientConfig leaves out the client feature that only ADS requests name; so does this
 * one. */
static void leave_out_feature_of_ads(const assembly *a, envoy_config_core_v3_Node *node) {
  size_t count = 0;
  upb_StringView *features = envoy_config_core_v3_Node_mutable_client_features(node, &count);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    bool of_ads = gxds_str_equal(gxds_str_of(features[i].data, features[i].size),
                                 gxds_str_z(GXDS_FEATURE_OF_ADS));
    if (!of_ads) features[kept++] = features[i];
  }
  if (kept < count) envoy_config_core_v3_Node_resize_client_features(node, kept, a->arena);
}

static void set_node(const assembly *a, const gxds_client *c) {
  gxds_str bytes = c->bootstrap->node;
  envoy_config_core_v3_Node *node =
      envoy_config_core_v3_Node_parse(bytes.data, bytes.size, a->arena);
  GXDS_CHECK(node != NULL); /* the bootstrap serialized it itself */
  leave_out_feature_of_ads(a, node);
  envoy_service_status_v3_ClientConfig_set_node(a->config, node);
}

static void add_host_config(const assembly *a, gxds_str bytes, bool with_node) {
  config_message *host =
      envoy_service_status_v3_ClientConfig_parse(bytes.data, bytes.size, a->arena);
  if (!host) return;
  if (with_node && envoy_service_status_v3_ClientConfig_has_node(host)) {
    envoy_service_status_v3_ClientConfig_set_node(
        a->config, envoy_service_status_v3_ClientConfig_mutable_node(host, a->arena));
  }
  size_t added = 0;
  size_t before = 0;
  entry_message **from =
      envoy_service_status_v3_ClientConfig_mutable_generic_xds_configs(host, &added);
  envoy_service_status_v3_ClientConfig_generic_xds_configs(a->config, &before);
  if (added == 0) return;
  entry_message **to = envoy_service_status_v3_ClientConfig_resize_generic_xds_configs(
      a->config, before + added, a->arena);
  GXDS_CHECK(to != NULL);
  memcpy((void *)(to + before), (void *)from, added * sizeof *to);
}

void gxds_status_source_each(const gxds_status_source *source,
                             void (*fn)(void *arg, const gxds_resource_info *), void *arg) {
  if (source->watches) {
    gxds_client_each_watched(source->client, source->watches, source->watch_count, fn, arg);
  } else {
    gxds_client_each_resource(source->client, fn, arg);
  }
}

gxds_str gxds_client_status_merge(const gxds_status_source *sources, size_t count,
                                  gxds_str host_config, int64_t epoch) {
  assembly a = begin(epoch);
  if (count > 0) set_node(&a, sources[0].client);
  for (size_t i = 0; i < count; i++) {
    gxds_status_source_each(&sources[i], add_resource, &a);
  }
  if (host_config.size > 0) add_host_config(&a, host_config, count == 0);
  return finish(&a);
}

/* Field numbers, written by hand, because the host's tables lack client_scope. */
enum { kResponseConfig = 1, kConfigScope = 4 };

static void add_field(gxds_text *out, unsigned number, gxds_str value) {
  char head[12] = {(char)(number << 3 | 2 /* wire type: a length, and that many bytes */)};
  size_t size = 1;
  for (size_t rest = value.size; size == 1 || rest > 0; rest >>= 7) {
    head[size++] = (char)((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
  }
  gxds_text_add(out, gxds_str_of(head, size));
  gxds_text_add(out, value);
}

gxds_str gxds_client_status_each(const gxds_status_source *sources, size_t count, int64_t epoch) {
  gxds_text out = {0};
  for (size_t i = 0; i < count; i++) {
    gxds_text config = {0};
    gxds_str fields = gxds_client_status_merge(&sources[i], 1, gxds_str_of(NULL, 0), epoch);
    gxds_text_add(&config, fields);
    if (sources[i].scope.size) add_field(&config, kConfigScope, sources[i].scope);
    add_field(&out, kResponseConfig, gxds_text_str(&config));
    gxds_text_fini(&config);
    gxds_str_free(&fields);
  }
  return gxds_text_take(&out);
}
