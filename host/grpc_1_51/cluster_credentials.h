// The credentials of connections to one cluster's endpoints, for what the host's XdsCredentials
// can't do: to trust the authorities that the machine trusts (A82). Without root certificates of a
// provider XdsCredentials use their fallback.
#ifndef GRPC_XDS_HOST_GRPC_1_51_CLUSTER_CREDENTIALS_H_
#define GRPC_XDS_HOST_GRPC_1_51_CLUSTER_CREDENTIALS_H_

#include <grpc/support/port_platform.h>

#include <string>

#include "src/core/ext/xds/xds_certificate_provider.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/security/credentials/credentials.h"

namespace grpc_xds {

// TLS with the host's default root certificates (DefaultSslRootStore), and with what the provider
// has for the cluster: the names that a server's certificate must have, and with has_identity the
// certificate of the client's own. Each object is equal to itself only. Any thread.
grpc_core::RefCountedPtr<grpc_channel_credentials> MakeClusterCredentials(
    std::string cluster, grpc_core::RefCountedPtr<grpc_core::XdsCertificateProvider> provider,
    bool has_identity);

// The channel's credentials, with inner in the place of the innermost; call credentials around
// those stay. Any thread.
grpc_core::RefCountedPtr<grpc_channel_credentials> WithInnermost(
    const grpc_channel_credentials& channels,
    grpc_core::RefCountedPtr<grpc_channel_credentials> inner);

}  // namespace grpc_xds

#endif
