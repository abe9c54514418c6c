// What the network sent, for a line of the log: without control characters.
#ifndef GRPC_XDS_HOST_GRPC_1_51_PRINTABLE_H_
#define GRPC_XDS_HOST_GRPC_1_51_PRINTABLE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace grpc_xds {

// Control characters as \xNN. Backslashes stay: parts of s may be escaped already.
std::string Printable(absl::string_view s);
inline std::string Printable(const absl::Status& status) { return Printable(status.ToString()); }

}  // namespace grpc_xds

#endif
