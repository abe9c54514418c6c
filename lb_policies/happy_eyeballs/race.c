#include "lb_policies/happy_eyeballs/race.h"

#include "base/memory.h"

typedef enum phase {
  PHASE_NONE,    /* there are no subchannels, because the chosen one was lost */
  PHASE_LOOKING, /* some subchannel has not reported a state yet */
  PHASE_IDLE,    /* all have reported, and no connection is requested */
  PHASE_PASS,    /* the addresses connect one after the other */
  PHASE_FAILED,  /* all addresses failed; each connects whenever its backoff is over */
  PHASE_CHOSEN,
} phase;

typedef struct address {
  grpc_connectivity_state state;
  bool has_reported;
  bool failed; /* the address has failed in this pass */
  bool connect_due;
} address;

struct gxds_race {
  phase phase;
  bool wanted;       /* LOOKING: a connection is wanted, so a pass follows */
  uint32_t at;       /* PASS: the last address whose turn began; equal to count if none is left */
  uint32_t failures; /* FAILED: how many attempts failed since the last report */
  uint32_t chosen;
  gxds_time deadline;

  bool make_due;
  bool choose_due;
  bool drop_due;
  bool publish_due;
  bool connects_due; /* connect_due may be set for some address */
  bool has_published;
  grpc_connectivity_state published;

  uint32_t count;
  address addresses[];
};

void gxds_race_destroy(gxds_race *r) { gxds_free(r); }

gxds_time gxds_race_deadline(const gxds_race *r) { return r->deadline; }

/* again: publishes even if the state is the same as the last one that was published. */
static void publish(gxds_race *r, grpc_connectivity_state state, bool again) {
  if (!again && r->has_published && r->published == state) return;
  r->has_published = true;
  r->published = state;
  r->publish_due = true;
}

static void want(gxds_race *r, uint32_t index) {
  r->addresses[index].connect_due = true;
  r->connects_due = true;
}

static void make_all(gxds_race *r) {
  r->phase = PHASE_LOOKING;
  r->make_due = true;
  for (uint32_t i = 0; i < r->count; i++) r->addresses[i] = (address){0};
}

gxds_race *gxds_race_create(uint32_t count) {
  gxds_race *r = gxds_calloc(1, sizeof *r + count * sizeof *r->addresses);
  r->count = count;
  r->deadline = GXDS_TIME_NEVER;
  make_all(r);
  return r;
}

/* A62: the state stays TRANSIENT_FAILURE until an address is READY. */
static void fail(gxds_race *r) {
  r->phase = PHASE_FAILED;
  r->deadline = GXDS_TIME_NEVER;
  r->failures = 0;
  publish(r, GRPC_CHANNEL_TRANSIENT_FAILURE, true);
  for (uint32_t i = 0; i < r->count; i++) {
    if (r->addresses[i].state == GRPC_CHANNEL_IDLE) want(r, i);
  }
}

static void fail_if_all_have(gxds_race *r) {
  if (r->at < r->count) return;
  for (uint32_t i = 0; i < r->count; i++) {
    if (!r->addresses[i].failed) return;
  }
  fail(r);
}

/* Continues with address r->at, or with the first address after it that is not in backoff. */
static void go_on(gxds_race *r, gxds_time now) {
  r->deadline = GXDS_TIME_NEVER;
  for (; r->at < r->count; r->at++) {
    address *a = &r->addresses[r->at];
    if (a->state == GRPC_CHANNEL_TRANSIENT_FAILURE) {
      a->failed = true;
      continue;
    }
    if (a->state == GRPC_CHANNEL_IDLE) want(r, r->at);
    if (r->at + 1 < r->count) r->deadline = gxds_time_after(now, GXDS_RACE_DELAY);
    return;
  }
  fail_if_all_have(r);
}

static void begin_pass(gxds_race *r, gxds_time now) {
  r->phase = PHASE_PASS;
  r->at = 0;
  for (uint32_t i = 0; i < r->count; i++) r->addresses[i].failed = false;
  publish(r, GRPC_CHANNEL_CONNECTING, false);
  go_on(r, now);
}

static void look_around(gxds_race *r, gxds_time now) {
  for (uint32_t i = 0; i < r->count; i++) {
    if (!r->addresses[i].has_reported) return;
  }
  if (r->wanted) {
    begin_pass(r, now);
  } else {
    r->phase = PHASE_IDLE;
    publish(r, GRPC_CHANNEL_IDLE, false);
  }
}

static void choose(gxds_race *r, uint32_t index) {
  r->phase = PHASE_CHOSEN;
  r->chosen = index;
  r->choose_due = true;
  r->connects_due = false;
  r->deadline = GXDS_TIME_NEVER;
  publish(r, GRPC_CHANNEL_READY, false);
}

static void lose(gxds_race *r) {
  r->phase = PHASE_NONE;
  r->drop_due = true;
  publish(r, GRPC_CHANNEL_IDLE, false);
}

/* --- Events --- */

void gxds_race_on_connect(gxds_race *r, gxds_time now) {
  switch (r->phase) {
    case PHASE_NONE:
      r->wanted = true;
      make_all(r);
      publish(r, GRPC_CHANNEL_CONNECTING, false);
      break;
    case PHASE_LOOKING:
      r->wanted = true;
      break;
    case PHASE_IDLE:
      begin_pass(r, now);
      break;
    default:
      break;
  }
}

static void on_state_in_pass(gxds_race *r, uint32_t index, gxds_time now) {
  address *a = &r->addresses[index];
  /* The address has not had its turn yet, or has already failed. */
  if (index > r->at || a->failed) return;
  if (a->state == GRPC_CHANNEL_IDLE) want(r, index);
  if (a->state != GRPC_CHANNEL_TRANSIENT_FAILURE) return;
  a->failed = true;
  if (index == r->at) {
    r->at++;
    go_on(r, now);
  } else {
    fail_if_all_have(r);
  }
}

/* A61: after as many failures as there are addresses, the failure is published once more. */
static void on_state_after_pass(gxds_race *r, uint32_t index) {
  const grpc_connectivity_state state = r->addresses[index].state;
  if (state == GRPC_CHANNEL_IDLE) want(r, index);
  if (state != GRPC_CHANNEL_TRANSIENT_FAILURE || ++r->failures < r->count) return;
  r->failures = 0;
  publish(r, state, true);
}

static void on_state_of_chosen(gxds_race *r, uint32_t index) {
  if (index != r->chosen) return;
  const grpc_connectivity_state state = r->addresses[index].state;
  if (state == GRPC_CHANNEL_IDLE) {
    lose(r);
  } else {
    publish(r, state, state == GRPC_CHANNEL_TRANSIENT_FAILURE);
  }
}

void gxds_race_on_state(gxds_race *r, uint32_t index, grpc_connectivity_state state,
                        gxds_time now) {
  if (r->phase == PHASE_NONE || state == GRPC_CHANNEL_SHUTDOWN) return;
  address *a = &r->addresses[index];
  a->state = state;
  a->has_reported = true;
  if (r->phase == PHASE_CHOSEN) {
    on_state_of_chosen(r, index);
  } else if (state == GRPC_CHANNEL_READY) {
    choose(r, index);
  } else if (r->phase == PHASE_LOOKING) {
    look_around(r, now);
  } else if (r->phase == PHASE_PASS) {
    on_state_in_pass(r, index, now);
  } else if (r->phase == PHASE_FAILED) {
    on_state_after_pass(r, index);
  }
}

void gxds_race_on_deadline(gxds_race *r, gxds_time now) {
  if (r->phase != PHASE_PASS || now < r->deadline) return;
  r->at++;
  go_on(r, now);
}

void gxds_race_on_reorder(gxds_race *r, const uint32_t *order, gxds_time now) {
  address *before = gxds_calloc(r->count, sizeof *before);
  for (uint32_t i = 0; i < r->count; i++) before[i] = r->addresses[i];
  const uint32_t chosen = r->chosen;
  for (uint32_t i = 0; i < r->count; i++) {
    r->addresses[i] = before[order[i]];
    if (order[i] == chosen) r->chosen = i;
  }
  gxds_free(before);
  if (r->phase == PHASE_PASS) begin_pass(r, now);
}

/* --- Operations --- */

static bool take(bool *due) {
  const bool was = *due;
  *due = false;
  return was;
}

static bool next_connect(gxds_race *r, gxds_race_op *op) {
  if (!r->connects_due) return false;
  for (uint32_t i = 0; i < r->count; i++) {
    if (!take(&r->addresses[i].connect_due)) continue;
    *op = (gxds_race_op){.kind = GXDS_RACE_CONNECT, .address = i};
    return true;
  }
  r->connects_due = false;
  return false;
}

bool gxds_race_next(gxds_race *r, gxds_race_op *op) {
  if (take(&r->drop_due)) {
    *op = (gxds_race_op){.kind = GXDS_RACE_DROP};
  } else if (take(&r->make_due)) {
    *op = (gxds_race_op){.kind = GXDS_RACE_MAKE};
  } else if (take(&r->choose_due)) {
    *op = (gxds_race_op){.kind = GXDS_RACE_CHOOSE, .address = r->chosen};
  } else if (next_connect(r, op)) {
    return true;
  } else if (take(&r->publish_due)) {
    *op = (gxds_race_op){.kind = GXDS_RACE_PUBLISH, .state = r->published};
  } else {
    return false;
  }
  return true;
}
