// The host's lists of addresses, as policies in C see them. Any thread.
#ifndef GRPC_XDS_HOST_GRPC_1_51_ADDRESSES_H_
#define GRPC_XDS_HOST_GRPC_1_51_ADDRESSES_H_

#include <grpc/support/port_platform.h>

#include "host/addresses.h"
#include "src/core/lib/resolver/server_address.h"

namespace grpc_xds {

// One reference, the caller's.
const gxds_addresses* ToC(grpc_core::ServerAddressList addresses);
// With locality, weight and hash key as attributes; one of the host's as it was.
grpc_core::ServerAddress ToHost(const gxds_lb_address& address);
grpc_core::ServerAddressList ToHost(const gxds_addresses* addresses);

}  // namespace grpc_xds

#endif
