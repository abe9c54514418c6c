#include "lb_policies/pace/pace.h"

#include "base/check.h"
#include "base/memory.h"

#define NONE UINT32_MAX

/* A user that wants starts is in one of two rings, which are in the order of their turns. */
typedef struct user {
  bool joined;
  bool hurries;
  uint32_t wanted;
  uint32_t next; /* the next user in the ring; NONE: this user is in no ring */
  uint32_t previous;
} user;

typedef struct place {
  bool taken;
  uint32_t user;
  uint32_t generation;
  gxds_time since;
} place;

struct gxds_pace {
  uint32_t window; /* how many places are in use */
  user *users;
  uint32_t user_count; /* joined or not */
  uint32_t user_capacity;
  uint32_t *free_users;
  uint32_t free_user_count;
  uint32_t first[2]; /* the user whose turn it is: [0] of those that do not hurry, [1] of those that
                        do */
  place places[GXDS_PACE_WINDOW];
  uint32_t taken_count;
  uint32_t free_places[GXDS_PACE_WINDOW];
};

gxds_pace *gxds_pace_create(uint32_t window) {
  gxds_pace *p = GXDS_NEW(gxds_pace);
  GXDS_CHECK(window >= 1 && window <= GXDS_PACE_WINDOW);
  p->window = window;
  p->first[0] = p->first[1] = NONE;
  for (uint32_t i = 0; i < p->window; i++) {
    p->free_places[i] = p->window - 1 - i;
  }
  return p;
}

void gxds_pace_destroy(gxds_pace *p) {
  if (!p) return;
  gxds_free(p->users);
  gxds_free(p->free_users);
  gxds_free(p);
}

/* --- The rings --- */

static void take_out(gxds_pace *p, uint32_t number) {
  user *u = &p->users[number];
  if (u->next == NONE) return;
  uint32_t *first = &p->first[u->hurries];
  if (u->next == number) {
    *first = NONE;
  } else {
    p->users[u->next].previous = u->previous;
    p->users[u->previous].next = u->next;
    if (*first == number) *first = u->next;
  }
  u->next = u->previous = NONE;
}

/* Puts the user behind all others in its ring. */
static void put_in(gxds_pace *p, uint32_t number) {
  user *u = &p->users[number];
  uint32_t *first = &p->first[u->hurries];
  if (*first == NONE) {
    *first = u->next = u->previous = number;
    return;
  }
  u->next = *first;
  u->previous = p->users[*first].previous;
  p->users[u->previous].next = number;
  p->users[*first].previous = number;
}

/* --- Users --- */

uint32_t gxds_pace_join(gxds_pace *p) {
  if (p->free_user_count == 0) {
    if (p->user_count == p->user_capacity) {
      p->user_capacity = p->user_capacity ? 2 * p->user_capacity : 4;
      p->users = gxds_realloc(p->users, p->user_capacity, sizeof *p->users);
      p->free_users = gxds_realloc(p->free_users, p->user_capacity, sizeof *p->free_users);
    }
    p->free_users[p->free_user_count++] = p->user_count++;
  }
  uint32_t number = p->free_users[--p->free_user_count];
  p->users[number] = (user){.joined = true, .next = NONE, .previous = NONE};
  return number;
}

static void free_place(gxds_pace *p, uint32_t index) {
  p->places[index].taken = false;
  p->free_places[p->window - p->taken_count] = index;
  p->taken_count--;
}

void gxds_pace_leave(gxds_pace *p, uint32_t number) {
  take_out(p, number);
  p->users[number].joined = false;
  p->free_users[p->free_user_count++] = number;
  for (uint32_t i = 0; i < p->window; i++) {
    if (p->places[i].taken && p->places[i].user == number) free_place(p, i);
  }
}

void gxds_pace_want(gxds_pace *p, uint32_t number, uint32_t count, bool hurries) {
  user *u = &p->users[number];
  u->wanted = count;
  if (count == 0 || u->hurries != hurries) take_out(p, number);
  u->hurries = hurries;
  if (count > 0 && u->next == NONE) put_in(p, number);
}

/* --- Starts --- */

static uint32_t whose_turn(const gxds_pace *p) {
  return p->first[1] != NONE ? p->first[1] : p->first[0];
}

bool gxds_pace_has_next(const gxds_pace *p) {
  return p->taken_count < p->window && whose_turn(p) != NONE;
}

bool gxds_pace_next(gxds_pace *p, gxds_time now, gxds_pace_start *start) {
  if (!gxds_pace_has_next(p)) return false;
  uint32_t number = whose_turn(p);
  user *u = &p->users[number];
  p->first[u->hurries] = u->next;
  if (--u->wanted == 0) take_out(p, number);
  uint32_t index = p->free_places[p->window - 1 - p->taken_count];
  p->taken_count++;
  place *s = &p->places[index];
  *s = (place){.taken = true, .user = number, .generation = s->generation + 1, .since = now};
  *start = (gxds_pace_start){number, (uint64_t)s->generation << 32 | index};
  return true;
}

void gxds_pace_settle(gxds_pace *p, uint64_t start) {
  uint32_t index = (uint32_t)start;
  if (index >= p->window) return;
  const place *s = &p->places[index];
  if (s->taken && s->generation == start >> 32) free_place(p, index);
}

gxds_time gxds_pace_deadline(const gxds_pace *p) {
  if (p->taken_count < p->window || whose_turn(p) == NONE) return GXDS_TIME_NEVER;
  gxds_time oldest = p->places[0].since;
  for (uint32_t i = 1; i < p->window; i++) {
    if (p->places[i].since < oldest) oldest = p->places[i].since;
  }
  return oldest + GXDS_PACE_PATIENCE;
}

void gxds_pace_on_deadline(gxds_pace *p, gxds_time now) {
  for (uint32_t i = 0; i < p->window; i++) {
    const place *s = &p->places[i];
    if (s->taken && now - s->since >= GXDS_PACE_PATIENCE) free_place(p, i);
  }
}

static uint32_t ring_size(const gxds_pace *p, bool hurries) {
  uint32_t size = 0;
  uint32_t number = p->first[hurries];
  if (number == NONE) return 0;
  do {
    const user *u = &p->users[number];
    GXDS_CHECK(u->joined && u->wanted > 0 && u->hurries == hurries);
    GXDS_CHECK(p->users[u->next].previous == number);
    size++;
    number = u->next;
  } while (number != p->first[hurries]);
  return size;
}

void gxds_pace_validate(const gxds_pace *p) {
  uint32_t wanting = 0;
  uint32_t joined = 0;
  for (uint32_t i = 0; i < p->user_count; i++) {
    if (!p->users[i].joined) continue;
    joined++;
    if (p->users[i].wanted > 0) wanting++;
  }
  GXDS_CHECK(joined + p->free_user_count == p->user_count);
  GXDS_CHECK(ring_size(p, false) + ring_size(p, true) == wanting);
  uint32_t taken = 0;
  for (uint32_t i = 0; i < p->window; i++) {
    if (!p->places[i].taken) continue;
    taken++;
    GXDS_CHECK(p->users[p->places[i].user].joined);
  }
  GXDS_CHECK(taken == p->taken_count);
  for (uint32_t i = 0; i < p->window - taken; i++) {
    GXDS_CHECK(!p->places[p->free_places[i]].taken);
  }
}
