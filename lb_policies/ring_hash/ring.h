/* gxds_ring: endpoints on a ring of hashes (A42). The first place of the ring whose hash is at or
 * after a request's hash gives the first choice of endpoint. The endpoints of the places behind it
 * are the next choices.
 *
 * The same endpoints in the same order give the same ring in every process, and also in Envoy and
 * in gRPC's other implementations. Immutable, counted by reference: any thread. */
#ifndef GRPC_XDS_LB_POLICIES_RING_HASH_RING_H_
#define GRPC_XDS_LB_POLICIES_RING_HASH_RING_H_

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_ring gxds_ring;

typedef struct gxds_ring_member {
  gxds_str key;    /* decides the member's places on the ring: its hash key, or its address as
                      text */
  uint64_t weight; /* how many places the member has, relative to the others; 0 counts as 1 */
} gxds_ring_member;

/* Makes a ring of the members. There must be at least one member. If several members have the same
 * key, the first is picked. members are borrowed: valid during the call. The number of places lies
 * between min_size and max_size, which are at least 1; rounding may make it somewhat more than
 * max_size. The caller owns the returned reference. */
const gxds_ring *gxds_ring_create(const gxds_ring_member *members, size_t count, uint64_t min_size,
                                  uint64_t max_size);
const gxds_ring *gxds_ring_ref(const gxds_ring *r);
void gxds_ring_unref(const gxds_ring *r); /* NULL is allowed */

size_t gxds_ring_size(const gxds_ring *r);
/* The first place for a hash. */
size_t gxds_ring_find(const gxds_ring *r, uint64_t hash);
/* The member that has that place, as an index into the members. place < size. */
size_t gxds_ring_member_at(const gxds_ring *r, size_t place);
/* The hash of that place. Hashes ascend with the places. */
uint64_t gxds_ring_hash_at(const gxds_ring *r, size_t place);

/* The hash of a text: for a header's value (A76), and for the members of the ring. */
uint64_t gxds_ring_hash_text(gxds_str text);

#ifdef __cplusplus
}
#endif

#endif
