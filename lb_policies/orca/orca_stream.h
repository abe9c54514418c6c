/* gxds_orca_stream: who wants the load reports that the backend of one connection sends out of band
 * (A51), and so whether there is to be a stream for them, and how often it asks for reports. The
 * stream itself is the host's: it begins one when somebody wants reports and the connection is
 * there, and anew when the shortest interval that is wanted changes; after UNIMPLEMENTED there is
 * none on that connection.
 *
 * Counted by reference: the host's stream keeps it. Any thread; it has a lock of its own, under
 * which listeners are called: those of the host's, under which it calls this, come before it. */
#ifndef GRPC_XDS_LB_POLICIES_ORCA_ORCA_STREAM_H_
#define GRPC_XDS_LB_POLICIES_ORCA_ORCA_STREAM_H_

#include <grpc/impl/codegen/connectivity_state.h>

#include "base/str.h"
#include "host/subchannel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_orca_stream gxds_orca_stream;

/* Nobody wants reports, and nothing is known of the connection. */
gxds_orca_stream *gxds_orca_stream_create(void);
gxds_orca_stream *gxds_orca_stream_ref(gxds_orca_stream *s);
void gxds_orca_stream_unref(gxds_orca_stream *s);

/* How often the listener wants reports from now on; GXDS_TIME_NEVER: not at all, and it is called
 * no more. Borrowed: valid until then. True: the stream is to begin anew, see
 * gxds_orca_stream_interval(). */
bool gxds_orca_stream_want(gxds_orca_stream *s, gxds_load_listener *listener,
                           gxds_duration interval);

/* The subchannel is in that state. The stream of the connection before has ended by now, so that
 * its refusal isn't taken for one of the next; it is to begin anew. */
void gxds_orca_stream_connectivity(gxds_orca_stream *s, grpc_connectivity_state state);

/* How often the stream asks for a report; GXDS_TIME_NEVER: there is to be none. */
gxds_duration gxds_orca_stream_interval(gxds_orca_stream *s);

/* A message came, from the network. What is no report is passed over. */
void gxds_orca_stream_message(gxds_orca_stream *s, gxds_str bytes);

/* The stream ended with that status (a grpc_status_code). What the operator is to be told in log
 * and channelz; NULL: nothing. */
const char *gxds_orca_stream_ended(gxds_orca_stream *s, int status);

#ifdef __cplusplus
}
#endif

#endif
