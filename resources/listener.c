#include "resources/listener.h"

#include "base/wire.h"
#include "envoy/config/core/v3/config_source.upb.h"
#include "envoy/config/core/v3/protocol.upb.h"
#include "envoy/config/listener/v3/api_listener.upb.h"
#include "envoy/config/listener/v3/listener.upb.h"
#include "envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.upb.h"
#include "resources/http_filters_internal.h"
#include "resources/route_config_internal.h"

typedef envoy_extensions_filters_network_http_connection_manager_v3_HttpConnectionManager
    manager_message;
typedef envoy_extensions_filters_network_http_connection_manager_v3_Rds rds_message;

static const char manager_type[] =
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";

typedef struct decoder {
  const gxds_decode_context *context;
  upb_Arena *scratch;
  gxds_errors errors;
  gxds_listener *out;
} decoder;

static void decode_rds(decoder *d, const rds_message *rds, const gxds_path *up) {
  const gxds_path *at = GXDS_FIELD(up, "rds");
  gxds_str name = gxds_pb_str(
      envoy_extensions_filters_network_http_connection_manager_v3_Rds_route_config_name(rds));
  if (name.size == 0) {
    gxds_errors_add(&d->errors, GXDS_FIELD(at, "route_config_name"), "field not present");
  }
  d->out->rds_name = gxds_arena_dup(d->out->arena, name);
  const gxds_path *at_source = GXDS_FIELD(at, "config_source");
  const envoy_config_core_v3_ConfigSource *source =
      envoy_extensions_filters_network_http_connection_manager_v3_Rds_config_source(rds);
  if (!source) {
    gxds_errors_add(&d->errors, at_source, "field not present");
  } else if (!gxds_config_source_is_ads_or_self(source)) {
    gxds_errors_add(&d->errors, at_source, "ConfigSource does not specify ADS or SELF");
  }
}

/* The numbers of the fields of HttpConnectionManager that specify the routes. They are a oneof. */
enum { kRds = 3, kRouteConfig = 4, kScopedRoutes = 31 };

/* An HttpConnectionManager in two parts. Inline routes are decoded separately, and only where they
 * changed. */
typedef struct manager_parts {
  gxds_str remainder;
  gxds_str routes; /* if the field occurs several times, its messages are merged */
  bool has_routes;
} manager_parts;

/* Splits an HttpConnectionManager into these parts. False if the bytes are not a message. */
static bool split_manager(gxds_str bytes, upb_Arena *scratch, manager_parts *out) {
  *out = (manager_parts){.has_routes = false};
  if (!gxds_wire_is_whole(bytes)) return false;
  char *remainder = gxds_arena_calloc(scratch, bytes.size, 1);
  char *routes = gxds_arena_calloc(scratch, bytes.size, 1);
  size_t remainder_size = 0;
  size_t routes_size = 0;
  gxds_wire_field field;
  for (gxds_str rest = bytes; gxds_wire_next(&rest, &field);) {
    if (field.number == kRouteConfig && field.has_size) {
      if (field.value.size) memcpy(routes + routes_size, field.value.data, field.value.size);
      routes_size += field.value.size;
      out->has_routes = true;
      continue;
    }
    if ((field.number == kRds || field.number == kScopedRoutes) && field.has_size) {
      routes_size = 0; /* of the fields in a oneof, only the last one counts */
      out->has_routes = false;
    }
    memcpy(remainder + remainder_size, field.whole.data, field.whole.size);
    remainder_size += field.whole.size;
  }
  out->remainder = gxds_str_of(remainder, remainder_size);
  out->routes = gxds_str_of(routes, routes_size);
  return true;
}

/* The inline routes of the previous listener, whatever their name is. */
static const gxds_route_config *previous_routes(const gxds_decode_context *context, gxds_str name) {
  (void)name;
  return context->previous_arg;
}

/* False if the routes can't be parsed. */
static bool decode_inline_routes(decoder *d, gxds_str bytes, const gxds_path *at) {
  const gxds_listener *before = NULL;
  if (d->context->previous) {
    before = (const gxds_listener *)d->context->previous(d->context->previous_arg, d->out->name);
  }
  gxds_decode_context context = *d->context;
  context.previous_arg = before ? (void *)before->route_config : NULL;
  const gxds_route_config_input in = {.context = &context,
                                      .bytes = bytes,
                                      .at = GXDS_FIELD(at, "route_config"),
                                      .previous = previous_routes,
                                      .scratch = d->scratch,
                                      .errors = &d->errors};
  gxds_str name;
  return gxds_route_config_build(&in, &name, &d->out->route_config) != GXDS_ROUTE_CONFIG_UNPARSABLE;
}

static void decode_remote_routes(decoder *d, const manager_message *in, const gxds_path *at) {
  const rds_message *rds =
      envoy_extensions_filters_network_http_connection_manager_v3_HttpConnectionManager_rds(in);
  if (rds) {
    decode_rds(d, rds, at);
  } else {
    gxds_errors_add(&d->errors, at, "neither route_config nor rds fields are present");
  }
}

static void decode_manager(decoder *d, const manager_message *in, const gxds_path *at) {
  /* A41: RBAC needs the peer's address, so nothing may rewrite it. The host requires this of
   * clients too. */
  if (envoy_extensions_filters_network_http_connection_manager_v3_HttpConnectionManager_xff_num_trusted_hops(
          in) != 0) {
    gxds_errors_add(&d->errors, GXDS_FIELD(at, "xff_num_trusted_hops"), "must be zero");
  }
  size_t detections = 0;
  envoy_extensions_filters_network_http_connection_manager_v3_HttpConnectionManager_original_ip_detection_extensions(
      in, &detections);
  if (detections > 0) {
    gxds_errors_add(&d->errors, GXDS_FIELD(at, "original_ip_detection_extensions"),
                    "must be empty");
  }
  const envoy_config_core_v3_HttpProtocolOptions *options =
      envoy_extensions_filters_network_http_connection_manager_v3_HttpConnectionManager_common_http_protocol_options(
          in);
  const google_protobuf_Duration *duration =
      options ? envoy_config_core_v3_HttpProtocolOptions_max_stream_duration(options) : NULL;
  if (duration) {
    const gxds_path *at_options = GXDS_FIELD(at, "common_http_protocol_options");
    d->out->max_stream_duration =
        gxds_duration_decode(duration, GXDS_FIELD(at_options, "max_stream_duration"), &d->errors);
  }
  gxds_http_filters_decode(in, at, d->scratch, &d->errors, d->out);
}

static void decode_api_listener(decoder *d, const envoy_config_listener_v3_ApiListener *in) {
  const gxds_path *at = GXDS_FIELD(GXDS_FIELD(NULL, "api_listener"), "api_listener");
  gxds_extension extension;
  if (!gxds_extension_open(envoy_config_listener_v3_ApiListener_api_listener(in), at, d->scratch,
                           &d->errors, &extension)) {
    return;
  }
  if (!gxds_str_is(extension.type, manager_type)) {
    gxds_errors_add(&d->errors, extension.at, "unsupported filter type");
    return;
  }
  manager_parts parts;
  const manager_message *manager = NULL;
  if (!extension.typed_struct && split_manager(extension.value, d->scratch, &parts)) {
    manager = GXDS_DECODE(
        envoy_extensions_filters_network_http_connection_manager_v3_HttpConnectionManager,
        parts.remainder, d->scratch);
  }
  if (!manager || (parts.has_routes && !decode_inline_routes(d, parts.routes, extension.at))) {
    gxds_errors_add(&d->errors, extension.at, "could not parse HttpConnectionManager config");
    return;
  }
  decode_manager(d, manager, extension.at);
  if (!parts.has_routes) decode_remote_routes(d, manager, extension.at);
}

static gxds_listener *create(gxds_str name) {
  upb_Arena *arena = gxds_arena_create();
  gxds_listener *l = gxds_arena_calloc(arena, 1, sizeof *l);
  gxds_ref_init(&l->base.refs);
  l->base.type = &gxds_listener_type;
  l->arena = arena;
  l->name = gxds_arena_dup(arena, name);
  l->kind = GXDS_LISTENER_API;
  l->max_stream_duration = -1;
  return l;
}

static gxds_status validate(decoder *d, const envoy_config_listener_v3_Listener *in) {
  const envoy_config_listener_v3_ApiListener *api =
      envoy_config_listener_v3_Listener_api_listener(in);
  if (api) {
    decode_api_listener(d, api);
    return gxds_errors_status(&d->errors, "errors validating ApiListener");
  }
  if (!envoy_config_listener_v3_Listener_address(in)) {
    return gxds_status_make(GXDS_INVALID_ARGUMENT, "Listener has neither address nor ApiListener");
  }
  /* A server's listener. Its other fields are not checked here. */
  d->out->kind = GXDS_LISTENER_SOCKET;
  return gxds_status_ok();
}

static gxds_status decode(const gxds_decode_context *context, gxds_str bytes, gxds_decoded *out) {
  *out = (gxds_decoded){0};
  decoder d = {.context = context, .scratch = gxds_arena_create()};
  const envoy_config_listener_v3_Listener *in =
      GXDS_DECODE(envoy_config_listener_v3_Listener, bytes, d.scratch);
  if (!in) {
    upb_Arena_Free(d.scratch);
    return gxds_resource_unparsable("Listener");
  }
  gxds_str name = gxds_pb_str(envoy_config_listener_v3_Listener_name(in));
  out->name = gxds_str_dup(name);
  d.out = create(name);
  gxds_status status = validate(&d, in);
  if (gxds_status_is_ok(&status)) {
    out->resource = &d.out->base;
  } else {
    gxds_resource_unref(&d.out->base);
  }
  out->errors = d.errors;
  upb_Arena_Free(d.scratch);
  return status;
}

static void destroy(gxds_resource *resource) {
  gxds_listener *l = (gxds_listener *)resource;
  if (l->route_config) gxds_resource_unref(&l->route_config->base);
  upb_Arena_Free(l->arena);
}

const gxds_resource_type gxds_listener_type = {
    .type_url = "type.googleapis.com/envoy.config.listener.v3.Listener",
    .v2_type_url = "type.googleapis.com/envoy.api.v2.Listener",
    .short_name = "LDS",
    .all_resources_required_in_sotw = true,
    .decode = decode,
    .destroy = destroy,
};
