/* gxds_file_server: serves a checked set of resource files to one engine, in state-of-the-world
 * ADS: the "file://" server of a bootstrap. Pure logic, one thread: requests, sets and the time go
 * in, responses come out. Every response of a type has all subscribed resources. If the files lack
 * a resource, the response has an error for it (xRFC TP3), so the client need not wait. Make before
 * break: a resource that a new set lacks is still served until the client has accepted all of the
 * new set, has changed its subscriptions accordingly, and has been silent for a while
 * (make_before_break.h). */
#ifndef GRPC_XDS_FILES_FILE_SERVER_H_
#define GRPC_XDS_FILES_FILE_SERVER_H_

#include "base/time.h"
#include "files/file_set.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_file_server gxds_file_server;

/* directory is for error messages, and is copied. The caller owns the result. */
gxds_file_server *gxds_file_server_create(gxds_str directory);
void gxds_file_server_destroy(gxds_file_server *s); /* NULL is allowed */

/* Sets a new state of the files. Takes its own reference to the set. Before the first call there
 * are no responses. */
void gxds_file_server_set(gxds_file_server *s, const gxds_file_set *set, gxds_time now);
/* A new stream begins, without subscriptions. */
void gxds_file_server_open(gxds_file_server *s);
/* Takes a DiscoveryRequest. bytes are borrowed during the call. */
void gxds_file_server_on_request(gxds_file_server *s, gxds_str bytes, gxds_time now);
/* Makes the next DiscoveryResponse; the caller frees *out with gxds_str_free(). False if none is
 * due. */
bool gxds_file_server_next(gxds_file_server *s, gxds_time now, gxds_str *out);
/* When to call gxds_file_server_next() again without a new event. */
gxds_time gxds_file_server_deadline(const gxds_file_server *s);

#ifdef __cplusplus
}
#endif

#endif
