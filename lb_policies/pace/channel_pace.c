#include "lb_policies/pace/channel_pace.h"

#include "base/memory.h"
#include "lb_policies/pace/eager.h"
#include "lb_policies/pace/limits.h"
#include "lb_policies/pace/pace.h"

/* How many starts are given in a row. Each start causes work for other threads, and they wait until
 * this thread is done. */
#define STARTS_IN_A_ROW 8

/* A channel's pace. It exists as long as it has holders: users, timers, and work that run_later()
 * has not run yet. */
typedef struct gxds_channel_pace {
  size_t holders;
  gxds_lb_channel *channel;
  gxds_pace *machine;
  gxds_eager eager;
  gxds_pace_user **users; /* the users by number; NULL: that user has left */
  uint32_t capacity;
  uint32_t user_count;
  bool scheduled;
  gxds_time timer_at;       /* when the timer fires; NEVER: no timer is set */
  struct pace_timer *timer; /* the current timer; NULL: no timer is set */
} gxds_channel_pace;

typedef struct pace_timer {
  gxds_channel_pace *pace;
  gxds_lb_timer handle;
} pace_timer;

static void set_timer(gxds_channel_pace *p, gxds_time when);

static gxds_channel_pace *create(gxds_lb_channel *c) {
  gxds_channel_pace *p = GXDS_NEW(gxds_channel_pace);
  p->channel = gxds_lb_channel_ref(c);
  const gxds_connect_limits limits = gxds_connect_limits_of(c);
  p->machine = gxds_pace_create(limits.window);
  p->eager = (gxds_eager){.limit = limits.eager, .least = limits.window};
  p->timer_at = GXDS_TIME_NEVER;
  c->pace = p;
  return p;
}

static void release(gxds_channel_pace *p) {
  if (--p->holders > 0) return;
  p->channel->pace = NULL;
  gxds_pace_destroy(p->machine);
  gxds_lb_channel_unref(p->channel);
  gxds_free(p->users);
  gxds_free(p);
}

static void give_starts(gxds_channel_pace *p) {
  gxds_pace_start start;
  for (int i = 0; i < STARTS_IN_A_ROW; i++) {
    if (!gxds_pace_next(p->machine, p->channel->ops->now(p->channel), &start)) break;
    gxds_pace_user *user = p->users[start.user];
    user->start(user, start.id);
  }
  if (p->user_count == 0) return;
  /* If more starts are due, a timer that fires at once gives them on another thread. Meanwhile this
   * thread can do the work that the starts above have queued. */
  set_timer(p, gxds_pace_has_next(p->machine) ? p->channel->ops->now(p->channel)
                                              : gxds_pace_deadline(p->machine));
}

static void on_turn(void *arg) {
  gxds_channel_pace *p = arg;
  give_starts(p);
  p->scheduled = false;
  release(p);
}

/* Gives starts, if any user wants them, after the work that the serializer has in its queue. If the
 * window is full, starts are given when the time of its oldest attempt is over, because an attempt
 * without a response may take much longer. */
static void schedule(gxds_channel_pace *p) {
  if (p->scheduled) return;
  if (!gxds_pace_has_next(p->machine)) {
    if (p->timer_at == GXDS_TIME_NEVER) set_timer(p, gxds_pace_deadline(p->machine));
    return;
  }
  p->scheduled = true;
  p->holders++;
  p->channel->ops->run_later(p->channel, on_turn, p);
}

static void on_timer(void *arg) {
  pace_timer *t = arg;
  gxds_channel_pace *p = t->pace;
  if (t == p->timer) {
    p->timer = NULL;
    p->timer_at = GXDS_TIME_NEVER;
    gxds_pace_on_deadline(p->machine, p->channel->ops->now(p->channel));
    give_starts(p);
  }
  gxds_free(t);
  release(p);
}

/* Sets the timer for the next starts. GXDS_TIME_NEVER: none. */
static void set_timer(gxds_channel_pace *p, gxds_time when) {
  if (when == p->timer_at) return;
  /* An earlier timer sets the next one when it fires. */
  if (when != GXDS_TIME_NEVER && p->timer_at < when) return;
  p->timer_at = when;
  pace_timer *before = p->timer;
  p->timer = NULL;
  if (before && p->channel->ops->timer_cancel(p->channel, before->handle)) {
    gxds_free(before);
    p->holders--; /* the caller is a holder too, so this is not the last one */
  }
  if (when == GXDS_TIME_NEVER) return;
  pace_timer *t = GXDS_NEW(pace_timer);
  t->pace = p;
  p->holders++;
  p->timer = t;
  const gxds_time now = p->channel->ops->now(p->channel);
  t->handle = p->channel->ops->timer_start(p->channel, when > now ? when - now : 0, on_timer, t);
}

void gxds_channel_pace_join(gxds_lb_channel *c, gxds_pace_user *u) {
  gxds_channel_pace *p = c->pace ? c->pace : create(c);
  u->number = gxds_pace_join(p->machine);
  if (u->number >= p->capacity) {
    const uint32_t capacity = 2 * u->number + 8;
    p->users = gxds_realloc(p->users, capacity, sizeof *p->users);
    p->capacity = capacity;
  }
  p->users[u->number] = u;
  p->user_count++;
  p->holders++;
}

void gxds_channel_pace_leave(gxds_lb_channel *c, gxds_pace_user *u) {
  gxds_channel_pace *p = c->pace;
  gxds_pace_leave(p->machine, u->number);
  gxds_eager_renew(&p->eager, &u->eager, 0);
  p->users[u->number] = NULL;
  if (--p->user_count == 0) {
    set_timer(p, GXDS_TIME_NEVER);
  } else {
    schedule(p);
  }
  release(p);
}

void gxds_channel_pace_want(gxds_lb_channel *c, const gxds_pace_user *u, uint32_t count,
                            bool hurries) {
  gxds_pace_want(c->pace->machine, u->number, count, hurries);
  schedule(c->pace);
}

uint32_t gxds_channel_pace_eager(gxds_lb_channel *c, gxds_pace_user *u, uint32_t count) {
  gxds_eager_renew(&c->pace->eager, &u->eager, count);
  return u->eager;
}

uint32_t gxds_channel_pace_window(const gxds_lb_channel *c) { return c->pace->eager.least; }

void gxds_channel_pace_settle(gxds_lb_channel *c, uint64_t start) {
  gxds_pace_settle(c->pace->machine, start);
  schedule(c->pace);
}
