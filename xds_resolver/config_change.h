/* What a snapshot has that the one before had not, in words: for GRPC_TRACE=xds_resolver. A pure
 * function. */
#ifndef GRPC_XDS_XDS_RESOLVER_CONFIG_CHANGE_H_
#define GRPC_XDS_XDS_RESOLVER_CONFIG_CHANGE_H_

#include "base/text.h"
#include "xds_resolver/config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Clusters told by name; the rest is counted. */
#define GXDS_CHANGED_CLUSTERS_TOLD_MAX 100

/* Adds to out "listener changed, routes unchanged, clusters: +a ~b -c (3 in all)", where + is new,
 * ~ changed and - gone; an entry that is an error is followed by it in brackets. before: NULL:
 * none. Costs what differs. */
void gxds_config_describe_change(const gxds_config *before, const gxds_config *after,
                                 gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
