/* gxds_serve_call: one call of a client, from its request to its end. It reads messages one by one,
 * and sends one at a time. Confined to the server's thread. Private to tools/serve/. */
#ifndef GRPC_XDS_TOOLS_SERVE_CALL_H_
#define GRPC_XDS_TOOLS_SERVE_CALL_H_

#include <grpc/grpc.h>

#include "base/hash_table.h"
#include "base/status.h"
#include "tools/serve/ads_server.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_serve_call gxds_serve_call;

/* A completion: its address is the tag. */
typedef struct gxds_serve_tag {
  void (*done)(struct gxds_serve_tag *tag, bool ok);
  void *owner;
} gxds_serve_tag;

/* The events for the owner of the calls. on_ended is the last event of a call, which then frees
 * itself. It is the only event of a call that never started, because the server shuts down. why is
 * a static text for the log. */
typedef struct gxds_serve_call_events {
  void (*on_started)(void *owner, gxds_serve_call *call);
  void (*on_message)(void *owner, gxds_serve_call *call, gxds_str bytes);
  void (*on_sent)(void *owner, gxds_serve_call *call);
  void (*on_closed)(void *owner, gxds_serve_call *call, const char *why);
  void (*on_ended)(void *owner, gxds_serve_call *call);
} gxds_serve_call_events;

typedef enum gxds_serve_call_kind {
  GXDS_SERVE_CALL_ADS,
  GXDS_SERVE_CALL_LRS,
  GXDS_SERVE_CALL_OTHER, /* a call of a method that is not served */
} gxds_serve_call_kind;

struct gxds_serve_call {
  /* For the owner's use. */
  uint64_t stream;
  UT_hash_handle by_stream;
  bool started; /* on_started was called */
  /* To be read by the owner. */
  gxds_serve_call_kind kind;
  gxds_ads_service service; /* only for an ADS call */
  bool notified_closed;     /* on_closed was called, or the owner closed the call */
  /* Private. */
  const gxds_serve_call_events *events;
  void *owner;
  grpc_call *call;
  grpc_call_details details;
  grpc_metadata_array metadata;
  grpc_byte_buffer *received;
  grpc_byte_buffer *sending;
  int cancelled;
  int pending; /* how many completions are still to come */
  bool status_sent;
  bool finished; /* RECV_CLOSE_ON_SERVER is done */
  gxds_serve_tag requested;
  gxds_serve_tag read;
  gxds_serve_tag sent;
  gxds_serve_tag status;
  gxds_serve_tag closed;
};

/* Asks the server for its next call. */
void gxds_serve_call_request(grpc_server *server, grpc_completion_queue *cq,
                             const gxds_serve_call_events *events, void *owner);
/* Only when nothing is being sent. The bytes are copied. */
void gxds_serve_call_send(gxds_serve_call *c, gxds_str bytes);
/* Ends the call with a status; on_closed is not called. */
void gxds_serve_call_close(gxds_serve_call *c, const gxds_status *status);
/* Ends the call; the client gets CANCELLED without a text. on_closed follows. */
void gxds_serve_call_cancel(gxds_serve_call *c);
/* "ipv4:127.0.0.1:1234"; owned by the caller (gxds_str_free). */
gxds_str gxds_serve_call_peer(const gxds_serve_call *c);

#ifdef __cplusplus
}
#endif

#endif
