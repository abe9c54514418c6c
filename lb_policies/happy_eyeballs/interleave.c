#include "lb_policies/happy_eyeballs/interleave.h"

static uint32_t next_of(const bool *is_ipv6, uint32_t count, uint32_t from, bool family) {
  while (from < count && is_ipv6[from] != family) from++;
  return from;
}

void gxds_interleave(const bool *is_ipv6, uint32_t count, uint32_t *order) {
  if (count == 0) return;
  bool family = is_ipv6[0];
  uint32_t next[] = {next_of(is_ipv6, count, 0, false), next_of(is_ipv6, count, 0, true)};
  for (uint32_t i = 0; i < count; i++) {
    if (next[family] == count) family = !family; /* the rest has the other family */
    order[i] = next[family];
    next[family] = next_of(is_ipv6, count, next[family] + 1, family);
    family = !family;
  }
}
