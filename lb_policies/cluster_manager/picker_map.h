/* gxds_picker_map: the picker of each cluster, by name: a persistent map. Immutable, counted by
 * reference: any thread.
 *
 * A version shares all but the path to what changed with the one before it, so a child's new
 * picker costs the depth of the map (16 ways: five steps for a million children), and each picker
 * that was published keeps what it may still be asked for. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_MANAGER_PICKER_MAP_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_MANAGER_PICKER_MAP_H_

#include <stdint.h>

#include "host/pick.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_picker_map gxds_picker_map; /* NULL is the empty map */

/* What to pass as hash below: always the same for a name. */
uint64_t gxds_picker_map_hash(gxds_str name);

const gxds_picker_map *gxds_picker_map_ref(const gxds_picker_map *m); /* NULL gives NULL */
void gxds_picker_map_unref(const gxds_picker_map *m);
/* A map like m (taken) but for this name, which is copied. picker (taken) may be NULL: a child that
 * has none yet. The caller owns the returned reference. */
const gxds_picker_map *gxds_picker_map_put(const gxds_picker_map *take_m, uint64_t hash,
                                           gxds_str name, gxds_picker *take_picker);
/* A map like m (taken) without that name. */
const gxds_picker_map *gxds_picker_map_remove(const gxds_picker_map *take_m, uint64_t hash,
                                              gxds_str name);
/* False: no such name. *picker: borrowed, valid as long as m; NULL: it has none yet. */
bool gxds_picker_map_get(const gxds_picker_map *m, uint64_t hash, gxds_str name,
                         gxds_picker **picker);
/* A31: what a pick for a name that the map lacks fails with: INTERNAL. */
GXDS_MUST_USE gxds_status gxds_picker_map_unknown(gxds_str name);
/* How many nodes and entries of m are not shared with before: what the change cost. For tests. */
size_t gxds_picker_map_unshared(const gxds_picker_map *m, const gxds_picker_map *before);

#ifdef __cplusplus
}
#endif

#endif
