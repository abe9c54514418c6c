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
  GXDS_DEPENDENCY_WATCH,     /* token, type, name: then report resources and errors by the token */
  GXDS_DEPENDENCY_UNWATCH,   /* token */
  GXDS_DEPENDENCY_PUBLISH,   /* config, route_targets */
  GXDS_DEPENDENCY_FAIL,      /* status: the channel has no configuration to use */
  GXDS_DEPENDENCY_DNS_START, /* token, name "host:port": report the addresses, again and again */
  GXDS_DEPENDENCY_DNS_STOP,  /* token */
  GXDS_DEPENDENCY_DNS_RERESOLVE, /* token */
} gxds_dependency_action_kind;

/* Everything in it is borrowed until the next call on the manager. */
typedef struct gxds_dependency_action {
  gxds_dependency_action_kind kind;
  uint64_t token; /* never reused, so a late report is dropped by it */
  const gxds_resource_type *type;
  gxds_str name;
  const gxds_config *config;
  const gxds_names *route_targets; /* of config's virtual host: config's roots and plugins, less
                                      those that only RPCs hold */
  gxds_status status;              /* UNAVAILABLE */
} gxds_dependency_action;

/* All of it is borrowed: valid during the call. */
typedef struct gxds_dependency_manager_options {
  gxds_str listener_name;
  gxds_str data_plane_authority; /* chooses the virtual host */
  gxds_str node_id;              /* for messages */
  gxds_load_store *load_store;   /* travels in each snapshot; a reference is taken. May be NULL */
} gxds_dependency_manager_options;

/* Asks for the listener at once. */
gxds_dependency_manager *gxds_dependency_manager_create(
    const gxds_dependency_manager_options *options);
void gxds_dependency_manager_destroy(gxds_dependency_manager *m);

/* ---- events; none does anything visible before settle() ---- */

/* The xDS server that sent the resource that is told next, for messages. An unknown token is
 * ignored, here and below. */
void gxds_dependency_manager_on_source(gxds_dependency_manager *m, uint64_t token, gxds_str server);
/* A resource (error is NULL), or NULL and why there is none: it is then no longer used (A88). A
 * reference is taken of either. */
void gxds_dependency_manager_on_resource(gxds_dependency_manager *m, uint64_t token,
                                         const gxds_resource *resource, const gxds_error *error);
/* Something is wrong, but what is there stays in use (A88). A reference is taken; NULL: no longer.
 */
void gxds_dependency_manager_on_ambient_error(gxds_dependency_manager *m, uint64_t token,
                                              const gxds_error *error);
/* The addresses of a DNS name as an endpoints resource (a reference is taken), or NULL and why
 * there are none; then earlier ones stay in use. */
void gxds_dependency_manager_on_dns(gxds_dependency_manager *m, uint64_t token,
                                    const gxds_endpoints *endpoints, const gxds_status *status);
/* A74's dynamic subscriptions; counted. An unsubscribe without a subscribe is ignored. */
void gxds_dependency_manager_subscribe(gxds_dependency_manager *m, gxds_str cluster);
void gxds_dependency_manager_unsubscribe(gxds_dependency_manager *m, gxds_str cluster);
/* A31: RPCs may use this cluster (or the child of this plugin, if the snapshot has one) (true), or
 * no longer do: while they may it stays in the snapshot and among its roots (plugins), whether or
 * not a route names it. Not counted. */
void gxds_dependency_manager_hold(gxds_dependency_manager *m, gxds_str target, bool held);
/* An LB policy asks for new addresses: all DNS names are resolved again (A74). */
void gxds_dependency_manager_reresolve(gxds_dependency_manager *m);

/* Carries out what the events so far call for: asks for more, publishes if anything changed, and
 * then lets go of what is not needed any more. */
void gxds_dependency_manager_settle(gxds_dependency_manager *m);

/* The next thing to do; NULL: drained. Borrowed: valid until the next call on m. */
const gxds_dependency_action *gxds_dependency_manager_next_action(gxds_dependency_manager *m);

/* Watches and DNS names that are active. */
size_t gxds_dependency_manager_watch_count(const gxds_dependency_manager *m);
/* Aborts (GXDS_CHECK) if an invariant does not hold. For tests: it looks at everything. */
void gxds_dependency_manager_validate(const gxds_dependency_manager *m);

#ifdef __cplusplus
}
#endif

#endif
