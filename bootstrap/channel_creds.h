/* Channel credentials in the bootstrap: those in the host's registry, and type "tls" (A65) if the
 * registry lacks it. So a "tls" that the program registers comes first. Any thread. */
#ifndef GRPC_XDS_BOOTSTRAP_CHANNEL_CREDS_H_
#define GRPC_XDS_BOOTSTRAP_CHANNEL_CREDS_H_

#include "base/host.h"

#ifdef __cplusplus
extern "C" {
#endif

bool gxds_channel_creds_supported(gxds_str type, const gxds_host *host);

/* Whether the type is "tls" and the host does not know it: see tls_creds.h. */
bool gxds_channel_creds_is_our_tls(gxds_str type, const gxds_host *host);

/* Checks the config (JSON text; empty if there is none) of a supported type, and adds all errors in
 * it to errors, at that path. */
void gxds_channel_creds_check(gxds_str type, gxds_str config_json, const gxds_path *at,
                              gxds_errors *errors, const gxds_host *host);

#ifdef __cplusplus
}
#endif

#endif
