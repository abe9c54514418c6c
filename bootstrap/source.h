/* Where the bootstrap comes from: GRPC_XDS_BOOTSTRAP (the path of a file), else
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

/* The bootstrap text; the caller frees *out with gxds_str_free(). *where is a description for
 * messages ("file /etc/… (GRPC_XDS_BOOTSTRAP)"), freed the same way; both are empty on an error.
 *
 * When neither variable is set, it is what the host keeps for that case (host->fallback_bootstrap):
 * the google-c2p resolver leaves its own there, then starts "xds". Without that, or with host NULL:
 * NOT_FOUND, with words that name both variables. */
GXDS_MUST_USE gxds_status gxds_bootstrap_find(const gxds_host *host, gxds_str *out,
                                              gxds_str *where);

#ifdef __cplusplus
}
#endif

#endif
