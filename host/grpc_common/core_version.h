// Which gRPC this is built for. The headers core*.h have all differences of paths and names, so the
// other files of this folder have none.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_CORE_VERSION_H_
#define GRPC_XDS_HOST_GRPC_COMMON_CORE_VERSION_H_

#if __has_include("src/core/lib/gprpp/ref_counted.h")  // 1.51
#include "absl/types/optional.h"

namespace grpc_xds {

template <typename T>
using Optional = absl::optional<T>;

}  // namespace grpc_xds
#else
#define GXDS_GRPC_1_83

#include <optional>

namespace grpc_xds {

template <typename T>
using Optional = std::optional<T>;

}  // namespace grpc_xds
#endif

#endif
