#include "lb_policies/pick_first/shuffle.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

typedef struct place {
  double key;
  size_t index;
} place;

/* A113 sorts by u ^ (1 / weight), the greatest first. For large weights this is so close to 1 that
 * rounding makes the keys equal. So the key here is minus the logarithm of that number, the least
 * first. */
static double key_of(uint32_t weight, gxds_random *random) {
  const double u = 1 - gxds_random_unit(random); /* never 0 */
  return -log(u) / (double)weight;
}

static int compare(const void *left, const void *right) {
  const place *a = left;
  const place *b = right;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return a->index < b->index ? -1 : 1;
}

void gxds_shuffle(const uint32_t *weights, size_t *order, size_t count, gxds_random *random) {
  if (count == 0) return;
  place *places = gxds_calloc(count, sizeof *places);
  for (size_t i = 0; i < count; i++) places[i] = (place){key_of(weights[i], random), i};
  qsort(places, count, sizeof *places, compare);
  for (size_t i = 0; i < count; i++) order[i] = places[i].index;
  gxds_free(places);
}
