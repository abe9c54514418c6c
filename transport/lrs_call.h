/* gxds_lrs_call connects a gxds_lrs_stream to gRPC: it carries out the stream's actions on a gRPC
 * call, and passes the call's events and the time to the stream. Only on the reactor's thread. */
#ifndef GRPC_XDS_TRANSPORT_LRS_CALL_H_
#define GRPC_XDS_TRANSPORT_LRS_CALL_H_

#include "lrs/lrs_stream.h"
#include "transport/call_creds.h"

#ifdef __cplusplus
extern "C" {
#endif

struct grpc_channel;
typedef struct gxds_lrs_call gxds_lrs_call;

/* Starts reporting. All arguments are borrowed: valid as long as the result. creds are for its
 * streams; NULL: none. One owner. */
gxds_lrs_call *gxds_lrs_call_create(const gxds_bootstrap *bootstrap,
                                    const gxds_bootstrap_server *server, gxds_load_store *store,
                                    struct grpc_channel *channel, gxds_call_creds *creds,
                                    uint64_t seed);
/* See gxds_lrs_stream_set_left(). */
void gxds_lrs_call_set_left(gxds_lrs_call *l, bool left);
void gxds_lrs_call_destroy(gxds_lrs_call *l);
/* Like gxds_lrs_call_destroy(), when nothing is left to report: the server can still read the last
 * report. */
void gxds_lrs_call_finish(gxds_lrs_call *l);

#ifdef __cplusplus
}
#endif

#endif
