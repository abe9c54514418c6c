/* The configs of children in the JSON of their parent's. Pure functions: any thread. */
#ifndef GRPC_XDS_HOST_PARSE_CHILD_H_
#define GRPC_XDS_HOST_PARSE_CHILD_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the list of policies in the member of that name. at: the path of object. The caller owns the
 * returned reference. NULL when the member is missing or none of the list can be used, which errors
 * then say. */
gxds_lb_config *gxds_lb_parse_child(const struct json_t *object, const char *name,
                                    const gxds_path *at, gxds_lb_parse_list *parse_list,
                                    gxds_errors *errors);

#ifdef __cplusplus
}
#endif

#endif
