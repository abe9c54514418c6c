/* gxds_resource_cache: the cache files of one target ("resource_cache" in the bootstrap). It
 * carries out the engine's actions PERSIST, FORGET and RESTORE for that target.
 *
 * The resources that a server sends depend on the client's identity: its credentials for the
 * server, and its node without the id. (Generators of bootstraps draw a new id at each start. With
 * "by_node_id" the identity includes the id.) So there is one file for each server, identity,
 * authority and target. Unused files are removed (cache_dir.h).
 *
 * Confined: the reactor's thread. It blocks that thread while the file system works. A file is
 * opened when it is first needed. */
#ifndef GRPC_XDS_TRANSPORT_RESOURCE_CACHE_H_
#define GRPC_XDS_TRANSPORT_RESOURCE_CACHE_H_

#include "base/text.h"
#include "xds_client/client.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_resource_cache gxds_resource_cache;

/* b must have a resource_cache_dir; it is borrowed: valid as long as the cache. target is copied.
 * The caller's clock plus wall_offset is the time since 1970. One owner. */
gxds_resource_cache *gxds_resource_cache_create(const gxds_bootstrap *b, gxds_str target,
                                                gxds_duration wall_offset);
void gxds_resource_cache_destroy(gxds_resource_cache *c); /* NULL is allowed */

/* Carries out PERSIST and FORGET. This function and those below add messages for the log to *log.
 * Returns true if earlier resources could not be kept, but can be kept now. Then the caller must
 * put all resources of that server again (gxds_client_keep_all()). */
bool gxds_resource_cache_put(gxds_resource_cache *c, const gxds_action *a, gxds_time now,
                             gxds_text *log);
/* Call it when the engine has no more actions for now, and all lost resources have been put again.
 */
void gxds_resource_cache_settle(gxds_resource_cache *c, gxds_time now, gxds_text *log);
/* Carries out RESTORE: gives the engine the kept resource, or the information that there is none.
 */
void gxds_resource_cache_restore(gxds_resource_cache *c, const gxds_action *a, gxds_client *engine,
                                 gxds_time now, gxds_text *log);

#ifdef __cplusplus
}
#endif

#endif
