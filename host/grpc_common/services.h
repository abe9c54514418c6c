// The functions of the gxds_host table that are not in host.cc. base/host.h describes each of them.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_SERVICES_H_
#define GRPC_XDS_HOST_GRPC_COMMON_SERVICES_H_

#include <string>

#include "base/host.h"

namespace grpc_xds {

inline std::string Text(gxds_str s) { return std::string(s.data, s.size); }

gxds_duration ClockDistance();
extern const gxds_duration kShortestRetryBackoff;

bool TracesEngine(gxds_trace trace);

// These use the host's ChannelCredsRegistry.
void CredsCheck(gxds_str type, gxds_str config_json, const gxds_path* at, gxds_errors* errors);
grpc_channel_credentials* CredsCreate(gxds_str type, gxds_str config_json);

// This uses the host's CertificateProviderRegistry.
grpc_tls_certificate_provider* CertificateProviderGet(gxds_str plugin_name, gxds_str config_json);

// These use the resolver that the host's registry has for "dns:" targets.
gxds_dns* DnsStart(gxds_str name, const void* args, gxds_dns_result_fn on_result, void* arg);
void DnsReresolve(gxds_dns* dns);
void DnsStop(gxds_dns* dns);

// The bootstrap of the google-c2p resolver. That resolver makes a bootstrap, and then starts the
// "xds" resolver, which is ours now. 1.51 stores the bootstrap for all targets, 1.83 only for that
// resolver's targets.
bool FallbackBootstrap(gxds_str* out);
bool TargetBootstrap(gxds_str target, gxds_str* out);

}  // namespace grpc_xds

#endif
