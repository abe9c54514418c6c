/* gxds_pace: who may begin to connect, and when: a bounded number of attempts at a time, shared by
 * all leaf policies of a channel ("users"), so that an RPC's own connection does not stand in line
 * behind thousands that nobody waits for.
 *
 * A start holds a place in the window from when it is given until it is settled (it connected,
 * failed, or its endpoint is gone), or until its patience is over: attempts that nobody answers
 * must not keep others out. What it does then it does outside the window; the leaf policy goes on
 * waiting for it.
 *
 * Users take turns, one start each. Those that hurry (an RPC waits for them) come before all
 * others.
 *
 * It starts nothing itself. Confined: the channel's serializer. Never calls out. */
#ifndef GRPC_XDS_LB_POLICIES_PACE_PACE_H_
#define GRPC_XDS_LB_POLICIES_PACE_PACE_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many attempts are in the window at most. Enough to keep two processors busy on a network
 * without delay; few enough that they are all answered within some ten milliseconds. */
#define GXDS_PACE_WINDOW 96
/* How long an attempt holds its place. With the window: at least 1,900 attempts a second, even if
 * none is answered. */
#define GXDS_PACE_PATIENCE (50 * GXDS_MILLISECOND)

typedef struct gxds_pace gxds_pace;

gxds_pace *gxds_pace_create(void);
void gxds_pace_destroy(gxds_pace *p); /* NULL is allowed; all users have left */

/* A new user, which wants nothing yet. */
uint32_t gxds_pace_join(gxds_pace *p);
/* Its starts are settled; its number may be given to another. */
void gxds_pace_leave(gxds_pace *p, uint32_t user);
/* How many starts the user would like from now on, and whether it hurries. */
void gxds_pace_want(gxds_pace *p, uint32_t user, uint32_t count, bool hurries);

typedef struct gxds_pace_start {
  uint32_t user;
  uint64_t id; /* never 0, never used again */
} gxds_pace_start;

/* Gives the next start: it wants one less then. False: there is no place, or nobody wants one. */
bool gxds_pace_next(gxds_pace *p, gxds_time now, gxds_pace_start *start);
/* Whether gxds_pace_next() would give one. */
bool gxds_pace_has_next(const gxds_pace *p);
/* That start needs its place no longer. One that is over already, and 0, are ignored. */
void gxds_pace_settle(gxds_pace *p, uint64_t start);

/* When to call gxds_pace_on_deadline() next: only while somebody waits for a place. */
gxds_time gxds_pace_deadline(const gxds_pace *p);
/* Takes their places from the starts whose patience is over. Early or repeated calls are harmless.
 */
void gxds_pace_on_deadline(gxds_pace *p, gxds_time now);

/* Checks the invariant; for tests. */
void gxds_pace_validate(const gxds_pace *p);

#ifdef __cplusplus
}
#endif

#endif
