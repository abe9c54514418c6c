/* The lines that GRPC_TRACE=xds_client adds to the log, at the severity of the host's own traces.
 * While the trace is off, each function only asks the host whether it is on, and makes no line.
 * Only xds_client/ includes this. */
#ifndef GRPC_XDS_XDS_CLIENT_TRACE_INTERNAL_H_
#define GRPC_XDS_XDS_CLIENT_TRACE_INTERNAL_H_

#include "xds_client/client_internal.h"

/* The most names of one request that a line lists; the rest is counted. */
#define GXDS_TRACED_NAMES_MAX 100

/* A line about a server; what is the text after its name. */
void gxds_trace_server(gxds_client *c, const gxds_bootstrap_server *server, const char *what);
/* A line about the stream of conn, which must have one. */
void gxds_trace_stream(gxds_client *c, const gxds_conn *conn, const char *what);
/* The next stream is opened after that time, at the earliest. */
void gxds_trace_retry(gxds_client *c, const gxds_conn *conn, gxds_duration wait);
/* A request of that type was planned and is about to be sent. */
void gxds_trace_request(gxds_client *c, const gxds_conn *conn, size_t type);
void gxds_trace_response(gxds_client *c, const gxds_conn *conn, const gxds_response *response);
/* What happened to a resource of a response. why is the reason, or empty. */
void gxds_trace_resource(gxds_client *c, const gxds_conn *conn, const gxds_entry *e,
                         const char *what, gxds_str version, gxds_str why);
/* The does-not-exist timer of a resource starts, and fires after wait (A57). */
void gxds_trace_wait(gxds_client *c, const gxds_sub *sub, gxds_duration wait);
/* A watch that has an entry begins or ends. */
void gxds_trace_watch(gxds_client *c, const gxds_watch *w, const char *what);

#endif
