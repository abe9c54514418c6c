/* gxds_call_creds: the call credentials of one xDS server (A97). They put the tokens of its files
 * into the "authorization" headers of its streams.
 *
 * gRPC requests the headers when a stream has its connection, on one of gRPC's threads. The reactor
 * reads the files and returns the headers, so no thread of the program waits for a disk. gRPC
 * requests them only on a connection with privacy and integrity, so no token is sent unencrypted.
 * Over "insecure" channel credentials no token is sent, and the stream fails with a status that
 * says what to do.
 *
 * Confined: the reactor, except create and destroy, during which no other thread may use the
 * object. */
#ifndef GRPC_XDS_TRANSPORT_CALL_CREDS_H_
#define GRPC_XDS_TRANSPORT_CALL_CREDS_H_

#include "base/status.h"
#include "bootstrap/bootstrap.h"

#ifdef __cplusplus
extern "C" {
#endif

struct grpc_call;
typedef struct gxds_call_creds gxds_call_creds;

/* NULL if the server has no call credentials. server is borrowed: valid during the call. */
gxds_call_creds *gxds_call_creds_create(const gxds_bootstrap_server *server);
void gxds_call_creds_destroy(gxds_call_creds *c); /* NULL is allowed */
/* The next stream does not wait for the backoff of a file. c may be NULL. */
void gxds_call_creds_reset_backoff(gxds_call_creds *c);

/* The credentials of one call. Lives in the caller's struct; zero-initialised, the call has none.
 */
typedef struct gxds_call_token {
  gxds_status failure;    /* why the call got no token; OK if it has one, or requested none */
  gxds_call_creds *creds; /* the rest is private */
  uintptr_t number;       /* never 0 */
  struct gxds_call_token *next;
} gxds_call_token;

/* Call it before the call's first batch. creds is borrowed: valid until gxds_call_token_fini(). If
 * it is NULL, nothing is done. */
void gxds_call_token_init(gxds_call_token *t, gxds_call_creds *creds, struct grpc_call *call);
/* Call it when the call has ended or is cancelled. It gets no token any more. */
void gxds_call_token_fini(gxds_call_token *t);

#ifdef __cplusplus
}
#endif

#endif
