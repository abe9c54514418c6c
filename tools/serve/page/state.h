/* gxds_page_state: what the page of `xds serve --http` shows, kept from the server's events: who is
 * connected, what each client asked for, was sent, accepted or refused, and the load it reported.
 *
 * Confined, or under the caller's lock. It calls nothing and does no I/O. What clients can make
 * grow is bounded by the limits below. */
#ifndef GRPC_XDS_TOOLS_SERVE_PAGE_STATE_H_
#define GRPC_XDS_TOOLS_SERVE_PAGE_STATE_H_

#include "files/file_set.h"
#include "tools/serve/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most clients on the page; more are only counted, since nobody reads more on a page. */
#define GXDS_PAGE_CLIENTS_MAX 1000u
#define GXDS_PAGE_NAMES_MAX 100u /* the most names that are shown for a type of a client */
#define GXDS_PAGE_LOADS_MAX 10000u
#define GXDS_PAGE_PROBLEMS_MAX 50u      /* the last errors and warnings of files */
#define GXDS_PAGE_LOCALITIES_MAX 10000u /* whose weights can be edited */

typedef struct gxds_page_state gxds_page_state;

gxds_page_state *gxds_page_state_create(void);
void gxds_page_state_destroy(gxds_page_state *s);

void gxds_page_state_on_event(gxds_page_state *s, const gxds_serve_event *event);
/* Sets what is served from now on. Takes a reference of its own. */
void gxds_page_state_set_resources(gxds_page_state *s, const gxds_file_set *set);
/* The number of changes. As long as it stays the same, the rendering does too. Never 0. */
uint64_t gxds_page_state_number(const gxds_page_state *s);
/* Adds one JSON object: {number, address, resources, problems, clients, loads, localities};
 * page.html is who reads it. */
void gxds_page_state_render(const gxds_page_state *s, gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
