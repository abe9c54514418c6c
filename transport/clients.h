/* gxds_client_handle: a use of the XdsClient of one data-plane target (A71), shared by the channels
 * of that target: the engine, its channels and streams to the servers, and its LRS streams.
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
  /* resource (borrow: ref to keep it), or NULL and why. */
  void (*on_resource)(void *owner, uint64_t token, const gxds_resource *resource,
                      const gxds_status *status);
  void (*on_ambient_error)(void *owner, uint64_t token, const gxds_status *status);
  /* All that one event of the network caused has been told: the time to publish. */
  void (*on_drained)(void *owner);
} gxds_watch_events;

/* Everything that may block, made beforehand off the reactor: the credentials of every server in
 * the bootstrap. Any thread but the reactor's. */
typedef struct gxds_prepared gxds_prepared;
gxds_prepared *gxds_clients_prepare(const gxds_bootstrap *bootstrap, const gxds_host *host);
void gxds_prepared_destroy(gxds_prepared *p);

typedef struct gxds_client_key {
  gxds_str target;      /* "xds:///service", or "" with scope */
  const void *private_; /* not NULL: an XdsClient of this channel's own */
} gxds_client_key;

/* A use of the client of that key, made when there is none: then from prepared (taken in either
 * case), with the does-not-exist timeout (0: default) and the extra args (borrow: during the call;
 * may be NULL) for its channels. events and owner: borrow, until released. */
gxds_client_handle *gxds_clients_acquire(gxds_client_key key, const gxds_bootstrap *bootstrap,
                                         gxds_prepared *take_prepared, const gxds_host *host,
                                         gxds_duration resource_timeout,
                                         const grpc_channel_args *args,
                                         const gxds_watch_events *events, void *owner);
/* Ends the use and its watches; the last one ends the client and its streams. */
void gxds_client_handle_release(gxds_client_handle *h);

/* token: the caller's name for the watch, unique within the handle. */
void gxds_client_handle_watch(gxds_client_handle *h, const gxds_resource_type *type, gxds_str name,
                              uint64_t token);
void gxds_client_handle_unwatch(gxds_client_handle *h, uint64_t token);
/* The server that sent what is watched, for messages; empty: it is not known, or there is nothing.
 * Borrow: as long as the handle. */
gxds_str gxds_client_handle_source(gxds_client_handle *h, uint64_t token);
void gxds_client_handle_reset_backoff(gxds_client_handle *h);
/* What the client holds of every resource, by type and name, for whoever has a use of it. fn must
 * not call the client. */
void gxds_client_handle_each_resource(gxds_client_handle *h,
                                      void (*fn)(void *arg, const gxds_resource_info *), void *arg);
/* Borrow: as long as the handle; ref to keep it. */
gxds_load_store *gxds_client_handle_load_store(gxds_client_handle *h);
const gxds_bootstrap *gxds_client_handle_bootstrap(gxds_client_handle *h);

/* All clients, in the order of their creation; each one's scope is its target. The array is the
 * caller's (gxds_free); what is in it is borrowed until the reactor goes on. */
gxds_status_source *gxds_clients_all(size_t *count);

/* What metrics tell of a client; borrowed. */
typedef struct gxds_client_measures {
  gxds_status_source status;
  gxds_load_store *load_store;
  const gxds_histogram *update_times;
} gxds_client_measures;

/* The same clients, as gxds_clients_all(). */
gxds_client_measures *gxds_clients_measures(size_t *count);

#ifdef __cplusplus
}
#endif

#endif
