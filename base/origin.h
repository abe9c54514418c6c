/* Where something came from, in the one form in which every error message ends:
 *
 *     … (xDS server trafficdirector.googleapis.com:443) (node ID:projects/1/networks/x)
 *
 * Pure functions: any thread. */
#ifndef GRPC_XDS_BASE_ORIGIN_H_
#define GRPC_XDS_BASE_ORIGIN_H_

#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds " (xDS server S) (node ID:N)"; what is empty is left out. Both come from the bootstrap and
 * are added as they are. */
void gxds_text_add_origin(gxds_text *t, gxds_str server, gxds_str node_id);
/* What gxds_text_add_origin() added at the end of this message, its first space included; empty:
 * nothing. Borrow: as long as the message. */
gxds_str gxds_origin_of(gxds_str message);
/* Cuts from the end of t what the origin of the message that is to be added after it says again. */
void gxds_text_cut_origin(gxds_text *t, gxds_str next);

#ifdef __cplusplus
}
#endif

#endif
