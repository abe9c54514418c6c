/* gxds_lrs_server: the server side of LRS v3 for any number of clients, as pure logic. It requests
 * of each client the load of all its clusters at an interval, and adds up the reports.
 *
 * Confined, without I/O, clock or callbacks; actions come out of gxds_lrs_server_next_action(). */
#ifndef GRPC_XDS_TOOLS_SERVE_LRS_SERVER_H_
#define GRPC_XDS_TOOLS_SERVE_LRS_SERVER_H_

#include "base/time.h"
#include "files/file_set.h"
#include "tools/serve/action.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most localities of clients whose totals are kept; further ones are reported without totals.
 * No test has that many, and they take 20 MB. */
#define GXDS_LRS_TOTALS_MAX 100000u

typedef struct gxds_lrs_server gxds_lrs_server;

/* interval is the time between two reports, and positive. */
gxds_lrs_server *gxds_lrs_server_create(gxds_duration interval);
void gxds_lrs_server_destroy(gxds_lrs_server *s);

/* Sets the clusters that a client must report if it cannot report all clusters (it lacks the
 * feature envoy.lrs.supports_send_all_clusters). Takes its own reference. */
void gxds_lrs_server_set_resources(gxds_lrs_server *s, const gxds_file_set *set);

/* A stream opened; peer is copied. Returns its id, which is never reused and not 0. */
uint64_t gxds_lrs_server_open(gxds_lrs_server *s, gxds_str peer);
/* Takes a LoadStatsRequest. If the bytes are not such a message, the stream ends with
 * INVALID_ARGUMENT. This function and those below ignore an unknown stream. */
void gxds_lrs_server_on_message(gxds_lrs_server *s, uint64_t stream, gxds_str bytes);
void gxds_lrs_server_on_sent(gxds_lrs_server *s, uint64_t stream);
void gxds_lrs_server_on_closed(gxds_lrs_server *s, uint64_t stream, gxds_str why);

/* Takes the next action; false if there is none. The caller ends *out with
 * gxds_serve_action_fini(). */
bool gxds_lrs_server_next_action(gxds_lrs_server *s, gxds_serve_action *out);

#ifdef __cplusplus
}
#endif

#endif
