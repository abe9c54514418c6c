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

/* Of a bootstrap with a resource_cache_dir: borrowed, valid as long as the cache. target is copied.
 * wall_offset: from the caller's clock to that since 1970. */
gxds_resource_cache *gxds_resource_cache_create(const gxds_bootstrap *b, gxds_str target,
                                                gxds_duration wall_offset);
void gxds_resource_cache_destroy(gxds_resource_cache *c); /* NULL is allowed */

/* PERSIST and FORGET. What a person should know is added to *log, here and below. True: earlier
 * ones were lost, and now can be kept: all of that server is to be put again
 * (gxds_client_keep_all()).
 */
bool gxds_resource_cache_put(gxds_resource_cache *c, const gxds_action *a, gxds_time now,
                             gxds_text *log);
/* The engine has no more actions for now: what was lost was put again. */
void gxds_resource_cache_settle(gxds_resource_cache *c, gxds_time now, gxds_text *log);
/* RESTORE: tells the engine. */
void gxds_resource_cache_restore(gxds_resource_cache *c, const gxds_action *a, gxds_client *engine,
                                 gxds_time now, gxds_text *log);

#ifdef __cplusplus
}
#endif

#endif
