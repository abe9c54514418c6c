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

/* Starts without listeners, and with an unknown state of the connection. The caller owns the
 * returned reference. */
gxds_orca_stream *gxds_orca_stream_create(void);
gxds_orca_stream *gxds_orca_stream_ref(gxds_orca_stream *s);
void gxds_orca_stream_unref(gxds_orca_stream *s);

/* Sets how often the listener wants reports from now on. GXDS_TIME_NEVER: never; then it is not
 * called any more. It is borrowed until then. True if the host must start the stream again, see
 * gxds_orca_stream_interval(). */
bool gxds_orca_stream_want(gxds_orca_stream *s, gxds_load_listener *listener,
                           gxds_duration interval);

/* The subchannel's state changed. The stream on the old connection must have ended already, so that
 * its refusal is not taken for one on the new connection. The host starts a new stream. */
void gxds_orca_stream_connectivity(gxds_orca_stream *s, grpc_connectivity_state state);

/* How often the stream asks for a report; GXDS_TIME_NEVER: no stream is needed. */
gxds_duration gxds_orca_stream_interval(gxds_orca_stream *s);

/* A message came from the network. It is ignored if it is not a report. */
void gxds_orca_stream_message(gxds_orca_stream *s, gxds_str bytes);

/* The stream ended with that status (a grpc_status_code). Returns a text for the log and for
 * channelz; NULL if there is nothing to say. */
const char *gxds_orca_stream_ended(gxds_orca_stream *s, int status);

#ifdef __cplusplus
}
#endif

#endif
