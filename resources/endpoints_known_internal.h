/* Finds the localities of an EDS message that are known already. An update changes few localities,
 * and the bytes of the others are those of the last good resource. Such a locality is taken from
 * that resource, and not decoded again.
 *
 * A locality is recognised by a fingerprint of its bytes, 128 bits of XXH3, which the resource
 * keeps for each of its localities. This rules out accidental collisions. A collision on purpose
 * can only come from a server of the same authority, whose endpoints the client used already.
 *
 * A known locality is valid by itself. What depends on the other localities (a name or an address
 * that occurs twice, a gap in the priorities) is checked as always. If anything is wrong, the whole
 * message is decoded again, so that the errors are the same as without known localities.
 *
 * Pure functions; confined to one decode call. */
#ifndef GRPC_XDS_RESOURCES_ENDPOINTS_KNOWN_INTERNAL_H_
#define GRPC_XDS_RESOURCES_ENDPOINTS_KNOWN_INTERNAL_H_

#include "resources/common_internal.h"
#include "resources/endpoints.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_known_locality {
  const gxds_locality *locality;
  gxds_locality_print print;
} gxds_known_locality;

/* A message without the localities that are known already. Borrowed: valid as long as the bytes,
 * scratch and previous. */
typedef struct gxds_known_endpoints {
  gxds_str rest; /* the message's own bytes if no locality is known */
  /* The fingerprints of the rest's localities, in their order; NULL if there are too many. */
  gxds_locality_print *prints;
  size_t print_count;
  gxds_known_locality *localities; /* the known localities */
  size_t locality_count;
  uint64_t seed; /* a seed for hash tables, which depends on all localities */
} gxds_known_endpoints;

/* Splits a message. The localities of `previous` count as known. previous may be NULL. */
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
