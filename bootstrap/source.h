/* Finds the bootstrap of a channel: in the file that GRPC_XDS_BOOTSTRAP names, or else in the
 * variable GRPC_XDS_BOOTSTRAP_CONFIG itself, as JSON. Both are read again at each call. Any thread
 * but the reactor's, because it reads a file. */
#ifndef GRPC_XDS_BOOTSTRAP_SOURCE_H_
#define GRPC_XDS_BOOTSTRAP_SOURCE_H_

#include "bootstrap/bootstrap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The largest bootstrap. Real ones have some kilobytes; a larger file is a mistake, such as a wrong
 * path. */
#define GXDS_BOOTSTRAP_SIZE_MAX ((size_t)16 * 1024 * 1024)

/* Gets the bootstrap text for a channel to that target (its URI in canonical form). *where
 * describes the place for messages ("file /etc/… (GRPC_XDS_BOOTSTRAP)"). The caller frees *out and
 * *where with gxds_str_free(); both are empty on an error.
 *
 * The host's google-c2p resolver makes a bootstrap itself, and then starts "xds". If it made one
 * for this target (host->target_bootstrap), that comes before the variables. If it made one for all
 * targets (host->fallback_bootstrap), that counts if neither variable is set. If there is no
 * bootstrap at all, the status is NOT_FOUND, and names both variables. host may be NULL: then only
 * the variables count. */
GXDS_MUST_USE gxds_status gxds_bootstrap_find(const gxds_host *host, gxds_str target, gxds_str *out,
                                              gxds_str *where);

#ifdef __cplusplus
}
#endif

#endif
