/* Functions that the files of the weighted_locality policy share. Private to the policy. */
#ifndef GRPC_XDS_LB_POLICIES_WEIGHTED_LOCALITY_LOCALITY_PICKER_H_
#define GRPC_XDS_LB_POLICIES_WEIGHTED_LOCALITY_LOCALITY_PICKER_H_

#include "host/policy.h"
#include "lb_policies/weighted_locality/wheel.h"

/* Makes a picker that picks among localities by weight. Takes ownership of take_pickers: an array
 * of count references, at least two, from gxds_calloc(). The caller owns the returned reference. */
gxds_picker *gxds_locality_picker_create(gxds_picker **take_pickers, const uint32_t *weights,
                                         size_t count, gxds_turns *turns);

/* As gxds_policy_type.parse. */
gxds_lb_config *gxds_weighted_locality_parse(const struct json_t *json,
                                             gxds_lb_parse_list *parse_list, gxds_errors *errors);

#endif
