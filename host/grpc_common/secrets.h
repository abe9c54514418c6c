// What a cluster's configuration of TLS (A29) names, as the host has it.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_SECRETS_H_
#define GRPC_XDS_HOST_GRPC_COMMON_SECRETS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "host/grpc_common/core_credentials.h"
#include "resources/tls.h"

namespace grpc_xds {

using Provider = grpc_core::RefCountedPtr<grpc_tls_certificate_provider>;

struct Secrets {
  Provider root;      // null: none is named
  Provider identity;  // null: none is named
  std::vector<grpc_core::StringMatcher> sans;
};

// An error says which one is not to be had. Any thread.
absl::StatusOr<Secrets> SecretsOf(const gxds_tls& tls);

}  // namespace grpc_xds

#endif
