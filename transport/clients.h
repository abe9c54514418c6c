/* gxds_client_handle: a channel's use of an XdsClient: the engine, its channels and streams to the
 * servers, and its LRS streams.
 *
 * Which channels share one says their bootstrap:
 *   - with shared_stream (bootstrap.h: without a server to fall back to, by itself): all whose
 *     bootstraps have the same content, and whose clients would have the same channel arguments and
 *     does-not-exist timeout. So a process has one ADS stream and one LRS stream to a server,
 *     whatever the number of its targets;
 *   - without it: the channels of one data-plane target (A71).
 * A client from before a fork is nobody's any more.
 *
 * A shared client is shown as one for each of its targets: of resources a target has those that its
 * channels watch, in status, metrics, and the resource cache; so it has the RPCs that it sent, and
 * the times of updates that it was told of. What is counted of a server (connection, failures,
 * updates) is the client's, and the same for each of its targets.
 *
 * Confined: the reactor's thread, but for gxds_clients_prepare(). */
#ifndef GRPC_XDS_TRANSPORT_CLIENTS_H_
#define GRPC_XDS_TRANSPORT_CLIENTS_H_

#include <grpc/grpc.h>

#include "base/metric.h"
#include "lrs/load_store.h"
#include "xds_client/client.h"
#include "xds_client/client_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_client_handle gxds_client_handle;

/* What a watcher is told. Called on the reactor, while the engine's actions are drained; the
 * callbacks may call gxds_client_handle_watch() and _unwatch() but must not release the handle. */
typedef struct gxds_watch_events {
  /* resource and NULL, or NULL and why. Borrow, here and below: ref to keep it. */
  void (*on_resource)(void *owner, uint64_t token, const gxds_resource *resource,
                      const gxds_error *error);
  void (*on_ambient_error)(void *owner, uint64_t token, const gxds_error *error); /* NULL: over */
  /* All that one event of the network caused has been told: the time to publish. */
  void (*on_drained)(void *owner);
} gxds_watch_events;

/* Everything that may block, made beforehand off the reactor: the credentials of every server in
 * the bootstrap. Any thread but the reactor's. */
typedef struct gxds_prepared gxds_prepared;
gxds_prepared *gxds_clients_prepare(const gxds_bootstrap *bootstrap, const gxds_host *host);
void gxds_prepared_destroy(gxds_prepared *p);

typedef struct gxds_client_key {
  gxds_str target;      /* "xds:///service", or "" with private_ */
  const void *private_; /* not NULL: an XdsClient of this channel's own */
} gxds_client_key;

/* A use of a client by that key: one that may be shared, or one that is made: then from prepared
 * (taken in either case), with the does-not-exist timeout (0: default) and the extra args
 * (borrowed: valid during the call; may be NULL) for its channels. events and owner: borrowed,
 * valid until released. */
gxds_client_handle *gxds_clients_acquire(gxds_client_key key, const gxds_bootstrap *bootstrap,
                                         gxds_prepared *take_prepared, const gxds_host *host,
                                         gxds_duration resource_timeout,
                                         const grpc_channel_args *args,
                                         const gxds_watch_events *events, void *owner);
/* Another use of the client that channels of the target have; NULL: there are none. Not of private
 * ones. */
gxds_client_handle *gxds_clients_join(gxds_str target, const gxds_watch_events *events,
                                      void *owner);
/* Ends the use and its watches; the last one ends the client and its streams. */
void gxds_client_handle_release(gxds_client_handle *h);

/* token: the caller's name for the watch, unique within the handle. */
void gxds_client_handle_watch(gxds_client_handle *h, const gxds_resource_type *type, gxds_str name,
                              uint64_t token);
void gxds_client_handle_unwatch(gxds_client_handle *h, uint64_t token);
/* The server that sent what is watched, for messages; empty: it is not known, or there is nothing.
 * Borrowed: valid as long as the handle. */
gxds_str gxds_client_handle_source(gxds_client_handle *h, uint64_t token);
void gxds_client_handle_reset_backoff(gxds_client_handle *h);
/* What the client holds of every resource that the channels of the handle's target watch, by type
 * and name. fn must not call the client. */
void gxds_client_handle_each_resource(gxds_client_handle *h,
                                      void (*fn)(void *arg, const gxds_resource_info *), void *arg);
/* The target's view of the client's. Borrowed: valid as long as the handle; ref to keep it. */
gxds_load_store *gxds_client_handle_load_store(gxds_client_handle *h);
const gxds_bootstrap *gxds_client_handle_bootstrap(gxds_client_handle *h);

/* What there is to tell of a client for one of its targets. */
typedef struct gxds_client_view {
  gxds_status_source status;   /* its scope is the target */
  bool first;                  /* of its client's */
  gxds_load_store *load_store; /* the client's whole one */
  const gxds_histogram *update_times;
} gxds_client_view;

/* Of all clients, in the order of their creation, and of their targets', likewise. The array, with
 * the watches in it, is the caller's (gxds_free); what else is in it is borrowed until the reactor
 * goes on. */
gxds_client_view *gxds_clients_views(size_t *count);

#ifdef __cplusplus
}
#endif

#endif
