// The part of gxds_host that resolves DNS names, by the resolver that the host's registry has for
// "dns:" targets. Confined: the reactor; the three are as gxds_host says.
#ifndef GRPC_XDS_HOST_GRPC_1_51_DNS_H_
#define GRPC_XDS_HOST_GRPC_1_51_DNS_H_

#include "base/host.h"

namespace grpc_xds {

gxds_dns* DnsStart(gxds_str name, const void* args, gxds_dns_answered answered, void* arg);
void DnsReresolve(gxds_dns* dns);
void DnsStop(gxds_dns* dns);

}  // namespace grpc_xds

#endif
