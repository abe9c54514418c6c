/* gxds_selector: chooses where an RPC goes (A31's ConfigSelector): the routes of one snapshot, with
 * a hold on each of their clusters. It does not keep the snapshot alive, only its listener and
 * route configuration. Immutable: any thread. Takes no lock and allocates nothing per RPC. */
#ifndef GRPC_XDS_XDS_RESOLVER_SELECTOR_H_
#define GRPC_XDS_XDS_RESOLVER_SELECTOR_H_

#include "base/status.h"
#include "xds_resolver/cluster_ref.h"
#include "xds_resolver/route_table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_selector gxds_selector;

/* The choice for one RPC. If it has a cookie, the request's session has the decoded cookie of the
 * RPC. */
typedef struct gxds_selection {
  gxds_cluster_ref *cluster; /* a hold (cluster_ref.h) that the caller owns, and releases when the
                                RPC is committed */
  bool has_hash; /* A42: false if no hash policy gives a hash; then a random hash is used */
  uint64_t hash; /* for LB policies that pick by hash */
  const gxds_route_target *target;   /* the number of its method config refers to the selector's
                                        method configs. Borrowed: valid as long as the selector */
  const gxds_session_cookie *cookie; /* A55, or NULL. Borrowed: valid as long as the selector */
  gxds_duration timeout; /* the timeout to give to the host for this RPC, in whole milliseconds; 0
                            means none. It is the method config's timeout, adjusted for the host's
                            clocks so that the RPC ends in time, and may be negative */
} gxds_selection;

/* Makes a selector, which takes its own references. host is borrowed: valid as long as the
 * selector. The caller ends it with gxds_selector_destroy(). */
const gxds_selector *gxds_selector_create(const gxds_config *config,
                                          const gxds_cluster_set *clusters, const gxds_host *host);
void gxds_selector_destroy(const gxds_selector *s); /* s may be NULL */
/* Whether a selector made from these arguments would make the same choices. Does not compare the
 * routes themselves. */
bool gxds_selector_fits(const gxds_selector *s, const gxds_config *config,
                        const gxds_cluster_set *clusters);

/* The method configs that selections refer to by number. Borrowed: valid as long as s. */
const gxds_method_configs *gxds_selector_method_configs(const gxds_selector *s);
/* The listener's HTTP filters, which all RPCs pass (A39). Borrowed: valid as long as s. */
const gxds_http_filter *gxds_selector_filters(const gxds_selector *s, size_t *count);
/* Makes the choice for one RPC, and sets *out. Returns false if the RPC must fail with UNAVAILABLE;
 * then sets *error to the message, which is borrowed: valid as long as s. */
GXDS_MUST_USE bool gxds_selector_select(const gxds_selector *s, const gxds_route_request *request,
                                        gxds_selection *out, gxds_str *error);

#ifdef __cplusplus
}
#endif

#endif
