/* gxds_rest_server: `xds serve --rest`. It serves over HTTP, on its own thread, everything that our
 * client requests from web servers.
 *
 *   POST /v3/discovery:listeners   (:routes, :clusters, :endpoints) xDS over REST-JSON
 *   GET  /xds-index.json           the index of the resources as files; and GET of those files
 *
 * Any thread may call the functions that take a server. */
#ifndef GRPC_XDS_TOOLS_SERVE_REST_SERVER_H_
#define GRPC_XDS_TOOLS_SERVE_REST_SERVER_H_

#include "base/status.h"
#include "tools/serve/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most bytes of a request. A request names each subscribed resource: 100,000 names are some
 * megabytes. */
#define GXDS_REST_BODY_MAX ((size_t)64 << 20)

typedef struct gxds_rest_server gxds_rest_server;

/* listen is as for gxds_serve_http. On failure returns NULL, and *status is the reason. One owner.
 */
gxds_rest_server *gxds_rest_server_start(const char *listen, int *port, gxds_status *status);
/* Ends the thread, and waits for it. s may be NULL. */
void gxds_rest_server_stop(gxds_rest_server *s);

/* From now on calls this function for each push and each NACK, on the server's thread. It takes
 * ownership of the event. */
void gxds_rest_server_emit_to(gxds_rest_server *s,
                              void (*emit)(void *arg, gxds_serve_event *take_event), void *arg);
/* Sets the resources that are served from now on. Takes its own reference. */
void gxds_rest_server_set_resources(gxds_rest_server *s, const gxds_file_set *set);

#ifdef __cplusplus
}
#endif

#endif
