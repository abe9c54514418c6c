/* gxds_route_config: a validated envoy.config.route.v3.RouteConfiguration (A27, A28, A31, A39, A42,
 * A44, A81). Immutable, shared: any thread. Virtual hosts are counted on their own: a new resource
 * shares the contents of each unchanged virtual host with the resource before it. */
#ifndef GRPC_XDS_RESOURCES_ROUTE_CONFIG_H_
#define GRPC_XDS_RESOURCES_ROUTE_CONFIG_H_

#include "base/time.h"
#include "resources/hash_policy.h"
#include "resources/host_rewrite.h"
#include "resources/http_filters.h"
#include "resources/lb_metadata.h"
#include "resources/retry_policy.h"
#include "xds_client/resource_type.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_path_match_kind {
  GXDS_PATH_PREFIX,
  GXDS_PATH_EXACT,
  GXDS_PATH_REGEX,    /* the whole path must match the regular expression (RE2) */
  GXDS_PATH_SEGMENTS, /* path_separated_prefix: the text is the whole path, or a slash follows it */
} gxds_path_match_kind;

typedef struct gxds_path_match {
  gxds_path_match_kind kind;
  bool case_sensitive; /* for all kinds except regular expressions */
  gxds_str text;
} gxds_path_match;

typedef enum gxds_header_match_kind {
  GXDS_HEADER_EXACT,
  GXDS_HEADER_PREFIX,
  GXDS_HEADER_SUFFIX,
  GXDS_HEADER_CONTAINS,
  GXDS_HEADER_REGEX,
  GXDS_HEADER_RANGE,
  GXDS_HEADER_PRESENT,
} gxds_header_match_kind;

typedef struct gxds_header_match {
  gxds_header_match_kind kind;
  gxds_str name;
  gxds_str text;
  bool case_sensitive;
  bool invert;
  bool missing_is_empty; /* treat_missing_header_as_empty: a missing header counts as "" */
  bool present;          /* PRESENT: whether the header must be there */
  int64_t range_start;   /* RANGE: start <= value < end */
  int64_t range_end;
} gxds_header_match;

typedef enum gxds_route_action_kind {
  GXDS_ROUTE_CLUSTERS,       /* RPCs go to one cluster, or to several by weight */
  GXDS_ROUTE_NON_FORWARDING, /* an action for servers; RPCs that match the route fail */
  GXDS_ROUTE_UNSUPPORTED,    /* an action that gRPC does not know; RPCs that match the route fail */
  GXDS_ROUTE_PLUGIN, /* RPCs go to a cluster that an LB policy chooses; a cluster specifier plugin
                        configures the policy */
} gxds_route_action_kind;

/* The cluster specifier plugin that a route names. */
typedef struct gxds_route_plugin {
  gxds_str name;
  gxds_str server; /* the lookup server */
  /* The plugin's LB policy as a JSON list for the host's registry:
   * [{"rls_experimental":{…,"childPolicy":[{"cds_experimental":{"isDynamic":true}}]}}]. */
  gxds_str lb_json;
} gxds_route_plugin;

/* What only few routes and few weighted clusters have. */
typedef struct gxds_route_rare {
  gxds_http_filter_overrides filter_overrides; /* A39 */
  /* A81; NULL: none, or the server that sent the resource is not trusted. That of a weighted
   * cluster takes precedence. */
  const gxds_host_rewrite *host_rewrite;
  /* E5; NULL: none, or the server has no lb_subsets. That of a weighted cluster takes precedence:
   * it is merged with the route's. */
  const gxds_metadata_match *metadata_match;
  const gxds_route_plugin *plugin; /* GXDS_ROUTE_PLUGIN */
} gxds_route_rare;

extern const gxds_route_rare gxds_route_rare_none;

typedef struct gxds_route_cluster {
  gxds_str name;
  uint32_t weight;             /* 1 if the route names one cluster; never 0 */
  const gxds_route_rare *rare; /* of the weighted cluster; never NULL: &gxds_route_rare_none */
} gxds_route_cluster;

/* Kept small: a mesh may have a hundred thousand. */
typedef struct gxds_route {
  gxds_path_match path;
  gxds_route_action_kind action;
  int32_t fraction_per_million; /* runtime_fraction; -1: not set */
  uint32_t header_count;
  uint32_t cluster_count;
  uint32_t hash_policy_count;
  uint32_t total_weight;
  const gxds_header_match *headers;
  const gxds_route_cluster *clusters; /* GXDS_ROUTE_CLUSTERS: at least one */
  gxds_duration max_stream_duration;  /* the limit by A31's rules; -1: not set */
  /* A42: the hash policies in order, without those that never give a hash. */
  const gxds_hash_policy *hash_policies;
  /* A44: the retry policy of the route, or else of the virtual host; NULL: none. */
  const gxds_retry_policy *retry_policy;
  const gxds_route_rare *rare; /* never NULL: &gxds_route_rare_none */
} gxds_route;

typedef struct gxds_virtual_host {
  const gxds_str *domains;
  size_t domain_count;
  const gxds_route *routes;
  size_t route_count;
  gxds_http_filter_overrides filter_overrides; /* A39 */
  /* Private: owns all of the above; NULL if something else owns it, as in tests. */
  const struct gxds_virtual_host_body *body;
} gxds_virtual_host;

typedef struct gxds_route_config {
  gxds_resource base;
  gxds_str name; /* empty if it is inline and has no name */
  const gxds_virtual_host *virtual_hosts;
  size_t virtual_host_count;
  gxds_str remainder;      /* private: the message's bytes, without the virtual hosts */
  struct upb_Arena *arena; /* private */
} gxds_route_config;

extern const gxds_resource_type gxds_route_config_type;

/* Finds the virtual host for an authority (A27). The order is exact match, suffix, prefix, "*"; of
 * several patterns of one kind the longest wins. The case of ASCII letters is ignored. NULL if none
 * matches. Borrowed: valid as long as rc. */
const gxds_virtual_host *gxds_route_config_find_virtual_host(const gxds_route_config *rc,
                                                             gxds_str authority);

/* Whether a path of gRPC can begin with the prefix, or be the path. The paths of gRPC are
 * /service/method. A route that cannot match is left out (A28). */
bool gxds_path_prefix_can_match(gxds_str prefix);
bool gxds_path_can_match(gxds_str path);

/* Whether both have the same domains, routes and overrides. Compares pointers, and if these differ,
 * fingerprints. NULL equals only NULL. */
bool gxds_virtual_host_equal(const gxds_virtual_host *a, const gxds_virtual_host *b);

#ifdef __cplusplus
}
#endif

#endif
