#include "lb_policies/pick_first/shuffle.h"

void gxds_shuffle(size_t *order, size_t count, gxds_random *random) {
  for (size_t i = 0; i < count; i++) {
    size_t place = (size_t)(gxds_random_next(random) % (i + 1));
    order[i] = order[place];
    order[place] = i;
  }
}
