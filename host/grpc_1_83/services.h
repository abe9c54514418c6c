// What gxds_host (base/host.h) is made of besides host.cc: each is as its member there says.
#ifndef GRPC_XDS_HOST_GRPC_1_83_SERVICES_H_
#define GRPC_XDS_HOST_GRPC_1_83_SERVICES_H_

#include "base/host.h"

namespace grpc_xds {

// Of the host's CertificateProviderRegistry.
grpc_tls_certificate_provider* CertificateProviderGet(gxds_str plugin_name, gxds_str config_json);

// By the resolver that the host's registry has for "dns:" targets.
gxds_dns* DnsStart(gxds_str name, const void* args, gxds_dns_answered answered, void* arg);
void DnsReresolve(gxds_dns* dns);
void DnsStop(gxds_dns* dns);

}  // namespace grpc_xds

#endif
