/* gxds_client_handle: a channel's use of an XdsClient: the engine, its channels and streams to the
 * servers, and its LRS streams.
 *
 * The bootstrap decides which channels share a client:
 *   - with shared_stream (bootstrap.h; the default if no server has another to fall back to): all
 *     channels whose bootstraps have the same content, and whose clients would have the same
 *     channel arguments and does-not-exist timeout. So a process has one ADS stream and one LRS
 *     stream to a server, for any number of targets;
 *   - without it: the channels of one data-plane target (A71).
 * In the child of a fork, the parent's clients are no longer used.
 *
 * Status, metrics and the resource cache show a shared client as one client for each of its
 * targets. A target has the resources that its channels watch, the RPCs that it sent, and the times
 * of the updates that it was notified of. The counts of a server (connection, failures, updates)
 * belong to the client, and are the same for each of its targets.
 *
 * Confined: the reactor's thread, except for gxds_clients_prepare(). */
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

/* The events of a watcher. They are called on the reactor while the engine's actions are drained.
 * They may call gxds_client_handle_watch() and _unwatch(), but must not release the handle. */
typedef struct gxds_watch_events {
  /* Either resource is set and error is NULL, or resource is NULL and error says why. Here and
   * below, both are borrowed during the call: take a reference to keep them. */
  void (*on_resource)(void *owner, uint64_t token, const gxds_resource *resource,
                      const gxds_error *error);
  void (*on_ambient_error)(void *owner, uint64_t token, const gxds_error *error); /* NULL: the error
                                                                                     is over */
  /* Everything that one event of the network caused has been reported, so the owner can publish. */
  void (*on_drained)(void *owner);
} gxds_watch_events;

/* The credentials for every server of the bootstrap. Making them may block, so they are made in
 * advance, on a thread that is not the reactor's. */
typedef struct gxds_prepared gxds_prepared;
gxds_prepared *gxds_clients_prepare(const gxds_bootstrap *bootstrap, const gxds_host *host);
void gxds_prepared_destroy(gxds_prepared *p);

typedef struct gxds_client_key {
  gxds_str target;      /* "xds:///service", or "" with private_ */
  const void *private_; /* if not NULL, the channel has its own XdsClient */
} gxds_client_key;

/* Returns a use of the client for that key: an existing one that may be shared, or a new one. A new
 * client is made from prepared, with that does-not-exist timeout (0: the default), and with args
 * for its channels, which are borrowed during the call and may be NULL. Takes ownership of prepared
 * in either case. events and owner are borrowed until the release. */
gxds_client_handle *gxds_clients_acquire(gxds_client_key key, const gxds_bootstrap *bootstrap,
                                         gxds_prepared *take_prepared, const gxds_host *host,
                                         gxds_duration resource_timeout,
                                         const grpc_channel_args *args,
                                         const gxds_watch_events *events, void *owner);
/* Returns another use of the client that the target's channels already use; NULL if there is no
 * such client. It does not find private clients. */
gxds_client_handle *gxds_clients_join(gxds_str target, const gxds_watch_events *events,
                                      void *owner);
/* Ends the use and its watches. The last use ends the client and its streams. */
void gxds_client_handle_release(gxds_client_handle *h);

/* token is the caller's number for the watch, unique within the handle. */
void gxds_client_handle_watch(gxds_client_handle *h, const gxds_resource_type *type, gxds_str name,
                              uint64_t token);
void gxds_client_handle_unwatch(gxds_client_handle *h, uint64_t token);
/* The server that sent the watched resource, for messages. Empty if it is not known, or if there is
 * no resource. Borrowed: valid as long as the handle. */
gxds_str gxds_client_handle_source(gxds_client_handle *h, uint64_t token);
void gxds_client_handle_reset_backoff(gxds_client_handle *h);
/* Calls fn for every resource that the channels of the handle's target watch, by type and name. fn
 * must not call the client. */
void gxds_client_handle_each_resource(gxds_client_handle *h,
                                      void (*fn)(void *arg, const gxds_resource_info *), void *arg);
/* The target's view of the client's load store. Borrowed: valid as long as the handle; take a
 * reference to keep it. */
gxds_load_store *gxds_client_handle_load_store(gxds_client_handle *h);
const gxds_bootstrap *gxds_client_handle_bootstrap(gxds_client_handle *h);

/* A client as one of its targets sees it. */
typedef struct gxds_client_view {
  gxds_status_source status;   /* the scope in it is the target */
  bool first;                  /* this is the first view of its client */
  gxds_load_store *load_store; /* the client's own store, with the load of all targets */
  const gxds_histogram *update_times;
} gxds_client_view;

/* The views of all clients, in the order of the clients' creation. A client has one view for each
 * target, in the order of the targets' creation. The caller frees the array, which includes the
 * watches, with gxds_free(). Everything else in it is borrowed: valid until the caller returns to
 * the reactor. */
gxds_client_view *gxds_clients_views(size_t *count);

#ifdef __cplusplus
}
#endif

#endif
