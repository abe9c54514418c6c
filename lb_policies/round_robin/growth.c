#include "lb_policies/round_robin/growth.h"

static uint32_t greater(uint32_t a, uint32_t b) { return a > b ? a : b; }

uint32_t gxds_growth_wanted(const gxds_growth *g, const gxds_growth_counts *counts) {
  if (counts->ready == 0) return counts->waiting;
  const uint32_t allowed = greater(g->eager, g->grown);
  const uint32_t more = allowed > counts->tried ? allowed - counts->tried : 0;
  return more < counts->waiting ? more : counts->waiting;
}

void gxds_growth_on_use(gxds_growth *g, const gxds_growth_counts *counts) {
  const uint64_t allowed = (uint64_t)counts->tried + greater(counts->ready, g->window);
  g->grown = greater(g->grown, allowed < UINT32_MAX ? (uint32_t)allowed : UINT32_MAX);
}

uint32_t gxds_growth_first(const gxds_growth *g, uint32_t count) {
  if (count <= g->eager) return 0;
  return (uint32_t)((g->random >> 32) * count >> 32);
}
