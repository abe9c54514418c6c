/* gxds_page_server: the page of `xds serve --http`. It serves one HTML file and the page's data as
 * JSON, and changes weights, over HTTP (libmicrohttpd) on its own thread.
 *
 *   GET  /        the page
 *   GET  /state   gxds_page_state_render(); with ?after=N: 304 while N is still its number
 *   POST /weight  {resource, priority, region, zone, sub_zone, weight}: 202, or 4xx with a text
 *
 * It only serves requests whose Host is an IP address or "localhost", and accepts changes only as
 * application/json. So pages from other sites can neither read the state nor change a weight. Any
 * thread may call the functions that take a server. */
#ifndef GRPC_XDS_TOOLS_SERVE_PAGE_SERVER_H_
#define GRPC_XDS_TOOLS_SERVE_PAGE_SERVER_H_

#include "base/status.h"
#include "files/file_set.h"
#include "tools/serve/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most bytes of a request's body. A change of a weight needs far fewer. */
#define GXDS_PAGE_BODY_MAX 65536u

typedef struct gxds_page_server gxds_page_server;

/* listen: "127.0.0.1:8080", "[::1]:0"; port 0 lets the kernel pick one. Sets *port to the bound
 * port. On failure returns NULL, and *status is the reason. */
gxds_page_server *gxds_page_server_start(const char *listen, int *port, gxds_status *status);
/* Ends the thread, and waits for it. s may be NULL. */
void gxds_page_server_stop(gxds_page_server *s);

/* These two update the page's data: with an event, or with the set that is served from now on. The
 * server takes its own reference. */
void gxds_page_server_on_event(gxds_page_server *s, const gxds_serve_event *event);
void gxds_page_server_set_resources(gxds_page_server *s, const gxds_file_set *set);

/* A file descriptor that is readable while a change waits to be taken. */
int gxds_page_server_fd(const gxds_page_server *s);
/* Takes the set with the changed weights, which was made from the set last given to
 * gxds_page_server_set_resources(). The caller owns the returned reference. NULL: no change waits.
 */
const gxds_file_set *gxds_page_server_take_change(gxds_page_server *s);

#ifdef __cplusplus
}
#endif

#endif
