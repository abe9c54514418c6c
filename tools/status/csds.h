/* Reads the state of a running program's xDS clients: over the socket of GRPC_XDS_STATUS_DIR
 * (transport/status_socket.h), or over its CSDS service (A40). */
#ifndef GRPC_XDS_TOOLS_STATUS_CSDS_H_
#define GRPC_XDS_TOOLS_STATUS_CSDS_H_

#include <sys/types.h>

#include "base/text.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most bytes of a status; a client with a million endpoints has 100 MB. */
#define GXDS_CSDS_BYTES_MAX ((size_t)1 << 30)

/* These add a serialized ClientStatusResponse to *reply. On failure they return false, and *error
 * is the reason. */

/* Reads from the process's socket, in the directory that the environment of the process names, or
 * else the environment of this program. */
bool gxds_csds_of_process(pid_t pid, gxds_duration timeout, gxds_text *reply, gxds_text *error);
/* Reads from the socket at path, which must belong to that process; pid 0: to any process of this
 * user or root. */
bool gxds_csds_of_socket(const char *path, pid_t pid, gxds_duration timeout, gxds_text *reply,
                         gxds_text *error);
/* Reads from a gRPC server, without security; after grpc_init(). */
bool gxds_csds_of_server(const char *address, gxds_duration timeout, gxds_text *reply,
                         gxds_text *error);

#ifdef __cplusplus
}
#endif

#endif
