/* Make before break: the order of updates, and how long removals wait. All servers of resources in
 * this project use it: files, web servers, `xds serve`. */
#ifndef GRPC_XDS_FILES_MAKE_BEFORE_BREAK_H_
#define GRPC_XDS_FILES_MAKE_BEFORE_BREAK_H_

#include "base/time.h"
#include "files/file_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The order in which a client gets the resource types, if several of them change at once: CDS, EDS,
 * LDS, RDS (as the xDS protocol recommends). Clusters and endpoints come before the routes that
 * lead to them. */
extern const gxds_file_type gxds_file_update_order[GXDS_FILE_TYPE_COUNT];

/* Removals wait until a client that has ACKed or NACKed all responses was silent for this long. By
 * then the client has subscribed to the resources that the new ones name, because it does so at
 * once. */
#define GXDS_FILE_REMOVAL_GRACE (200 * GXDS_MILLISECOND)

#ifdef __cplusplus
}
#endif

#endif
