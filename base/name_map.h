/* gxds_name_map: a persistent map from names to items. Immutable once it is shared, counted by
 * reference: any thread.
 *
 * A changed map shares everything with the map before it except the path to the changed item. So a
 * change costs the depth of the map (with 32 branches: four steps for a million names), and
 * gxds_name_map_diff() visits only differences. */
#ifndef GRPC_XDS_BASE_NAME_MAP_H_
#define GRPC_XDS_BASE_NAME_MAP_H_

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the map needs to know about its items. An item begins with its gxds_ref, and has its name as
 * a gxds_str. */
typedef struct gxds_name_map_type {
  size_t name_offset; /* where the name is in the item */
  /* Frees an item. Called when the map gives up the last reference. */
  void (*destroy)(const void *item);
} gxds_name_map_type;

typedef struct gxds_name_map gxds_name_map; /* NULL is the empty map */

/* The hash to pass to the functions below: always the same for a name. */
uint64_t gxds_name_map_hash(gxds_str name);

const gxds_name_map *gxds_name_map_ref(const gxds_name_map *m); /* NULL for NULL */
void gxds_name_map_unref(const gxds_name_map *m);               /* m may be NULL */
/* The item of that name; NULL if there is none. Borrowed: valid as long as m. */
const void *gxds_name_map_get(const gxds_name_map *m, uint64_t hash, gxds_str name);
size_t gxds_name_map_count(const gxds_name_map *m);
/* Makes a map like m (borrowed) with this item. The item replaces one of the same name. hash is the
 * hash of the name. type is the same for all items, and valid as long as the map. Takes ownership
 * of the item. The caller owns the returned reference. If m already has the same pointer, this is a
 * reference to m itself. */
const gxds_name_map *gxds_name_map_put(const gxds_name_map *m, const gxds_name_map_type *type,
                                       uint64_t hash, const void *take_item);
/* Makes a map like m (borrowed) without that name. The caller owns the returned reference. If m
 * does not have the name, this is a reference to m itself. */
const gxds_name_map *gxds_name_map_remove(const gxds_name_map *m, uint64_t hash, gxds_str name);
/* Calls fn for each name whose item is not the same pointer in both maps, in no particular order.
 * before or after is NULL if the name is only in the other map. The cost grows with the
 * differences. */
void gxds_name_map_diff(const gxds_name_map *before, const gxds_name_map *after,
                        void (*fn)(void *arg, const void *before, const void *after), void *arg);
/* How many nodes of m are not shared with `before`, which is the cost of the change. For tests. */
size_t gxds_name_map_unshared(const gxds_name_map *m, const gxds_name_map *before);

#ifdef __cplusplus
}
#endif

#endif
