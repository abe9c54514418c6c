// What gxds_host (base/host.h) is made of besides host.cc: each is as its member there says.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_SERVICES_H_
#define GRPC_XDS_HOST_GRPC_COMMON_SERVICES_H_

#include <string>

#include "base/host.h"

namespace grpc_xds {

inline std::string Text(gxds_str s) { return std::string(s.data, s.size); }

gxds_duration ClockDistance();
extern const gxds_duration kShortestRetryBackoff;

bool TracesEngine(gxds_trace trace);

// By the host's ChannelCredsRegistry.
void CredsCheck(gxds_str type, gxds_str config_json, const gxds_path* at, gxds_errors* errors);
grpc_channel_credentials* CredsCreate(gxds_str type, gxds_str config_json);

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
