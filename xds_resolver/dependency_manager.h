/* gxds_dependency_manager: watches what a channel needs and makes snapshots of it (A74): listener,
 * route configuration, virtual host, clusters, endpoints.
 *
 * Confined: the reactor, or a test. It does no I/O, reads no clock and calls nothing: events go in,
 * then gxds_dependency_manager_settle() when all that one event of the network caused has been
 * told, and what is to be done comes out of gxds_dependency_manager_next_action().
 *
 *     root:     none ─► candidate ─► published          a candidate is published when every cluster
 *                          ▲  │         │               of its routes has an entry; until then the
 *                          └──┴─ FAIL ◄─┘               published root goes on
 *
 *     cluster:  REQUESTED ─► PRESENT, FAILED            its entry in the snapshot follows when all
 *                                                       below it is there, or known to be missing
 *
 * So what is slow holds back nothing but itself, and what RPCs go to instead: a cluster whose new
 * endpoints resource is awaited stays as it was, and so does an aggregate that waits for a new
 * member, with all clusters that it shows (of which some may be about to lose what the new one
 * gets). These stay as they were for whoever else uses them too, for a cluster has one entry: it is
 * late there, at most until what is awaited is known to be missing. An error on the listener or the
 * route configuration fails the channel; one on a cluster or its endpoints is a matter of that
 * cluster. Work follows what changed: the clusters are walked only when roots, subscriptions or
 * aggregates change. */
#ifndef GRPC_XDS_XDS_RESOLVER_DEPENDENCY_MANAGER_H_
#define GRPC_XDS_XDS_RESOLVER_DEPENDENCY_MANAGER_H_

#include "xds_resolver/config.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_dependency_manager gxds_dependency_manager;

typedef enum gxds_dependency_action_kind {
  GXDS_DEPENDENCY_WATCH, /* token, type, name: watch this, and report resources and errors with the
                            token */
  GXDS_DEPENDENCY_UNWATCH,   /* token */
  GXDS_DEPENDENCY_PUBLISH,   /* config, route_targets */
  GXDS_DEPENDENCY_FAIL,      /* status: the channel has no usable configuration */
  GXDS_DEPENDENCY_DNS_START, /* token, name "host:port": resolve this, and report each answer with
                                the token */
  GXDS_DEPENDENCY_DNS_STOP,  /* token */
  GXDS_DEPENDENCY_DNS_RERESOLVE, /* token */
} gxds_dependency_action_kind;

/* Everything in it is borrowed until the next call on the manager. */
typedef struct gxds_dependency_action {
  gxds_dependency_action_kind kind;
  uint64_t token; /* never reused, so that late reports can be ignored */
  const gxds_resource_type *type;
  gxds_str name;
  const gxds_config *config;
  const gxds_names *route_targets; /* the targets of the virtual host's routes: config's roots and
                                      plugins, without those that only RPCs hold */
  gxds_status status;              /* UNAVAILABLE */
} gxds_dependency_action;

/* All of it is borrowed: valid during the call. */
typedef struct gxds_dependency_manager_options {
  gxds_str listener_name;
  gxds_str data_plane_authority; /* chooses the virtual host */
  gxds_str node_id;              /* for messages */
  /* Put into each snapshot; takes a reference of its own. May be NULL. */
  gxds_load_store *load_store;
} gxds_dependency_manager_options;

/* Watches the listener at once. One owner. */
gxds_dependency_manager *gxds_dependency_manager_create(
    const gxds_dependency_manager_options *options);
void gxds_dependency_manager_destroy(gxds_dependency_manager *m);

/* ---- events; none does anything visible before settle() ---- */

/* Sets the xDS server that sent the next resource for that token, for messages. Here and below, an
 * unknown token is ignored. */
void gxds_dependency_manager_on_source(gxds_dependency_manager *m, uint64_t token, gxds_str server);
/* A resource came (then error is NULL), or resource is NULL and error says why there is none. Then
 * the last one is not used any more (A88). Takes references of its own. */
void gxds_dependency_manager_on_resource(gxds_dependency_manager *m, uint64_t token,
                                         const gxds_resource *resource, const gxds_error *error);
/* There is an error, but the last good resource stays in use (A88). NULL: the error is over. Takes
 * a reference of its own. */
void gxds_dependency_manager_on_ambient_error(gxds_dependency_manager *m, uint64_t token,
                                              const gxds_error *error);
/* The addresses of a DNS name, as endpoints. If they are NULL, the status says why there are none,
 * and earlier ones stay in use. Takes a reference of its own. */
void gxds_dependency_manager_on_dns(gxds_dependency_manager *m, uint64_t token,
                                    const gxds_endpoints *endpoints, const gxds_status *status);
/* A74's dynamic subscriptions; counted. An unsubscribe without a subscribe is ignored. */
void gxds_dependency_manager_subscribe(gxds_dependency_manager *m, gxds_str cluster);
void gxds_dependency_manager_unsubscribe(gxds_dependency_manager *m, gxds_str cluster);
/* A31: sets whether RPCs may still use this cluster, or the child of this plugin. As long as they
 * may, it stays in the snapshot and among its roots or plugins, even if no route names it. Calls
 * are not counted. */
void gxds_dependency_manager_hold(gxds_dependency_manager *m, gxds_str target, bool held);
/* An LB policy asks for new addresses: all DNS names are resolved again (A74). */
void gxds_dependency_manager_reresolve(gxds_dependency_manager *m);

/* Processes the events since the last call: watches what else is needed, publishes a snapshot if
 * anything changed, and then drops what is not needed any more. */
void gxds_dependency_manager_settle(gxds_dependency_manager *m);

/* The next thing to do; NULL if there is nothing. Borrowed: valid until the next call on m. */
const gxds_dependency_action *gxds_dependency_manager_next_action(gxds_dependency_manager *m);

/* The number of active watches and DNS names. */
size_t gxds_dependency_manager_watch_count(const gxds_dependency_manager *m);
/* Aborts (GXDS_CHECK) if an invariant does not hold. For tests: it looks at everything. */
void gxds_dependency_manager_validate(const gxds_dependency_manager *m);

#ifdef __cplusplus
}
#endif

#endif
