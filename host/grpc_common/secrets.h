// The certificate providers and matchers that a cluster's TLS configuration (A29) names, as objects
// of the host.
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

// An error says which part could not be made. Any thread.
absl::StatusOr<Secrets> SecretsOf(const gxds_tls& tls);

}  // namespace grpc_xds

#endif
