/* gxds_web_server: a web server of the bootstrap as an xDS server for one engine. The web server
 * speaks REST-JSON (rest.c), or has resource files and an index of them (files.c). It has one
 * stream at a time, which works like a SotW ADS stream.
 *
 * Pure logic, confined. The engine's requests, the web server's responses and the time go in;
 * requests for the web server, responses for the engine and the end of the stream come out.
 *
 *     open ─► on_request ⇄ was_sent    next_fetch ⇄ on_fetched    next_response … take_end
 *
 * Anything that can't be fetched, read or applied ends the stream, with all errors as the reason.
 * The engine then keeps its resources, and opens the next stream after its backoff (A57), which
 * makes new requests. So the engine can fall back (A71) from a server that is down or serves
 * invalid data, as it does from a gRPC server. */
#ifndef GRPC_XDS_WEB_SERVER_H_
#define GRPC_XDS_WEB_SERVER_H_

#include "bootstrap/bootstrap.h"
#include "files/schema.h"
#include "web/fetch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A longer max-age or Retry-After counts as this time. A server that says "not before tomorrow" by
 * mistake must not keep its clients from the corrected configuration. */
#define GXDS_WEB_WAIT_MAX (600 * GXDS_SECOND)
/* The most bytes of an HTTP response: as many as in an ADS message (GXDS_RECEIVE_SIZE_MAX). */
#define GXDS_WEB_RESPONSE_MAX ((size_t)256 << 20)
/* The most bytes of an error about a response, and of a text that it quotes. */
#define GXDS_WEB_ERROR_MAX 4096
#define GXDS_WEB_QUOTE_MAX 200

typedef struct gxds_web_server gxds_web_server;

/* server must have a web_form. server and schema are borrowed: they must stay valid as long as the
 * result. The schema for GXDS_WEB_REST must be lenient. seed is for the jitter. The caller owns the
 * result. */
gxds_web_server *gxds_web_server_create(const gxds_bootstrap_server *server,
                                        const gxds_schema *schema, uint64_t seed);
void gxds_web_server_destroy(gxds_web_server *s); /* NULL is allowed */

/* Opens a new stream without subscriptions, in place of an open one. */
void gxds_web_server_open(gxds_web_server *s, gxds_time now);
/* Closes the stream: nothing is fetched until the next one. */
void gxds_web_server_close(gxds_web_server *s);
/* Takes a DiscoveryRequest of the engine; not before gxds_web_server_was_sent() for the last one.
 */
void gxds_web_server_on_request(gxds_web_server *s, gxds_str bytes, gxds_time now);
/* Returns true once for each request of the engine: when it was sent to the web server, or at once
 * if it needs no fetch. */
bool gxds_web_server_was_sent(gxds_web_server *s);

/* Sets *out to the next request; the caller ends it with gxds_web_request_fini(). False if none is
 * due. */
bool gxds_web_server_next_fetch(gxds_web_server *s, gxds_time now, gxds_web_request *out);
/* Takes the response to a fetch. Ignores a response that is no longer awaited. */
void gxds_web_server_on_fetched(gxds_web_server *s, const gxds_web_response *response,
                                gxds_time now);

/* The next DiscoveryResponse. The caller frees *out with gxds_str_free(). False if none is due. */
bool gxds_web_server_next_response(gxds_web_server *s, gxds_time now, gxds_str *out);
/* Whether the stream ended. Returns true once, with the reason in *why, which the caller frees. */
bool gxds_web_server_take_end(gxds_web_server *s, gxds_str *why);
/* Sets *line to a line for the log, which the caller frees. False if there is none. */
bool gxds_web_server_take_log(gxds_web_server *s, gxds_str *line);
/* When to call gxds_web_server_next_fetch() and gxds_web_server_next_response() again without a new
 * event. */
gxds_time gxds_web_server_deadline(const gxds_web_server *s);

#ifdef __cplusplus
}
#endif

#endif
