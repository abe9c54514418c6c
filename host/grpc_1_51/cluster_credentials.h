// The credentials of connections to one cluster's endpoints. They have two features that the host's
// XdsCredentials lack. They can trust the machine's certificate authorities (A82); XdsCredentials
// without a provider's root certificates use their fallback credentials. And they can compare the
// names in a server's certificate with the name that the handshake sent (A101).
#ifndef GRPC_XDS_HOST_GRPC_1_51_CLUSTER_CREDENTIALS_H_
#define GRPC_XDS_HOST_GRPC_1_51_CLUSTER_CREDENTIALS_H_

#include <grpc/support/port_platform.h>

#include <string>

#include "src/core/ext/xds/xds_certificate_provider.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/security/credentials/credentials.h"

namespace grpc_xds {

// A channel argument, a string: the server name that the handshake sends (SNI), from
// gxds_tls_server_name().
constexpr char kServerNameArg[] = "grpc_xds.server_name";

struct ClusterCredentialsOptions {
  bool system_roots;   // the root certificates are the host's default ones (DefaultSslRootStore),
                       // not the provider's
  bool has_identity;   // the client has a certificate, from the provider
  bool validates_sni;  // a server's certificate must have the DNS name that the handshake sent, if
                       // it sent one
};

// Makes TLS credentials from what the provider has for the cluster: root certificates, the client's
// certificate, and the names that a server must have. Each object is equal only to itself. Any
// thread.
grpc_core::RefCountedPtr<grpc_channel_credentials> MakeClusterCredentials(
    std::string cluster, grpc_core::RefCountedPtr<grpc_core::XdsCertificateProvider> provider,
    ClusterCredentialsOptions options);

// Returns the channel's credentials with inner in place of the innermost ones; call credentials
// around those stay. Any thread.
grpc_core::RefCountedPtr<grpc_channel_credentials> WithInnermost(
    const grpc_channel_credentials& channels,
    grpc_core::RefCountedPtr<grpc_channel_credentials> inner);

}  // namespace grpc_xds

#endif
