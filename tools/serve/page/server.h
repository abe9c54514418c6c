/* gxds_page_server: the page of `xds serve --http`: one HTML file, the state behind it as JSON, and
 * the change of a weight, over HTTP (libmicrohttpd) on a thread of its own.
 *
 *   GET  /        the page
 *   GET  /state   gxds_page_state_render(); with ?after=N: 304 while N is still its number
 *   POST /weight  {resource, priority, region, zone, sub_zone, weight}: 202, or 4xx with words
 *
 * It answers only to the names that a browser on this machine uses for it, and takes changes only
 * as application/json, so that pages from elsewhere can do neither. Any thread may call what takes
 * a server. */
#ifndef GRPC_XDS_TOOLS_SERVE_PAGE_SERVER_H_
#define GRPC_XDS_TOOLS_SERVE_PAGE_SERVER_H_

#include "base/status.h"
#include "files/file_set.h"
#include "tools/serve/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most bytes of a request's body; no change of a weight needs as many. */
#define GXDS_PAGE_BODY_MAX 65536u

typedef struct gxds_page_server gxds_page_server;

/* listen: "127.0.0.1:8080", "[::1]:0"; port 0 lets the kernel pick one. *port: the one bound. NULL:
 * *status says why. */
gxds_page_server *gxds_page_server_start(const char *listen, int *port, gxds_status *status);
/* Ends the thread, and waits for it. s may be NULL. */
void gxds_page_server_stop(gxds_page_server *s);

/* Show what clients do, and what is served from now on. Take references of their own. */
void gxds_page_server_on_event(gxds_page_server *s, const gxds_serve_event *event);
void gxds_page_server_set_resources(gxds_page_server *s, const gxds_file_set *set);

/* A descriptor that is readable while a change waits to be taken. */
int gxds_page_server_fd(const gxds_page_server *s);
/* The set that somebody wants served, made from the one last given to set_resources; a reference,
 * the caller's. NULL: nothing waits. */
const gxds_file_set *gxds_page_server_take_change(gxds_page_server *s);

#ifdef __cplusplus
}
#endif

#endif
