// What crosses the line between the host and C beside what host/grpc_common/convert.h has, with the
// same rules: addresses, and where the cluster of an RPC is.
#ifndef GRPC_XDS_HOST_GRPC_1_51_CONVERT_H_
#define GRPC_XDS_HOST_GRPC_1_51_CONVERT_H_

#include <grpc/support/port_platform.h>

#include <cstdint>

#include "absl/strings/string_view.h"
#include "host/addresses.h"
#include "host/grpc_common/convert.h"
#include "resources/endpoints.h"
#include "src/core/ext/filters/client_channel/resolver/xds/xds_resolver.h"
#include "src/core/lib/gprpp/unique_type_name.h"
#include "src/core/lib/resolver/server_address.h"

namespace grpc_xds {

// The call attribute in which the ConfigSelector leaves the cluster of an RPC (RoutedCallOf()): the
// host's own (one in the process), so that other policies find it. What is before the name is out
// of its sight: an attribute of its own would cost every RPC a node of a map.
inline grpc_core::UniqueTypeName ClusterAttributeName() {
  static const grpc_core::UniqueTypeName name = grpc_core::XdsClusterAttributeTypeName();
  return name;
}

// With locality, weight, hash key and hostname as attributes; one of the host's as it was.
grpc_core::ServerAddress ToHost(const gxds_lb_address& address);

// The locality of an address, for load reports: an address attribute, which is no part of a
// subchannel's identity. Borrow: as long as address. Null: none.
const gxds_locality* LocalityOf(const grpc_core::ServerAddress& address);
// The endpoint's weight (load_balancing_weight); 1 when the address says nothing.
uint32_t WeightOf(const grpc_core::ServerAddress& address);

// By what an endpoint is put on a ring in place of its address (A76); empty: by its address.
// Borrow: as long as address.
absl::string_view HashKeyOf(const grpc_core::ServerAddress& address);

// What RPCs to the endpoint may be told as :authority (A81); empty: it has no hostname. Borrow: as
// long as address.
absl::string_view HostnameOf(const grpc_core::ServerAddress& address);

// What a subchannel to the address is made of.
grpc_core::ServerAddress WithoutWeightAndHashKey(const grpc_core::ServerAddress& address);

}  // namespace grpc_xds

#endif
