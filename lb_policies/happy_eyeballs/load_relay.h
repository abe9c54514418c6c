/* Load reports of an endpoint whose connection goes now to this address, now to that (A51, A61):
 * one listener hears those of whichever is chosen. */
#ifndef GRPC_XDS_LB_POLICIES_HAPPY_EYEBALLS_LOAD_RELAY_H_
#define GRPC_XDS_LB_POLICIES_HAPPY_EYEBALLS_LOAD_RELAY_H_

#include <stdbool.h>

#include "host/subchannel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Under the serializer; what subchannels report goes through on any thread. One owner. */
typedef struct gxds_load_relay gxds_load_relay;
gxds_load_relay *gxds_load_relay_create(void);
void gxds_load_relay_destroy(gxds_load_relay *r); /* NULL is allowed */

/* As gxds_subchannel_report_load(). */
void gxds_load_relay_want(gxds_load_relay *r, gxds_load_listener *l, gxds_duration interval);
/* From now on it is this subchannel (NULL: none) whose load is heard of, and no other's. is_new: it
 * connected just now, which the listener is told. */
void gxds_load_relay_choose(gxds_load_relay *r, gxds_subchannel *subchannel, bool is_new);

#ifdef __cplusplus
}
#endif

#endif
