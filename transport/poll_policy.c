#include "transport/poll_policy.h"

/* With these times an update is received within 14 ms after the last call of a synchronous program
 * (REST and kLooks times LOOK, or REST and QUIET), and at once if the program has been idle. */

/* How long events may stay in the set before the reactor takes them, while no other threads are
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

/* Events that were fetched but not handled are looked for after QUIET without events. The poll
 * finds nearly all of them. The STAY after CALM without events finds the rest. */
#define QUIET (4 * GXDS_MILLISECOND)
#define CALM (256 * GXDS_MILLISECOND)

/* A program may make calls on channels that are not ours, and nothing tells us when they begin. So
 * a STAY of this time ends if its thread had to work for more than this part of it. */
#define STAY (2 * GXDS_SECOND)
enum { kStayPart = 100 };

static bool others_expected(const gxds_poll_policy *p, gxds_time now) {
  return p->others_seen != GXDS_TIME_NEVER && now - p->others_seen < OTHERS_EXPECTED;
}

static gxds_poll_step pause_for(gxds_duration time) {
  return (gxds_poll_step){GXDS_POLL_PAUSE, time};
}

static gxds_poll_step watch(gxds_poll_policy *p, gxds_time now) {
  p->looks = 0;
  p->watched_since = now;
  return (gxds_poll_step){GXDS_POLL_WATCH, p->calm ? CALM : QUIET};
}

static gxds_poll_step was_quiet(gxds_poll_policy *p) {
  if (p->calm) return (gxds_poll_step){GXDS_POLL_STAY, STAY};
  p->calm = true;
  return (gxds_poll_step){GXDS_POLL_POLL, POLL_SHORT};
}

static gxds_poll_step events_came(gxds_poll_policy *p, gxds_time now) {
  p->rare = now - p->watched_since >= QUIET;
  return pause_for(others_expected(p, now) ? REST : LOOK_ALONE);
}

static gxds_poll_step events_stayed(gxds_poll_policy *p, gxds_time now) {
  bool others = others_expected(p, now);
  if (others && ++p->looks < kLooks) return pause_for(LOOK);
  p->calm = false;
  return (gxds_poll_step){GXDS_POLL_POLL, others ? POLL_SHORT : POLL_ALONE};
}

static gxds_poll_step others_took_them(gxds_poll_policy *p, gxds_time now) {
  bool rested = p->step.time == REST;
  p->looks = 0;
  p->others_seen = now;
  p->calm = false;
  if (!rested) return pause_for(REST);
  /* If events are rare, there were most likely none since the last look. */
  return p->rare ? was_quiet(p) : watch(p, now);
}

gxds_poll_step gxds_poll_policy_init(gxds_poll_policy *p) {
  *p = (gxds_poll_policy){.others_seen = GXDS_TIME_NEVER, .step = {GXDS_POLL_STAY, STAY}};
  return p->step;
}

gxds_poll_step gxds_poll_policy_looked(gxds_poll_policy *p, bool events, gxds_time now) {
  if (p->step.kind == GXDS_POLL_WATCH) {
    p->step = events ? events_came(p, now) : was_quiet(p);
  } else {
    p->step = events ? events_stayed(p, now) : others_took_them(p, now);
  }
  return p->step;
}

gxds_poll_step gxds_poll_policy_polled(gxds_poll_policy *p, gxds_duration used, gxds_time now) {
  bool stayed = p->step.kind == GXDS_POLL_STAY;
  bool busy = used >= p->step.time / (stayed ? kStayPart : 2);
  if (stayed && !busy) return p->step;
  if (busy) p->calm = false;
  p->step = watch(p, now);
  return p->step;
}

gxds_poll_step gxds_poll_policy_call_begins(gxds_poll_policy *p, gxds_time now) {
  p->others_seen = now; /* the thread that calls */
  p->calm = false;
  p->step = watch(p, now);
  return p->step;
}
