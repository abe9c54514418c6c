// Certificate providers of the host's CertificateProviderRegistry, for gxds_host.
#ifndef GRPC_XDS_HOST_GRPC_1_51_CERTIFICATES_H_
#define GRPC_XDS_HOST_GRPC_1_51_CERTIFICATES_H_

#include "base/host.h"

namespace grpc_xds {

// See gxds_host::certificate_provider_get.
grpc_tls_certificate_provider* CertificateProviderGet(gxds_str plugin_name, gxds_str config_json);

}  // namespace grpc_xds

#endif
