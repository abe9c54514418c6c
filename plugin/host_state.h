/* Whether the host can still be given another registry, found out without initialising anything. */
#ifndef GRPC_XDS_PLUGIN_HOST_STATE_H_
#define GRPC_XDS_PLUGIN_HOST_STATE_H_

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Any thread. */
bool gxds_host_is_initialized(void);

#ifdef __cplusplus
}
#endif

#endif
