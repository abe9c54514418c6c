// Conversions in addition to those of host/grpc_common/convert.h, with the same rules: of
// addresses.
#ifndef GRPC_XDS_HOST_GRPC_1_83_CONVERT_H_
#define GRPC_XDS_HOST_GRPC_1_83_CONVERT_H_

#include <grpc/support/port_platform.h>

#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "host/addresses.h"
#include "host/grpc_common/convert.h"
#include "resources/endpoints.h"
#include "src/core/resolver/endpoint_addresses.h"

namespace grpc_xds {

// Makes an address with locality, weight and hash key as arguments. An address that came from the
// host is returned as it was.
grpc_core::EndpointAddresses ToHost(const gxds_lb_address& address);

// The locality of an address, for load reports; null if there is none. Borrowed: valid as long as
// address.
const gxds_locality* LocalityOf(const grpc_core::EndpointAddresses& address);
// The endpoint's weight (load_balancing_weight); 1 if the address has none.
uint32_t WeightOf(const grpc_core::EndpointAddresses& address);

// The key of an endpoint's place on a ring, in place of its address (A76); empty: its address is
// the key. Borrowed: valid as long as address.
absl::string_view HashKeyOf(const grpc_core::EndpointAddresses& address);

// The hostname that RPCs to the endpoint may get as :authority (A81); empty: it has none. Borrowed:
// valid as long as address.
absl::string_view HostnameOf(const grpc_core::EndpointAddresses& address);

// The address without its weight and hash key, on which a subchannel does not depend.
grpc_core::EndpointAddresses WithoutWeightAndHashKey(const grpc_core::EndpointAddresses& address);

}  // namespace grpc_xds

#endif
