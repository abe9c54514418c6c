/* Where a channel's bootstrap comes from: GRPC_XDS_BOOTSTRAP (the path of a file), else
 * GRPC_XDS_BOOTSTRAP_CONFIG (the JSON itself). Read anew at each call. Any thread; reads a file, so
 * not on the reactor. */
#ifndef GRPC_XDS_BOOTSTRAP_SOURCE_H_
#define GRPC_XDS_BOOTSTRAP_SOURCE_H_

#include "bootstrap/bootstrap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A bootstrap file is some kilobytes; one beyond this is a mistake (a wrong path). */
#define GXDS_BOOTSTRAP_SIZE_MAX ((size_t)16 * 1024 * 1024)

/* The bootstrap text for a channel to that target (its URI in canonical form); the caller frees
 * *out with gxds_str_free(). *where is a description for messages ("file /etc/…
 * (GRPC_XDS_BOOTSTRAP)"), freed the same way; both are empty on an error.
 *
 * The host's google-c2p resolver makes a bootstrap, then starts "xds". That for the target goes
 * before the variables (host->target_bootstrap), that for all (host->fallback_bootstrap) counts
 * when neither is set. Without any, or with host NULL: NOT_FOUND, with words that name both
 * variables.
 */
GXDS_MUST_USE gxds_status gxds_bootstrap_find(const gxds_host *host, gxds_str target, gxds_str *out,
                                              gxds_str *where);

#ifdef __cplusplus
}
#endif

#endif
