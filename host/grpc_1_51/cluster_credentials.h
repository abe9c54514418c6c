// The credentials of connections to one cluster's endpoints, for what the host's XdsCredentials
// can't do: to trust the authorities that the machine trusts (A82), as without root certificates of
// a provider they use their fallback; and to compare a server's names with what the handshake asked
// for (A101).
#ifndef GRPC_XDS_HOST_GRPC_1_51_CLUSTER_CREDENTIALS_H_
#define GRPC_XDS_HOST_GRPC_1_51_CLUSTER_CREDENTIALS_H_

#include <grpc/support/port_platform.h>

#include <string>

#include "src/core/ext/xds/xds_certificate_provider.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/security/credentials/credentials.h"

namespace grpc_xds {

// A channel argument, a string: what the handshake asks for (SNI), as gxds_tls_server_name() has
// it.
constexpr char kServerNameArg[] = "grpc_xds.server_name";

struct ClusterCredentialsOptions {
  bool system_roots;   // the host's default ones (DefaultSslRootStore), not the provider's
  bool has_identity;   // the client has a certificate, the provider's
  bool validates_sni;  // a server must have the DNS name that was asked for, if one was
};

// TLS with what the provider has for the cluster: root certificates, the client's certificate, and
// names that a server must have. Each object is equal to itself only. Any thread.
grpc_core::RefCountedPtr<grpc_channel_credentials> MakeClusterCredentials(
    std::string cluster, grpc_core::RefCountedPtr<grpc_core::XdsCertificateProvider> provider,
    ClusterCredentialsOptions options);

// The channel's credentials, with inner in the place of the innermost; call credentials around
// those stay. Any thread.
grpc_core::RefCountedPtr<grpc_channel_credentials> WithInnermost(
    const grpc_channel_credentials& channels,
    grpc_core::RefCountedPtr<grpc_channel_credentials> inner);

}  // namespace grpc_xds

#endif
