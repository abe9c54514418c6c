/* gxds_ads_server: the server side of xDS v3, SotW and delta, aggregated and by type, for any
 * number of clients, as pure logic.
 *
 * Confined, and like the client's engine without I/O, clock or callbacks: events go in with the
 * time, actions come out of gxds_ads_server_next_action(), which the owner drains after each event.
 *
 * What it does in delta (incremental) xDS:
 * - Every resource has a version, the hash of its contents and aliases. A client is sent what it
 *   does not have, by the versions that it says it has and those it was sent; and what it asks for
 *   again.
 * - An alias of a resource is asked for like its name; the resource comes with its name and all its
 *   aliases, once, by however many of them it is asked for.
 * - Names that do not exist are sent as removed, once, and again to who asks again.
 * - No request is stale: names are taken from each. Names given up that were never asked for are no
 *   error.
 * - Responses stay below a size (GXDS_DELTA_RESPONSE_BYTES); what is more goes in further ones.
 *
 * What it does in SotW, by the xDS protocol:
 * - An LDS or CDS response always carries all that the client is subscribed to and that exists; an
 *   RDS or EDS response only what changed or was newly asked for, and absence deletes nothing.
 * - A client is sent a type only when something it asked for changed, came or (LDS, CDS) went, and
 *   LDS and CDS once at the beginning, even if nothing of what it asked for exists: it may hold
 * what went while it was away. What does not exist is waited for. What a client refused is not sent
 *   again until it changes.
 * - Nothing answers an ACK, a NACK or a request with a stale nonce. A request without nonce is
 *   always current: it is the first of its type, or crossed a response. A newer request of a type
 *   supersedes the older.
 * - "*" asks for everything, and so does an empty first LDS or CDS request, until one with names.
 * - Make before break: CDS, EDS, LDS, RDS; what was removed stays in responses until all else is
 *   sent, accepted and has had time to cause new requests, and then goes (LDS, then CDS).
 *
 * One message at a time is sent on a stream, and one of a type until the client answers: made from
 * the state of that moment, so a slow client gets the latest state and skips those between. */
#ifndef GRPC_XDS_TOOLS_SERVE_ADS_SERVER_H_
#define GRPC_XDS_TOOLS_SERVE_ADS_SERVER_H_

#include "base/time.h"
#include "files/file_set.h"
#include "tools/serve/action.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Removals wait until a client that has accepted everything was silent for this long, because its
 * requests for the replacements follow its ACKs at once. */
#define GXDS_ADS_REMOVAL_GRACE (200 * GXDS_MILLISECOND)
/* The longest time that removals wait for a client after its last request. */
#define GXDS_ADS_REMOVAL_MAX (5 * GXDS_SECOND)

/* The longest time that an update of a type waits for the client's answer to the response before
 * it. A correct client answers at once; one that does not is served nevertheless. */
#define GXDS_ADS_ANSWER_MAX (1 * GXDS_SECOND)

typedef struct gxds_ads_server gxds_ads_server;

/* The service that a client called. Odd numbers are delta. */
typedef enum gxds_ads_service {
  GXDS_ADS_SOTW,
  GXDS_ADS_DELTA,
  GXDS_ADS_LDS_SOTW,
  GXDS_ADS_LDS_DELTA,
  GXDS_ADS_RDS_SOTW,
  GXDS_ADS_RDS_DELTA,
  GXDS_ADS_CDS_SOTW,
  GXDS_ADS_CDS_DELTA,
  GXDS_ADS_EDS_SOTW,
  GXDS_ADS_EDS_DELTA,
  GXDS_ADS_SERVICE_COUNT,
} gxds_ads_service;

/* Whether the service is delta; else it is state of the world. */
bool gxds_ads_service_is_delta(gxds_ads_service service);
/* The type that the service is of; GXDS_FILE_TYPE_COUNT: any. */
gxds_file_type gxds_ads_service_type(gxds_ads_service service);

gxds_ads_server *gxds_ads_server_create(void);
void gxds_ads_server_destroy(gxds_ads_server *s);

/* Sets a new state of the resources. Takes a reference of its own. Before the first one there are
 * no responses. */
void gxds_ads_server_set_resources(gxds_ads_server *s, const gxds_file_set *set, gxds_time now);

/* A stream opened; peer: the client's address, copied. Gives its id, never reused, not 0. */
uint64_t gxds_ads_server_open(gxds_ads_server *s, gxds_ads_service service, gxds_str peer,
                              gxds_time now);
/* Takes a DiscoveryRequest or DeltaDiscoveryRequest. If the bytes are no such message, the stream
 * ends with INVALID_ARGUMENT. Here and below, an unknown stream is ignored. */
void gxds_ads_server_on_message(gxds_ads_server *s, uint64_t stream, gxds_str bytes, gxds_time now);
/* The last message was sent: the next response may follow. */
void gxds_ads_server_on_sent(gxds_ads_server *s, uint64_t stream, gxds_time now);
/* The stream ended; why: for the log. */
void gxds_ads_server_on_closed(gxds_ads_server *s, uint64_t stream, gxds_str why);

/* When to call gxds_ads_server_on_deadline(); GXDS_TIME_NEVER: not before the next event. */
gxds_time gxds_ads_server_deadline(const gxds_ads_server *s);
void gxds_ads_server_on_deadline(gxds_ads_server *s, gxds_time now);

/* Takes the next action; false if there is none. The caller ends *out with
 * gxds_serve_action_fini(). */
bool gxds_ads_server_next_action(gxds_ads_server *s, gxds_serve_action *out);

/* The number of open streams. For tests. */
size_t gxds_ads_server_stream_count(const gxds_ads_server *s);
/* Aborts (GXDS_CHECK) if an invariant does not hold. For tests and fuzzers. */
void gxds_ads_server_validate(const gxds_ads_server *s);

#ifdef __cplusplus
}
#endif

#endif
