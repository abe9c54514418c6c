/* Reads the configs of children in the JSON of their parent's config. Pure functions: any thread.
 */
#ifndef GRPC_XDS_HOST_PARSE_CHILD_H_
#define GRPC_XDS_HOST_PARSE_CHILD_H_

#include "host/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parses the member of object with that name, which must be a list of policies. at is the path of
 * object. The caller owns the returned reference. Returns NULL and adds to errors if the member is
 * missing, or if no policy of the list can be used. */
gxds_lb_config *gxds_lb_parse_child(const struct json_t *object, const char *name,
                                    const gxds_path *at, gxds_lb_parse_list *parse_list,
                                    gxds_errors *errors);

#ifdef __cplusplus
}
#endif

#endif
