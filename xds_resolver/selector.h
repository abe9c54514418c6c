/* gxds_selector: chooses where an RPC goes (A31's ConfigSelector): the routes of one snapshot, with
 * a hold on each of their clusters. Immutable: any thread; takes no lock and
 * allocates nothing per RPC. Of the snapshot it holds its listener and route configuration besides.
 */
#ifndef GRPC_XDS_XDS_RESOLVER_SELECTOR_H_
#define GRPC_XDS_XDS_RESOLVER_SELECTOR_H_

#include "xds_resolver/cluster_ref.h"
#include "xds_resolver/route_table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_selector gxds_selector;

/* What the selector chose for an RPC. */
typedef struct gxds_selection {
  gxds_str error; /* if not empty, the RPC fails with UNAVAILABLE and this text. Borrowed: valid as
                     long as the selector */
  gxds_cluster_ref *cluster; /* else the RPC's own hold, which ends when it is committed */
  bool has_hash;             /* A42: false: no policy gives one, and a random one is as good */
  uint64_t hash;             /* for policies that pick by it */
  size_t method_config;      /* its number, or GXDS_NO_METHOD_CONFIG */
  gxds_duration
      timeout; /* the timeout of the method config, corrected for the host's clocks so that the RPC
                  ends at the right time: in whole milliseconds, perhaps negative; 0: none */
  const gxds_host_rewrite
      *host_rewrite;                 /* A81; NULL: none. Borrowed: valid as long as the selector */
  const gxds_metadata_match *match;  /* E5; likewise */
  const gxds_session_cookie *cookie; /* A55; likewise. The request has what it says */
} gxds_selection;

/* Takes references of its own. host is borrowed: valid as long as the selector. The caller owns the
 * returned reference. */
const gxds_selector *gxds_selector_create(const gxds_config *config,
                                          const gxds_cluster_set *clusters, const gxds_host *host);
void gxds_selector_destroy(const gxds_selector *s); /* NULL is allowed */
/* Whether a selector made from these would choose the same. It does not look at the routes. */
bool gxds_selector_fits(const gxds_selector *s, const gxds_config *config,
                        const gxds_cluster_set *clusters);

/* The method configs that selections refer to by number. Borrowed: valid as long as s. */
const gxds_method_configs *gxds_selector_method_configs(const gxds_selector *s);
/* The listener's HTTP filters, through which all RPCs go (A39). Borrowed: valid as long as s. */
const gxds_http_filter *gxds_selector_filters(const gxds_selector *s, size_t *count);
gxds_selection gxds_selector_select(const gxds_selector *s, const gxds_route_request *request);

#ifdef __cplusplus
}
#endif

#endif
