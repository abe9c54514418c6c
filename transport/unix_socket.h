/* Tells the socket of a killed process from one that is in use. */
#ifndef GRPC_XDS_TRANSPORT_UNIX_SOCKET_H_
#define GRPC_XDS_TRANSPORT_UNIX_SOCKET_H_

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the file is a Unix socket. Any thread. */
bool gxds_unix_socket_exists(const char *path);
/* Whether the file is a Unix socket that no process has. False if that is not known. On
 * Linux, a process that has it notices nothing. Any thread. */
bool gxds_unix_socket_is_left_over(const char *path);

#ifdef __cplusplus
}
#endif

#endif
