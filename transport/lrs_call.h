/* gxds_lrs_call: carries a gxds_lrs_stream: its actions to a call on a channel, the call's events
 * and the time to it. Confined: the reactor's thread. */
#ifndef GRPC_XDS_TRANSPORT_LRS_CALL_H_
#define GRPC_XDS_TRANSPORT_LRS_CALL_H_

#include "lrs/lrs_stream.h"
#include "transport/call_creds.h"

#ifdef __cplusplus
extern "C" {
#endif

struct grpc_channel;
typedef struct gxds_lrs_call gxds_lrs_call;

/* Starts to report. Everything is borrowed, as long as the call. creds: of its streams; NULL: none.
 */
gxds_lrs_call *gxds_lrs_call_create(const gxds_bootstrap *bootstrap,
                                    const gxds_bootstrap_server *server, gxds_load_store *store,
                                    struct grpc_channel *channel, gxds_call_creds *creds,
                                    uint64_t seed);
/* See gxds_lrs_stream_set_left(). */
void gxds_lrs_call_set_left(gxds_lrs_call *l, bool left);
void gxds_lrs_call_destroy(gxds_lrs_call *l);

#ifdef __cplusplus
}
#endif

#endif
