/* gxds_selector: chooses where an RPC goes (A31's ConfigSelector): the routes of one snapshot, with
 * a hold on each of their clusters. Immutable, counted by reference: any thread; takes no lock and
 * allocates nothing per RPC. It holds nothing else of the snapshot. */
#ifndef GRPC_XDS_XDS_RESOLVER_SELECTOR_H_
#define GRPC_XDS_XDS_RESOLVER_SELECTOR_H_

#include "xds_resolver/cluster_ref.h"
#include "xds_resolver/route_table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_selector gxds_selector;

/* What was chosen for an RPC. */
typedef struct gxds_selection {
  const char *error;         /* not NULL: the RPC fails with UNAVAILABLE and these words. Static */
  gxds_cluster_ref *cluster; /* else a hold of the RPC's own, until it is committed */
  gxds_duration timeout;     /* one of gxds_selector_timeouts(), or 0: none */
} gxds_selection;

/* References to what it needs are taken. host: borrow, as long as the selector. One reference, the
 * caller's. */
const gxds_selector *gxds_selector_create(const gxds_config *config,
                                          const gxds_cluster_set *clusters, const gxds_host *host);
const gxds_selector *gxds_selector_ref(const gxds_selector *s);
void gxds_selector_unref(const gxds_selector *s); /* NULL is allowed */
/* Whether one made of these would choose the same: costs no look at the routes. */
bool gxds_selector_fits(const gxds_selector *s, const gxds_config *config,
                        const gxds_cluster_set *clusters);

/* Ascending, each once, without 0. Borrow: as long as s. */
const gxds_duration *gxds_selector_timeouts(const gxds_selector *s, size_t *count);
gxds_selection gxds_selector_select(const gxds_selector *s, const gxds_route_request *request);

#ifdef __cplusplus
}
#endif

#endif
