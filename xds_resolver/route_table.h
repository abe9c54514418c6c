/* gxds_route_table: the compiled routes of a virtual host. It finds the route of an RPC (A27, A28)
 * and its cluster. Immutable: any thread. Takes no lock and allocates nothing per RPC.
 *
 * The first route that matches wins. Routes by path and by prefix are found in a hash table of
 * their texts. So the cost of an RPC depends on the length of its path, and on how many routes
 * match the path, but not on the number of routes. Regular expressions are tried one by one. */
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
  gxds_str authority; /* for RPCs without their own authority */
} gxds_route_channel;

/* An RPC to be routed. All of it is borrowed: valid during the call. */
typedef struct gxds_route_request {
  gxds_str path; /* "/package.Service/Method" */
  /* Puts the value of a metadata key (several values are joined by commas) into *value, borrowed
   * until the next call; returns false if the RPC lacks the key. It is not called for headers that
   * A28 excludes. It is called for ":authority", which is there if the RPC has its own authority.
   */
  bool (*header)(void *arg, gxds_str name, gxds_str *value);
  void *arg;
  gxds_random *(*random)(
      void); /* returns the calling thread's generator; called only when a number must be drawn */
  const gxds_route_channel *channel;
  gxds_session_text *session; /* A55: filled in if the result has a cookie; need not be initialised.
                                 NULL if the caller does not need sessions */
} gxds_route_request;

typedef enum gxds_routed {
  GXDS_ROUTED,
  GXDS_ROUTED_NOWHERE,  /* no route matches */
  GXDS_ROUTED_IN_ERROR, /* the route that matches has an action that a client can't carry out */
} gxds_routed;

/* One of the clusters of a route. */
typedef struct gxds_route_target {
  size_t cluster;       /* the cluster's index in the names given to gxds_route_table_create() */
  size_t method_config; /* the number of its method config in the table's, or
                           GXDS_NO_METHOD_CONFIG */
  const gxds_host_rewrite *host_rewrite; /* A81, or NULL */
  const gxds_metadata_match *match;      /* E5, or NULL */
  const gxds_session_cookie *cookie;     /* A55: the cookie for RPCs on the cookie's path; NULL:
                                            none */
} gxds_route_target;

/* Where an RPC goes. All pointers are borrowed: valid as long as the table. */
typedef struct gxds_route_result {
  gxds_routed kind;
  const gxds_route_target *target;   /* NULL unless GXDS_ROUTED */
  const gxds_session_cookie *cookie; /* A55: the cookie of the RPC's session, or NULL */
  bool has_hash; /* A42: false if no hash policy gives a hash; then a random hash is used */
  uint64_t hash; /* for LB policies that pick by hash */
} gxds_route_result;

/* Compiles the routes of virtual_host, which is part of route_config. Takes its own references to
 * route_config and listener. listener has the HTTP filters, and the max_stream_duration for routes
 * that set none. clusters must contain every cluster that the routes name, and the children of
 * their plugins. virtual_host and clusters are borrowed: valid during the call. host, for regular
 * expressions, is borrowed: valid as long as the table. The caller ends the table with
 * gxds_route_table_destroy(). */
const gxds_route_table *gxds_route_table_create(const gxds_route_config *route_config,
                                                const gxds_virtual_host *virtual_host,
                                                const gxds_listener *listener,
                                                const gxds_names *clusters, const gxds_host *host);
void gxds_route_table_destroy(const gxds_route_table *t); /* t may be NULL */

/* The method configs that results refer to by number. Borrowed: valid as long as t. */
const gxds_method_configs *gxds_route_table_method_configs(const gxds_route_table *t);

/* Routes one RPC: finds the first route that matches, and in it the cluster of the RPC's session
 * (A60), or else one drawn by weight. */
gxds_route_result gxds_route_table_find(const gxds_route_table *t,
                                        const gxds_route_request *request);

/* The number of the first route that matches; -1 if none does. The second function tries one route
 * after the other; it is used to check the first. */
int64_t gxds_route_table_match(const gxds_route_table *t, const gxds_route_request *request);
int64_t gxds_route_table_match_linear(const gxds_route_table *t, const gxds_route_request *request);

/* The names of all clusters that the routes of the virtual host name. The caller owns the returned
 * reference. */
const gxds_names *gxds_route_cluster_names(const gxds_virtual_host *virtual_host);

#ifdef __cplusplus
}
#endif

#endif
