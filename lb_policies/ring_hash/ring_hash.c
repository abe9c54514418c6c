#include "lb_policies/ring_hash/ring_hash.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/search.h"

typedef struct endpoint {
  uint64_t token;
  gxds_str key;      /* owned */
  gxds_str hash_key; /* owned */
  gxds_str detail;   /* owned */
  uint64_t weight;
  size_t position; /* the index in the last update */
  grpc_connectivity_state state;
  bool created;     /* the CREATE operation was returned */
  bool seen;        /* the endpoint's subchannel has reported a state */
  bool connect_due; /* the CONNECT operation is still to be returned */
  bool connecting;  /* a connect was requested, and no state was reported since */
} endpoint;

struct gxds_ring_hash {
  uint64_t size_cap;
  uint64_t last_token;
  endpoint *endpoints; /* the endpoints, in order of position */
  size_t count;
  const gxds_ring *ring; /* NULL: no endpoints */
  size_t create_next;    /* the endpoints before this index are created */
  uint64_t *removals;    /* the tokens of which a REMOVE is still to be returned */
  size_t removal_count;
  size_t removal_capacity;
  bool reresolve_due;
  bool publish_due;
};

gxds_ring_hash *gxds_ring_hash_create(uint64_t size_cap) {
  GXDS_CHECK(size_cap > 0);
  gxds_ring_hash *r = GXDS_NEW(gxds_ring_hash);
  r->size_cap = size_cap;
  return r;
}

static void fini_endpoint(endpoint *e) {
  gxds_str_free(&e->key);
  gxds_str_free(&e->hash_key);
  gxds_str_free(&e->detail);
}

void gxds_ring_hash_destroy(gxds_ring_hash *r) {
  if (!r) return;
  for (size_t i = 0; i < r->count; i++) fini_endpoint(&r->endpoints[i]);
  gxds_free(r->endpoints);
  gxds_ring_unref(r->ring);
  gxds_free(r->removals);
  gxds_free(r);
}

static endpoint *find(gxds_ring_hash *r, uint64_t token) {
  for (size_t i = 0; i < r->count; i++) {
    if (r->endpoints[i].token == token) return &r->endpoints[i];
  }
  return NULL;
}

/* Ends the endpoint, and queues the removal of its subchannel if there is one. */
static void retire(gxds_ring_hash *r, endpoint *e) {
  if (e->created) {
    GXDS_MAKE_ROOM(r->removals, r->removal_count, r->removal_capacity, 4);
    r->removals[r->removal_count++] = e->token;
  }
  fini_endpoint(e);
}

/* ---- updates ---- */

typedef struct keyed {
  gxds_str key;
  size_t index;
} keyed;

static int compare_keyed(const void *a, const void *b) {
  const keyed *left = a;
  const keyed *right = b;
  int order = gxds_str_compare(left->key, right->key);
  return order ? order : (left->index > right->index) - (left->index < right->index);
}

static int compare_positions(const void *a, const void *b) {
  size_t left = ((const endpoint *)a)->position;
  size_t right = ((const endpoint *)b)->position;
  return (left > right) - (left < right);
}

static uint64_t add_weights(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* The endpoints of an update, without repetitions of a key. Each key keeps its first position. Only
 * the position and the weight are set. */
static endpoint *distinct(const gxds_ring_hash_endpoint *in, size_t count, size_t *distinct_count) {
  keyed *sorted = gxds_calloc(count, sizeof *sorted);
  for (size_t i = 0; i < count; i++) sorted[i] = (keyed){in[i].key, i};
  if (count) qsort(sorted, count, sizeof *sorted, compare_keyed);
  endpoint *out = gxds_calloc(count, sizeof *out);
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    const gxds_ring_hash_endpoint *e = &in[sorted[i].index];
    uint64_t weight = e->weight ? e->weight : 1;
    if (i > 0 && gxds_str_equal(sorted[i].key, sorted[i - 1].key)) {
      out[used - 1].weight = add_weights(out[used - 1].weight, weight);
    } else {
      out[used++] = (endpoint){.position = sorted[i].index, .weight = weight};
    }
  }
  gxds_free(sorted);
  if (used) qsort(out, used, sizeof *out, compare_positions);
  *distinct_count = used;
  return out;
}

/* The present endpoints, ordered by key. */
static keyed *index_endpoints(const gxds_ring_hash *r) {
  keyed *sorted = gxds_calloc(r->count, sizeof *sorted);
  for (size_t i = 0; i < r->count; i++) sorted[i] = (keyed){r->endpoints[i].key, i};
  if (r->count) qsort(sorted, r->count, sizeof *sorted, compare_keyed);
  return sorted;
}

static endpoint *find_by_key(const gxds_ring_hash *r, const keyed *sorted, gxds_str key) {
  const size_t at = GXDS_LOWER_BOUND(i, 0, r->count, gxds_str_compare(sorted[i].key, key) < 0);
  const bool is_there = at < r->count && gxds_str_equal(sorted[at].key, key);
  return is_there ? &r->endpoints[sorted[at].index] : NULL;
}

/* A61: an endpoint that stays keeps its subchannel and its state. */
static void place_endpoints(gxds_ring_hash *r, const gxds_ring_hash_endpoint *in, size_t count,
                            bool renew) {
  GXDS_CHECK(r->count == 0 || r->endpoints);
  size_t next_count = 0;
  endpoint *next = distinct(in, count, &next_count);
  keyed *sorted = index_endpoints(r);
  for (size_t i = 0; i < next_count; i++) {
    endpoint *e = &next[i];
    const gxds_ring_hash_endpoint *wanted = &in[e->position];
    endpoint *old = find_by_key(r, sorted, wanted->key);
    if (old && !renew && gxds_str_equal(old->detail, wanted->detail)) {
      endpoint kept = *old;
      kept.weight = e->weight;
      kept.position = e->position;
      *e = kept;
      gxds_str_free(&e->hash_key);
      old->token = 0; /* moved */
    } else {
      e->token = ++r->last_token;
      e->key = gxds_str_dup(wanted->key);
      e->detail = gxds_str_dup(wanted->detail);
      e->state = GRPC_CHANNEL_IDLE;
    }
    if (wanted->hash_key.size) e->hash_key = gxds_str_dup(wanted->hash_key);
  }
  gxds_free(sorted);
  for (size_t i = 0; i < r->count; i++) {
    if (r->endpoints[i].token) retire(r, &r->endpoints[i]);
  }
  gxds_free(r->endpoints);
  r->endpoints = next;
  r->count = next_count;
  r->create_next = 0;
}

static uint64_t capped(uint64_t size, uint64_t cap) { return size < cap ? size : cap; }

static void make_ring(gxds_ring_hash *r, uint64_t min_size, uint64_t max_size) {
  gxds_ring_unref(r->ring);
  r->ring = NULL;
  if (r->count == 0) return;
  gxds_ring_member *members = gxds_calloc(r->count, sizeof *members);
  for (size_t i = 0; i < r->count; i++) {
    const endpoint *e = &r->endpoints[i];
    members[i] = (gxds_ring_member){e->hash_key.size ? e->hash_key : e->key, e->weight};
  }
  r->ring = gxds_ring_create(members, r->count, capped(min_size, r->size_cap),
                             capped(max_size, r->size_cap));
  gxds_free(members);
}

/* ---- states ---- */

static size_t count_state(const gxds_ring_hash *r, grpc_connectivity_state state) {
  size_t count = 0;
  for (size_t i = 0; i < r->count; i++) count += r->endpoints[i].state == state;
  return count;
}

grpc_connectivity_state gxds_ring_hash_state(const gxds_ring_hash *r) {
  size_t failed = count_state(r, GRPC_CHANNEL_TRANSIENT_FAILURE);
  if (count_state(r, GRPC_CHANNEL_READY) > 0) return GRPC_CHANNEL_READY;
  if (failed >= 2) return GRPC_CHANNEL_TRANSIENT_FAILURE;
  if (count_state(r, GRPC_CHANNEL_CONNECTING) > 0) return GRPC_CHANNEL_CONNECTING;
  if (failed == 1 && r->count > 1) return GRPC_CHANNEL_CONNECTING;
  if (count_state(r, GRPC_CHANNEL_IDLE) > 0) return GRPC_CHANNEL_IDLE;
  return GRPC_CHANNEL_TRANSIENT_FAILURE;
}

static void connect(endpoint *e) {
  if (e->connecting) return;
  e->connecting = true;
  e->connect_due = true;
}

static endpoint *first_idle(gxds_ring_hash *r) {
  for (size_t i = 0; i < r->count; i++) {
    if (r->endpoints[i].state == GRPC_CHANNEL_IDLE) return &r->endpoints[i];
  }
  return NULL;
}

/* A61: in these states there may be no picks, so the policy itself makes one endpoint at a time
 * connect. */
static void connect_proactively(gxds_ring_hash *r) {
  grpc_connectivity_state state = gxds_ring_hash_state(r);
  if (state != GRPC_CHANNEL_TRANSIENT_FAILURE && state != GRPC_CHANNEL_CONNECTING) return;
  for (size_t i = 0; i < r->count; i++) {
    const endpoint *e = &r->endpoints[i];
    if (e->state == GRPC_CHANNEL_CONNECTING) return;
    if (e->state == GRPC_CHANNEL_IDLE && e->connecting) return;
  }
  endpoint *idle = first_idle(r);
  if (idle) connect(idle);
}

void gxds_ring_hash_on_update(gxds_ring_hash *r, const gxds_ring_hash_endpoint *endpoints,
                              size_t count, uint64_t min_size, uint64_t max_size, bool renew) {
  place_endpoints(r, endpoints, count, renew);
  make_ring(r, min_size, max_size);
  connect_proactively(r);
  r->publish_due = true;
}

void gxds_ring_hash_on_state(gxds_ring_hash *r, uint64_t token, grpc_connectivity_state state) {
  endpoint *e = find(r, token);
  if (!e || state == GRPC_CHANNEL_SHUTDOWN) return;
  bool first = !e->seen;
  e->seen = true;
  /* If the first report is IDLE, the attempt that was requested before has not begun yet. */
  if (!first || state != GRPC_CHANNEL_IDLE) e->connecting = false;
  /* Not for the first report. Otherwise an address that is known to fail would cause endless
   * requests for new addresses. */
  if (!first && (state == GRPC_CHANNEL_TRANSIENT_FAILURE || state == GRPC_CHANNEL_IDLE)) {
    r->reresolve_due = true;
  }
  bool failed_again = state == GRPC_CHANNEL_TRANSIENT_FAILURE;
  if (e->state == GRPC_CHANNEL_TRANSIENT_FAILURE && state != GRPC_CHANNEL_READY) {
    if (state == GRPC_CHANNEL_IDLE) connect(e); /* the endpoint's backoff is over */
    state = GRPC_CHANNEL_TRANSIENT_FAILURE;
  }
  /* A further failure is published too, because its message may be different. */
  if (e->state != state || failed_again) r->publish_due = true;
  e->state = state;
  connect_proactively(r);
}

void gxds_ring_hash_on_pick(gxds_ring_hash *r, uint64_t token) {
  endpoint *e = find(r, token);
  if (e && e->state == GRPC_CHANNEL_IDLE) connect(e);
}

void gxds_ring_hash_on_exit_idle(gxds_ring_hash *r) {
  if (gxds_ring_hash_state(r) != GRPC_CHANNEL_IDLE) return;
  endpoint *idle = first_idle(r);
  if (idle) connect(idle);
}

/* ---- what to do ---- */

bool gxds_ring_hash_next(gxds_ring_hash *r, gxds_ring_hash_op *op) {
  *op = (gxds_ring_hash_op){.kind = GXDS_RING_HASH_PUBLISH};
  while (r->create_next < r->count) {
    endpoint *e = &r->endpoints[r->create_next++];
    if (e->created) continue;
    e->created = true;
    *op = (gxds_ring_hash_op){GXDS_RING_HASH_CREATE, e->token, e->position};
    return true;
  }
  for (size_t i = 0; i < r->count; i++) {
    endpoint *e = &r->endpoints[i];
    if (!e->connect_due) continue;
    e->connect_due = false;
    *op = (gxds_ring_hash_op){GXDS_RING_HASH_CONNECT, e->token, e->position};
    return true;
  }
  if (r->publish_due) {
    r->publish_due = false;
    return true;
  }
  /* Removals come after the PUBLISH of a picker that no longer uses these endpoints. */
  if (r->removal_count) {
    *op = (gxds_ring_hash_op){GXDS_RING_HASH_REMOVE, r->removals[--r->removal_count], 0};
    return true;
  }
  if (r->reresolve_due) {
    r->reresolve_due = false;
    op->kind = GXDS_RING_HASH_RERESOLVE;
    return true;
  }
  return false;
}

size_t gxds_ring_hash_count(const gxds_ring_hash *r) { return r->count; }

uint64_t gxds_ring_hash_token_at(const gxds_ring_hash *r, size_t index) {
  return r->endpoints[index].token;
}

const gxds_ring_picker *gxds_ring_hash_picker(const gxds_ring_hash *r) {
  if (r->count == 0) return NULL;
  gxds_ring_endpoint *endpoints = gxds_calloc(r->count, sizeof *endpoints);
  for (size_t i = 0; i < r->count; i++) {
    endpoints[i] = (gxds_ring_endpoint){r->endpoints[i].token, r->endpoints[i].state};
  }
  const gxds_ring_picker *p = gxds_ring_picker_create(r->ring, endpoints, r->count);
  gxds_free(endpoints);
  return p;
}
