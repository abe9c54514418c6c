/* What a resource may hold and the host's libgrpc has no descriptors of: messages in an Any, and
 * fields that are newer than the host. Described here as much as their JSON and wire forms need. */
#ifndef GRPC_XDS_FILES_EXTRA_TYPES_H_
#define GRPC_XDS_FILES_EXTRA_TYPES_H_

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

struct upb_DefPool;
struct google_protobuf_FileDescriptorProto;
struct upb_Arena;

/* Adds the messages to a pool that has the types of the host. */
void gxds_extra_types_add(struct upb_DefPool *pool);

/* Adds a message without fields. False: that is no name of a message, or it is taken. */
bool gxds_extra_type_add_empty(struct upb_DefPool *pool, gxds_str full_name);

/* Adds the fields to the messages of a file of the host: of Cluster's, Endpoint's,
 * CertificateValidationContext's or UpstreamTlsContext's; no other has any. */
void gxds_extra_fields_add(struct google_protobuf_FileDescriptorProto *file,
                           struct upb_Arena *arena);

#ifdef __cplusplus
}
#endif

#endif
