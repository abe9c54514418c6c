/* gxds_schema: the descriptors of every message that a resource may contain: those of the host's
 * libgrpc, and a few policies, structs and fields that it lacks (extra_types.c). Confined to one
 * thread at a time. */
#ifndef GRPC_XDS_FILES_SCHEMA_H_
#define GRPC_XDS_FILES_SCHEMA_H_

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

struct upb_DefPool;
struct upb_MessageDef;

typedef struct gxds_schema gxds_schema;

gxds_schema *gxds_schema_create(void);
void gxds_schema_destroy(gxds_schema *s); /* NULL is allowed */
/* Borrowed: valid as long as the schema. */
const struct upb_DefPool *gxds_schema_pool(const gxds_schema *s);
/* The message that a type URL names ("type.googleapis.com/envoy…", anything before the last '/'),
 * or NULL. Borrowed: valid as long as the schema. */
const struct upb_MessageDef *gxds_schema_find(const gxds_schema *s, gxds_str type_url);

/* The most types that a lenient schema learns from Anys; a control plane uses a handful. */
#define GXDS_SCHEMA_LEARNED_MAX 1000u

/* From now on unknown fields, and the contents of Anys of unknown types, are ignored, as in a
 * message on the wire. Unknown names of enum values are numbers that no value has. For resources
 * from control planes, which may be newer than this library. */
void gxds_schema_set_lenient(gxds_schema *s);
bool gxds_schema_is_lenient(const gxds_schema *s);
/* Like gxds_schema_find(), but for the type of an Any: a lenient schema adds an unknown type, as a
 * message without fields. */
const struct upb_MessageDef *gxds_schema_find_any(const gxds_schema *s, gxds_str type_url);

#ifdef __cplusplus
}
#endif

#endif
