// The host's statuses, in C.
#ifndef GRPC_XDS_HOST_GRPC_1_51_STATUS_H_
#define GRPC_XDS_HOST_GRPC_1_51_STATUS_H_

#include "absl/status/status.h"
#include "base/status.h"
#include "host/grpc_1_51/attributes.h"

namespace grpc_xds {

// A view: it lives as long as status, and is not to be ended.
inline gxds_status View(const absl::Status& status) {
  return {static_cast<gxds_code>(status.code()),
          gxds_str_of(status.message().data(), status.message().size())};
}
// The caller's.
inline gxds_status ToC(const absl::Status& status) {
  const gxds_status view = View(status);
  return gxds_status_copy(&view);
}
// Ends status.
inline absl::Status Take(gxds_status status) {
  absl::Status out = ToAbsl(status);
  gxds_status_fini(&status);
  return out;
}

}  // namespace grpc_xds

#endif
