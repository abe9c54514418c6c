/* gxds_orca_stream: the listeners for the load reports that the backend of one connection sends out
 * of band (A51). It decides whether a stream for the reports is needed, and how often the stream
 * asks for them. The stream itself is the host's. The host starts it when there is a listener and a
 * connection, and again when the shortest interval of the listeners changes. After UNIMPLEMENTED
 * there is no stream on that connection.
 *
 * Counted by reference: the host's stream has a reference. Any thread. It has a lock of its own,
 * and calls listeners under that lock. Locks that the host holds when it calls these functions come
 * before this lock in the lock order. */
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

/* Sets how often the listener gets reports from now on. GXDS_TIME_NEVER: never; then it is no
 * longer called. The listener is borrowed until then. True if the host must start the stream again,
 * see gxds_orca_stream_interval(). */
bool gxds_orca_stream_want(gxds_orca_stream *s, gxds_load_listener *listener,
                           gxds_duration interval);

/* The subchannel's state changed. The stream on the old connection must have ended already;
 * otherwise its UNIMPLEMENTED would count for the new connection. The host starts a new stream. */
void gxds_orca_stream_connectivity(gxds_orca_stream *s, grpc_connectivity_state state);

/* How often the stream asks for a report; GXDS_TIME_NEVER: no stream is needed. */
gxds_duration gxds_orca_stream_interval(gxds_orca_stream *s);

/* A message came from the network. It is ignored if it is not a report. */
void gxds_orca_stream_message(gxds_orca_stream *s, gxds_str bytes);

/* The stream ended with that status (a grpc_status_code). Returns a text for the log and for
 * channelz; NULL if there is nothing to log. */
const char *gxds_orca_stream_ended(gxds_orca_stream *s, int status);

#ifdef __cplusplus
}
#endif

#endif
