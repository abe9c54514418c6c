#include "lb_policies/random_subsetting/subset.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/memory.h"

typedef struct ranked {
  uint64_t hash;
  size_t place;
} ranked;

static int compare(const void *a, const void *b) {
  const ranked *x = a;
  const ranked *y = b;
  if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
  return x->place < y->place ? -1 : 1; /* equal hashes: the same address occurs twice */
}

size_t gxds_subset_choose(const gxds_str *addresses, size_t count, uint32_t size, uint64_t seed,
                          size_t *chosen) {
  if (count <= size) {
    for (size_t i = 0; i < count; i++) chosen[i] = i;
    return count;
  }
  ranked *all = gxds_calloc(count, sizeof *all);
  for (size_t i = 0; i < count; i++) {
    all[i] = (ranked){XXH64(addresses[i].data, addresses[i].size, seed), i};
  }
  qsort(all, count, sizeof *all, compare);
  for (size_t i = 0; i < size; i++) chosen[i] = all[i].place;
  gxds_free(all);
  return size;
}
