#include "envoy/extensions/filters/http/rbac/v3/rbac.upb.h"
#include "envoy/extensions/filters/http/router/v3/router.upb.h"
#include "resources/http_filters_internal.h"

static void decode_router(const gxds_extension *config, bool is_override, upb_Arena *scratch,
                          gxds_errors *errors, gxds_http_filter_value *out) {
  (void)out; /* A39: gRPC ignores the fields of this message */
  if (is_override) {
    gxds_errors_add(errors, config->at, "router filter does not support config override");
  } else if (config->typed_struct ||
             !GXDS_DECODE(envoy_extensions_filters_http_router_v3_Router, config->value, scratch)) {
    gxds_errors_add(errors, config->at, "could not parse router filter config");
  }
}

/* RBAC is for servers (A41). A client does not use an override, but checks it, because a route
 * configuration may be for clients and servers (A39). */
static void decode_rbac(const gxds_extension *config, bool is_override, upb_Arena *scratch,
                        gxds_errors *errors, gxds_http_filter_value *out) {
  (void)out;
  (void)is_override;
  if (config->typed_struct ||
      !GXDS_DECODE(envoy_extensions_filters_http_rbac_v3_RBACPerRoute, config->value, scratch)) {
    gxds_errors_add(errors, config->at, "could not parse RBACPerRoute");
  }
}

static const gxds_http_filter_type filter_types[] = {
    {GXDS_HTTP_FILTER_ROUTER, "envoy.extensions.filters.http.router.v3.Router",
     "envoy.extensions.filters.http.router.v3.Router", true, true, decode_router},
    {GXDS_HTTP_FILTER_FAULT, "envoy.extensions.filters.http.fault.v3.HTTPFault",
     "envoy.extensions.filters.http.fault.v3.HTTPFault", true, false, gxds_http_fault_decode},
    {GXDS_HTTP_FILTER_RBAC, "envoy.extensions.filters.http.rbac.v3.RBAC",
     "envoy.extensions.filters.http.rbac.v3.RBACPerRoute", false, false, decode_rbac},
    {GXDS_HTTP_FILTER_STATEFUL_SESSION,
     "envoy.extensions.filters.http.stateful_session.v3.StatefulSession",
     "envoy.extensions.filters.http.stateful_session.v3.StatefulSessionPerRoute", true, false,
     gxds_http_stateful_session_decode},
};

const gxds_http_filter_type *gxds_http_filter_type_find(gxds_str message, bool is_override) {
  for (size_t i = 0; i < sizeof filter_types / sizeof filter_types[0]; i++) {
    const gxds_http_filter_type *t = &filter_types[i];
    if (gxds_str_is(message, is_override ? t->override_config : t->config)) return t;
  }
  return NULL;
}
