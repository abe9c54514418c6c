#include "transport/poll_policy.h"

/* With these times an update is received within 14 ms after the last call of a synchronous program
 * (REST and kLooks times LOOK, or REST and QUIET), and within 1 ms if the program has been idle. */

/* How long events may stay in the set before the worker takes them, while no other threads are
 * expected. A thread of the program that was woken for them takes them within microseconds. */
#define LOOK_ALONE (GXDS_MILLISECOND * 3 / 10)

/* While other threads are expected, the set is looked at about a hundred times a second, or twice
 * as often if every other look finds events. If events are rare, there are two looks for each. It
 * does not look more often, because to wake a thread costs more than to handle most events. */
#define REST (10 * GXDS_MILLISECOND)

/* At that moment there are often new events, which belong to the next call. So a single look proves
 * nothing; kLooks looks in a row do. */
#define LOOK (GXDS_MILLISECOND / 2)
enum { kLooks = 8 };

/* For how long other threads are expected back after they were seen. */
#define OTHERS_EXPECTED (200 * GXDS_MILLISECOND)

/* How long to poll. Without other threads: long enough for the next step of an exchange with a
 * server. With other threads: only as long as it takes to handle the present events. */
#define POLL_ALONE (10 * GXDS_MILLISECOND)
#define POLL_SHORT GXDS_MILLISECOND

/* Events that were fetched but not handled are looked for after 4 ms of quiet, then after 256 ms,
 * and then every GXDS_POLL_QUIET_MAX. The first look finds nearly all of them. Each look wakes a
 * thread, so later ones are rare. */
#define QUIET (4 * GXDS_MILLISECOND)
#define QUIET_FACTOR 64

static bool others_expected(const gxds_poll_policy *p, gxds_time now) {
  return p->others_seen != GXDS_TIME_NEVER && now - p->others_seen < OTHERS_EXPECTED;
}

static gxds_poll_step pause_for(gxds_duration time) {
  return (gxds_poll_step){GXDS_POLL_PAUSE, time};
}

static gxds_poll_step watch(gxds_poll_policy *p, gxds_time now) {
  p->looks = 0;
  p->watched_since = now;
  return (gxds_poll_step){GXDS_POLL_WATCH, p->quiet};
}

static gxds_poll_step was_quiet(gxds_poll_policy *p) {
  p->quiet *= QUIET_FACTOR;
  if (p->quiet > GXDS_POLL_QUIET_MAX) p->quiet = GXDS_POLL_QUIET_MAX;
  return (gxds_poll_step){GXDS_POLL_POLL, POLL_SHORT};
}

static gxds_poll_step events_came(gxds_poll_policy *p, gxds_time now) {
  p->rare = now - p->watched_since >= QUIET;
  return pause_for(others_expected(p, now) ? REST : LOOK_ALONE);
}

static gxds_poll_step events_stayed(gxds_poll_policy *p, gxds_time now) {
  bool others = others_expected(p, now);
  if (others && ++p->looks < kLooks) return pause_for(LOOK);
  p->quiet = QUIET;
  return (gxds_poll_step){GXDS_POLL_POLL, others ? POLL_SHORT : POLL_ALONE};
}

static gxds_poll_step others_took_them(gxds_poll_policy *p, gxds_time now) {
  bool rested = p->step.time == REST;
  p->looks = 0;
  p->others_seen = now;
  p->quiet = QUIET;
  if (!rested) return pause_for(REST);
  /* If events are rare, there were most likely none since the last look. */
  return p->rare ? was_quiet(p) : watch(p, now);
}

gxds_poll_step gxds_poll_policy_init(gxds_poll_policy *p) {
  *p = (gxds_poll_policy){.others_seen = GXDS_TIME_NEVER, .quiet = QUIET};
  p->step = watch(p, GXDS_TIME_NEVER);
  return p->step;
}

gxds_poll_step gxds_poll_policy_next(gxds_poll_policy *p, bool events, gxds_time now) {
  switch (p->step.kind) {
    case GXDS_POLL_WATCH:
      p->step = events ? events_came(p, now) : was_quiet(p);
      break;
    case GXDS_POLL_PAUSE:
      p->step = events ? events_stayed(p, now) : others_took_them(p, now);
      break;
    case GXDS_POLL_POLL:
      if (events) p->quiet = QUIET;
      p->step = watch(p, now);
      break;
  }
  return p->step;
}
