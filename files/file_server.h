/* gxds_file_server: a checked set of resource files, spoken of in SotW ADS: what one engine asks of
 * a "file://" server in its bootstrap, and what it is answered.
 *
 * Pure logic, confined: requests, sets and the time go in, responses come out. All that is asked
 * for is in every response of its type; what the files do not have is told at once, as an error of
 * that resource (xRFC TP3). Make before break: what a new set lacks stays, until all of the new one
 * was accepted and the client, which asks for other things then, has been silent for a while. */
#ifndef GRPC_XDS_FILES_FILE_SERVER_H_
#define GRPC_XDS_FILES_FILE_SERVER_H_

#include "base/time.h"
#include "files/file_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Far longer than an engine in this process takes to ask for what a new resource names. */
#define GXDS_FILE_REMOVAL_GRACE (200 * GXDS_MILLISECOND)

typedef struct gxds_file_server gxds_file_server;

/* directory is copied: for the errors. */
gxds_file_server *gxds_file_server_create(gxds_str directory);
void gxds_file_server_destroy(gxds_file_server *s); /* NULL is allowed */

/* A new state of the files, of which it takes a reference of its own. Before the first one nothing
 * is answered. */
void gxds_file_server_set(gxds_file_server *s, const gxds_file_set *set, gxds_time now);
/* A new stream: nothing is asked for. */
void gxds_file_server_open(gxds_file_server *s);
/* One DiscoveryRequest. */
void gxds_file_server_on_request(gxds_file_server *s, gxds_str bytes, gxds_time now);
/* The next DiscoveryResponse; the caller frees *out with gxds_str_free(). False: there is nothing
 * to say. */
bool gxds_file_server_next(gxds_file_server *s, gxds_time now, gxds_str *out);
/* When to ask again though nothing came in. */
gxds_time gxds_file_server_deadline(const gxds_file_server *s);

#ifdef __cplusplus
}
#endif

#endif
