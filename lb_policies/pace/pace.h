/* gxds_pace: bounds the connection attempts of a channel. All leaf policies of the channel
 * ("users") share it. It decides which of them may start an attempt, and when. So a connection that
 * an RPC waits for is not queued behind thousands that no RPC waits for.
 *
 * A start holds a place in the window until it is settled (the attempt connected or failed, or its
 * endpoint is gone), at most for GXDS_PACE_PATIENCE: attempts without a response must not block
 * others. After that the attempt continues outside the window, and the leaf policy still waits for
 * it.
 *
 * Users take turns, one start each. Users that hurry (an RPC waits for them) come before all
 * others.
 *
 * It starts no attempt itself. Confined: the channel's serializer. Never calls out. */
#ifndef GRPC_XDS_LB_POLICIES_PACE_PACE_H_
#define GRPC_XDS_LB_POLICIES_PACE_PACE_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The default size of the window, which is also the greatest. This is enough to keep two processors
 * busy on a network without delay, and few enough to finish within some ten milliseconds. */
#define GXDS_PACE_WINDOW 96
/* The longest time that an attempt holds its place. With the usual window this allows at least
 * 1,900 attempts a second, even if no endpoint responds. */
#define GXDS_PACE_PATIENCE (50 * GXDS_MILLISECOND)

typedef struct gxds_pace gxds_pace;

/* window: how many attempts are in the window at most; from 1 to GXDS_PACE_WINDOW. */
gxds_pace *gxds_pace_create(uint32_t window);
void gxds_pace_destroy(gxds_pace *p); /* p may be NULL; all users must have left */

/* Adds a user, which wants no starts yet. Returns its number. */
uint32_t gxds_pace_join(gxds_pace *p);
/* Removes a user. Its starts are settled, and its number may be used again. */
void gxds_pace_leave(gxds_pace *p, uint32_t user);
/* Sets how many starts the user wants from now on, and whether it hurries. */
void gxds_pace_want(gxds_pace *p, uint32_t user, uint32_t count, bool hurries);

typedef struct gxds_pace_start {
  uint32_t user;
  uint64_t id; /* never 0, never used again */
} gxds_pace_start;

/* Gives the next start to a user whose turn it is, and sets *start to it. That user then wants one
 * start less. False if the window is full, or if no user wants a start. */
bool gxds_pace_next(gxds_pace *p, gxds_time now, gxds_pace_start *start);
/* Whether gxds_pace_next() would return true. */
bool gxds_pace_has_next(const gxds_pace *p);
/* Frees the place of the start. A start whose time is already over is ignored, and so is 0. */
void gxds_pace_settle(gxds_pace *p, uint64_t start);

/* When to call gxds_pace_on_deadline() next. There is a deadline only while a user waits for a
 * place. */
gxds_time gxds_pace_deadline(const gxds_pace *p);
/* Frees the places of the starts whose time is over. Early or repeated calls are harmless. */
void gxds_pace_on_deadline(gxds_pace *p, gxds_time now);

/* Checks the invariant; for tests. */
void gxds_pace_validate(const gxds_pace *p);

#ifdef __cplusplus
}
#endif

#endif
