/* gxds_serve_server: the gRPC server of `xds serve`, on the public C API, with its calls. One
 * thread waits for a completion queue, owns the protocol logic, and emits the events.
 *
 * It serves the streams of AggregatedDiscoveryService and of the discovery services of one type
 * (SotW and delta), and of LoadReportingService. Every other method fails with UNIMPLEMENTED. */
#ifndef GRPC_XDS_TOOLS_SERVE_SERVER_H_
#define GRPC_XDS_TOOLS_SERVE_SERVER_H_

#include "base/time.h"
#include "files/file_set.h"
#include "tools/serve/event.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_serve_server gxds_serve_server;

typedef struct gxds_serve_options {
  const char *listen; /* "127.0.0.1:18000"; port 0: the kernel picks one */
  gxds_duration load_interval;
  /* Called on the server's thread for every event, in order. */
  void (*on_event)(void *arg, const gxds_serve_event *event);
  void *arg;
} gxds_serve_options;

/* Starts to listen, and starts the thread. Sets *port to the bound port. If the address can't be
 * bound, returns NULL, and *status says why. on_event may be called before this returns. One owner.
 */
gxds_serve_server *gxds_serve_server_start(const gxds_serve_options *options, int *port,
                                           gxds_status *status);
/* Serves a new state; the server takes its own reference. Any thread; does not wait. */
void gxds_serve_server_set_resources(gxds_serve_server *s, const gxds_file_set *set);
/* Emits an event, in order with those of the protocol. Takes ownership of it. Any thread; does not
 * wait. */
void gxds_serve_server_emit(gxds_serve_server *s, gxds_serve_event *take_event);
/* Ends all calls and the thread, and waits for the thread. Events that were emitted before are
 * still reported. */
void gxds_serve_server_stop(gxds_serve_server *s);

#ifdef __cplusplus
}
#endif

#endif
