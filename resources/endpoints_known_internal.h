/* What of an EDS message is known already. An update changes few localities, and the bytes of the
 * others are those of the last good resource: such a locality is taken over as it was built,
 * without being read again. It is told by a fingerprint of its bytes, which the resource keeps for
 * each of its localities: 128 bits of XXH3, which protects from chance. Who makes two localities of
 * one fingerprint on purpose is a server of the same authority, whose endpoints were used already.
 *
 * What is known was good where it came from. Whether it is good beside the rest (a name or an
 * address that appears twice, a gap in the priorities) is checked as ever; if anything is wrong,
 * the message is read again as a whole, so that errors say the same as without all this.
 *
 * Pure functions; confined to one decode call. */
#ifndef GRPC_XDS_RESOURCES_ENDPOINTS_KNOWN_INTERNAL_H_
#define GRPC_XDS_RESOURCES_ENDPOINTS_KNOWN_INTERNAL_H_

#include "resources/common_internal.h"
#include "resources/endpoints.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The message but for what is known of it. Borrowed: valid as long as the bytes, scratch and
 * previous. */
typedef struct gxds_known_endpoints {
  gxds_str rest; /* the bytes themselves when nothing is known */
  /* Of the localities of the rest, in its order; NULL: of none, as there are too many. */
  gxds_locality_print *prints;
  size_t print_count;
  gxds_locality_print *localities; /* what is known */
  size_t locality_count;
  uint64_t seed; /* of a hash table: depends on all localities */
} gxds_known_endpoints;

/* previous: whose localities are known; NULL: nothing is. */
gxds_known_endpoints gxds_endpoints_split(gxds_str bytes, const gxds_endpoints *previous,
                                          upb_Arena *scratch);

/* The cluster's name, before the message is decoded; empty when there is none. Borrow: bytes. */
gxds_str gxds_endpoints_name_in(gxds_str bytes);

/* By the fingerprint alone, as qsort() and bsearch() want it. */
int gxds_locality_print_compare(const void *a, const void *b);

#ifdef __cplusplus
}
#endif

#endif
