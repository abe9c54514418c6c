#include "lb_policies/round_robin/round_robin.h"

#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "lb_policies/round_robin/growth.h"
#include "lb_policies/round_robin/slots.h"

struct gxds_round_robin {
  gxds_slots slots;

  uint32_t *current; /* the slots of the last update's endpoints, in its order */
  uint32_t current_count;
  uint32_t *leaving; /* the slots of removed endpoints that picks still use, in the order of their
                        updates */
  uint32_t leaving_count;

  /* How many current slots are in each state. Those that wait for a subchannel are CONNECTING. */
  uint32_t counts[GRPC_CHANNEL_SHUTDOWN];
  uint32_t refused_count;
  uint32_t lost_count; /* how many of those that failed were READY before */

  gxds_growth growth;
  uint32_t wanted_count;
  uint32_t wanted_first; /* the index in `current` of the endpoint to begin with */
  uint32_t wanted_next;  /* how many current slots, starting at wanted_first, do not wait for a
                            subchannel */
  bool may_make;         /* one of the waiting endpoints may get its subchannel now */
  uint64_t *connects;    /* tokens; those whose connect_due is false are skipped */
  size_t connect_count;
  bool reresolution_due;
  uint64_t *removals; /* tokens */
  size_t removal_count;

  bool by_weight;
  bool updated;     /* there was an update */
  bool publish_due; /* what was published is out of date, even if the state is the same */
  bool has_published;
  grpc_connectivity_state published; /* the last published state */
  bool published_empty;
  bool published_left_out; /* at the last PUBLISH, some endpoints were left out */
  uint64_t *members;       /* the members of the last PUBLISH */
};

gxds_round_robin *gxds_round_robin_create(void) {
  gxds_round_robin *r = GXDS_NEW(gxds_round_robin);
  r->growth = GXDS_GROWTH_UNLIMITED;
  return r;
}

void gxds_round_robin_destroy(gxds_round_robin *r) {
  if (!r) return;
  gxds_slots_fini(&r->slots);
  gxds_free(r->current);
  gxds_free(r->leaving);
  gxds_free(r->connects);
  gxds_free(r->removals);
  gxds_free(r->members);
  gxds_free(r);
}

uint32_t gxds_round_robin_slot_count(const gxds_round_robin *r) { return r->slots.count; }

/* --- Slots --- */

static gxds_slot *slot_at(const gxds_round_robin *r, uint32_t index) { return &r->slots.at[index]; }

static uint64_t token_of(const gxds_round_robin *r, uint32_t index) {
  return gxds_slots_token(&r->slots, index);
}

uint64_t gxds_round_robin_token_at(const gxds_round_robin *r, uint32_t position) {
  return token_of(r, r->current[position]);
}

/* Frees the slot, and ends its subchannel if it has one. The caller takes the slot out of its list
 * and its counts. */
static void free_slot(gxds_round_robin *r, uint32_t index) {
  gxds_slot *s = slot_at(r, index);
  if (s->standing == GXDS_SLOT_CURRENT || s->standing == GXDS_SLOT_LEAVING) {
    r->removals = gxds_realloc(r->removals, r->removal_count + 1, sizeof *r->removals);
    r->removals[r->removal_count++] = token_of(r, index);
  }
  gxds_slots_release(&r->slots, index);
}

/* Whether the endpoint at position is the one at index of an update. */
static bool is_at(const gxds_round_robin *r, uint32_t position, const gxds_locality *l,
                  uint32_t index) {
  const gxds_address *a = &slot_at(r, r->current[position])->address;
  const gxds_endpoint e = gxds_locality_endpoint(l, index);
  return gxds_address_equal(a, &e.address);
}

/* --- Updates --- */

static void end_leaving(gxds_round_robin *r) {
  for (uint32_t i = 0; i < r->leaving_count; i++) free_slot(r, r->leaving[i]);
  r->leaving_count = 0;
  r->publish_due = true;
}

/* As in the host, the old endpoints leave the picks when one of the new ones is READY, or all of
 * the new ones have failed. (Old endpoints that are not READY are ended at once.) */
static void settle(gxds_round_robin *r) {
  if (r->leaving_count == 0) return;
  uint32_t failed = r->counts[GRPC_CHANNEL_TRANSIENT_FAILURE];
  if (r->counts[GRPC_CHANNEL_READY] > 0 || failed == r->current_count - r->refused_count) {
    end_leaving(r);
  }
}

/* The slots before[0 … count) are not current any more: those that are READY go to `leaving`, which
 * has room, and the others are freed. */
static void dismiss(gxds_round_robin *r, const uint32_t *before, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    gxds_slot *s = slot_at(r, before[i]);
    if (s->standing == GXDS_SLOT_CURRENT && s->state == GRPC_CHANNEL_READY) {
      s->standing = GXDS_SLOT_LEAVING;
      r->leaving[r->leaving_count++] = before[i];
    } else {
      free_slot(r, before[i]);
    }
  }
}

/* Whether the endpoint was READY, and could not connect again. */
static bool is_lost(const gxds_slot *s) {
  return s->was_ready && s->state == GRPC_CHANNEL_TRANSIENT_FAILURE;
}

static void recount(gxds_round_robin *r) {
  memset(r->counts, 0, sizeof r->counts);
  r->refused_count = 0;
  r->lost_count = 0;
  r->wanted_count = 0;
  r->wanted_first = gxds_growth_first(&r->growth, r->current_count);
  r->wanted_next = 0;
  for (uint32_t i = 0; i < r->current_count; i++) {
    const gxds_slot *s = slot_at(r, r->current[i]);
    if (s->standing == GXDS_SLOT_REFUSED) {
      r->refused_count++;
      continue;
    }
    r->counts[s->state]++;
    if (is_lost(s)) r->lost_count++;
    if (s->standing == GXDS_SLOT_WANTED) r->wanted_count++;
  }
}

/* Whether one of the slots is in the picks. */
static bool any_ready(const gxds_round_robin *r, const uint32_t *slots, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const gxds_slot *s = slot_at(r, slots[i]);
    if (s->standing == GXDS_SLOT_CURRENT && s->state == GRPC_CHANNEL_READY) return true;
  }
  return false;
}

/* An empty list may be NULL, which memcpy() must not get. */
static void copy_slots(uint32_t *to, const uint32_t *from, uint32_t count) {
  if (count) memcpy(to, from, count * sizeof *to);
}

/* Replaces the slots between the first `front` and the last `back` ones, which stay as they were.
 */
static void replace_middle(gxds_round_robin *r, uint32_t front, uint32_t back,
                           const gxds_locality *l, bool renew) {
  const uint32_t count = l->endpoint_count;
  uint32_t old_count = r->current_count - front - back;
  uint32_t new_count = count - front - back;
  gxds_slots_reserve(&r->slots, new_count);
  uint32_t *next = gxds_calloc(count ? count : 1, sizeof *next);
  copy_slots(next, r->current, front);
  copy_slots(next + count - back, r->current + front + old_count, back);
  /* Endpoints that are leaving may come back. */
  uint32_t pool_count = r->leaving_count + old_count;
  uint32_t *pool = gxds_calloc(pool_count ? pool_count : 1, sizeof *pool);
  copy_slots(pool, r->leaving, r->leaving_count);
  copy_slots(pool + r->leaving_count, r->current + front, old_count);
  uint32_t *placed = next + front;
  if (any_ready(r, r->current + front, old_count)) r->publish_due = true;
  if (renew) {
    for (uint32_t i = 0; i < new_count; i++) placed[i] = UINT32_MAX;
  } else {
    pool_count = gxds_slots_match(&r->slots, pool, pool_count, l, front, new_count, placed);
  }
  for (uint32_t i = 0; i < new_count; i++) {
    if (placed[i] == UINT32_MAX) {
      const gxds_endpoint e = gxds_locality_endpoint(l, front + i);
      placed[i] = gxds_slots_take(&r->slots, &e.address);
    } else if (slot_at(r, placed[i])->standing == GXDS_SLOT_LEAVING) {
      slot_at(r, placed[i])->standing = GXDS_SLOT_CURRENT;
      r->publish_due = true;
    }
  }
  r->leaving = gxds_realloc(r->leaving, pool_count ? pool_count : 1, sizeof *r->leaving);
  /* Slots that were leaving before this update are still leaving, and come first. */
  r->leaving_count = 0;
  uint32_t kept = 0;
  while (kept < pool_count && slot_at(r, pool[kept])->standing == GXDS_SLOT_LEAVING) kept++;
  copy_slots(r->leaving, pool, kept);
  r->leaving_count = kept;
  dismiss(r, pool + kept, pool_count - kept);
  gxds_free(pool);
  gxds_free(r->current);
  r->current = next;
  r->current_count = count;
}

/* Addresses from outside of xDS may have the weight 0. */
static uint32_t bounded(uint32_t weight) { return weight > 0 ? weight : 1; }

static void take_weights(gxds_round_robin *r, const gxds_locality *l) {
  for (uint32_t i = 0; i < r->current_count; i++) {
    gxds_slot *s = slot_at(r, r->current[i]);
    const uint32_t weight = bounded(gxds_locality_endpoint(l, i).weight);
    if (s->weight == weight) continue;
    s->weight = weight;
    if (s->standing == GXDS_SLOT_CURRENT && s->state == GRPC_CHANNEL_READY) r->publish_due = true;
  }
}

void gxds_round_robin_limit(gxds_round_robin *r, uint32_t eager, uint32_t window, uint64_t random) {
  r->growth.eager = eager;
  r->growth.window = window;
  r->growth.random = random;
}

void gxds_round_robin_on_update(gxds_round_robin *r, const gxds_locality *l, bool renew) {
  const uint32_t count = l->endpoint_count;
  uint32_t front = 0;
  uint32_t back = 0;
  uint32_t least = count < r->current_count ? count : r->current_count;
  if (!renew) {
    while (front < least && is_at(r, front, l, front)) front++;
    while (back < least - front && is_at(r, r->current_count - 1 - back, l, count - 1 - back)) {
      back++;
    }
  }
  if (front + back < count || count != r->current_count) {
    replace_middle(r, front, back, l, renew);
    recount(r);
    settle(r);
  }
  if (r->by_weight) take_weights(r, l);
  r->updated = true;
  if (count == 0) r->publish_due = true; /* the note may have changed */
}

/* --- Other events --- */

static void count_as(gxds_round_robin *r, gxds_slot *s, grpc_connectivity_state state) {
  r->counts[s->state]--;
  r->counts[state]++;
  if (s->state == GRPC_CHANNEL_READY || state == GRPC_CHANNEL_READY) r->publish_due = true;
  if (is_lost(s)) r->lost_count--;
  s->state = (uint8_t)state;
  if (state == GRPC_CHANNEL_READY) s->was_ready = true;
  if (is_lost(s)) r->lost_count++;
}

static void remove_leaving(gxds_round_robin *r, uint32_t index) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < r->leaving_count; i++) {
    if (r->leaving[i] != index) r->leaving[kept++] = r->leaving[i];
  }
  r->leaving_count = kept;
  free_slot(r, index);
  r->publish_due = true;
}

void gxds_round_robin_on_state(gxds_round_robin *r, uint64_t endpoint,
                               grpc_connectivity_state state) {
  gxds_slot *s = gxds_slots_find(&r->slots, endpoint);
  if (!s || state == GRPC_CHANNEL_SHUTDOWN) return;
  if (s->standing == GXDS_SLOT_LEAVING) {
    if (state != GRPC_CHANNEL_READY) remove_leaving(r, (uint32_t)endpoint);
    return;
  }
  if (s->standing != GXDS_SLOT_CURRENT) return;
  bool fell = state == GRPC_CHANNEL_TRANSIENT_FAILURE || state == GRPC_CHANNEL_IDLE;
  if (s->has_reported && fell) r->reresolution_due = true; /* the first report is not a change */
  s->has_reported = true;
  if (state == GRPC_CHANNEL_IDLE && !s->connect_due) {
    s->connect_due = true;
    r->connects = gxds_realloc(r->connects, r->connect_count + 1, sizeof *r->connects);
    r->connects[r->connect_count++] = endpoint;
  }
  if (state == GRPC_CHANNEL_IDLE) state = GRPC_CHANNEL_CONNECTING;
  if (s->state != GRPC_CHANNEL_TRANSIENT_FAILURE || state == GRPC_CHANNEL_READY) {
    count_as(r, s, state);
  }
  /* A further failure has another status, which must be reported. */
  if (state == GRPC_CHANNEL_TRANSIENT_FAILURE &&
      r->counts[GRPC_CHANNEL_READY] + r->counts[GRPC_CHANNEL_CONNECTING] == 0) {
    r->publish_due = true;
  }
  settle(r);
}

void gxds_round_robin_on_refused(gxds_round_robin *r, uint64_t endpoint) {
  gxds_slot *s = gxds_slots_find(&r->slots, endpoint);
  if (!s || s->standing != GXDS_SLOT_CURRENT) return;
  r->counts[s->state]--;
  r->refused_count++;
  s->standing = GXDS_SLOT_REFUSED;
  r->publish_due = true;
  settle(r);
}

void gxds_round_robin_by_weight(gxds_round_robin *r, bool by_weight) { r->by_weight = by_weight; }

void gxds_round_robin_on_other_picks(gxds_round_robin *r) { r->publish_due = true; }

/* --- Endpoints that wait for a subchannel --- */

static gxds_growth_counts growth_counts(const gxds_round_robin *r) {
  return (gxds_growth_counts){
      .ready = r->counts[GRPC_CHANNEL_READY],
      .tried = r->current_count - r->wanted_count - r->refused_count - r->lost_count,
      .waiting = r->wanted_count};
}

uint32_t gxds_round_robin_wanted(const gxds_round_robin *r) {
  const gxds_growth_counts counts = growth_counts(r);
  return gxds_growth_wanted(&r->growth, &counts);
}

static uint32_t left_out(const gxds_round_robin *r) {
  return r->wanted_count - gxds_round_robin_wanted(r);
}

void gxds_round_robin_on_use(gxds_round_robin *r) {
  if (left_out(r) == 0) return;
  const gxds_growth_counts counts = growth_counts(r);
  gxds_growth_on_use(&r->growth, &counts);
}

void gxds_round_robin_on_start(gxds_round_robin *r) {
  r->may_make = gxds_round_robin_wanted(r) > 0;
}

static uint32_t wanted_place(const gxds_round_robin *r) {
  return (uint32_t)(((uint64_t)r->wanted_first + r->wanted_next) % r->current_count);
}

/* --- Operations --- */

static bool next_create(gxds_round_robin *r, gxds_round_robin_op *op) {
  if (!r->may_make || r->wanted_count == 0) return false;
  while (slot_at(r, r->current[wanted_place(r)])->standing != GXDS_SLOT_WANTED) r->wanted_next++;
  const uint32_t place = wanted_place(r);
  uint32_t index = r->current[place];
  slot_at(r, index)->standing = GXDS_SLOT_CURRENT;
  r->wanted_count--;
  r->may_make = false;
  *op = (gxds_round_robin_op){
      .kind = GXDS_ROUND_ROBIN_CREATE, .endpoint = token_of(r, index), .position = place};
  return true;
}

static bool next_connect(gxds_round_robin *r, gxds_round_robin_op *op) {
  while (r->connect_count > 0) {
    uint64_t token = r->connects[--r->connect_count];
    gxds_slot *s = gxds_slots_find(&r->slots, token);
    if (!s || !s->connect_due) continue;
    s->connect_due = false;
    *op = (gxds_round_robin_op){.kind = GXDS_ROUND_ROBIN_CONNECT, .endpoint = token};
    return true;
  }
  return false;
}

static void collect_members(gxds_round_robin *r, gxds_round_robin_op *op) {
  bool leaving = r->counts[GRPC_CHANNEL_READY] == 0;
  const uint32_t *from = leaving ? r->leaving : r->current;
  uint32_t count = leaving ? r->leaving_count : r->current_count;
  r->members = gxds_realloc(r->members, count, sizeof *r->members);
  for (uint32_t i = 0; i < count; i++) {
    const gxds_slot *s = slot_at(r, from[i]);
    if (s->standing == GXDS_SLOT_WANTED || s->standing == GXDS_SLOT_REFUSED) continue;
    if (s->state == GRPC_CHANNEL_READY) r->members[op->member_count++] = token_of(r, from[i]);
  }
  op->members = r->members;
}

static grpc_connectivity_state add_up(const gxds_round_robin *r) {
  if (r->counts[GRPC_CHANNEL_READY] + r->leaving_count > 0) return GRPC_CHANNEL_READY;
  if (r->counts[GRPC_CHANNEL_CONNECTING] > 0) return GRPC_CHANNEL_CONNECTING;
  return GRPC_CHANNEL_TRANSIENT_FAILURE;
}

static bool next_publish(gxds_round_robin *r, gxds_round_robin_op *op) {
  grpc_connectivity_state state = add_up(r);
  bool empty = r->refused_count == r->current_count;
  const uint32_t out = left_out(r);
  bool changed = !r->has_published || r->published != state || r->published_empty != empty ||
                 r->published_left_out != (out > 0);
  if (!r->updated || (!changed && !r->publish_due)) return false;
  r->publish_due = false;
  r->has_published = true;
  r->published = state;
  r->published_empty = empty;
  r->published_left_out = out > 0;
  /* All pickers that queue are equal. */
  if (state == GRPC_CHANNEL_CONNECTING && !changed) return false;
  *op = (gxds_round_robin_op){.kind = GXDS_ROUND_ROBIN_PUBLISH, .state = state, .left_out = out};
  if (empty) op->kind = GXDS_ROUND_ROBIN_PUBLISH_EMPTY;
  if (state == GRPC_CHANNEL_READY) collect_members(r, op);
  return true;
}

bool gxds_round_robin_next(gxds_round_robin *r, gxds_round_robin_op *op) {
  if (next_create(r, op) || next_connect(r, op)) return true;
  if (r->reresolution_due) {
    r->reresolution_due = false;
    *op = (gxds_round_robin_op){.kind = GXDS_ROUND_ROBIN_RERESOLVE};
    return true;
  }
  if (next_publish(r, op)) return true;
  if (r->removal_count == 0) return false;
  *op = (gxds_round_robin_op){.kind = GXDS_ROUND_ROBIN_REMOVE,
                              .endpoint = r->removals[--r->removal_count]};
  return true;
}

uint32_t gxds_round_robin_weight(const gxds_round_robin *r, uint64_t endpoint) {
  const gxds_slot *s = gxds_slots_find(&r->slots, endpoint);
  return s ? bounded(s->weight) : 1;
}

void gxds_round_robin_validate(const gxds_round_robin *r) {
  uint32_t counts[GRPC_CHANNEL_SHUTDOWN] = {0};
  uint32_t wanted = 0;
  uint32_t refused = 0;
  uint32_t lost = 0;
  for (uint32_t i = 0; i < r->current_count; i++) {
    const gxds_slot *s = slot_at(r, r->current[i]);
    GXDS_CHECK(s->standing == GXDS_SLOT_WANTED || s->standing == GXDS_SLOT_CURRENT ||
               s->standing == GXDS_SLOT_REFUSED);
    if (s->standing == GXDS_SLOT_WANTED) {
      wanted++;
      GXDS_CHECK((i + r->current_count - r->wanted_first) % r->current_count >= r->wanted_next);
    }
    if (s->standing == GXDS_SLOT_REFUSED) {
      refused++;
    } else {
      counts[s->state]++;
      if (is_lost(s)) lost++;
    }
  }
  GXDS_CHECK(memcmp(counts, r->counts, sizeof counts) == 0);
  GXDS_CHECK(wanted == r->wanted_count && refused == r->refused_count && lost == r->lost_count);
  GXDS_CHECK(r->counts[GRPC_CHANNEL_READY] > 0 || left_out(r) == 0);
  for (uint32_t i = 0; i < r->leaving_count; i++) {
    GXDS_CHECK(slot_at(r, r->leaving[i])->standing == GXDS_SLOT_LEAVING);
    GXDS_CHECK(slot_at(r, r->leaving[i])->state == GRPC_CHANNEL_READY);
  }
  GXDS_CHECK(r->leaving_count == 0 || r->counts[GRPC_CHANNEL_READY] == 0);
  GXDS_CHECK(r->current_count + r->leaving_count + r->slots.free_count == r->slots.count);
}
