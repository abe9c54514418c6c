/* gxds_target_caches: the resource caches of one engine, one for each data-plane target that uses
 * it (resource_cache.h): carries out the engine's PERSIST, FORGET and RESTORE, each for the target
 * that its scope names. So a target finds what it needs at its next start, whichever targets it
 * shares an engine with then.
 *
 * Confined: the reactor's thread. What an event costs follows the targets that it is about. */
#ifndef GRPC_XDS_TRANSPORT_TARGET_CACHES_H_
#define GRPC_XDS_TRANSPORT_TARGET_CACHES_H_

#include "base/text.h"
#include "xds_client/client.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_target_caches gxds_target_caches;

/* Of a bootstrap with a resource_cache_dir: borrowed, valid as long as the caches. wall_offset:
 * from the caller's clock to that since 1970. */
gxds_target_caches *gxds_target_caches_create(const gxds_bootstrap *b, gxds_duration wall_offset);
void gxds_target_caches_destroy(gxds_target_caches *c); /* NULL is allowed */

/* A target comes; its name is copied. The scope is not another's. */
void gxds_target_caches_add(gxds_target_caches *c, uint32_t scope, gxds_str target);
/* It goes, and with it what it kept in memory. What comes of its scope from then on is ignored. */
void gxds_target_caches_remove(gxds_target_caches *c, uint32_t scope);

/* An action of the engine (borrowed: valid until the engine is told something). What a person
 * should know is added to *log, here and below. */
void gxds_target_caches_carry_out(gxds_target_caches *c, const gxds_action *a, gxds_client *engine,
                                  gxds_time now, gxds_text *log);
/* The engine has no more actions for now. */
void gxds_target_caches_settle(gxds_target_caches *c, gxds_time now, gxds_text *log);

#ifdef __cplusplus
}
#endif

#endif
