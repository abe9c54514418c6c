/* Converts a message's "envoy.lb" metadata to its canonical form (lb_metadata.h). Confined to one
 * decode call. */
#ifndef GRPC_XDS_RESOURCES_LB_METADATA_INTERNAL_H_
#define GRPC_XDS_RESOURCES_LB_METADATA_INTERNAL_H_

#include "resources/common_internal.h"
#include "resources/lb_metadata.h"

struct envoy_config_core_v3_Metadata;

/* The metadata in that namespace; NULL if there is none. in may be NULL. */
const struct google_protobuf_Struct *gxds_lb_metadata_in(
    const struct envoy_config_core_v3_Metadata *in);

/* Returns a name as it is written in that form, in the arena. */
gxds_str gxds_metadata_name(gxds_str name, upb_Arena *arena);

/* Writes the members of in and over in that form, in arena. A member of over replaces one of the
 * same name; either may be NULL. Empty if there are no members, or after an error, which is added
 * at that path. */
gxds_str gxds_metadata_render(const struct google_protobuf_Struct *in,
                              const struct google_protobuf_Struct *over, const gxds_path *at,
                              upb_Arena *arena, upb_Arena *scratch, gxds_errors *errors);

/* Whether subsets are on (E5) for resources from the context's server. */
static inline bool gxds_lb_subsets_are_on(const gxds_decode_context *context) {
  return context->server && context->server->lb_subsets;
}

#endif
