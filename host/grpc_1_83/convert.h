// What crosses the line between the host and C beside what host/grpc_common/convert.h has, with the
// same rules: addresses.
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

// With locality, weight and hash key as arguments of the address; one of the host's as it was.
grpc_core::EndpointAddresses ToHost(const gxds_lb_address& address);

// The locality of an address, for load reports. Borrow: as long as address. Null: none.
const gxds_locality* LocalityOf(const grpc_core::EndpointAddresses& address);
// The endpoint's weight (load_balancing_weight); 1 when the address says nothing.
uint32_t WeightOf(const grpc_core::EndpointAddresses& address);

// By what an endpoint is put on a ring in place of its address (A76); empty: by its address.
// Borrow: as long as address.
absl::string_view HashKeyOf(const grpc_core::EndpointAddresses& address);

// What RPCs to the endpoint may be told as :authority (A81); empty: it has no hostname. Borrow: as
// long as address.
absl::string_view HostnameOf(const grpc_core::EndpointAddresses& address);

// What a subchannel to the address is made of.
grpc_core::EndpointAddresses WithoutWeightAndHashKey(const grpc_core::EndpointAddresses& address);

}  // namespace grpc_xds

#endif
