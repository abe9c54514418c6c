/* gxds_stream_call: one bidirectional streaming call on gRPC's C API, the common part of ADS and
 * LRS streams. On request it sends one message, or reads one message. It reports how the call
 * ended.
 *
 * Confined: the reactor's thread. The call ends when on_closed, gxds_stream_call_close() or
 * gxds_stream_call_finish() is called; then the pointer is invalid. The memory is freed when the
 * last batch is done. Until then it holds a use of the reactor. */
#ifndef GRPC_XDS_TRANSPORT_STREAM_CALL_H_
#define GRPC_XDS_TRANSPORT_STREAM_CALL_H_

#include "base/block.h"
#include "base/status.h"
#include "base/time.h"
#include "transport/call_creds.h"

#ifdef __cplusplus
extern "C" {
#endif

struct grpc_channel;
typedef struct gxds_stream_call gxds_stream_call;

/* These are called on the reactor, but never from within a function of the call. Each may call the
 * call's functions, and may close it. on_sent and on_message may be NULL if nothing is sent or
 * read. */
typedef struct gxds_stream_call_events {
  /* The message was given to the transport: at once, or when the channel connected. */
  void (*on_sent)(void *owner, uint64_t id);
  /* data: borrowed, valid during the call. */
  void (*on_message)(void *owner, uint64_t id, const void *data, size_t size);
  /* The call ended; all messages that were read have been reported. status is borrowed during the
   * call. It is OK if the server ended the call without an error. If the call credentials had no
   * token, the status is their error. */
  void (*on_closed)(void *owner, uint64_t id, const gxds_status *status);
} gxds_stream_call_events;

typedef struct gxds_stream_call_options {
  const char *method;     /* "/package.Service/Method"; static */
  bool wait_for_ready;    /* A57: an xDS stream waits for a connection instead of failing */
  gxds_time deadline;     /* on the clock of gxds_reactor_now(); GXDS_TIME_NEVER: no deadline */
  uint64_t id;            /* passed to each event */
  gxds_call_creds *creds; /* borrowed: valid until the call ends; NULL: none */
  const gxds_stream_call_events *events; /* borrowed: valid until the call ends */
  void *owner;
} gxds_stream_call_options;

/* Starts a call. channel: borrowed, valid during this function. */
gxds_stream_call *gxds_stream_call_open(struct grpc_channel *channel,
                                        const gxds_stream_call_options *options);
/* Sends one message: head, which is copied, followed by rest, which may be NULL. gRPC does not copy
 * rest, but gets its own reference to it, and releases that on any thread, perhaps after the end of
 * the call. on_sent follows unless the call ends first. Only one message may be in flight. */
void gxds_stream_call_send(gxds_stream_call *c, gxds_str head, const gxds_block *rest);
/* Reads one message; on_message follows unless the call ends first. Only one read may be
 * outstanding. */
void gxds_stream_call_read(gxds_stream_call *c);
/* Cancels the call; no event follows. The server may lose messages that it has not read yet. c may
 * be NULL. */
void gxds_stream_call_close(gxds_stream_call *c);
/* Like gxds_stream_call_close(), but tells the server that no more messages follow, and cancels the
 * call only if the server does not end it within GXDS_STREAM_CALL_FINISH_MAX. So the server can
 * read everything that was sent. What the server still sends is read and dropped. */
#define GXDS_STREAM_CALL_FINISH_MAX (3 * GXDS_SECOND)
void gxds_stream_call_finish(gxds_stream_call *c);

#ifdef __cplusplus
}
#endif

#endif
