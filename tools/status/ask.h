/* Reads the state of a running program's xDS clients: over the socket of GRPC_XDS_STATUS_DIR
 * (transport/status_socket.h), or over its CSDS service (A40). */
#ifndef GRPC_XDS_TOOLS_STATUS_ASK_H_
#define GRPC_XDS_TOOLS_STATUS_ASK_H_

#include <sys/types.h>

#include "base/text.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most bytes of a status; a client with a million endpoints has 100 MB. */
#define GXDS_ASK_BYTES_MAX ((size_t)1 << 30)

/* These add a serialized ClientStatusResponse to *reply. On failure they return false, and *error
 * is the reason. */

/* Asks over the process's socket, in the directory that the process's environment names, or else
 * this program's. */
bool gxds_ask_process(pid_t pid, gxds_duration timeout, gxds_text *reply, gxds_text *error);
/* Asks over the socket at path, which must belong to that process; pid 0: to any process of this
 * user or root. */
bool gxds_ask_socket(const char *path, pid_t pid, gxds_duration timeout, gxds_text *reply,
                     gxds_text *error);
/* Asks a gRPC server, without security; after grpc_init(). */
bool gxds_ask_server(const char *address, gxds_duration timeout, gxds_text *reply,
                     gxds_text *error);

#ifdef __cplusplus
}
#endif

#endif
