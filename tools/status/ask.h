/* Asking a running program what its xDS clients hold: over the socket of GRPC_XDS_STATUS_DIR
 * (transport/status_socket.h), or its CSDS service (A40). */
#ifndef GRPC_XDS_TOOLS_STATUS_ASK_H_
#define GRPC_XDS_TOOLS_STATUS_ASK_H_

#include <sys/types.h>

#include "base/text.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* More is no status: a client with a million endpoints has 100 MB. */
#define GXDS_ASK_BYTES_MAX ((size_t)1 << 30)

/* All add a serialized ClientStatusResponse to *reply. False: *error says what is wrong. */

/* The process's socket, in the directory that its environment names, else this program's. */
bool gxds_ask_process(pid_t pid, gxds_duration timeout, gxds_text *reply, gxds_text *error);
/* The socket at path. pid: whose it has to be; 0: anyone's of this user or root. */
bool gxds_ask_socket(const char *path, pid_t pid, gxds_duration timeout, gxds_text *reply,
                     gxds_text *error);
/* A gRPC server, without security; after grpc_init(). */
bool gxds_ask_server(const char *address, gxds_duration timeout, gxds_text *reply,
                     gxds_text *error);

#ifdef __cplusplus
}
#endif

#endif
