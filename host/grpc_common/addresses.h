// Addresses of the host, as policies in C see them. addresses.cc of this folder and addresses.cc of
// each version share these declarations.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_ADDRESSES_H_
#define GRPC_XDS_HOST_GRPC_COMMON_ADDRESSES_H_

#include <grpc/support/port_platform.h>

#include <vector>

#include "host/addresses.h"
#include "host/grpc_common/core.h"
#include "host/grpc_common/core_policy.h"

namespace grpc_xds {

// Addresses of the host, each of which has an index in C. Each version derives a class from it.
struct Addresses : gxds_addresses {
  // Starts with one reference.
  explicit Addresses(std::vector<HostsAddress> addresses);
  virtual ~Addresses() = default;

  // If the endpoint has several addresses (A61), adds them.
  virtual void AddSeveral(size_t index, gxds_lb_address* out) const = 0;
  // See gxds_addresses_ops.
  virtual const gxds_addresses* Below(gxds_str name) const = 0;

  const std::vector<HostsAddress> list;
};

// Null if the addresses are not of the host. Borrowed: valid as long as addresses.
const Addresses* OfHost(const gxds_addresses* addresses);

grpc_resolved_address ToResolved(const gxds_address& address);

}  // namespace grpc_xds

#endif
