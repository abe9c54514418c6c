#include "lb_policies/ring_hash/hash_picker.h"

#include "base/memory.h"
#include "base/random.h"

typedef struct hash_picker {
  gxds_picker base;
  const gxds_ring_picker *ring;
  gxds_hash_member *members;
  size_t count;
  gxds_ring_hash_config *config;
  gxds_poker *poker;
} hash_picker;

static uint64_t random_hash(void) { return gxds_random_next(gxds_random_of_thread()); }

/* False if the RPC has no xDS route. */
static bool hash_of_route(const gxds_pick *call, uint64_t *hash) {
  gxds_str cluster;
  gxds_routed_call *route = gxds_pick_route(call, &cluster);
  if (!route) return false;
  /* Stored in the route, so that later picks for the RPC use the same hash. */
  if (!route->has_hash) route->hash = random_hash();
  route->has_hash = true;
  *hash = route->hash;
  return true;
}

static uint64_t hash_of_header(const gxds_pick *call, gxds_str header, bool *is_random) {
  gxds_str value;
  *is_random = !gxds_pick_header(call, header, &value) || gxds_str_empty(value);
  return *is_random ? random_hash() : gxds_ring_hash_text(value);
}

static void pick(gxds_picker *base, const gxds_pick *call, gxds_picked *out) {
  const hash_picker *p = (const hash_picker *)base;
  const gxds_str header = p->config->request_hash_header;
  bool is_random = false;
  uint64_t hash;
  if (!gxds_str_empty(header)) {
    hash = hash_of_header(call, header, &is_random);
  } else if (!hash_of_route(call, &hash)) {
    gxds_picked_fail(
        out, gxds_status_make(GXDS_INTERNAL,
                              "ring_hash: the RPC has no hash: no xDS route gave it one, and the "
                              "policy's config names no requestHashHeader"));
    return;
  }
  const gxds_ring_pick picked = gxds_ring_picker_pick(p->ring, hash, is_random);
  if (picked.connect != 0) gxds_poker_poke(p->poker, picked.connect, gxds_str_of(NULL, 0));
  switch (picked.kind) {
    case GXDS_RING_PICK_COMPLETE:
      gxds_picked_complete(out, gxds_subchannel_ref(p->members[picked.endpoint].subchannel), NULL);
      return;
    case GXDS_RING_PICK_QUEUE:
      gxds_picked_queue(out);
      return;
    case GXDS_RING_PICK_FAIL:
      gxds_picked_fail(
          out, gxds_status_of_cause("ring hash cannot find a connected subchannel; first failure: ",
                                    &p->members[picked.endpoint].failure));
      return;
  }
}

static void destroy(gxds_picker *base) {
  hash_picker *p = (hash_picker *)base;
  gxds_ring_picker_destroy(p->ring);
  for (size_t i = 0; i < p->count; i++) {
    gxds_subchannel_unref(p->members[i].subchannel);
    gxds_status_fini(&p->members[i].failure);
  }
  gxds_free(p->members);
  gxds_lb_config_unref(&p->config->base);
  gxds_poker_unref(p->poker);
  gxds_free(p);
}

gxds_picker *gxds_hash_picker_create(const gxds_ring_picker *take_ring,
                                     gxds_hash_member *take_members, size_t count,
                                     gxds_ring_hash_config *config, gxds_poker *poker) {
  static const gxds_picker_ops ops = {pick, destroy};
  hash_picker *p = GXDS_NEW(hash_picker);
  gxds_picker_init(&p->base, &ops);
  p->ring = take_ring;
  p->members = take_members;
  p->count = count;
  p->config = config;
  gxds_lb_config_ref(&config->base);
  p->poker = gxds_poker_ref(poker);
  return &p->base;
}
