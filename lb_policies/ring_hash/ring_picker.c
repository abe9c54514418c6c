#include "lb_policies/ring_hash/ring_picker.h"

#include "base/memory.h"

struct gxds_ring_picker {
  bool connecting; /* any endpoint is CONNECTING */
  const gxds_ring *ring;
  gxds_ring_endpoint *endpoints;
};

const gxds_ring_picker *gxds_ring_picker_create(const gxds_ring *ring,
                                                const gxds_ring_endpoint *endpoints, size_t count) {
  gxds_ring_picker *p = GXDS_NEW(gxds_ring_picker);
  p->ring = gxds_ring_ref(ring);
  p->endpoints = gxds_calloc(count, sizeof *p->endpoints);
  for (size_t i = 0; i < count; i++) {
    p->endpoints[i] = endpoints[i];
    if (endpoints[i].state == GRPC_CHANNEL_CONNECTING) p->connecting = true;
  }
  return p;
}

void gxds_ring_picker_destroy(const gxds_ring_picker *p) {
  if (!p) return;
  gxds_ring_unref(p->ring);
  gxds_free(p->endpoints);
  gxds_free((gxds_ring_picker *)p);
}

/* A61: the first endpoint that has not failed decides. */
static gxds_ring_pick pick_by_hash(const gxds_ring_picker *p, size_t first) {
  size_t size = gxds_ring_size(p->ring);
  for (size_t i = 0; i < size; i++) {
    size_t member = gxds_ring_member_at(p->ring, (first + i) % size);
    const gxds_ring_endpoint *e = &p->endpoints[member];
    switch (e->state) {
      case GRPC_CHANNEL_READY:
        return (gxds_ring_pick){GXDS_RING_PICK_COMPLETE, member, 0};
      case GRPC_CHANNEL_IDLE:
        return (gxds_ring_pick){GXDS_RING_PICK_QUEUE, member, e->token};
      case GRPC_CHANNEL_CONNECTING:
        return (gxds_ring_pick){GXDS_RING_PICK_QUEUE, member, 0};
      default:
        break;
    }
  }
  return (gxds_ring_pick){GXDS_RING_PICK_FAIL, gxds_ring_member_at(p->ring, first), 0};
}

/* A76: picks the first endpoint that is READY. If no endpoint is CONNECTING, the first IDLE one on
 * the way there is asked to connect. */
static gxds_ring_pick pick_at_random(const gxds_ring_picker *p, size_t first) {
  size_t size = gxds_ring_size(p->ring);
  uint64_t connect = 0;
  for (size_t i = 0; i < size; i++) {
    size_t member = gxds_ring_member_at(p->ring, (first + i) % size);
    const gxds_ring_endpoint *e = &p->endpoints[member];
    if (e->state == GRPC_CHANNEL_READY) {
      return (gxds_ring_pick){GXDS_RING_PICK_COMPLETE, member, connect};
    }
    if (!connect && !p->connecting && e->state == GRPC_CHANNEL_IDLE) connect = e->token;
  }
  size_t member = gxds_ring_member_at(p->ring, first);
  if (connect || p->connecting) return (gxds_ring_pick){GXDS_RING_PICK_QUEUE, member, connect};
  return (gxds_ring_pick){GXDS_RING_PICK_FAIL, member, 0};
}

gxds_ring_pick gxds_ring_picker_pick(const gxds_ring_picker *p, uint64_t hash, bool is_random) {
  size_t first = gxds_ring_find(p->ring, hash);
  return is_random ? pick_at_random(p, first) : pick_by_hash(p, first);
}
