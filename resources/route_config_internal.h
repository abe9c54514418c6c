/* The parts of the RouteConfiguration decoder: the resource and what it shares with the previous
 * one (route_config.c, virtual_host_share.c), its virtual hosts (virtual_host.c, domain.c), a
 * route's match (route_match.c) and its action (route_action.c, with hash_policy.c, retry_policy.c,
 * route_host_rewrite.c, metadata_match.c and cluster_specifier.c). */
#ifndef GRPC_XDS_RESOURCES_ROUTE_CONFIG_INTERNAL_H_
#define GRPC_XDS_RESOURCES_ROUTE_CONFIG_INTERNAL_H_

#include "resources/common_internal.h"
#include "resources/route_config.h"

struct envoy_config_route_v3_RetryPolicy;
struct envoy_config_route_v3_RouteAction;
struct envoy_config_route_v3_RouteConfiguration;
struct envoy_config_route_v3_RouteMatch;
struct envoy_config_route_v3_VirtualHost;
struct envoy_config_route_v3_WeightedCluster_ClusterWeight;

/* ---- cluster specifier plugins ---- */

typedef struct gxds_cluster_specifier {
  gxds_str name;    /* borrowed from the message */
  gxds_str lb_json; /* empty: an unknown optional plugin, or one with an error */
  gxds_str server;  /* the lookup server, for RLS; borrowed from the message */
  gxds_str copy;    /* lb_json in the arena of the virtual host that is being decoded */
  bool failed;
  size_t index; /* the index in the message */
} gxds_cluster_specifier;

typedef struct gxds_cluster_specifiers {
  gxds_cluster_specifier *items; /* sorted by name */
  size_t count;
} gxds_cluster_specifiers;

/* Decodes and checks all plugins. Borrowed: valid as long as in and scratch. host may be NULL. at
 * is the path of the route configuration. */
gxds_cluster_specifiers gxds_cluster_specifiers_decode(
    const gxds_host *host, const struct envoy_config_route_v3_RouteConfiguration *in,
    const gxds_path *at, upb_Arena *scratch, gxds_errors *errors);
/* The plugin of that name; NULL if there is none. */
gxds_cluster_specifier *gxds_cluster_specifiers_find(const gxds_cluster_specifiers *s,
                                                     gxds_str name);

/* ---- virtual hosts ---- */

/* Memory for texts of routes. */
typedef struct gxds_route_texts {
  char *at;
  size_t left;
} gxds_route_texts;

/* The state that the parts of the decoder share. */
typedef struct gxds_route_decoder {
  const gxds_host *host;   /* may be NULL: then any regular expression is accepted */
  upb_Arena *arena;        /* the arena of the virtual host */
  gxds_route_texts *texts; /* the memory behind the routes; NULL except while routes are decoded */
  upb_Arena *scratch;
  gxds_errors *errors;
  const gxds_cluster_specifiers *specifiers;
  bool trusted; /* A81: the server that sent the resource may rewrite authorities */
  bool subsets; /* E5: the server that sent the resource may choose subsets */
} gxds_route_decoder;

/* The fingerprint of a message, 128 bits of XXH3 and its size. It stands for the bytes, which would
 * take as much memory as the routes. This rules out accidental collisions. A collision on purpose
 * can only come from a server of the same authority, whose virtual host the client used already. */
typedef struct gxds_virtual_host_print {
  uint64_t low;
  uint64_t high;
  size_t size;
} gxds_virtual_host_print;

gxds_virtual_host_print gxds_virtual_host_print_of(gxds_str bytes);

/* The content that equal virtual hosts share. Immutable, counted by reference: any thread. */
typedef struct gxds_virtual_host_body {
  gxds_ref refs;
  gxds_virtual_host_print print; /* the fingerprint of the message */
  bool uses_plugins;
  bool needs_trust; /* the virtual host rewrites authorities, so the same bytes from another server
                       may mean something else */
  bool trusted;     /* the server that sent the virtual host may rewrite authorities */
  bool needs_subsets; /* it has metadata_match (E5), so the same bytes from another server may mean
                         something else */
  bool subsets;
  gxds_virtual_host view; /* view.body points to this struct. view.routes is owned, and has the data
                             that nearly every route has. It is not in the arena, because each block
                             of an arena is twice as large as the last one, so large data would
                             waste memory there */
  upb_Arena *arena;       /* owns the rest, including this struct */
} gxds_virtual_host_body;

/* The caller owns the returned reference. The decoder puts the view's content into its arena. */
gxds_virtual_host_body *gxds_virtual_host_body_create(const gxds_virtual_host_print *print);
void gxds_virtual_host_body_unref(const gxds_virtual_host_body *b); /* NULL is allowed */

/* Finds virtual hosts by their fingerprints in the previous resource. Lives in the caller's struct.
 */
typedef struct gxds_virtual_host_finder {
  const gxds_route_config *previous; /* NULL: there is none */
  bool same_remainder; /* if false, virtual hosts with plugins are not found: the plugins may have
                          changed */
  bool trusted;    /* a virtual host that needs trust is found only if it was decoded with the same
                      value */
  bool subsets;    /* a virtual host that needs subsets is found only if it was decoded with the
                      same value */
  size_t expected; /* the index after the last virtual host that was found */
  const gxds_virtual_host *
      *sorted; /* sorted by fingerprint; made only if a virtual host is not at its expected index */
  upb_Arena *scratch;
} gxds_virtual_host_finder;

/* The virtual host with that fingerprint; NULL if there is none. Borrowed: valid as long as
 * previous. */
const gxds_virtual_host *gxds_virtual_host_finder_find(gxds_virtual_host_finder *f,
                                                       const gxds_virtual_host_print *print);

/* Fills the view of *out, whose arena is d->arena. at is the path of the virtual host. */
void gxds_virtual_host_decode(const gxds_route_decoder *d,
                              const struct envoy_config_route_v3_VirtualHost *in,
                              const gxds_path *at, gxds_virtual_host_body *out);

/* Whether the pattern is exact, "*.suffix", "prefix.*" or "*". */
bool gxds_domain_is_valid(gxds_str pattern);

/* ---- routes ---- */

/* Whether the client uses a route. There are valid routes that it does not use. */
typedef enum gxds_route_use {
  GXDS_ROUTE_KEEP,
  GXDS_ROUTE_SKIP, /* no gRPC request matches it, or gRPC ignores it */
} gxds_route_use;

/* Copies a path or the name of a cluster to d->texts; or to the arena, if there is no room. */
gxds_str gxds_route_text(const gxds_route_decoder *d, gxds_str s);

/* Fills in path, headers and fraction of *out. A route that is skipped is not checked further. at
 * is the path of the match. */
gxds_route_use gxds_route_match_decode(const gxds_route_decoder *d,
                                       const struct envoy_config_route_v3_RouteMatch *in,
                                       const gxds_path *at, gxds_route *out);

/* Fills action and the fields that belong to it, max_stream_duration, hash_policies and
 * retry_policy of *out, and host_rewrite, metadata_match and plugin of *rare. Before the call,
 * retry_policy is that of the virtual host. at is the path of the route action. only_cluster is
 * memory that lives as long as the route: it becomes the cluster of a route that names only one. */
gxds_route_use gxds_route_action_decode(const gxds_route_decoder *d,
                                        const struct envoy_config_route_v3_RouteAction *in,
                                        const gxds_path *at, gxds_route_cluster *only_cluster,
                                        gxds_route *out, gxds_route_rare *rare);

/* A copy in the arena; &gxds_route_rare_none if nothing in it is set. */
const gxds_route_rare *gxds_route_rare_keep(const gxds_route_decoder *d,
                                            const gxds_route_rare *rare);

/* Whether route configurations from the context's server may rewrite authorities (A81). */
bool gxds_host_rewrites_are_trusted(const gxds_decode_context *context);

/* Fills host_rewrite of *out. It stays NULL if d->trusted is false. at is the path of the route
 * action, or of the weighted cluster. */
void gxds_host_rewrite_decode(const gxds_route_decoder *d,
                              const struct envoy_config_route_v3_RouteAction *in,
                              const gxds_path *at, gxds_route_rare *out);
void gxds_host_rewrite_decode_weighted(
    const gxds_route_decoder *d,
    const struct envoy_config_route_v3_WeightedCluster_ClusterWeight *in, const gxds_path *at,
    gxds_route_rare *out);
/* Whether the action has a host rewrite that would apply if the server were trusted. */
bool gxds_host_rewrite_is_in(const struct envoy_config_route_v3_RouteAction *in);

/* Fills metadata_match of *out, unless d->subsets is false. at is the path of the route action. */
void gxds_metadata_match_decode(const gxds_route_decoder *d,
                                const struct envoy_config_route_v3_RouteAction *in,
                                const gxds_path *at, gxds_route_rare *out);
/* Decodes the metadata_match of a weighted cluster of the route in_route. NULL if the weighted
 * cluster has no metadata_match of its own. at is the path of the weighted cluster. */
const gxds_metadata_match *gxds_metadata_match_decode_weighted(
    const gxds_route_decoder *d, const struct envoy_config_route_v3_RouteAction *in_route,
    const struct envoy_config_route_v3_WeightedCluster_ClusterWeight *in, const gxds_path *at);
/* Whether the action or one of its weighted clusters has metadata_match. */
bool gxds_metadata_match_is_in(const struct envoy_config_route_v3_RouteAction *in);

/* Fills in hash_policies of *out. Policies of kinds that gRPC does not support are left out. at is
 * the path of the route action. */
void gxds_hash_policies_decode(const gxds_route_decoder *d,
                               const struct envoy_config_route_v3_RouteAction *in,
                               const gxds_path *at, gxds_route *out);

/* Decodes a retry policy. NULL if there is no retry, or after an error. up is the path of the
 * message that has it. Borrowed: valid as long as d->arena. */
const gxds_retry_policy *gxds_retry_policy_decode(
    const gxds_route_decoder *d, const struct envoy_config_route_v3_RetryPolicy *in,
    const gxds_path *up);

/* ---- the resource ---- */

typedef enum gxds_route_config_outcome {
  GXDS_ROUTE_CONFIG_OK,
  GXDS_ROUTE_CONFIG_INVALID,    /* see errors */
  GXDS_ROUTE_CONFIG_UNPARSABLE, /* the bytes are not a RouteConfiguration */
} gxds_route_config_outcome;

/* The input for a route configuration. */
typedef struct gxds_route_config_input {
  const gxds_decode_context *context;
  gxds_str bytes;
  const gxds_path *at; /* the path of the message */
  /* Returns the last good route configuration of that name; NULL if there is none. */
  const gxds_route_config *(*previous)(const gxds_decode_context *context, gxds_str name);
  upb_Arena *scratch;
  gxds_errors *errors;
} gxds_route_config_input;

/* On OK the caller owns the reference in *out, which is the previous resource itself if nothing
 * changed. *name is empty if the bytes are unparsable. Borrowed: valid as long as scratch. */
gxds_route_config_outcome gxds_route_config_build(const gxds_route_config_input *in, gxds_str *name,
                                                  const gxds_route_config **out);

#endif
