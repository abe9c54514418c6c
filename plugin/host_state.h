/* Whether the host is initialised. */
#ifndef GRPC_XDS_PLUGIN_HOST_STATE_H_
#define GRPC_XDS_PLUGIN_HOST_STATE_H_

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether it is too late to give the host another registry, found out without initialising
 * anything. Any thread. */
bool gxds_host_is_initialized(void);

/* Waits a little (100 ms) for a host that is shutting itself down on a thread of its own. Not by
 * grpc_maybe_wait_for_async_shutdown(): when another has begun to use gRPC meanwhile, it waits for
 * ever. */
void gxds_host_await_shutdown(void);

#ifdef __cplusplus
}
#endif

#endif
