/* gxds_picker_map: the pickers of clusters by the clusters' names, as a gxds_name_map. Immutable,
 * counted by reference: any thread. A child's new picker costs the depth of the map, and each
 * published picker keeps the version that it uses. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_MANAGER_PICKER_MAP_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_MANAGER_PICKER_MAP_H_

#include <stdint.h>

#include "base/name_map.h"
#include "host/pick.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef gxds_name_map gxds_picker_map; /* NULL is the empty map */

/* A map like take_m, but with this picker under that name, which is copied. Takes ownership of
 * both. The picker may be NULL, for a child that has none yet. The caller owns the returned
 * reference. */
const gxds_picker_map *gxds_picker_map_put(const gxds_picker_map *take_m, uint64_t hash,
                                           gxds_str name, gxds_picker *take_picker);
/* A map like take_m without that name. Takes ownership of take_m. The caller owns the returned
 * reference. */
const gxds_picker_map *gxds_picker_map_remove(const gxds_picker_map *take_m, uint64_t hash,
                                              gxds_str name);
/* Returns false if there is no such name. Otherwise sets *picker, which is borrowed: valid as long
 * as m. *picker is NULL if the child has no picker yet. */
bool gxds_picker_map_get(const gxds_picker_map *m, uint64_t hash, gxds_str name,
                         gxds_picker **picker);
/* A31: the status with which a pick for an unknown name fails: INTERNAL. */
GXDS_MUST_USE gxds_status gxds_picker_map_unknown(gxds_str name);

#ifdef __cplusplus
}
#endif

#endif
