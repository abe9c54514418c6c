// How pickers and filters find the cluster of an RPC. The call attributes of gRPC 1.51 are a map,
// which would cost each RPC an allocation and look-ups. Each RPC already has a pointer to the
// ConfigSelector's dispatch controller. So the cluster is in this controller instead.
#ifndef GRPC_XDS_HOST_GRPC_1_51_ROUTED_CALL_H_
#define GRPC_XDS_HOST_GRPC_1_51_ROUTED_CALL_H_

#include <grpc/support/port_platform.h>

#include "absl/strings/string_view.h"
#include "host/config_selector.h"
#include "src/core/ext/filters/client_channel/config_selector.h"
#include "src/core/lib/channel/context.h"

namespace grpc_xds {

// Lives in the memory of the RPC; the host never destroys it.
class DispatchController : public grpc_core::ConfigSelector::CallDispatchController {
 public:
  // All is borrowed: valid as long as the RPC. cluster has a gxds_routed_call before it
  // (RoutedCallOf()).
  DispatchController(gxds_call_hold* hold, absl::string_view cluster)
      : hold_(hold), cluster_(cluster) {}

  bool ShouldRetry() override { return true; }
  void Commit() override;

  absl::string_view cluster() const { return cluster_; }

 private:
  gxds_call_hold* const hold_;
  const absl::string_view cluster_;
};

// The cluster of the RPC with that context; empty if another ConfigSelector routed it.
absl::string_view ClusterOf(const grpc_call_context_element* context);

}  // namespace grpc_xds

#endif
