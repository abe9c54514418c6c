/* gxds_connect_limits: how many endpoints a channel connects to before RPCs need them, and how many
 * at a time. Limits that a host sets stay the same as long as the channel. */
#ifndef GRPC_XDS_LB_POLICIES_PACE_LIMITS_H_
#define GRPC_XDS_LB_POLICIES_PACE_LIMITS_H_

#include <stddef.h>
#include <stdint.h>

#include "host/channel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The default limit, unless the environment sets another one. Up to this number of endpoints, RPCs
 * need not wait for connections. With more, connections cost CPU and memory, so they are made as
 * RPCs need them. */
#define GXDS_EAGER_ENDPOINTS 2000

typedef struct gxds_connect_limits {
  size_t eager;    /* how many endpoints connect before RPCs need them (eager.h) */
  uint32_t window; /* the most attempts in the window of the pace, from 1 to GXDS_PACE_WINDOW
                      (pace.h). That many can connect at once, so each leaf policy gets at least
                      that many endpoints, and grows by at least that many. */
} gxds_connect_limits;

/* The limits of the channel. If its host has set none, they are a window of GXDS_PACE_WINDOW, and
 * an `eager` that the environment decides: 0 if GRPC_XDS_CONNECT_ON_DEMAND is true, SIZE_MAX if it
 * is false, otherwise GXDS_EAGER_ENDPOINTS. Any thread. */
gxds_connect_limits gxds_connect_limits_of(const gxds_lb_channel *c);

#ifdef __cplusplus
}
#endif

#endif
