/* gxds_page_state: the data of the page of `xds serve --http`, collected from the server's events:
 * the connected clients, what each client subscribed to, was sent, accepted or refused, and the
 * load that all clients reported.
 *
 * Confined, or under the caller's lock. It has no callbacks and does no I/O. The limits below bound
 * the data that clients can cause. */
#ifndef GRPC_XDS_TOOLS_SERVE_PAGE_STATE_H_
#define GRPC_XDS_TOOLS_SERVE_PAGE_STATE_H_

#include "files/file_set.h"
#include "tools/serve/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most clients on the page, because nobody could read a larger one. Of further clients only the
 * streams are counted. */
#define GXDS_PAGE_CLIENTS_MAX 1000u
#define GXDS_PAGE_NAMES_MAX 100u        /* the most names that are shown for a type of a client */
#define GXDS_PAGE_LOADS_MAX 10000u      /* the most localities of clusters whose load is added up */
#define GXDS_PAGE_PROBLEMS_MAX 50u      /* the last errors and warnings of files */
#define GXDS_PAGE_LOCALITIES_MAX 10000u /* the most localities whose weights can be edited */

typedef struct gxds_page_state gxds_page_state;

gxds_page_state *gxds_page_state_create(void);
void gxds_page_state_destroy(gxds_page_state *s);

void gxds_page_state_on_event(gxds_page_state *s, const gxds_serve_event *event);
/* Sets the resources that are served from now on. Takes its own reference. */
void gxds_page_state_set_resources(gxds_page_state *s, const gxds_file_set *set);
/* The number of changes so far. As long as it is the same, gxds_page_state_render() gives the same
 * text. Never 0. */
uint64_t gxds_page_state_number(const gxds_page_state *s);
/* Adds one JSON object: {number, address, resources, problems, hidden_streams, clients,
 * loads, localities}; page.html reads it. */
void gxds_page_state_render(const gxds_page_state *s, gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
