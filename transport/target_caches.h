/* gxds_target_caches: the resource caches of one engine, one for each data-plane target that uses
 * it (resource_cache.h). It carries out the engine's actions PERSIST, FORGET and RESTORE, each for
 * the target that its scope names. So a target finds its resources at its next start, even if it
 * then shares an engine with other targets.
 *
 * Confined: the reactor's thread. The cost of an event depends on the number of targets that it
 * concerns. */
#ifndef GRPC_XDS_TRANSPORT_TARGET_CACHES_H_
#define GRPC_XDS_TRANSPORT_TARGET_CACHES_H_

#include "base/text.h"
#include "xds_client/client.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_target_caches gxds_target_caches;

/* b must have a resource_cache_dir; it is borrowed: valid as long as the caches. The caller's clock
 * plus wall_offset is the time since 1970. One owner. */
gxds_target_caches *gxds_target_caches_create(const gxds_bootstrap *b, gxds_duration wall_offset);
void gxds_target_caches_destroy(gxds_target_caches *c); /* NULL is allowed */

/* Adds a target, whose name is copied, with a scope that no other target has. */
void gxds_target_caches_add(gxds_target_caches *c, uint32_t scope, gxds_str target);
/* Removes a target, and frees its memory. Later actions for its scope are ignored. */
void gxds_target_caches_remove(gxds_target_caches *c, uint32_t scope);

/* Carries out an action of the engine, which is borrowed until the next call on the engine. This
 * function and the next add messages for the log to *log. */
void gxds_target_caches_carry_out(gxds_target_caches *c, const gxds_action *a, gxds_client *engine,
                                  gxds_time now, gxds_text *log);
/* Call it when the engine has no more actions for now. */
void gxds_target_caches_settle(gxds_target_caches *c, gxds_time now, gxds_text *log);

#ifdef __cplusplus
}
#endif

#endif
