/* Channel credentials of type "tls" (A65), which gRPC 1.51.1 does not have, made of what it has. */
#ifndef GRPC_XDS_PLUGIN_TLS_CREDS_H_
#define GRPC_XDS_PLUGIN_TLS_CREDS_H_

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

struct grpc_channel_credentials;

/* New credentials by that config (see gxds_tls_creds_init()), owned by the caller; NULL: it is
 * wrong. Reads the files, which are read again as the config says; while they can't be read,
 * connections fail and say so. Any thread that may block. */
struct grpc_channel_credentials *gxds_tls_creds_create(gxds_str config_json);

#ifdef __cplusplus
}
#endif

#endif
