/* gxds_source: a server of the bootstrap that is reached without gRPC: a directory (file_source.h)
 * or a web server (web_source.h). It has one ADS stream at a time, with the events of
 * stream_call.h: on_sent follows a send, and on_message follows a read. Confined: the reactor's
 * thread. */
#ifndef GRPC_XDS_TRANSPORT_SOURCE_H_
#define GRPC_XDS_TRANSPORT_SOURCE_H_

#include "base/status.h"
#include "transport/stream_call.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_source gxds_source;

/* The source never calls these from within one of its functions. */
typedef struct gxds_source_events {
  /* The server can't be reached, like a channel in TRANSIENT_FAILURE. status lists everything that
   * is wrong; it is borrowed during the call. The function may destroy the source. */
  void (*on_failed)(void *arg, const gxds_status *status);
  /* One line for the log, borrowed during the call. */
  void (*on_log)(void *arg, bool error, gxds_str line);
} gxds_source_events;

typedef struct gxds_source_functions {
  /* Opens a stream. id is not 0. There is only one stream at a time. */
  void (*open)(gxds_source *s, uint64_t id, const gxds_stream_call_events *events, void *owner);
  /* message: borrowed, valid during the call. */
  void (*send)(gxds_source *s, gxds_str message);
  void (*read)(gxds_source *s);
  /* Ends the stream; its events are no longer called. */
  void (*close)(gxds_source *s);
  /* Destroys the source; no events are called any more. It does not wait for anything. */
  void (*destroy)(gxds_source *s);
} gxds_source_functions;

/* The first member in the struct of each kind of source. */
struct gxds_source {
  const gxds_source_functions *functions;
};

#ifdef __cplusplus
}
#endif

#endif
