// What gxds_host (base/host.h) is made of besides host.cc: each is as its member there says.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_SERVICES_H_
#define GRPC_XDS_HOST_GRPC_COMMON_SERVICES_H_

#include "base/host.h"

namespace grpc_xds {

gxds_duration ClockDistance();

// Of the host's CertificateProviderRegistry.
grpc_tls_certificate_provider* CertificateProviderGet(gxds_str plugin_name, gxds_str config_json);

// By the resolver that the host's registry has for "dns:" targets.
gxds_dns* DnsStart(gxds_str name, const void* args, gxds_dns_answered answered, void* arg);
void DnsReresolve(gxds_dns* dns);
void DnsStop(gxds_dns* dns);

// Of the google-c2p resolver, which makes a bootstrap, then starts the "xds" resolver, now ours. In
// 1.51 it stores it for all targets, in 1.83 for its own.
bool FallbackBootstrap(gxds_str* out);
bool TargetBootstrap(gxds_str target, gxds_str* out);

}  // namespace grpc_xds

#endif
