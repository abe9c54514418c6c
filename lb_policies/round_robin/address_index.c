#include "lb_policies/round_robin/address_index.h"

#include <string.h>
#include <xxhash.h>

#include "base/memory.h"

typedef struct gxds_address_index_entry {
  const gxds_address *address; /* borrowed */
  uint32_t place;
  uint32_t next; /* the next entry of the chain, in the form of heads */
} entry;

void gxds_address_index_init(gxds_address_index *x, uint32_t room) {
  uint32_t size = 16;
  while (size < room && size < UINT32_C(1) << 31) size *= 2;
  *x = (gxds_address_index){.entries = gxds_calloc(room ? room : 1, sizeof(entry)),
                            .heads = gxds_calloc(size, sizeof(uint32_t)),
                            .mask = size - 1};
}

void gxds_address_index_fini(gxds_address_index *x) {
  gxds_free(x->entries);
  gxds_free(x->heads);
}

static size_t ip_size(const gxds_address *a) { return a->is_ipv6 ? 16 : 4; }

static uint32_t *chain_of(const gxds_address_index *x, const gxds_address *a) {
  return &x->heads[(uint32_t)XXH3_64bits_withSeed(a->ip, ip_size(a), a->port) & x->mask];
}

/* Adds it at the end of its chain, so that the first that was added is found first. */
void gxds_address_index_add(gxds_address_index *x, const gxds_address *address, uint32_t place) {
  uint32_t *link = chain_of(x, address);
  while (*link) link = &x->entries[*link - 1].next;
  x->entries[x->count++] = (entry){.address = address, .place = place};
  *link = x->count;
}

uint32_t gxds_address_index_take(gxds_address_index *x, const gxds_address *address) {
  for (uint32_t *link = chain_of(x, address); *link; link = &x->entries[*link - 1].next) {
    entry *e = &x->entries[*link - 1];
    if (e->address->port != address->port || e->address->is_ipv6 != address->is_ipv6 ||
        memcmp(e->address->ip, address->ip, ip_size(address)) != 0) {
      continue;
    }
    *link = e->next;
    return e->place;
  }
  return UINT32_MAX;
}
