/* What GRPC_TRACE=xds_client shows of the engine: lines for the log, at the severity of the host's
 * own traces. While the trace is off, each of these is one question to the host, and no line is
 * made. Only xds_client/ includes this. */
#ifndef GRPC_XDS_XDS_CLIENT_TRACE_INTERNAL_H_
#define GRPC_XDS_XDS_CLIENT_TRACE_INTERNAL_H_

#include "xds_client/client_internal.h"

/* Names of one request in one line; the rest is counted. */
#define GXDS_TRACED_NAMES_MAX 100

/* Anything about a server: what is the rest of the line. */
void gxds_trace_server(gxds_client *c, const gxds_bootstrap_server *server, const char *what);
/* The same about its stream, which is there. */
void gxds_trace_stream(gxds_client *c, const gxds_conn *conn, const char *what);
/* The next stream is opened in that time, at the earliest. */
void gxds_trace_retry(gxds_client *c, const gxds_conn *conn, gxds_duration wait);
/* A request of that type was planned, and goes out. */
void gxds_trace_request(gxds_client *c, const gxds_conn *conn, size_t type);
void gxds_trace_response(gxds_client *c, const gxds_conn *conn, const gxds_response *response);
/* What became of a resource of a response; why: empty, or the reason. */
void gxds_trace_resource(gxds_client *c, const gxds_conn *conn, const gxds_entry *e,
                         const char *what, gxds_str version, gxds_str why);
/* A resource is waited for that long (A57). */
void gxds_trace_wait(gxds_client *c, const gxds_sub *sub, gxds_duration wait);
/* A watch with an entry began or ends. */
void gxds_trace_watch(gxds_client *c, const gxds_watch *w, const char *what);

#endif
