/* Allocation that aborts when memory runs out, as gRPC's own does; so a size that the network can
 * set is bounded before it comes here. Any thread. */
#ifndef GRPC_XDS_BASE_MEMORY_H_
#define GRPC_XDS_BASE_MEMORY_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroed memory for count items of size bytes; aborts on overflow of the product. A count of 0
 * gives a pointer that may be freed. Free with gxds_free(). */
void *gxds_calloc(size_t count, size_t size);

/* Grows or shrinks an array of count items; what is added is not zeroed. */
void *gxds_realloc(void *memory, size_t count, size_t size);

/* Frees what the functions above gave; NULL is allowed. */
void gxds_free(void *memory);

#ifdef __cplusplus
}
#endif

/* A zeroed T of its own. */
#define GXDS_NEW(T) ((T *)gxds_calloc(1, sizeof(T)))

#endif
