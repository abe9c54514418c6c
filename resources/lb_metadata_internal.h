/* "envoy.lb" of a message in its one form (lb_metadata.h). Confined to one decode call. */
#ifndef GRPC_XDS_RESOURCES_LB_METADATA_INTERNAL_H_
#define GRPC_XDS_RESOURCES_LB_METADATA_INTERNAL_H_

#include "resources/common_internal.h"
#include "resources/lb_metadata.h"

struct envoy_config_core_v3_Metadata;

/* What a message has in that namespace. NULL: nothing. in: may be NULL. */
const struct google_protobuf_Struct *gxds_lb_metadata_in(
    const struct envoy_config_core_v3_Metadata *in);

/* A name as it stands in that form, in the arena. */
gxds_str gxds_metadata_name(gxds_str name, upb_Arena *arena);

/* Those members in that form, where a member of over takes the place of one of that name; either
 * may be NULL. In arena; empty: there is none, or something is wrong with it, which is said at that
 * path. */
gxds_str gxds_metadata_render(const struct google_protobuf_Struct *in,
                              const struct google_protobuf_Struct *over, const gxds_path *at,
                              upb_Arena *arena, upb_Arena *scratch, gxds_errors *errors);

/* Whether subsets are on (E5) for what the context's server sends. */
static inline bool gxds_lb_subsets_are_on(const gxds_decode_context *context) {
  return context->server && context->server->lb_subsets;
}

#endif
