#include <stdlib.h>

#include "envoy/config/route/v3/route_components.upb.h"
#include "resources/http_filters_internal.h"

/* A39: an override may be wrapped in a FilterConfig, to say that a client that does not know the
 * filter may ignore it. Returns the override without its wrapper. NULL if there is nothing to
 * check. */
static const google_protobuf_Any *unwrap(const google_protobuf_Any *value, gxds_str key,
                                         const gxds_path *at, upb_Arena *scratch,
                                         gxds_errors *errors, bool *is_optional) {
  static const char type[] = "/envoy.config.route.v3.FilterConfig";
  if (!gxds_str_ends_with(gxds_pb_str(google_protobuf_Any_type_url(value)), gxds_str_z(type))) {
    return value;
  }
  const envoy_config_route_v3_FilterConfig *wrapper = GXDS_DECODE(
      envoy_config_route_v3_FilterConfig, gxds_pb_str(google_protobuf_Any_value(value)), scratch);
  if (!wrapper) {
    gxds_errors_add(errors, at, "could not parse FilterConfig wrapper for %.*s", GXDS_QUOTED(key));
    return NULL;
  }
  *is_optional = envoy_config_route_v3_FilterConfig_is_optional(wrapper);
  const google_protobuf_Any *config = envoy_config_route_v3_FilterConfig_config(wrapper);
  if (!config && !*is_optional) {
    gxds_errors_add(errors, at, "no filter config specified for filter name %.*s",
                    GXDS_QUOTED(key));
  }
  return config;
}

/* False if there is nothing to keep: the override is ignored, has an error, or is for servers. */
static bool decode_override(const gxds_http_filter_entry *in, const gxds_path *up, upb_Arena *arena,
                            upb_Arena *scratch, gxds_errors *errors,
                            gxds_http_filter_override *out) {
  if (in->name.size == 0) {
    gxds_errors_add(errors, GXDS_FIELD(up, "typed_per_filter_config"), "empty filter name in map");
    return false;
  }
  if (!gxds_str_is_utf8(in->name)) { /* the host's decoder does not check the keys of maps */
    gxds_errors_add(errors, GXDS_FIELD(up, "typed_per_filter_config"),
                    "filter name in map is not UTF-8");
    return false;
  }
  const gxds_path at = gxds_bracketed_link(up, "typed_per_filter_config", in->name, scratch);
  if (!in->value || google_protobuf_Any_type_url(in->value).size == 0) {
    gxds_errors_add(errors, &at, "no filter config specified for filter name %.*s",
                    GXDS_QUOTED(in->name));
    return false;
  }
  bool is_optional = false;
  const google_protobuf_Any *any = unwrap(in->value, in->name, &at, scratch, errors, &is_optional);
  gxds_extension config;
  if (!any || !gxds_extension_open(any, &at, scratch, errors, &config)) return false;
  const gxds_http_filter_type *type = gxds_http_filter_type_find(config.type, true);
  if (!type) {
    if (!is_optional) {
      gxds_errors_add(errors, config.at, "no filter registered for config type %.*s",
                      GXDS_QUOTED(config.type));
    }
    return false;
  }
  gxds_http_filter_value value = {0};
  type->decode(&config, true, scratch, errors, &value);
  if (type->on_clients) {
    *out = (gxds_http_filter_override){
        .name = gxds_arena_dup(arena, in->name),
        .kind = type->kind,
        .config_json = gxds_arena_dup(arena, gxds_text_str(&value.json)),
        .cookie = gxds_session_cookie_copy(&value.cookie, arena)};
  }
  gxds_text_fini(&value.json);
  return type->on_clients;
}

gxds_http_filter_overrides gxds_http_filter_overrides_decode(const gxds_http_filter_entry *entries,
                                                             size_t count, const gxds_path *at,
                                                             upb_Arena *arena, upb_Arena *scratch,
                                                             gxds_errors *errors) {
  if (count == 0) return (gxds_http_filter_overrides){NULL, 0};
  gxds_http_filter_override *items = gxds_arena_calloc(arena, count, sizeof *items);
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    if (decode_override(&entries[i], at, arena, scratch, errors, &items[used])) used++;
  }
  if (used > 1) qsort(items, used, sizeof *items, gxds_str_compare_items);
  return (gxds_http_filter_overrides){items, used};
}

const gxds_http_filter_override *gxds_http_filter_overrides_find(
    const gxds_http_filter_overrides *o, gxds_str name) {
  if (o->count == 0) return NULL;
  return bsearch(&name, o->items, o->count, sizeof *o->items, gxds_str_compare_items);
}

/* The first override with the filter's name and kind. NULL if there is none. */
static const gxds_http_filter_override *find_override(
    const gxds_http_filter *f, const gxds_http_filter_overrides *const *overrides, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const gxds_http_filter_override *o = gxds_http_filter_overrides_find(overrides[i], f->name);
    if (o && o->kind == f->kind) return o;
  }
  return NULL;
}

gxds_str gxds_http_filter_config(const gxds_http_filter *f,
                                 const gxds_http_filter_overrides *const *overrides, size_t count) {
  const gxds_http_filter_override *o = find_override(f, overrides, count);
  return o ? o->config_json : f->config_json;
}

const gxds_session_cookie *gxds_http_filters_cookie(
    const gxds_http_filter *filters, size_t filter_count,
    const gxds_http_filter_overrides *const *overrides, size_t count) {
  for (size_t i = 0; i < filter_count; i++) {
    if (filters[i].kind != GXDS_HTTP_FILTER_STATEFUL_SESSION) continue;
    const gxds_http_filter_override *o = find_override(&filters[i], overrides, count);
    const gxds_session_cookie *cookie = o ? &o->cookie : &filters[i].cookie;
    if (cookie->name.size > 0) return cookie;
  }
  return NULL;
}
