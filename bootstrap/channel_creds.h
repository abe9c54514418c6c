/* Channel credentials of the bootstrap: of the host's registry, and of type "tls" (A65) where that
 * does not know them. What the program registers by that name comes first. Any thread. */
#ifndef GRPC_XDS_BOOTSTRAP_CHANNEL_CREDS_H_
#define GRPC_XDS_BOOTSTRAP_CHANNEL_CREDS_H_

#include "base/host.h"

#ifdef __cplusplus
extern "C" {
#endif

bool gxds_channel_creds_supported(gxds_str type, const gxds_host *host);

/* Whether it is "tls" that the host does not know: see tls_creds.h. */
bool gxds_channel_creds_is_our_tls(gxds_str type, const gxds_host *host);

/* Adds to errors, at path, what is wrong with the config (JSON text; empty: none) of a type that is
 * supported. */
void gxds_channel_creds_check(gxds_str type, gxds_str config_json, const gxds_path *at,
                              gxds_errors *errors, const gxds_host *host);

#ifdef __cplusplus
}
#endif

#endif
