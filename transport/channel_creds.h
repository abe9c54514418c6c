/* Makes channel credentials as the bootstrap names them: of the host's registry, or of type "tls"
 * (A65), which gRPC 1.51.1 does not have, made of what it has. */
#ifndef GRPC_XDS_TRANSPORT_CHANNEL_CREDS_H_
#define GRPC_XDS_TRANSPORT_CHANNEL_CREDS_H_

#include "base/host.h"

#ifdef __cplusplus
extern "C" {
#endif

/* New credentials by that config (JSON text; empty: none), owned by the caller
 * (grpc_channel_credentials_release); NULL: it is wrong, or nobody knows the type. May block: any
 * thread but the reactor. The files of "tls" are read now, and again as the config says; while they
 * can't be read, connections fail and say so. */
struct grpc_channel_credentials *gxds_channel_creds_create(gxds_str type, gxds_str config_json,
                                                           const gxds_host *host);

#ifdef __cplusplus
}
#endif

#endif
