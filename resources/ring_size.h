/* A42: the limit of both sizes of a ring, and the protocol's default of the minimum size. They
 * apply wherever a ring is configured: in both forms of a Cluster, and in a policy's JSON. */
#ifndef GRPC_XDS_RESOURCES_RING_SIZE_H_
#define GRPC_XDS_RESOURCES_RING_SIZE_H_

#include <stdbool.h>
#include <stdint.h>

#define GXDS_RING_SIZE_MAX 8388608u
#define GXDS_RING_SIZE_MIN_DEFAULT 1024u

static inline bool gxds_ring_size_is_valid(uint64_t size) {
  return size > 0 && size <= GXDS_RING_SIZE_MAX;
}

#endif
