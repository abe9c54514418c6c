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

/* A message without the localities that are known already. Borrowed: valid as long as the bytes,
 * scratch and previous. */
typedef struct gxds_known_endpoints {
  gxds_str rest; /* the message's own bytes if no locality is known */
  /* The fingerprints of the rest's localities, in their order; NULL if there are too many. */
  gxds_locality_print *prints;
  size_t print_count;
  gxds_locality_print *localities; /* what is known */
  size_t locality_count;
  uint64_t seed; /* a seed for hash tables, which depends on all localities */
} gxds_known_endpoints;

/* Splits a message. The localities of `previous` are known; NULL: none is. */
gxds_known_endpoints gxds_endpoints_split(gxds_str bytes, const gxds_endpoints *previous,
                                          upb_Arena *scratch);

/* The cluster's name in a message that is not decoded yet; empty if there is none. Borrowed from
 * bytes. */
gxds_str gxds_endpoints_name_in(gxds_str bytes);

/* Compares two fingerprints, for qsort() and bsearch(). */
int gxds_locality_print_compare(const void *a, const void *b);

#ifdef __cplusplus
}
#endif

#endif
