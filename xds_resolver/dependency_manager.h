/* gxds_dependency_manager: watches everything that a channel needs and makes snapshots of it (A74):
 * listener, route configuration, virtual host, clusters, endpoints.
 *
 * Confined to the reactor, or to a test. It does no I/O, reads no clock and makes no callbacks. The
 * owner reports events, then calls gxds_dependency_manager_settle() when everything that one event
 * of the network caused is reported. Actions come out of gxds_dependency_manager_next_action().
 *
 *     root:     none ─► candidate ─► published          a candidate is published when every cluster
 *                          ▲  │         │               of its routes has an entry; until then the
 *                          └──┴─ FAIL ◄─┘               published root stays in use
 *
 *     cluster:  REQUESTED ─► PRESENT, FAILED            its entry in the snapshot follows when
 *                                                       everything below it is there, or known to
 *                                                       be missing
 *
 * So a slow resource delays only itself, and the clusters that RPCs use in its place. A cluster
 * whose new endpoints are awaited keeps its old entry. So does an aggregate that waits for a new
 * member. The clusters that it shows keep their old entries too, because some of them may be about
 * to lose endpoints to the new member. A cluster has one entry for all its users, so it stays
 * unchanged for other users too. This lasts at most until the awaited resource is known to be
 * missing. An error of the listener or the route configuration fails the channel; an error of a
 * cluster or its endpoints concerns that cluster only. The cost depends on what changed. Changes of
 * the listener, of the routes, or of the clusters that RPCs hold look at all clusters. Changes of
 * an aggregate look at all aggregates and what they name. All other changes look only at what
 * changed. */
#ifndef GRPC_XDS_XDS_RESOLVER_DEPENDENCY_MANAGER_H_
#define GRPC_XDS_XDS_RESOLVER_DEPENDENCY_MANAGER_H_

#include "xds_resolver/config.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_dependency_manager gxds_dependency_manager;

typedef enum gxds_dependency_action_kind {
  GXDS_DEPENDENCY_WATCH,   /* token, type, name: watch it, and report resources and errors with the
                              token */
  GXDS_DEPENDENCY_UNWATCH, /* token */
  GXDS_DEPENDENCY_PUBLISH, /* config, route_targets: the channel must use this snapshot from now
                              on */
  GXDS_DEPENDENCY_FAIL,    /* status: the channel has no configuration to use */
  GXDS_DEPENDENCY_DNS_START,     /* token, name "host:port": resolve it, and report the addresses at
                                    each change */
  GXDS_DEPENDENCY_DNS_STOP,      /* token */
  GXDS_DEPENDENCY_DNS_RERESOLVE, /* token */
} gxds_dependency_action_kind;

/* All of it is borrowed: valid until the next call on the manager. */
typedef struct gxds_dependency_action {
  gxds_dependency_action_kind kind;
  uint64_t token; /* never reused, so a late report is recognised and ignored */
  const gxds_resource_type *type;
  gxds_str name;
  const gxds_config *config;
  const gxds_names *route_targets; /* config's roots and plugins that its routes name */
  gxds_status status;              /* UNAVAILABLE */
} gxds_dependency_action;

/* All of it is borrowed: valid during the call. */
typedef struct gxds_dependency_manager_options {
  gxds_str listener_name;
  gxds_str data_plane_authority; /* chooses the virtual host */
  gxds_str node_id;              /* this client's node id, for messages */
  gxds_load_store *load_store;   /* becomes part of each snapshot; takes its own reference. May be
                                    NULL */
} gxds_dependency_manager_options;

/* Makes a manager. Its first action is to watch the listener. The caller ends it with
 * gxds_dependency_manager_destroy(). */
gxds_dependency_manager *gxds_dependency_manager_create(
    const gxds_dependency_manager_options *options);
void gxds_dependency_manager_destroy(gxds_dependency_manager *m);

/* ---- events; none does anything visible before settle() ---- */

/* Names the xDS server that sent the resource that is reported next. The name is for messages. Here
 * and below, an unknown token is ignored. */
void gxds_dependency_manager_on_source(gxds_dependency_manager *m, uint64_t token, gxds_str server);
/* Reports a resource (error is NULL), or that there is none (resource is NULL, and error is the
 * reason); then an earlier resource is no longer used (A88). Takes its own reference to either. */
void gxds_dependency_manager_on_resource(gxds_dependency_manager *m, uint64_t token,
                                         const gxds_resource *resource, const gxds_error *error);
/* Reports an ambient error: something is wrong, but the resource stays in use (A88). Takes its own
 * reference. NULL ends the ambient error. */
void gxds_dependency_manager_on_ambient_error(gxds_dependency_manager *m, uint64_t token,
                                              const gxds_error *error);
/* Reports the addresses of a DNS name as an endpoints resource (takes its own reference), or NULL
 * with the reason in status; then earlier addresses stay in use. */
void gxds_dependency_manager_on_dns(gxds_dependency_manager *m, uint64_t token,
                                    const gxds_endpoints *endpoints, const gxds_status *status);
/* A74's dynamic subscriptions. They are counted. An unsubscribe without a subscribe is ignored. */
void gxds_dependency_manager_subscribe(gxds_dependency_manager *m, gxds_str cluster);
void gxds_dependency_manager_unsubscribe(gxds_dependency_manager *m, gxds_str cluster);
/* A31: reports whether RPCs still hold this cluster, or the child of this plugin if the snapshot
 * has one. While held is true, the target stays in the snapshot, among its roots or plugins, even
 * if no route names it. Calls are not counted. */
void gxds_dependency_manager_hold(gxds_dependency_manager *m, gxds_str target, bool held);
/* An LB policy asks for new addresses: all DNS names are resolved again (A74). */
void gxds_dependency_manager_reresolve(gxds_dependency_manager *m);

/* Processes all events so far: starts new watches, publishes if anything changed, and then ends the
 * watches that are not needed any more. */
void gxds_dependency_manager_settle(gxds_dependency_manager *m);

/* The next action; NULL if the queue is drained. Borrowed: valid until the next call on m. */
const gxds_dependency_action *gxds_dependency_manager_next_action(gxds_dependency_manager *m);

/* The number of active watches and DNS names. */
size_t gxds_dependency_manager_watch_count(const gxds_dependency_manager *m);
/* Aborts (GXDS_CHECK) if an invariant does not hold. For tests: it walks over everything. */
void gxds_dependency_manager_validate(const gxds_dependency_manager *m);

#ifdef __cplusplus
}
#endif

#endif
