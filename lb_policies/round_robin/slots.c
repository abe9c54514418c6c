#include "lb_policies/round_robin/slots.h"

#include <string.h>

#include "base/memory.h"
#include "lb_policies/round_robin/address_index.h"

void gxds_slots_fini(gxds_slots *s) {
  gxds_free(s->at);
  gxds_free(s->free);
}

gxds_slot *gxds_slots_find(const gxds_slots *s, uint64_t token) {
  uint32_t index = (uint32_t)token;
  if (index >= s->count || s->at[index].generation != token >> 32) return NULL;
  return s->at[index].standing == GXDS_SLOT_FREE ? NULL : &s->at[index];
}

void gxds_slots_reserve(gxds_slots *s, uint32_t more) {
  if (more <= s->free_count) return;
  uint32_t before = s->count;
  uint32_t count = before + (more - s->free_count);
  s->at = gxds_realloc(s->at, count, sizeof *s->at);
  s->free = gxds_realloc(s->free, count, sizeof *s->free);
  memset(s->at + before, 0, (count - before) * sizeof *s->at);
  for (uint32_t i = count; i > before; i--) s->free[s->free_count++] = i - 1;
  s->count = count;
}

uint32_t gxds_slots_take(gxds_slots *s, const gxds_address *address) {
  uint32_t index = s->free[--s->free_count];
  gxds_slot *slot = &s->at[index];
  uint32_t generation = slot->generation + 1;
  *slot = (gxds_slot){.address = *address,
                      .standing = GXDS_SLOT_WANTED,
                      .state = GRPC_CHANNEL_CONNECTING,
                      .generation = generation};
  return index;
}

void gxds_slots_release(gxds_slots *s, uint32_t index) {
  s->at[index].standing = GXDS_SLOT_FREE;
  s->free[s->free_count++] = index;
}

uint32_t gxds_slots_match(const gxds_slots *s, uint32_t *which, uint32_t which_count,
                          const gxds_locality *l, uint32_t first, uint32_t count, uint32_t *out) {
  gxds_address_index index;
  gxds_address_index_init(&index, which_count);
  for (uint32_t i = 0; i < which_count; i++) {
    gxds_address_index_add(&index, &s->at[which[i]].address, i);
  }
  for (uint32_t i = 0; i < count; i++) {
    const gxds_endpoint e = gxds_locality_endpoint(l, first + i);
    uint32_t found = gxds_address_index_take(&index, &e.address);
    out[i] = found == UINT32_MAX ? UINT32_MAX : which[found];
    if (found != UINT32_MAX) which[found] = UINT32_MAX;
  }
  gxds_address_index_fini(&index);
  uint32_t left = 0;
  for (uint32_t i = 0; i < which_count; i++) {
    if (which[i] != UINT32_MAX) which[left++] = which[i];
  }
  return left;
}
