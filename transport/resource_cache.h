/* gxds_resource_cache: the cache files of one target (bootstrap "resource_cache"): carries out the
 * PERSIST, FORGET and RESTORE that an engine has for it.
 *
 * What one server sends depends on who asks. So there is a file for each server, as which one asks
 * it (channel credentials, and the node but for its id, which generators of bootstraps draw anew at
 * each start: "by_node_id" takes it in), authority and target. Who asks as another has others.
 * Files that nobody uses any more are removed (cache_dir.h).
 *
 * Confined: the reactor's thread, which it blocks for as long as the file system takes. A file is
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
 * wall_offset is what to add to the caller's clock to get the time since 1970. One owner. */
gxds_resource_cache *gxds_resource_cache_create(const gxds_bootstrap *b, gxds_str target,
                                                gxds_duration wall_offset);
void gxds_resource_cache_destroy(gxds_resource_cache *c); /* NULL is allowed */

/* Carries out PERSIST and FORGET. Here and below, adds to *log what a person should know. True if
 * earlier resources were lost and can be kept now: then everything from that server must be put
 * again (gxds_client_keep_all()). */
bool gxds_resource_cache_put(gxds_resource_cache *c, const gxds_action *a, gxds_time now,
                             gxds_text *log);
/* Call it when the engine has no more actions for now, and everything that was lost has been put
 * again. */
void gxds_resource_cache_settle(gxds_resource_cache *c, gxds_time now, gxds_text *log);
/* Carries out RESTORE: gives the engine what was kept. */
void gxds_resource_cache_restore(gxds_resource_cache *c, const gxds_action *a, gxds_client *engine,
                                 gxds_time now, gxds_text *log);

#ifdef __cplusplus
}
#endif

#endif
