/* gxds_ref: the count of an immutable shared object, first in its struct. Any thread.
 * An object is made with one reference, which its maker owns. */
#ifndef GRPC_XDS_BASE_REF_H_
#define GRPC_XDS_BASE_REF_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

/* Not _Atomic, so that C++ can include this header too. Only the functions below use it. */
typedef struct gxds_ref {
  int32_t count;
} gxds_ref;

/* Initialises the count with one reference, which the maker owns. */
static inline void gxds_ref_init(gxds_ref *r) { __atomic_store_n(&r->count, 1, __ATOMIC_RELAXED); }

/* Adds a reference. The caller must own one, or know that another reference lasts through the
 * call. */
static inline void gxds_ref_inc(const gxds_ref *r) {
  int32_t before = __atomic_fetch_add((int32_t *)&r->count, 1, __ATOMIC_RELAXED);
  GXDS_CHECK(before > 0);
}

/* Adds a reference for a caller that owns none, but knows that the memory stays valid. False if the
 * last reference was already given up. */
static inline bool gxds_ref_inc_if_alive(const gxds_ref *r) {
  int32_t before = __atomic_load_n(&r->count, __ATOMIC_RELAXED);
  while (before > 0) {
    if (__atomic_compare_exchange_n((int32_t *)&r->count, &before, before + 1, true,
                                    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      return true;
    }
  }
  return false;
}

/* Gives up a reference. True if it was the last one: then the caller destroys the object. */
static inline bool gxds_ref_dec(const gxds_ref *r) {
  int32_t before = __atomic_fetch_sub((int32_t *)&r->count, 1, __ATOMIC_ACQ_REL);
  GXDS_CHECK(before > 0);
  return before == 1;
}

#endif
