/* gxds_schema: the descriptors of every message that a resource may hold: what the host's libgrpc
 * carries, and a few policies, structs and fields that it lacks (extra_types.c). Confined to
 * one thread at a time. */
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
/* Borrow: as long as the schema. */
const struct upb_DefPool *gxds_schema_pool(const gxds_schema *s);
/* The message that a type URL names ("type.googleapis.com/envoy…", anything before the last '/'),
 * or NULL. Borrow: as long as the schema. */
const struct upb_MessageDef *gxds_schema_find(const gxds_schema *s, gxds_str type_url);

#ifdef __cplusplus
}
#endif

#endif
