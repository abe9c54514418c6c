/* gxds_rest_server: `xds serve --rest`: what web servers are asked for by our client, over HTTP, on
 * a thread of its own.
 *
 *   POST /v3/discovery:listeners   (:routes, :clusters, :endpoints) xDS over REST-JSON
 *   GET  /xds-index.json           the index of the resources as files; and GET of those files
 *
 * Any thread may call what takes a server. */
#ifndef GRPC_XDS_TOOLS_SERVE_REST_SERVER_H_
#define GRPC_XDS_TOOLS_SERVE_REST_SERVER_H_

#include "base/status.h"
#include "tools/serve/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A request names each resource that a client wants: 100,000 names are some megabytes. */
#define GXDS_REST_BODY_MAX ((size_t)64 << 20)

typedef struct gxds_rest_server gxds_rest_server;

/* listen: as of gxds_serve_http. NULL: *status says why. */
gxds_rest_server *gxds_rest_server_start(const char *listen, int *port, gxds_status *status);
/* Ends the thread and waits for it. NULL is allowed. */
void gxds_rest_server_stop(gxds_rest_server *s);

/* Where the events of what clients are sent, and refuse, go from now on: on the server's thread,
 * which gives the event away. */
void gxds_rest_server_emit_to(gxds_rest_server *s,
                              void (*emit)(void *arg, gxds_serve_event *take_event), void *arg);
/* What is being served from now on (a reference is taken). */
void gxds_rest_server_set_resources(gxds_rest_server *s, const gxds_file_set *set);

#ifdef __cplusplus
}
#endif

#endif
