#include "resources/route_config.h"

#include "envoy/config/route/v3/route.upb.h"
#include "envoy/config/route/v3/route_components.upb.h"
#include "resources/http_filters_internal.h"
#include "resources/route_config_internal.h"

typedef envoy_config_route_v3_VirtualHost host_message;
typedef envoy_config_route_v3_Route route_message;

static void check_route_filters(const gxds_route_decoder *d, const route_message *in,
                                const gxds_path *at) {
  size_t at_entry = kUpb_Map_Begin;
  const envoy_config_route_v3_Route_TypedPerFilterConfigEntry *e = NULL;
  while ((e = envoy_config_route_v3_Route_typed_per_filter_config_next(in, &at_entry))) {
    gxds_http_filter_override_check(
        gxds_pb_str(envoy_config_route_v3_Route_TypedPerFilterConfigEntry_key(e)),
        envoy_config_route_v3_Route_TypedPerFilterConfigEntry_value(e), at, d->scratch, d->errors);
  }
}

static void check_host_filters(const gxds_route_decoder *d, const host_message *in,
                               const gxds_path *at) {
  size_t at_entry = kUpb_Map_Begin;
  const envoy_config_route_v3_VirtualHost_TypedPerFilterConfigEntry *e = NULL;
  while ((e = envoy_config_route_v3_VirtualHost_typed_per_filter_config_next(in, &at_entry))) {
    gxds_http_filter_override_check(
        gxds_pb_str(envoy_config_route_v3_VirtualHost_TypedPerFilterConfigEntry_key(e)),
        envoy_config_route_v3_VirtualHost_TypedPerFilterConfigEntry_value(e), at, d->scratch,
        d->errors);
  }
}

static gxds_route_use decode_route(const gxds_route_decoder *d, const route_message *in,
                                   const gxds_path *at, gxds_route *out) {
  *out = (gxds_route){.fraction_per_million = -1, .max_stream_duration = -1};
  const gxds_path *at_match = GXDS_FIELD(at, "match");
  const envoy_config_route_v3_RouteMatch *match = envoy_config_route_v3_Route_match(in);
  if (!match) {
    gxds_errors_add(d->errors, at_match, "Match can't be null.");
  } else if (gxds_route_match_decode(d, match, at_match, out) == GXDS_ROUTE_SKIP) {
    return GXDS_ROUTE_SKIP;
  }
  const envoy_config_route_v3_RouteAction *action = envoy_config_route_v3_Route_route(in);
  if (action) {
    out->action = GXDS_ROUTE_CLUSTERS;
    if (gxds_route_action_decode(d, action, GXDS_FIELD(at, "route"), out) == GXDS_ROUTE_SKIP) {
      return GXDS_ROUTE_SKIP;
    }
  } else if (envoy_config_route_v3_Route_has_non_forwarding_action(in)) {
    out->action = GXDS_ROUTE_NON_FORWARDING;
  } else {
    out->action = GXDS_ROUTE_UNSUPPORTED;
  }
  check_route_filters(d, in, at);
  return GXDS_ROUTE_KEEP;
}

static void decode_domains(const gxds_route_decoder *d, const host_message *in, const gxds_path *at,
                           gxds_virtual_host *out) {
  size_t count = 0;
  const upb_StringView *domains = envoy_config_route_v3_VirtualHost_domains(in, &count);
  gxds_str *copies = gxds_arena_calloc(d->arena, count, sizeof *copies);
  for (size_t i = 0; i < count; i++) {
    gxds_str pattern = gxds_pb_str(domains[i]);
    if (!gxds_domain_is_valid(pattern)) {
      gxds_errors_add(d->errors, GXDS_ITEM(at, "domains", i), "Invalid domain pattern \"%.*s\".",
                      GXDS_QUOTED(pattern));
    }
    copies[i] = gxds_arena_dup(d->arena, pattern);
  }
  if (count == 0) {
    gxds_errors_add(d->errors, GXDS_FIELD(at, "domains"), "VirtualHost has no domains");
  }
  out->domains = copies;
  out->domain_count = count;
}

static void decode_host(const gxds_route_decoder *d, const host_message *in, const gxds_path *at,
                        gxds_virtual_host *out) {
  decode_domains(d, in, at, out);
  check_host_filters(d, in, at);
  size_t count = 0;
  const route_message *const *list = envoy_config_route_v3_VirtualHost_routes(in, &count);
  gxds_route *routes = gxds_arena_calloc(d->arena, count, sizeof *routes);
  size_t before = d->errors->count;
  for (size_t i = 0; i < count; i++) {
    gxds_route *route = &routes[out->route_count];
    if (decode_route(d, list[i], GXDS_ITEM(at, "routes", i), route) == GXDS_ROUTE_KEEP) {
      out->route_count++;
    }
  }
  out->routes = routes;
  if (out->route_count == 0 && d->errors->count == before) {
    gxds_errors_add(d->errors, GXDS_FIELD(at, "routes"), "%s",
                    count ? "No valid routes specified." : "No route found in the virtual host.");
  }
}

static gxds_route_config *create(gxds_str name) {
  upb_Arena *arena = gxds_arena_create();
  gxds_route_config *rc = gxds_arena_calloc(arena, 1, sizeof *rc);
  gxds_ref_init(&rc->base.refs);
  rc->base.type = &gxds_route_config_type;
  rc->arena = arena;
  rc->name = gxds_arena_dup(arena, name);
  return rc;
}

const gxds_route_config *gxds_route_config_build(const gxds_decode_context *context,
                                                 const envoy_config_route_v3_RouteConfiguration *in,
                                                 const gxds_path *at, upb_Arena *scratch,
                                                 gxds_errors *errors) {
  size_t before = errors->count;
  gxds_route_config *rc = create(gxds_pb_str(envoy_config_route_v3_RouteConfiguration_name(in)));
  gxds_route_decoder d = {
      .host = context->host, .arena = rc->arena, .scratch = scratch, .errors = errors};
  const host_message *const *list =
      envoy_config_route_v3_RouteConfiguration_virtual_hosts(in, &rc->virtual_host_count);
  gxds_virtual_host *hosts = gxds_arena_calloc(rc->arena, rc->virtual_host_count, sizeof *hosts);
  for (size_t i = 0; i < rc->virtual_host_count; i++) {
    decode_host(&d, list[i], GXDS_ITEM(at, "virtual_hosts", i), &hosts[i]);
  }
  rc->virtual_hosts = hosts;
  if (errors->count == before) return rc;
  gxds_resource_unref(&rc->base);
  return NULL;
}

static gxds_status decode(const gxds_decode_context *context, gxds_str bytes, gxds_decoded *out) {
  *out = (gxds_decoded){0};
  upb_Arena *scratch = gxds_arena_create();
  const envoy_config_route_v3_RouteConfiguration *in =
      GXDS_DECODE(envoy_config_route_v3_RouteConfiguration, bytes, scratch);
  if (!in) {
    upb_Arena_Free(scratch);
    return gxds_resource_unparsable("RouteConfiguration");
  }
  out->name = gxds_str_dup(gxds_pb_str(envoy_config_route_v3_RouteConfiguration_name(in)));
  gxds_errors errors = {0};
  const gxds_route_config *rc = gxds_route_config_build(context, in, NULL, scratch, &errors);
  if (rc) out->resource = &rc->base;
  gxds_status status = gxds_errors_status(&errors, "errors validating RouteConfiguration resource");
  gxds_errors_fini(&errors);
  upb_Arena_Free(scratch);
  return status;
}

static void destroy(gxds_resource *resource) {
  upb_Arena_Free(((gxds_route_config *)resource)->arena);
}

const gxds_resource_type gxds_route_config_type = {
    .type_url = "type.googleapis.com/envoy.config.route.v3.RouteConfiguration",
    .v2_type_url = "type.googleapis.com/envoy.api.v2.RouteConfiguration",
    .short_name = "RDS",
    .all_resources_required_in_sotw = false,
    .decode = decode,
    .destroy = destroy,
};
