// Conversions in addition to those of host/grpc_common/convert.h, with the same rules: of
// addresses. And the call attribute that has the cluster of an RPC.
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

// The call attribute in which the ConfigSelector puts the cluster of an RPC (RoutedCallOf()). It is
// the host's own (there is one in a process), so that other policies find it. The host does not see
// the gxds_routed_call before the name. A separate attribute for it would cost every RPC a node of
// a map.
inline grpc_core::UniqueTypeName ClusterAttributeName() {
  static const grpc_core::UniqueTypeName name = grpc_core::XdsClusterAttributeTypeName();
  return name;
}

// Makes an address with locality, weight, hash key and hostname as attributes. An address that came
// from the host is returned as it was.
grpc_core::ServerAddress ToHost(const gxds_lb_address& address);

// The locality of an address, for load reports; null if there is none. It is an address attribute,
// which is not part of a subchannel's identity. Borrowed: valid as long as address.
const gxds_locality* LocalityOf(const grpc_core::ServerAddress& address);
// The endpoint's weight (load_balancing_weight); 1 if the address has none.
uint32_t WeightOf(const grpc_core::ServerAddress& address);

// The key of an endpoint's place on a ring, in place of its address (A76); empty: its address is
// the key. Borrowed: valid as long as address.
absl::string_view HashKeyOf(const grpc_core::ServerAddress& address);

// The hostname that RPCs to the endpoint may get as :authority (A81); empty: it has none. Borrowed:
// valid as long as address.
absl::string_view HostnameOf(const grpc_core::ServerAddress& address);

// The address without its weight and hash key, on which a subchannel does not depend.
grpc_core::ServerAddress WithoutWeightAndHashKey(const grpc_core::ServerAddress& address);

}  // namespace grpc_xds

#endif
