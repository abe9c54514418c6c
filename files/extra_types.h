/* Descriptors that the host's libgrpc lacks: messages that occur in an Any, and fields that are
 * newer than the host. They are complete enough to read and write JSON and bytes. */
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

/* Adds a message without fields. False if the name is not valid, or if a message has it already. */
bool gxds_extra_type_add_empty(struct upb_DefPool *pool, gxds_str full_name);

/* Adds the newer fields to the messages of one of the host's files: the files of Cluster, Endpoint,
 * CertificateValidationContext and UpstreamTlsContext. Other files get none. */
void gxds_extra_fields_add(struct google_protobuf_FileDescriptorProto *file,
                           struct upb_Arena *arena);

#ifdef __cplusplus
}
#endif

#endif
