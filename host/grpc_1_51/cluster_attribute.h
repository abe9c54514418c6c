// The call attribute that has the cluster of an RPC.
#ifndef GRPC_XDS_HOST_GRPC_1_51_CLUSTER_ATTRIBUTE_H_
#define GRPC_XDS_HOST_GRPC_1_51_CLUSTER_ATTRIBUTE_H_

#include <grpc/support/port_platform.h>

#include "src/core/ext/filters/client_channel/resolver/xds/xds_resolver.h"
#include "src/core/lib/gprpp/unique_type_name.h"

namespace grpc_xds {

// The call attribute in which the ConfigSelector puts the cluster of an RPC (RoutedCallOf()). It is
// the host's own (there is one in a process), so that other policies find it. The host does not see
// the gxds_routed_call before the name. A separate attribute for it would cost every RPC a node of
// a map.
inline grpc_core::UniqueTypeName ClusterAttributeName() {
  static const grpc_core::UniqueTypeName name = grpc_core::XdsClusterAttributeTypeName();
  return name;
}

}  // namespace grpc_xds

#endif
