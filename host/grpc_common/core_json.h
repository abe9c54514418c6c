// Common names for the JSON classes that each version of gRPC has, but under different paths and
// names.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_CORE_JSON_H_
#define GRPC_XDS_HOST_GRPC_COMMON_CORE_JSON_H_

#include <grpc/support/port_platform.h>

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/str.h"
#include "host/grpc_common/core_version.h"

#ifndef GXDS_GRPC_1_83
#include "src/core/lib/json/json.h"

namespace grpc_xds {

inline absl::StatusOr<grpc_core::Json> ParseJson(absl::string_view text) {
  return grpc_core::Json::Parse(text);
}
inline std::string DumpJson(const grpc_core::Json& json) { return json.Dump(); }
inline bool IsNull(const grpc_core::Json& json) {
  return json.type() == grpc_core::Json::Type::JSON_NULL;
}

}  // namespace grpc_xds
#else
#include "src/core/util/json/json.h"
#include "src/core/util/json/json_reader.h"
#include "src/core/util/json/json_writer.h"

namespace grpc_xds {

inline absl::StatusOr<grpc_core::Json> ParseJson(absl::string_view text) {
  return grpc_core::JsonParse(text);
}
inline std::string DumpJson(const grpc_core::Json& json) { return grpc_core::JsonDump(json); }
inline bool IsNull(const grpc_core::Json& json) {
  return json.type() == grpc_core::Json::Type::kNull;
}

}  // namespace grpc_xds
#endif

namespace grpc_xds {

// Parses the configuration of a registry's entry. An empty text is the empty object, as in the
// host.
inline absl::StatusOr<grpc_core::Json> ParseConfigText(gxds_str text) {
  return ParseJson(text.size == 0 ? absl::string_view("{}")
                                  : absl::string_view(text.data, text.size));
}

}  // namespace grpc_xds

#endif
