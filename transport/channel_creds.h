/* Makes channel credentials of the types that the bootstrap names. They come from the host's
 * registry, except for "tls" (A65), which gRPC 1.51.1 does not have: this type is made from gRPC's
 * TLS credentials. */
#ifndef GRPC_XDS_TRANSPORT_CHANNEL_CREDS_H_
#define GRPC_XDS_TRANSPORT_CHANNEL_CREDS_H_

#include "base/host.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes credentials of that type with that config, which is JSON text, and may be empty. The caller
 * owns them, and ends them with grpc_channel_credentials_release(). Returns NULL if the config is
 * wrong, or if the type is unknown. It may block: any thread but the reactor. The files of "tls"
 * are read now, and again at the interval in the config. While they can't be read, connections fail
 * with an error that says so. */
struct grpc_channel_credentials *gxds_channel_creds_create(gxds_str type, gxds_str config_json,
                                                           const gxds_host *host);

#ifdef __cplusplus
}
#endif

#endif
