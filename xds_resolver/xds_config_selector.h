/* The ConfigSelector of an xds: channel, on top of a gxds_selector. See host/config_selector.h. */
#ifndef GRPC_XDS_XDS_RESOLVER_XDS_CONFIG_SELECTOR_H_
#define GRPC_XDS_XDS_RESOLVER_XDS_CONFIG_SELECTOR_H_

#include "host/config_selector.h"
#include "xds_resolver/selector.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a ConfigSelector, which takes its own references to config and clusters. channel is copied.
 * services is borrowed: valid until the process ends. The caller owns the returned reference. */
gxds_config_selector *gxds_xds_config_selector_create(const gxds_config *config,
                                                      const gxds_cluster_set *clusters,
                                                      const gxds_route_channel *channel,
                                                      const gxds_host *services);
/* Whether a ConfigSelector made from these arguments would make the same choices. s must come from
 * gxds_xds_config_selector_create(). */
bool gxds_xds_config_selector_fits(const gxds_config_selector *s, const gxds_config *config,
                                   const gxds_cluster_set *clusters);

#ifdef __cplusplus
}
#endif

#endif
