#include "resources/route_config.h"

#include "base/wire.h"
#include "envoy/config/route/v3/route.upb.h"
#include "envoy/config/route/v3/route_components.upb.h"
#include "resources/lb_metadata_internal.h"
#include "resources/route_config_internal.h"

/* The field of a RouteConfiguration that holds its virtual hosts. */
enum { kVirtualHosts = 2 };

/* A virtual host of the message that is being decoded. */
typedef struct part {
  gxds_str bytes;
  gxds_virtual_host_print print;
  const gxds_virtual_host *same; /* the equal virtual host of the previous resource, or NULL */
  const envoy_config_route_v3_VirtualHost *message; /* if same is NULL: the parsed bytes */
} part;

typedef struct parts {
  part *items;
  size_t count;
  gxds_str remainder; /* all fields except the virtual hosts */
} parts;

/* Splits the message before it is decoded, so that only the virtual hosts that changed are decoded.
 * False if the bytes are not a message. */
static bool split(gxds_str bytes, upb_Arena *scratch, parts *out) {
  if (!gxds_wire_is_whole(bytes)) return false;
  gxds_wire_field field;
  size_t rest_size = 0;
  for (gxds_str rest = bytes; gxds_wire_next(&rest, &field);) {
    if (field.number == kVirtualHosts && field.has_size) {
      out->count++;
    } else {
      rest_size += field.whole.size;
    }
  }
  out->items = gxds_arena_calloc(scratch, out->count, sizeof *out->items);
  char *remainder = gxds_arena_calloc(scratch, rest_size, 1);
  size_t item = 0;
  size_t at = 0;
  for (gxds_str rest = bytes; gxds_wire_next(&rest, &field);) {
    if (field.number == kVirtualHosts && field.has_size) {
      out->items[item++].bytes = field.value;
    } else {
      memcpy(remainder + at, field.whole.data, field.whole.size);
      at += field.whole.size;
    }
  }
  out->remainder = gxds_str_of(remainder, rest_size);
  return true;
}

/* Finds the virtual hosts that the previous resource already has, and parses the others. False if
 * one can't be parsed. */
static bool parse_parts(parts *p, const gxds_route_config *previous,
                        const gxds_decode_context *context, upb_Arena *scratch) {
  gxds_virtual_host_finder finder = {.previous = previous,
                                     .trusted = gxds_host_rewrites_are_trusted(context),
                                     .subsets = gxds_lb_subsets_are_on(context),
                                     .scratch = scratch};
  if (previous) finder.same_remainder = gxds_str_equal(previous->remainder, p->remainder);
  for (size_t i = 0; i < p->count; i++) {
    part *item = &p->items[i];
    item->print = gxds_virtual_host_print_of(item->bytes);
    item->same = gxds_virtual_host_finder_find(&finder, &item->print);
    if (item->same) continue;
    item->message = GXDS_DECODE(envoy_config_route_v3_VirtualHost, item->bytes, scratch);
    if (!item->message) return false;
  }
  return true;
}

static bool is_unchanged(const parts *p, const gxds_route_config *previous) {
  if (!previous || previous->virtual_host_count != p->count ||
      !gxds_str_equal(previous->remainder, p->remainder)) {
    return false;
  }
  for (size_t i = 0; i < p->count; i++) {
    if (!p->items[i].same || p->items[i].same->body != previous->virtual_hosts[i].body)
      return false;
  }
  return true;
}

static gxds_route_config *create(gxds_str name, gxds_str remainder) {
  upb_Arena *arena = gxds_arena_create();
  gxds_route_config *rc = gxds_arena_calloc(arena, 1, sizeof *rc);
  gxds_ref_init(&rc->base.refs);
  rc->base.type = &gxds_route_config_type;
  rc->arena = arena;
  rc->name = gxds_arena_dup(arena, name);
  rc->remainder = gxds_arena_dup(arena, remainder);
  return rc;
}

static const gxds_route_config *validate(const gxds_route_config_input *in, const parts *p,
                                         const envoy_config_route_v3_RouteConfiguration *message) {
  const gxds_host *host = in->context->host;
  size_t before = in->errors->count;
  gxds_cluster_specifiers specifiers =
      gxds_cluster_specifiers_decode(host, message, in->at, in->scratch, in->errors);
  gxds_route_config *rc =
      create(gxds_pb_str(envoy_config_route_v3_RouteConfiguration_name(message)), p->remainder);
  gxds_virtual_host *hosts = gxds_arena_calloc(rc->arena, p->count, sizeof *hosts);
  rc->virtual_hosts = hosts;
  for (; rc->virtual_host_count < p->count; rc->virtual_host_count++) {
    size_t i = rc->virtual_host_count;
    const part *item = &p->items[i];
    if (item->same) {
      gxds_ref_inc(&item->same->body->refs);
      hosts[i] = *item->same;
      continue;
    }
    gxds_virtual_host_body *body = gxds_virtual_host_body_create(&item->print);
    gxds_route_decoder d = {.host = host,
                            .arena = body->arena,
                            .scratch = in->scratch,
                            .errors = in->errors,
                            .specifiers = &specifiers,
                            .trusted = gxds_host_rewrites_are_trusted(in->context),
                            .subsets = gxds_lb_subsets_are_on(in->context)};
    gxds_virtual_host_decode(&d, item->message, GXDS_ITEM(in->at, "virtual_hosts", i), body);
    hosts[i] = body->view;
  }
  if (in->errors->count == before) return rc;
  gxds_resource_unref(&rc->base);
  return NULL;
}

gxds_route_config_outcome gxds_route_config_build(const gxds_route_config_input *in, gxds_str *name,
                                                  const gxds_route_config **out) {
  *out = NULL;
  *name = gxds_str_of(NULL, 0);
  parts p = {0};
  if (!split(in->bytes, in->scratch, &p)) return GXDS_ROUTE_CONFIG_UNPARSABLE;
  const envoy_config_route_v3_RouteConfiguration *message =
      GXDS_DECODE(envoy_config_route_v3_RouteConfiguration, p.remainder, in->scratch);
  if (!message) return GXDS_ROUTE_CONFIG_UNPARSABLE;
  gxds_str its_name = gxds_pb_str(envoy_config_route_v3_RouteConfiguration_name(message));
  const gxds_route_config *previous = in->previous(in->context, its_name);
  if (!parse_parts(&p, previous, in->context, in->scratch)) return GXDS_ROUTE_CONFIG_UNPARSABLE;
  *name = its_name;
  if (is_unchanged(&p, previous)) {
    gxds_resource_ref(&previous->base);
    *out = previous;
  } else {
    *out = validate(in, &p, message);
  }
  return *out ? GXDS_ROUTE_CONFIG_OK : GXDS_ROUTE_CONFIG_INVALID;
}

static const gxds_route_config *previous_of(const gxds_decode_context *context, gxds_str name) {
  if (!context->previous) return NULL;
  return (const gxds_route_config *)context->previous(context->previous_arg, name);
}

static gxds_status decode(const gxds_decode_context *context, gxds_str bytes, gxds_decoded *out) {
  *out = (gxds_decoded){0};
  upb_Arena *scratch = gxds_arena_create();
  gxds_errors errors = {0};
  const gxds_route_config_input in = {.context = context,
                                      .bytes = bytes,
                                      .previous = previous_of,
                                      .scratch = scratch,
                                      .errors = &errors};
  gxds_str name;
  const gxds_route_config *rc = NULL;
  gxds_status status;
  if (gxds_route_config_build(&in, &name, &rc) == GXDS_ROUTE_CONFIG_UNPARSABLE) {
    status = gxds_resource_unparsable("RouteConfiguration");
  } else {
    out->name = gxds_str_dup(name);
    status = gxds_errors_status(&errors, "errors validating RouteConfiguration resource");
    if (rc) out->resource = &rc->base;
  }
  out->errors = errors;
  upb_Arena_Free(scratch);
  return status;
}

static void destroy(gxds_resource *resource) {
  gxds_route_config *rc = (gxds_route_config *)resource;
  for (size_t i = 0; i < rc->virtual_host_count; i++) {
    gxds_virtual_host_body_unref(rc->virtual_hosts[i].body);
  }
  upb_Arena_Free(rc->arena);
}

const gxds_resource_type gxds_route_config_type = {
    .type_url = "type.googleapis.com/envoy.config.route.v3.RouteConfiguration",
    .v2_type_url = "type.googleapis.com/envoy.api.v2.RouteConfiguration",
    .short_name = "RDS",
    .all_resources_required_in_sotw = false,
    .decode = decode,
    .destroy = destroy,
};
