#include "lb_policies/endpoint_list/normal_weights.h"

#include <uthash.h>

#include "base/memory.h"
#include "resources/endpoints.h"

typedef struct group {
  const gxds_locality *locality; /* NULL: the group of the addresses without a locality */
  uint64_t endpoint_weights;     /* the sum of the weights of all endpoints of the locality */
  UT_hash_handle hh;
} group;

static group *group_of(group **groups, const gxds_locality *locality) {
  group *g;
  HASH_FIND_PTR(*groups, &locality, g);
  if (g) return g;
  g = GXDS_NEW(group);
  g->locality = locality;
  /* This includes endpoints that the list leaves out, because the locality's share is for all its
   * endpoints. */
  for (uint32_t i = 0; locality && i < locality->endpoint_count; i++) {
    g->endpoint_weights += gxds_locality_endpoint(locality, i).weight;
  }
  HASH_ADD_PTR(*groups, locality, g);
  return g;
}

static uint64_t weight_of(const group *g) { return g->locality ? g->locality->weight : 1; }

/* The share of weight in all, rounded down as in every implementation. all is 0 if addresses from
 * outside of xDS have the weight 0. */
static uint64_t share(uint64_t weight, uint64_t all) {
  return all > 0 ? weight * GXDS_NORMAL_WEIGHT_ONE / all : 0;
}

static uint32_t product(uint64_t a, uint64_t b) {
  const uint64_t weight = a * b / GXDS_NORMAL_WEIGHT_ONE;
  return weight > 0 ? (uint32_t)weight : 1;
}

void gxds_normal_weights(const gxds_addresses *list, uint32_t *weights) {
  group *groups = NULL;
  group **of = gxds_calloc(list->count, sizeof(group *));
  for (size_t i = 0; i < list->count; i++) {
    const gxds_lb_address address = gxds_addresses_at(list, i);
    const bool same = i > 0 && of[i - 1]->locality == address.locality;
    of[i] = same ? of[i - 1] : group_of(&groups, address.locality);
    weights[i] = address.weight;
    if (!address.locality) of[i]->endpoint_weights += address.weight;
  }
  uint64_t all = 0;
  for (const group *g = groups; g; g = g->hh.next) all += weight_of(g);
  for (size_t i = 0; i < list->count; i++) {
    weights[i] = product(share(weight_of(of[i]), all), share(weights[i], of[i]->endpoint_weights));
  }
  gxds_free(of);
  group *g;
  group *next;
  HASH_ITER(hh, groups, g, next) {
    HASH_DEL(groups, g);
    gxds_free(g);
  }
}
