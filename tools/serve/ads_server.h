/* gxds_ads_server: the server side of xDS v3, SotW and delta, aggregated and by type, for any
 * number of clients, as pure logic.
 *
 * Confined. Like the client's engine, it has no I/O, clock or callbacks. Events go in with the
 * time. Actions come out of gxds_ads_server_next_action(), which the owner drains after each event.
 *
 * Rules of delta (incremental) xDS:
 * - Every resource has a version, the hash of its contents and aliases. A client gets the resources
 *   that it does not have in their present version, and those that it subscribes to again. The
 *   client has the versions that its request lists, and those that the server has sent to it.
 * - A client may subscribe to an alias of a resource as to its name. A response has the resource
 *   once, with its name and all its aliases, even if the client subscribed to several of them.
 * - A name that does not exist is sent as removed, once, and again when the client subscribes to it
 *   again.
 * - No request is stale: the names of each request count. To unsubscribe from a name without a
 *   subscription is no error.
 * - A response ends after a number of bytes (GXDS_DELTA_RESPONSE_BYTES); further responses have the
 *   rest.
 *
 * Rules of SotW, from the xDS protocol:
 * - An LDS or CDS response has all existing resources that the client subscribes to. An RDS or EDS
 *   response has only those that changed or that the client newly subscribed to; the absence of a
 *   resource deletes nothing.
 * - A client gets a response of a type only when a resource that it subscribes to changed, was
 *   added or (LDS, CDS) was removed. The first LDS and the first CDS response are sent even if no
 *   such resource exists, because the client may have resources that were removed while it was not
 *   connected. Resources that do not exist are sent once they exist. A resource that the client
 *   refused is not sent again until it changes.
 * - An ACK or a NACK causes no response, and a request with a stale nonce is ignored. A request
 *   without a nonce is always current: it is the first of its type, or crossed a response. A newer
 *   request of a type replaces the older one.
 * - "*" subscribes to all resources. So does an LDS or CDS request without names, until a request
 *   has had names.
 * - Make before break: updates are sent in the order CDS, EDS, LDS, RDS. Removed resources stay in
 *   responses until all updates are sent and accepted, and the client has had time to send new
 *   requests. Then the removals are sent, first of LDS, then of CDS.
 *
 * A stream sends one message at a time, and one response of a type until the client has ACKed or
 * NACKed it. A response has the state of the moment when it is made, so a slow client gets the
 * latest state and skips those between. */
#ifndef GRPC_XDS_TOOLS_SERVE_ADS_SERVER_H_
#define GRPC_XDS_TOOLS_SERVE_ADS_SERVER_H_

#include "base/time.h"
#include "files/file_set.h"
#include "tools/serve/action.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The longest time that removals wait for a client after its last request. A client that has ACKed
 * or NACKed everything gets the removals after GXDS_FILE_REMOVAL_GRACE. */
#define GXDS_ADS_REMOVAL_MAX (5 * GXDS_SECOND)

/* The longest time that an update of a type waits for the client's ACK or NACK of the previous
 * response. A correct client sends an ACK or a NACK at once. A client that sends neither still gets
 * updates, after this time. */
#define GXDS_ADS_ACK_MAX (1 * GXDS_SECOND)

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

/* Whether the service is delta; otherwise it is state of the world. */
bool gxds_ads_service_is_delta(gxds_ads_service service);
/* The type of the service; GXDS_FILE_TYPE_COUNT: any. */
gxds_file_type gxds_ads_service_type(gxds_ads_service service);

gxds_ads_server *gxds_ads_server_create(void);
void gxds_ads_server_destroy(gxds_ads_server *s);

/* Sets a new state of the resources. Takes its own reference. Before the first one there are no
 * responses. */
void gxds_ads_server_set_resources(gxds_ads_server *s, const gxds_file_set *set, gxds_time now);

/* A stream opened. peer is the client's address, which is copied. Returns the stream's id, which is
 * never reused and not 0. */
uint64_t gxds_ads_server_open(gxds_ads_server *s, gxds_ads_service service, gxds_str peer,
                              gxds_time now);
/* Takes a DiscoveryRequest or DeltaDiscoveryRequest. If the bytes are not such a message, the
 * stream ends with INVALID_ARGUMENT. This function and those below ignore an unknown stream. */
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
