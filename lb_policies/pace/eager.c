#include "lb_policies/pace/eager.h"

static size_t greater(size_t a, size_t b) { return a > b ? a : b; }

void gxds_eager_renew(gxds_eager *e, uint32_t *share, uint32_t count) {
  const size_t others = e->shared_out - *share;
  const size_t left = e->limit > others ? e->limit - others : 0;
  const size_t allowed = greater(greater(left, *share), e->least);
  *share = count < allowed ? count : (uint32_t)allowed;
  e->shared_out = others + *share;
}
