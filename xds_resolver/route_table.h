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

/* What is the same for all RPCs of a channel. */
typedef struct gxds_route_channel {
  uint64_t id;        /* a random number (A42) */
  gxds_str authority; /* of RPCs that name none of their own */
} gxds_route_channel;

/* What is known of an RPC when it is routed. All of it is borrowed: valid during the call. */
typedef struct gxds_route_request {
  gxds_str path; /* "/package.Service/Method" */
  /* The value of a metadata key (several values joined by commas) into *value, borrowed until the
   * next call; false: not there. Not asked for what A28 excludes; asked for ":authority", which
   * is there when the RPC has one of its own. */
  bool (*header)(void *arg, gxds_str name, gxds_str *value);
  void *arg;
  gxds_random *(*random)(void); /* of the calling thread; asked for when a number is to be drawn */
  const gxds_route_channel *channel;
  gxds_session_text *session; /* A55: filled when the result has a cookie; not initialised. NULL:
                                 nobody asks for sessions */
} gxds_route_request;

typedef enum gxds_routed {
  GXDS_ROUTED,
  GXDS_ROUTED_NOWHERE,  /* no route matches */
  GXDS_ROUTED_IN_ERROR, /* the route that matches is of a kind that a client can't follow */
} gxds_routed;

/* Where an RPC goes. */
typedef struct gxds_route_result {
  gxds_routed kind;
  size_t cluster;       /* its place in the names given to _create */
  size_t method_config; /* the number among the table's, or GXDS_NO_METHOD_CONFIG */
  bool has_hash;        /* A42: false: no policy gives one, and a random one is as good */
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

/* What results' numbers stand for. Borrowed: valid as long as t. */
const gxds_method_configs *gxds_route_table_method_configs(const gxds_route_table *t);

/* Where one RPC goes: the first route that matches, and the cluster that its session has there
 * (A60), or that it draws by weight. */
gxds_route_result gxds_route_table_find(const gxds_route_table *t,
                                        const gxds_route_request *request);

/* The number of the first route that matches, -1: none; and the same by looking at one after the
 * other, to check it against. */
int64_t gxds_route_table_match(const gxds_route_table *t, const gxds_route_request *request);
int64_t gxds_route_table_match_linear(const gxds_route_table *t, const gxds_route_request *request);

/* The names of all clusters that the virtual host's routes name. The caller owns the returned
 * reference. */
const gxds_names *gxds_route_cluster_names(const gxds_virtual_host *virtual_host);

#ifdef __cplusplus
}
#endif

#endif
