/* gxds_session: an engine (gxds_client) with its channels, calls and timers. It carries out the
 * engine's actions, passes events and the time to the engine, and reports load to the servers that
 * ask for it.
 *
 * Confined: the reactor's thread. After a direct call of the engine (watch, unwatch), call
 * gxds_session_kick(). */
#ifndef GRPC_XDS_TRANSPORT_SESSION_H_
#define GRPC_XDS_TRANSPORT_SESSION_H_

#include <grpc/grpc.h>

#include "transport/clients.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_session gxds_session;

/* The functions are called while the engine's actions are drained. They may call the engine, but
 * must not destroy the session. */
typedef struct gxds_session_events {
  /* A RESOURCE or AMBIENT_ERROR. All of it is borrowed: valid during the call, even if the function
   * calls the engine. */
  void (*on_notification)(void *arg, const gxds_action *action);
  /* The engine has no more actions for now. */
  void (*on_drained)(void *arg);
  /* The handling of one event of the network or of time is complete, and it notified at least one
   * watcher. took is the time since the response arrived; -1 if the event was no response. */
  void (*on_notified)(void *arg, gxds_duration took);
} gxds_session_events;

typedef struct gxds_session_options {
  const gxds_bootstrap *bootstrap; /* the session takes its own reference */
  gxds_prepared *take_prepared;
  const gxds_host *host;             /* borrowed: valid as long as the session */
  gxds_duration resource_timeout;    /* 0: default */
  const grpc_channel_args *args;     /* borrowed: valid during gxds_session_create(); may be NULL */
  const gxds_session_events *events; /* borrowed: valid as long as the session */
  void *arg;
} gxds_session_options;

gxds_session *gxds_session_create(const gxds_session_options *options);
/* Ends the engine, its streams and channels. */
void gxds_session_destroy(gxds_session *s);

/* Adds a data-plane target, whose name is copied, with a scope that no other target has. If the
 * bootstrap has a resource_cache, the resources that watchers of that scope use are kept for the
 * target. */
void gxds_session_add_target(gxds_session *s, uint32_t scope, gxds_str target);
/* Removes a target, which must have no watches any more. */
void gxds_session_remove_target(gxds_session *s, uint32_t scope);

/* This and the next two: borrowed, valid as long as s. */
gxds_client *gxds_session_engine(gxds_session *s);
gxds_load_store *gxds_session_load_store(gxds_session *s);
const gxds_bootstrap *gxds_session_bootstrap(gxds_session *s);
/* Drains the engine's actions at the end of this turn, so that all calls of the engine until then
 * are sent together. */
void gxds_session_kick(gxds_session *s);
/* Ends the backoff of streams and connections. */
void gxds_session_reset_backoff(gxds_session *s);

#ifdef __cplusplus
}
#endif

#endif
