#include "envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.upb.h"
#include "resources/http_filters_internal.h"

typedef envoy_extensions_filters_network_http_connection_manager_v3_HttpConnectionManager
    manager_message;
typedef envoy_extensions_filters_network_http_connection_manager_v3_HttpFilter filter_message;

/* The type of a filter that is used. NULL if the filter is left out, or after an error. */
static const gxds_http_filter_type *decode_config(const filter_message *in, const gxds_path *up,
                                                  upb_Arena *scratch, gxds_errors *errors,
                                                  gxds_http_filter_value *out) {
  const gxds_path *at = GXDS_FIELD(up, "typed_config");
  bool is_optional =
      envoy_extensions_filters_network_http_connection_manager_v3_HttpFilter_is_optional(in);
  const google_protobuf_Any *any =
      envoy_extensions_filters_network_http_connection_manager_v3_HttpFilter_typed_config(in);
  if (!any && is_optional) return NULL;
  gxds_extension config;
  if (!gxds_extension_open(any, at, scratch, errors, &config)) return NULL;
  const gxds_http_filter_type *type = gxds_http_filter_type_find(config.type, false);
  if (!type) {
    if (!is_optional) gxds_errors_add(errors, config.at, "unsupported filter type");
    return NULL;
  }
  if (!type->on_clients) {
    if (!is_optional) gxds_errors_add(errors, config.at, "filter is not supported on clients");
    return NULL;
  }
  type->decode(&config, false, scratch, errors, out);
  return type;
}

static gxds_str name_of(const filter_message *in) {
  return gxds_pb_str(
      envoy_extensions_filters_network_http_connection_manager_v3_HttpFilter_name(in));
}

static void check_name(const filter_message *const *list, size_t index, const gxds_path *at,
                       gxds_errors *errors) {
  gxds_str name = name_of(list[index]);
  const gxds_path *at_name = GXDS_FIELD(at, "name");
  if (name.size == 0) {
    gxds_errors_add(errors, at_name, "empty filter name");
    return;
  }
  for (size_t i = 0; i < index; i++) {
    if (!gxds_str_equal(name_of(list[i]), name)) continue;
    gxds_errors_add(errors, at_name, "duplicate HTTP filter name: %.*s", GXDS_QUOTED(name));
    return;
  }
}

/* A39: the last filter must be terminal, and no other may be. */
static void check_order(const gxds_http_filter_type *const *chain, size_t count, bool last_known,
                        const gxds_path *at, gxds_errors *errors) {
  for (size_t i = 0; i + 1 < count; i++) {
    if (!chain[i]->terminal) continue;
    gxds_errors_add(errors, at,
                    "terminal filter for config type %s must be the last filter in the chain",
                    chain[i]->config);
  }
  if (count > 0 && last_known && !chain[count - 1]->terminal) {
    gxds_errors_add(errors, at,
                    "non-terminal filter for config type %s is the last filter in the chain",
                    chain[count - 1]->config);
  }
}

void gxds_http_filters_decode(const manager_message *in, const gxds_path *at, upb_Arena *scratch,
                              gxds_errors *errors, gxds_listener *out) {
  const gxds_path *at_list = GXDS_FIELD(at, "http_filters");
  size_t before = errors->count;
  size_t count = 0;
  const filter_message *const *list =
      envoy_extensions_filters_network_http_connection_manager_v3_HttpConnectionManager_http_filters(
          in, &count);
  if (count > GXDS_HTTP_FILTERS_MAX) {
    gxds_errors_add(errors, at_list, "more than %u filters", GXDS_HTTP_FILTERS_MAX);
    return;
  }
  const gxds_http_filter_type **chain = gxds_arena_calloc(scratch, count, sizeof(void *));
  gxds_http_filter *filters = gxds_arena_calloc(out->arena, count, sizeof *filters);
  size_t used = 0;
  bool last_known = true;
  for (size_t i = 0; i < count; i++) {
    const gxds_path *at_filter = GXDS_ITEM(at, "http_filters", i);
    check_name(list, i, at_filter, errors);
    size_t before_filter = errors->count;
    gxds_http_filter_value value = {0};
    const gxds_http_filter_type *type = decode_config(list[i], at_filter, scratch, errors, &value);
    if (type || errors->count != before_filter) last_known = type != NULL;
    if (type) {
      filters[used] =
          (gxds_http_filter){.name = gxds_arena_dup(out->arena, name_of(list[i])),
                             .kind = type->kind,
                             .config_json = gxds_arena_dup(out->arena, gxds_text_str(&value.json)),
                             .cookie = gxds_session_cookie_copy(&value.cookie, out->arena)};
      out->has_sessions |= type->kind == GXDS_HTTP_FILTER_STATEFUL_SESSION;
      chain[used++] = type;
    }
    gxds_text_fini(&value.json);
  }
  if (used == 0 && errors->count == before) {
    gxds_errors_add(errors, at_list, "expected at least one HTTP filter");
  }
  check_order(chain, used, last_known, at_list, errors);
  out->filters = filters;
  out->filter_count = used;
}

bool gxds_http_filters_equal(const gxds_http_filter *a, size_t a_count, const gxds_http_filter *b,
                             size_t b_count) {
  if (a_count != b_count) return false;
  for (size_t i = 0; i < a_count; i++) {
    if (a[i].kind != b[i].kind || !gxds_str_equal(a[i].name, b[i].name) ||
        !gxds_str_equal(a[i].config_json, b[i].config_json)) {
      return false;
    }
  }
  return true;
}
