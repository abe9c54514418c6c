/* The resolver of xds: targets, in the form that a host uses: see host/resolver.h. */
#ifndef GRPC_XDS_XDS_RESOLVER_XDS_RESOLVER_H_
#define GRPC_XDS_XDS_RESOLVER_XDS_RESOLVER_H_

#include "host/resolver.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const gxds_resolver_type gxds_xds_resolver;

#ifdef __cplusplus
}
#endif

#endif
