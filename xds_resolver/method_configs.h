/* gxds_method_configs: what the host does with the RPCs of routes besides sending them to a
 * cluster: limits their time (A31), tries them again (A44), takes them through HTTP filters (A39).
 * The host reads it as a service config with one method config for all methods; this is the set of
 * the texts of those, each once, so that routes which want the same share one.
 *
 * Filled by one thread, immutable afterwards: any thread. */
#ifndef GRPC_XDS_XDS_RESOLVER_METHOD_CONFIGS_H_
#define GRPC_XDS_XDS_RESOLVER_METHOD_CONFIGS_H_

#include "base/time.h"
#include "resources/http_filters.h"
#include "resources/retry_policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The number of none. */
#define GXDS_NO_METHOD_CONFIG SIZE_MAX

/* The contents of one method config. All of it is borrowed: valid during the call. */
typedef struct gxds_method_config {
  gxds_duration timeout;                 /* 0: no limit; less than a millisecond counts as one */
  const gxds_retry_policy *retry_policy; /* NULL: none */
  const gxds_http_filter *filters;       /* the listener's, in order */
  size_t filter_count;
  /* A39: the most specific first: weighted cluster, route, virtual host. */
  const gxds_http_filter_overrides *overrides[3];
} gxds_method_config;

typedef struct gxds_method_configs gxds_method_configs;

gxds_method_configs *gxds_method_configs_create(void);
void gxds_method_configs_destroy(gxds_method_configs *m); /* NULL is allowed */

/* The number of the text for c, which is added if it is new; GXDS_NO_METHOD_CONFIG if c sets
 * nothing. */
size_t gxds_method_configs_add(gxds_method_configs *m, const gxds_method_config *c);

/* Numbers are below this. */
size_t gxds_method_configs_count(const gxds_method_configs *m);
/* The JSON of a service config. Borrowed: valid as long as m. */
gxds_str gxds_method_configs_text(const gxds_method_configs *m, size_t number);
/* Its timeout, in whole milliseconds; 0: none. */
gxds_duration gxds_method_configs_timeout(const gxds_method_configs *m, size_t number);
/* The number of a text; GXDS_NO_METHOD_CONFIG if there is none. */
size_t gxds_method_configs_find(const gxds_method_configs *m, gxds_str text);

#ifdef __cplusplus
}
#endif

#endif
