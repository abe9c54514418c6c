#include "envoy/config/route/v3/route_components.upb.h"
#include "envoy/extensions/filters/common/fault/v3/fault.upb.h"
#include "envoy/extensions/filters/http/fault/v3/fault.upb.h"
#include "envoy/extensions/filters/http/router/v3/router.upb.h"
#include "envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.upb.h"
#include "resources/http_filters_internal.h"

typedef envoy_extensions_filters_network_http_connection_manager_v3_HttpConnectionManager
    manager_message;
typedef envoy_extensions_filters_network_http_connection_manager_v3_HttpFilter filter_message;

/* Checks the config of a filter, in a listener or as an override. */
typedef void config_check(const gxds_extension *config, bool is_override, upb_Arena *scratch,
                          gxds_errors *errors);

static void check_router(const gxds_extension *config, bool is_override, upb_Arena *scratch,
                         gxds_errors *errors) {
  if (is_override) {
    gxds_errors_add(errors, config->at, "router filter does not support config override");
  } else if (config->typed_struct ||
             !GXDS_DECODE(envoy_extensions_filters_http_router_v3_Router, config->value, scratch)) {
    gxds_errors_add(errors, config->at, "could not parse router filter config");
  }
}

static void check_fault(const gxds_extension *config, bool is_override, upb_Arena *scratch,
                        gxds_errors *errors) {
  (void)is_override; /* the same message in both places */
  const envoy_extensions_filters_http_fault_v3_HTTPFault *fault = NULL;
  if (!config->typed_struct) {
    fault = GXDS_DECODE(envoy_extensions_filters_http_fault_v3_HTTPFault, config->value, scratch);
  }
  if (!fault) {
    gxds_errors_add(errors, config->at, "could not parse fault injection filter config");
    return;
  }
  const envoy_extensions_filters_http_fault_v3_FaultAbort *abort_fault =
      envoy_extensions_filters_http_fault_v3_HTTPFault_abort(fault);
  uint32_t code =
      abort_fault ? envoy_extensions_filters_http_fault_v3_FaultAbort_grpc_status(abort_fault) : 0;
  if (code > 16) { /* UNAUTHENTICATED is the last one */
    gxds_errors_add(errors, GXDS_FIELD(GXDS_FIELD(config->at, "abort"), "grpc_status"),
                    "invalid gRPC status code: %d", (int)code);
  }
  const envoy_extensions_filters_common_fault_v3_FaultDelay *delay =
      envoy_extensions_filters_http_fault_v3_HTTPFault_delay(fault);
  const google_protobuf_Duration *fixed =
      delay ? envoy_extensions_filters_common_fault_v3_FaultDelay_fixed_delay(delay) : NULL;
  if (fixed) {
    gxds_duration_decode(fixed, GXDS_FIELD(GXDS_FIELD(config->at, "delay"), "fixed_delay"), errors);
  }
}

/* RBAC is for servers: a client refuses it in a listener and has no use for an override. */
static void check_nothing(const gxds_extension *config, bool is_override, upb_Arena *scratch,
                          gxds_errors *errors) {
  (void)config;
  (void)is_override;
  (void)scratch;
  (void)errors;
}

typedef struct filter_type {
  gxds_http_filter_kind kind;
  const char *config;   /* the type of its message */
  const char *override; /* of the one in a typed_per_filter_config; NULL: the same */
  bool on_clients;
  bool terminal;
  config_check *check;
} filter_type;

static const filter_type filter_types[] = {
    {GXDS_HTTP_FILTER_ROUTER, "envoy.extensions.filters.http.router.v3.Router", NULL, true, true,
     check_router},
    {GXDS_HTTP_FILTER_FAULT, "envoy.extensions.filters.http.fault.v3.HTTPFault", NULL, true, false,
     check_fault},
    {GXDS_HTTP_FILTER_RBAC, "envoy.extensions.filters.http.rbac.v3.RBAC",
     "envoy.extensions.filters.http.rbac.v3.RBACPerRoute", false, false, check_nothing},
};

static const filter_type *find_type(gxds_str name) {
  for (size_t i = 0; i < sizeof filter_types / sizeof filter_types[0]; i++) {
    const filter_type *t = &filter_types[i];
    if (gxds_str_is(name, t->config) || (t->override && gxds_str_is(name, t->override))) return t;
  }
  return NULL;
}

/* The type of a filter that is to be used; NULL: it is left out, or there is an error. */
static const filter_type *check_filter(const filter_message *in, const gxds_path *up,
                                       upb_Arena *scratch, gxds_errors *errors) {
  const gxds_path *at = GXDS_FIELD(up, "typed_config");
  bool is_optional =
      envoy_extensions_filters_network_http_connection_manager_v3_HttpFilter_is_optional(in);
  const google_protobuf_Any *any =
      envoy_extensions_filters_network_http_connection_manager_v3_HttpFilter_typed_config(in);
  if (!any && is_optional) return NULL;
  gxds_extension config;
  if (!gxds_extension_open(any, at, scratch, errors, &config)) return NULL;
  const filter_type *type = find_type(config.type);
  if (!type) {
    if (!is_optional) gxds_errors_add(errors, config.at, "unsupported filter type");
    return NULL;
  }
  if (!type->on_clients) {
    if (!is_optional) gxds_errors_add(errors, config.at, "filter is not supported on clients");
    return NULL;
  }
  type->check(&config, false, scratch, errors);
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

/* A39: the last filter, and only that, is terminal. */
static void check_order(const filter_type *const *chain, size_t count, bool last_known,
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
  const filter_type **chain = gxds_arena_calloc(scratch, count, sizeof(void *));
  gxds_http_filter *filters = gxds_arena_calloc(out->arena, count, sizeof *filters);
  size_t used = 0;
  bool last_known = true;
  for (size_t i = 0; i < count; i++) {
    const gxds_path *at_filter = GXDS_ITEM(at, "http_filters", i);
    check_name(list, i, at_filter, errors);
    size_t before_filter = errors->count;
    const filter_type *type = check_filter(list[i], at_filter, scratch, errors);
    if (type || errors->count != before_filter) last_known = type != NULL;
    if (!type) continue;
    filters[used] = (gxds_http_filter){.name = gxds_arena_dup(out->arena, name_of(list[i])),
                                       .kind = type->kind};
    chain[used++] = type;
  }
  if (used == 0 && errors->count == before) {
    gxds_errors_add(errors, at_list, "expected at least one HTTP filter");
  }
  check_order(chain, used, last_known, at_list, errors);
  out->filters = filters;
  out->filter_count = used;
}

/* A39: an override may be wrapped, to say that who does not know it may ignore it. NULL: nothing to
 * check. */
static const google_protobuf_Any *unwrap(const google_protobuf_Any *value, gxds_str key,
                                         const gxds_path *at, upb_Arena *scratch,
                                         gxds_errors *errors, bool *is_optional) {
  if (!gxds_str_is(gxds_pb_str(google_protobuf_Any_type_url(value)),
                   "type.googleapis.com/envoy.config.route.v3.FilterConfig")) {
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

void gxds_http_filter_override_check(gxds_str key, const google_protobuf_Any *value,
                                     const gxds_path *at, upb_Arena *scratch, gxds_errors *errors) {
  if (key.size == 0) {
    gxds_errors_add(errors, GXDS_FIELD(at, "typed_per_filter_config"), "empty filter name in map");
    return;
  }
  const gxds_path at_entry = gxds_bracketed_link(at, "typed_per_filter_config", key, scratch);
  if (!value || google_protobuf_Any_type_url(value).size == 0) {
    gxds_errors_add(errors, &at_entry, "no filter config specified for filter name %.*s",
                    GXDS_QUOTED(key));
    return;
  }
  bool is_optional = false;
  const google_protobuf_Any *config = unwrap(value, key, &at_entry, scratch, errors, &is_optional);
  gxds_extension extension;
  if (!config || !gxds_extension_open(config, &at_entry, scratch, errors, &extension)) return;
  const filter_type *type = find_type(extension.type);
  if (type) {
    type->check(&extension, true, scratch, errors);
  } else if (!is_optional) {
    gxds_errors_add(errors, extension.at, "no filter registered for config type %.*s",
                    GXDS_QUOTED(extension.type));
  }
}
