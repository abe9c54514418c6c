/* Binary search. */
#ifndef GRPC_XDS_BASE_SEARCH_H_
#define GRPC_XDS_BASE_SEARCH_H_

#include <stddef.h>

/* The first index from `first` on, and before `end`, for which the expression is_before is false;
 * `end` if there is none. `index` is the name by which is_before knows the index. From some index
 * on, is_before must be false for all. This is a macro, so that a comparison needs no function
 * call:
 *
 *   size_t at = GXDS_LOWER_BOUND(i, 0, count, numbers[i] < wanted); */
#define GXDS_LOWER_BOUND(index, first, end, is_before)               \
  __extension__({                                                    \
    size_t gxds_low_ = (first);                                      \
    size_t gxds_high_ = (end);                                       \
    while (gxds_low_ < gxds_high_) {                                 \
      const size_t index = gxds_low_ + (gxds_high_ - gxds_low_) / 2; \
      if (is_before) {                                               \
        gxds_low_ = index + 1;                                       \
      } else {                                                       \
        gxds_high_ = index;                                          \
      }                                                              \
    }                                                                \
    gxds_low_;                                                       \
  })

#endif
