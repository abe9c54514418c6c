/* gxds_wheel: picks among weighted members in a low-discrepancy order: smoother than random, and
 * exact in the long run.
 *
 * A circle of 2^64 points is divided into one sector per member, as wide as its weight. Turn t
 * points at t × 2^64/φ (the golden angle, rounded to an odd number, so that 2^64 turns hit every
 * point once). It picks the member whose sector has that point. A guide table with two or more
 * cells per member gives the place to search: constant time on average, at most log2(count) steps
 * if very many small weights lie beside a huge one.
 *
 * Discrepancy: among any N successive turns, from any start, a member of share p is picked N·p
 * times, plus or minus 2 for each term of N's Fibonacci representation (Denjoy and Koksma). That is
 * never more than 2·(1 + log_φ(N)/2). In practice: less than 4 at 10,000 turns, less than 6 at a
 * million. Weights are not rounded to the size of a table: a weight of 1 beside 2^32 - 1 gets its
 * share. Unlike a periodic table, the order doesn't fall in step with callers that alternate
 * between kinds of RPCs.
 *
 * Immutable: any thread. The count of turns is a separate object (gxds_turns), so the order goes on
 * from the same turn when a wheel is replaced. */
#ifndef GRPC_XDS_LB_POLICIES_WEIGHTED_LOCALITY_WHEEL_H_
#define GRPC_XDS_LB_POLICIES_WEIGHTED_LOCALITY_WHEEL_H_

#include <stddef.h>
#include <stdint.h>

#include "base/ref.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_wheel gxds_wheel;

/* One owner. count: 1 … 2^31; no weight may be 0. Copies the weights. */
gxds_wheel *gxds_wheel_create(const uint32_t *weights, size_t count);
void gxds_wheel_destroy(gxds_wheel *w); /* NULL is allowed */
/* Returns the member of that turn, as an index into the weights. */
size_t gxds_wheel_pick(const gxds_wheel *w, uint64_t turn);

/* The count of turns. It is mutable and counted by reference, since pickers outlive the policy. Any
 * thread. */
typedef struct gxds_turns gxds_turns;

/* start may be any number; it should be random, so that many short-lived clients don't all begin
 * with the same member. The caller owns the returned reference. */
gxds_turns *gxds_turns_create(uint64_t start);
gxds_turns *gxds_turns_ref(gxds_turns *t);
void gxds_turns_unref(gxds_turns *t); /* NULL is allowed */
/* The next turn. No two calls return the same. Never blocks. */
uint64_t gxds_turns_next(gxds_turns *t);

#ifdef __cplusplus
}
#endif

#endif
