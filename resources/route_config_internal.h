/* The parts of the RouteConfiguration decoder: the list of virtual hosts (route_config.c), their
 * domains (virtual_host.c), a route's match (route_match.c) and its action (route_action.c). */
#ifndef GRPC_XDS_RESOURCES_ROUTE_CONFIG_INTERNAL_H_
#define GRPC_XDS_RESOURCES_ROUTE_CONFIG_INTERNAL_H_

#include "resources/common_internal.h"
#include "resources/route_config.h"

struct envoy_config_route_v3_RouteAction;
struct envoy_config_route_v3_RouteConfiguration;
struct envoy_config_route_v3_RouteMatch;

/* What they all need. */
typedef struct gxds_route_decoder {
  const gxds_host *host; /* may be NULL: any regular expression is good */
  upb_Arena *arena;      /* of the resource */
  upb_Arena *scratch;
  gxds_errors *errors;
} gxds_route_decoder;

/* Whether what is being decoded is of use, told apart from whether it is right. */
typedef enum gxds_route_use {
  GXDS_ROUTE_KEEP,
  GXDS_ROUTE_SKIP, /* it matches no gRPC request, or means something that gRPC ignores */
} gxds_route_use;

/* A route configuration with one reference, the caller's, or NULL after errors. at: of the message.
 */
const gxds_route_config *gxds_route_config_build(
    const gxds_decode_context *context, const struct envoy_config_route_v3_RouteConfiguration *in,
    const gxds_path *at, upb_Arena *scratch, gxds_errors *errors);

/* Fills path, headers and fraction of *out. What is skipped is checked no further. at: of the
 * match. */
gxds_route_use gxds_route_match_decode(const gxds_route_decoder *d,
                                       const struct envoy_config_route_v3_RouteMatch *in,
                                       const gxds_path *at, gxds_route *out);

/* Fills clusters and max_stream_duration of *out. at: of the route action. */
gxds_route_use gxds_route_action_decode(const gxds_route_decoder *d,
                                        const struct envoy_config_route_v3_RouteAction *in,
                                        const gxds_path *at, gxds_route *out);

/* Exact, "*.suffix", "prefix.*" or "*". */
bool gxds_domain_is_valid(gxds_str pattern);

#endif
