/* gxds_route_config: a validated envoy.config.route.v3.RouteConfiguration (A27, A28, A31, A39, A42,
 * A44, A81).
 * Immutable, shared: any thread. Virtual hosts are counted on their own: an update shares what is
 * in each virtual host that did not change with the resource before it. */
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
  GXDS_PATH_REGEX,    /* full match, RE2 */
  GXDS_PATH_SEGMENTS, /* path_separated_prefix: the whole path, or a prefix that a slash follows */
} gxds_path_match_kind;

typedef struct gxds_path_match {
  gxds_path_match_kind kind;
  gxds_str text;
  bool case_sensitive; /* of all but regular expressions */
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
  bool missing_is_empty; /* treat_missing_header_as_empty: one that is not there is as "" */
  bool present;          /* PRESENT: whether it must be there */
  int64_t range_start;   /* RANGE: start <= value < end */
  int64_t range_end;
} gxds_header_match;

typedef enum gxds_route_action_kind {
  GXDS_ROUTE_CLUSTERS,       /* to one cluster, or to several by weight */
  GXDS_ROUTE_NON_FORWARDING, /* for servers; an RPC that matches it fails */
  GXDS_ROUTE_UNSUPPORTED,    /* an action that gRPC does not know: an RPC that matches it fails */
  GXDS_ROUTE_PLUGIN, /* to what an LB policy chooses, which a cluster specifier plugin configures */
} gxds_route_action_kind;

typedef struct gxds_route_cluster {
  gxds_str name;
  uint32_t weight;                             /* 1 when the route names one cluster; never 0 */
  gxds_http_filter_overrides filter_overrides; /* A39: of a weighted cluster */
  gxds_host_rewrite host_rewrite;              /* of a weighted cluster; NONE: the route's */
  /* E5: of a weighted cluster, with the route's; NULL: the route's alone */
  const gxds_metadata_match *metadata_match;
} gxds_route_cluster;

typedef struct gxds_route {
  gxds_path_match path;
  const gxds_header_match *headers;
  size_t header_count;
  int64_t fraction_per_million; /* runtime_fraction; -1: not set */
  gxds_route_action_kind action;
  const gxds_route_cluster *clusters; /* GXDS_ROUTE_CLUSTERS: at least one */
  size_t cluster_count;
  uint64_t total_weight;
  gxds_duration max_stream_duration; /* A31's result for the route; -1: not set */
  gxds_str plugin_name;              /* GXDS_ROUTE_PLUGIN */
  gxds_str plugin_server;            /* the lookup server that it asks */
  /* Its LB policy: a list that the host's registry takes,
   * [{"rls_experimental":{…,"childPolicy":[{"cds_experimental":{"isDynamic":true}}]}}]. */
  gxds_str plugin_lb_json;
  const gxds_hash_policy *hash_policies; /* A42, in order, without those that never give a hash */
  size_t hash_policy_count;
  const gxds_retry_policy *retry_policy;       /* A44: its own or the virtual host's; NULL: none */
  gxds_http_filter_overrides filter_overrides; /* A39 */
  gxds_host_rewrite host_rewrite; /* A81; NONE unless the server that sent it is trusted */
  const gxds_metadata_match *metadata_match; /* E5; NULL: none, or the server has no lb_subsets */
} gxds_route;

typedef struct gxds_virtual_host {
  const gxds_str *domains;
  size_t domain_count;
  const gxds_route *routes;
  size_t route_count;
  gxds_http_filter_overrides filter_overrides; /* A39 */
  /* Private: owns all of the above; NULL: somebody else does (made by hand). */
  const struct gxds_virtual_host_body *body;
} gxds_virtual_host;

typedef struct gxds_route_config {
  gxds_resource base;
  gxds_str name; /* empty when inline and unnamed */
  const gxds_virtual_host *virtual_hosts;
  size_t virtual_host_count;
  gxds_str remainder;      /* private: the message's bytes, without the virtual hosts */
  struct upb_Arena *arena; /* private */
} gxds_route_config;

extern const gxds_resource_type gxds_route_config_type;

/* The virtual host for an authority (A27): exact, then suffix, then prefix, then "*"; the longest
 * of a kind first; ASCII case ignored. NULL: none. Borrowed: valid as long as rc. */
const gxds_virtual_host *gxds_route_config_find_virtual_host(const gxds_route_config *rc,
                                                             gxds_str authority);

/* Whether an update left the virtual host as it was: same domains, routes and overrides. Mostly a
 * comparison of pointers, never more than of bytes. NULL is equal to NULL only. */
bool gxds_virtual_host_equal(const gxds_virtual_host *a, const gxds_virtual_host *b);

#ifdef __cplusplus
}
#endif

#endif
