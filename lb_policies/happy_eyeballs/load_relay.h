/* Passes on the load reports of an endpoint with several addresses (A51, A61): one listener gets
 * the reports of the currently connected address. */
#ifndef GRPC_XDS_LB_POLICIES_HAPPY_EYEBALLS_LOAD_RELAY_H_
#define GRPC_XDS_LB_POLICIES_HAPPY_EYEBALLS_LOAD_RELAY_H_

#include <stdbool.h>

#include "host/subchannel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Call the functions under the serializer. Reports are passed on by whichever thread delivers them.
 * One owner. */
typedef struct gxds_load_relay gxds_load_relay;
gxds_load_relay *gxds_load_relay_create(void);
void gxds_load_relay_destroy(gxds_load_relay *r); /* NULL is allowed */

/* Like gxds_subchannel_report_load(), for the endpoint. */
void gxds_load_relay_want(gxds_load_relay *r, gxds_load_listener *l, gxds_duration interval);
/* From now on only the reports of this subchannel (NULL: of none) are passed on. is_new: the
 * subchannel has just connected; the listener gets connection_changed(). */
void gxds_load_relay_choose(gxds_load_relay *r, gxds_subchannel *subchannel, bool is_new);

#ifdef __cplusplus
}
#endif

#endif
