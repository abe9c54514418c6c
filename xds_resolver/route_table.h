/* gxds_route_table: the routes of a virtual host, compiled once, to find the route of an RPC (A27,
 * A28) and its cluster. Immutable: any thread; takes no lock and allocates
 * nothing per RPC.
 *
 * The first route that matches wins. Routes by path and by prefix are found in a hash of their
 * texts, so that what an RPC costs is a matter of its path's length and of the routes that do match
 * it by path, not of how many there are; regular expressions are tried one by one. */
#ifndef GRPC_XDS_XDS_RESOLVER_ROUTE_TABLE_H_
#define GRPC_XDS_XDS_RESOLVER_ROUTE_TABLE_H_

#include "base/host.h"
#include "base/random.h"
#include "resources/listener.h"
#include "resources/route_config.h"
#include "xds_resolver/config.h"
#include "xds_resolver/method_configs.h"
#include "xds_resolver/session.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_route_table gxds_route_table;

/* What all RPCs of a channel have in common. */
typedef struct gxds_route_channel {
  uint64_t id;        /* a random number (A42) */
  gxds_str authority; /* for RPCs without an authority of their own */
} gxds_route_channel;

/* An RPC that is to be routed. All of it is borrowed: valid during the call. */
typedef struct gxds_route_request {
  gxds_str path; /* "/package.Service/Method" */
  /* Looks up a metadata key; several values are joined by commas. *value is borrowed until the next
   * call. False if the RPC does not have it. It is never called for keys that A28 excludes. It is
   * called for ":authority", which an RPC has if the program set one. */
  bool (*header)(void *arg, gxds_str name, gxds_str *value);
  void *arg;
  gxds_random *(*random)(
      void); /* the calling thread's generator; called only if a number is needed */
  const gxds_route_channel *channel;
  gxds_session_text *session; /* A55: filled in if the result has a cookie; need not be initialised.
                                 NULL: sessions are not used */
} gxds_route_request;

typedef enum gxds_routed {
  GXDS_ROUTED,
  GXDS_ROUTED_NOWHERE,  /* no route matches */
  GXDS_ROUTED_IN_ERROR, /* the matching route has an action that a client can't use */
} gxds_routed;

/* Where an RPC goes. */
typedef struct gxds_route_result {
  gxds_routed kind;
  size_t cluster;       /* its index in the names given to gxds_route_table_create() */
  size_t method_config; /* its number in the table's method configs, or GXDS_NO_METHOD_CONFIG */
  bool has_hash;        /* A42: false if no hash policy gives one; then a random hash will do */
  uint64_t hash;        /* for policies that pick by it */
  const gxds_host_rewrite *host_rewrite; /* A81; NULL: none. Borrowed: valid as long as the table */
  const gxds_metadata_match *match;      /* E5; likewise */
  const gxds_session_cookie *cookie;     /* A55; likewise */
} gxds_route_result;

/* Compiles the routes of virtual_host, which is in route_config (a reference is taken). listener:
 * for its filters, and its max_stream_duration for routes that set none (likewise); clusters holds
 * every cluster that the routes name, and the children of their plugins; both borrowed: valid
 * during the call. host: for regular expressions; borrowed, valid as long as the table. */
const gxds_route_table *gxds_route_table_create(const gxds_route_config *route_config,
                                                const gxds_virtual_host *virtual_host,
                                                const gxds_listener *listener,
                                                const gxds_names *clusters, const gxds_host *host);
void gxds_route_table_destroy(const gxds_route_table *t); /* NULL is allowed */

/* The method configs that results refer to by number. Borrowed: valid as long as t. */
const gxds_method_configs *gxds_route_table_method_configs(const gxds_route_table *t);

/* Routes one RPC: finds the first route that matches, and takes the cluster that the RPC's session
 * has there (A60), or draws one by weight. */
gxds_route_result gxds_route_table_find(const gxds_route_table *t,
                                        const gxds_route_request *request);

/* The number of the first route that matches; -1 if none does. The second function tries one route
 * after the other, to check the first. */
int64_t gxds_route_table_match(const gxds_route_table *t, const gxds_route_request *request);
int64_t gxds_route_table_match_linear(const gxds_route_table *t, const gxds_route_request *request);

/* The names of all clusters that the virtual host's routes name. The caller owns the returned
 * reference. */
const gxds_names *gxds_route_cluster_names(const gxds_virtual_host *virtual_host);

#ifdef __cplusplus
}
#endif

#endif
