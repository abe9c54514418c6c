/* gxds_source: a server of the bootstrap that is reached without gRPC: a directory (file_source.h)
 * or a web server (web_source.h). One ADS stream at a time, as stream_call.h has it: on_sent and
 * on_message follow a send and a read. Confined: the reactor's thread. */
#ifndef GRPC_XDS_TRANSPORT_SOURCE_H_
#define GRPC_XDS_TRANSPORT_SOURCE_H_

#include "base/status.h"
#include "transport/stream_call.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_source gxds_source;

/* Told never from within a function of the source. */
typedef struct gxds_source_events {
  /* The server can't be reached at all, as a channel in TRANSIENT_FAILURE; status (borrowed, valid
   * during the call) has all that is wrong. It may destroy the source. */
  void (*on_failed)(void *arg, const gxds_status *status);
  /* One line, borrow, for the log. */
  void (*on_log)(void *arg, bool error, gxds_str line);
} gxds_source_events;

typedef struct gxds_source_functions {
  /* A stream; id is not 0. There is no other. */
  void (*open)(gxds_source *s, uint64_t id, const gxds_stream_call_events *events, void *owner);
  /* message: borrowed, valid during the call. */
  void (*send)(gxds_source *s, gxds_str message);
  void (*read)(gxds_source *s);
  /* Ends the stream; nothing of it is told any more. */
  void (*close)(gxds_source *s);
  /* Nothing is told any more. Waits for nobody. */
  void (*destroy)(gxds_source *s);
} gxds_source_functions;

/* First in the struct of each kind. */
struct gxds_source {
  const gxds_source_functions *functions;
};

#ifdef __cplusplus
}
#endif

#endif
