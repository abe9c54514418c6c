// The endpoints of made-up snapshots, in the form that the host's policies receive.
#ifndef GRPC_XDS_TEST_HOST_GRPC_1_51_SNAPSHOT_H_
#define GRPC_XDS_TEST_HOST_GRPC_1_51_SNAPSHOT_H_

#include <utility>

#include "host/grpc_common/convert.h"
#include "lb_policies/endpoint_list/endpoint_list.h"
#include "test/lb_policies/support/fake_cluster.h"

namespace grpc_xds {
namespace testing {

inline grpc_core::ServerAddressList TakeAddresses(const gxds_addresses* take_addresses) {
  grpc_core::ServerAddressList list = ToHost(take_addresses);
  gxds_addresses_unref(take_addresses);
  return list;
}
// In the form that the host's policies receive.
inline grpc_core::ServerAddressList AddressesOf(const gxds_priority* priority) {
  return TakeAddresses(gxds_priority_addresses(priority));
}
inline void AppendAddresses(const gxds_locality* locality, grpc_core::ServerAddressList* out) {
  for (auto& address : TakeAddresses(gxds_locality_addresses(locality))) {
    out->push_back(std::move(address));
  }
}

}  // namespace testing
}  // namespace grpc_xds

#endif
