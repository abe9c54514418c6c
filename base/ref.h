/* gxds_ref: the count of an immutable shared object, first in its struct. Any thread.
 * An object is made with one reference, which its maker owns. */
#ifndef GRPC_XDS_BASE_REF_H_
#define GRPC_XDS_BASE_REF_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

/* Not _Atomic, so that C++ can include this header too; touched by the functions below only. */
typedef struct gxds_ref {
  int32_t count;
} gxds_ref;

/* One reference, the maker's. */
static inline void gxds_ref_init(gxds_ref *r) { __atomic_store_n(&r->count, 1, __ATOMIC_RELAXED); }

/* For a caller who has a reference, or whom somebody else's keeps safe meanwhile. */
static inline void gxds_ref_inc(const gxds_ref *r) {
  int32_t before = __atomic_fetch_add((int32_t *)&r->count, 1, __ATOMIC_RELAXED);
  GXDS_CHECK(before > 0);
}

/* True when that was the last one: the caller destroys the object. */
static inline bool gxds_ref_dec(const gxds_ref *r) {
  int32_t before = __atomic_fetch_sub((int32_t *)&r->count, 1, __ATOMIC_ACQ_REL);
  GXDS_CHECK(before > 0);
  return before == 1;
}

#endif
