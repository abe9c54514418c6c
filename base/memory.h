/* Allocation that aborts when memory runs out, as gRPC's own does. So callers limit every size that
 * the network can choose before they allocate. Any thread. */
#ifndef GRPC_XDS_BASE_MEMORY_H_
#define GRPC_XDS_BASE_MEMORY_H_

#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroed memory for count items of size bytes; aborts on overflow of the product. A count of 0
 * gives a pointer that may be freed. Free with gxds_free(). */
void *gxds_calloc(size_t count, size_t size);

/* Makes an array larger or smaller, to count items of size bytes. New items are not zeroed. */
void *gxds_realloc(void *memory, size_t count, size_t size);

/* Frees memory that the functions above returned. memory may be NULL. */
void gxds_free(void *memory);

#ifdef __cplusplus
}
#endif

/* Allocates one zeroed T. */
#define GXDS_NEW(T) ((T *)gxds_calloc(1, sizeof(T)))

/* Makes room for one more item in an array with count items. A full array becomes twice as large,
 * and an array without memory gets room for `first` items. In C only. */
#define GXDS_MAKE_ROOM(items, count, capacity, first)               \
  do {                                                              \
    if ((count) >= (capacity)) {                                    \
      (capacity) = (capacity) ? 2 * (capacity) : (first);           \
      (items) = gxds_realloc((items), (capacity), sizeof *(items)); \
    }                                                               \
  } while (0)

/* Extends an array of count items to at least `wanted` items. The new ones are zeroed. In C
 * only. */
#define GXDS_EXTEND(items, count, wanted)                                           \
  do {                                                                              \
    if ((wanted) > (count)) {                                                       \
      (items) = gxds_realloc((items), (wanted), sizeof *(items));                   \
      memset((items) + (count), 0, ((size_t)(wanted) - (count)) * sizeof *(items)); \
      (count) = (wanted);                                                           \
    }                                                                               \
  } while (0)

#endif
