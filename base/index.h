/* gxds_index: a hash table that finds objects by a key, such as a name or an id. For each object it
 * needs one link in the object and at most a pointer in its table. uthash needs 56 bytes in each
 * object. Unlike uthash, it does not keep the order in which objects were added. Confined.
 *
 * The link is the first member of the object, so a pointer to it is a pointer to the object. The
 * index knows only the hash of the key. A key that is a number is its own hash. Otherwise the
 * caller compares the keys themselves:
 *
 *   gxds_index_link *l = gxds_index_find(x, gxds_index_hash(name));
 *   while (l && !gxds_str_equal(((thing *)l)->name, name)) l = gxds_index_find_next(l); */
#ifndef GRPC_XDS_BASE_INDEX_H_
#define GRPC_XDS_BASE_INDEX_H_

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_index_link {
  struct gxds_index_link *next; /* the next link in the bucket */
  uint64_t hash;
} gxds_index_link;

/* Zero-initialised, it is empty. Its memory is freed when the last object is removed. */
typedef struct gxds_index {
  gxds_index_link **buckets; /* NULL if the index is empty */
  size_t bucket_count;       /* a power of 2 */
  size_t count;
} gxds_index;

/* The hash of a key that consists of bytes. */
uint64_t gxds_index_hash(gxds_str key);

/* Adds an object. It must stay at its address until it is removed. Several objects may have the
 * same key. */
void gxds_index_add(gxds_index *x, gxds_index_link *link, uint64_t hash);
/* Removes an object, which must be in the index. */
void gxds_index_remove(gxds_index *x, gxds_index_link *link);

/* The first object whose key has that hash; NULL if there is none. Borrowed: valid until it is
 * removed. */
gxds_index_link *gxds_index_find(const gxds_index *x, uint64_t hash);
/* The next object after link whose key has the same hash; NULL if there is none. */
gxds_index_link *gxds_index_find_next(const gxds_index_link *link);

/* The object after link; NULL means the first. Visits every object once. The caller must not depend
 * on the order. NULL if there is none. */
gxds_index_link *gxds_index_next(const gxds_index *x, const gxds_index_link *link);

#ifdef __cplusplus
}
#endif

#endif
