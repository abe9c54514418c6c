/* HTTP filters (A39): the filters of a listener, and their overrides in virtual hosts, routes and
 * weighted clusters. Parts of resources: immutable, borrowed as long as their resource. Any thread.
 */
#ifndef GRPC_XDS_RESOURCES_HTTP_FILTERS_H_
#define GRPC_XDS_RESOURCES_HTTP_FILTERS_H_

#include "base/status.h"
#include "resources/session_cookie.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_http_filter_kind {
  GXDS_HTTP_FILTER_ROUTER, /* always the last one */
  GXDS_HTTP_FILTER_FAULT,
  GXDS_HTTP_FILTER_RBAC,             /* only for servers; never in a listener for clients */
  GXDS_HTTP_FILTER_STATEFUL_SESSION, /* A55 */
} gxds_http_filter_kind;

/* The most filters of a listener. Real listeners have a handful; names are compared one by one. */
#define GXDS_HTTP_FILTERS_MAX 256u

typedef struct gxds_http_filter {
  gxds_str name; /* the name by which routes override its config; unique */
  gxds_http_filter_kind kind;
  /* FAULT: the object that the host's filter reads as an item of "faultInjectionPolicy" in a method
   * config (A33). STATEFUL_SESSION: the cookie as text, to be shown. ROUTER: empty. */
  gxds_str config_json;
  gxds_session_cookie cookie; /* STATEFUL_SESSION */
} gxds_http_filter;

/* A33: the headers by which an RPC requests its abort, if the filter has header_abort: with a gRPC
 * code, or with an HTTP status; and the header that sets the percentage of its aborts. */
#define GXDS_ABORT_CODE_HEADER "x-envoy-fault-abort-grpc-request"
#define GXDS_ABORT_HTTP_STATUS_HEADER "x-envoy-fault-abort-request"
#define GXDS_ABORT_PERCENTAGE_HEADER "x-envoy-fault-abort-request-percentage"
/* A33: the code that an abort with an HTTP status ends an RPC with. It is gRPC's common mapping, in
 * which 200 without a grpc-status is UNKNOWN. */
gxds_code gxds_http_fault_code(uint32_t http_status);

/* Whether two lists have the same filters, with the same configs, in the same order. */
bool gxds_http_filters_equal(const gxds_http_filter *a, size_t a_count, const gxds_http_filter *b,
                             size_t b_count);

/* A config that replaces the listener's. */
typedef struct gxds_http_filter_override {
  /* The filter's name; the listener may not have that filter. First: overrides are sorted by it. */
  gxds_str name;
  gxds_http_filter_kind kind;
  gxds_str config_json; /* this and the next fields are as in gxds_http_filter */
  gxds_session_cookie cookie;
} gxds_http_filter_override;

/* The typed_per_filter_config of one message. */
typedef struct gxds_http_filter_overrides {
  const gxds_http_filter_override *items; /* sorted by name; names are unique */
  size_t count;
} gxds_http_filter_overrides;

/* The override for the filter of that name; NULL if there is none. Borrowed: valid as long as o. */
const gxds_http_filter_override *gxds_http_filter_overrides_find(
    const gxds_http_filter_overrides *o, gxds_str name);

/* The config that applies for a filter of the listener (A39): the config of the first override for
 * the filter's name and kind, or else the filter's own config. The caller lists the most specific
 * override first: weighted cluster, route, virtual host. Borrowed: valid as long as f and the
 * overrides. */
gxds_str gxds_http_filter_config(const gxds_http_filter *f,
                                 const gxds_http_filter_overrides *const *overrides, size_t count);

/* A55: the cookie that applies to RPCs with these overrides, which are listed as above. It is the
 * cookie of the first stateful_session filter that is not disabled. NULL if the RPCs have no
 * sessions. Borrowed: valid as long as the filters and the overrides. */
const gxds_session_cookie *gxds_http_filters_cookie(
    const gxds_http_filter *filters, size_t filter_count,
    const gxds_http_filter_overrides *const *overrides, size_t count);

#ifdef __cplusplus
}
#endif

#endif
