/* gxds_method_configs: the method configs of routes. From them the host knows how to limit an RPC's
 * time (A31), how to retry it (A44), and how to configure its HTTP filters (A39). The host reads
 * each of them as JSON text: a service config with one method config for all methods. This object
 * is the set of these texts, without duplicates, so that routes with equal configs share one.
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

/* Stands for "no method config". */
#define GXDS_NO_METHOD_CONFIG SIZE_MAX

/* The contents of one method config. All of it is borrowed: valid during the call. */
typedef struct gxds_method_config {
  gxds_duration timeout; /* 0 means no limit; less than a millisecond counts as a millisecond */
  const gxds_retry_policy *retry_policy; /* NULL if there is none */
  const gxds_http_filter *filters;       /* the listener's filters, in order */
  size_t filter_count;
  /* A39: the overrides of the weighted cluster, the route and the virtual host: the most specific
   * first. */
  const gxds_http_filter_overrides *overrides[3];
} gxds_method_config;

typedef struct gxds_method_configs gxds_method_configs;

gxds_method_configs *gxds_method_configs_create(void);
void gxds_method_configs_destroy(gxds_method_configs *m); /* m may be NULL */

/* Adds the text for c, if it is new, and returns its number. GXDS_NO_METHOD_CONFIG if c sets
 * nothing. */
size_t gxds_method_configs_add(gxds_method_configs *m, const gxds_method_config *c);

/* How many texts there are; numbers are below it. */
size_t gxds_method_configs_count(const gxds_method_configs *m);
/* The text of that number: the JSON of a service config. Borrowed: valid as long as m. */
gxds_str gxds_method_configs_text(const gxds_method_configs *m, size_t number);
/* The timeout of the method config of that number, rounded to whole milliseconds; 0 means none. */
gxds_duration gxds_method_configs_timeout(const gxds_method_configs *m, size_t number);
/* The number of a text; GXDS_NO_METHOD_CONFIG if the set does not have it. */
size_t gxds_method_configs_find(const gxds_method_configs *m, gxds_str text);

#ifdef __cplusplus
}
#endif

#endif
