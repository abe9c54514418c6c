/* The resource types of a gRPC client, in the order in which they depend on each other. */
#ifndef GRPC_XDS_RESOURCES_RESOURCES_H_
#define GRPC_XDS_RESOURCES_RESOURCES_H_

#include "resources/cluster.h"
#include "resources/endpoints.h"
#include "resources/listener.h"
#include "resources/route_config.h"

#define GXDS_RESOURCE_TYPE_COUNT 4

#ifdef __cplusplus
extern "C" {
#endif

/* listener, route configuration, cluster, endpoints. Static. */
extern const gxds_resource_type *const gxds_resource_types[GXDS_RESOURCE_TYPE_COUNT];

#ifdef __cplusplus
}
#endif

#endif
