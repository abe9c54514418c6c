/* Make before break, for all servers of resources here (files, web servers, `xds serve`): the order
 * of updates, and how long removals wait. */
#ifndef GRPC_XDS_FILES_MAKE_BEFORE_BREAK_H_
#define GRPC_XDS_FILES_MAKE_BEFORE_BREAK_H_

#include "base/time.h"
#include "files/file_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The order in which a client gets the types that changed at once, from the xDS protocol: CDS, EDS,
 * LDS, RDS. Clusters and endpoints come before the routes that lead to them. */
extern const gxds_file_type gxds_file_update_order[GXDS_FILE_TYPE_COUNT];

/* Removals wait until a client that has ACKed or NACKed all responses was silent for this long. By
 * then it has subscribed to the resources that the new ones name, because it requests them at once.
 */
#define GXDS_FILE_REMOVAL_GRACE (200 * GXDS_MILLISECOND)

#ifdef __cplusplus
}
#endif

#endif
