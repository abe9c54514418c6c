/* Messages that a resource may hold in an Any and that the host's libgrpc has no descriptors of:
 * described here field by field, as much as their JSON and wire forms need. */
#ifndef GRPC_XDS_FILES_EXTRA_TYPES_H_
#define GRPC_XDS_FILES_EXTRA_TYPES_H_

#ifdef __cplusplus
extern "C" {
#endif

struct upb_DefPool;

/* Adds them to a pool that has the types of the host. */
void gxds_extra_types_add(struct upb_DefPool *pool);

#ifdef __cplusplus
}
#endif

#endif
