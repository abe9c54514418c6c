/* Whether the host is initialised. */
#ifndef GRPC_XDS_PLUGIN_HOST_STATE_H_
#define GRPC_XDS_PLUGIN_HOST_STATE_H_

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether it is too late to give the host another registry. The call itself initialises nothing.
 * Any thread. */
bool gxds_host_is_initialized(void);

/* Waits at most 100 ms for a host that is shutting down on its own thread. It does not use
 * grpc_maybe_wait_for_async_shutdown(), which waits for ever if another part of the program begins
 * to use gRPC meanwhile. */
void gxds_host_await_shutdown(void);

#ifdef __cplusplus
}
#endif

#endif
