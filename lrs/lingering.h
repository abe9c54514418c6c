/* Lists of lingering counters: counters of localities that have no holder any more, but still count
 * RPCs in flight. Private to lrs/.
 *
 * An RPC takes no reference to its counters, because all threads would write to the cache line of
 * that count. Instead, the counters stay while an RPC has started and not ended. So the thread that
 * ends an RPC must find out whether the counters were waiting for that end. After it has counted
 * the end, it must not read the counters again, because another thread may free them. So it reads a
 * generation, a number outside the counters, before and after it counts the end. A thread that
 * gives up the counters raises the generation first, and then reads the counts. So at least one of
 * the two threads sees the other.
 *
 * The lists belong to the process. Each list has its own generation. The address of the counters
 * selects the list, because the address is known even if the counters may be freed. There are many
 * lists, so counters that linger in large numbers slow other RPCs down little. The child of a fork
 * begins with empty lists. Any thread. */
#ifndef GRPC_XDS_LRS_LINGERING_H_
#define GRPC_XDS_LRS_LINGERING_H_

#include "lrs/load_store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The address of the generation for l, which may be freed. The generation is raised whenever l, or
 * another member of the same list, is given up. Read it with __atomic_load_n() in sequential
 * consistency, like the counters. */
const uint32_t *gxds_lingering_generation(const gxds_locality_load *l);

/* Adds l to its list. Under the lock of l's store. The list takes over the caller's reference to
 * the store. The caller must then call gxds_lingering_given_up() without the lock. */
void gxds_lingering_add(gxds_locality_load *take_l);
/* l was given up, and may be freed: raises the generation, then settles l. The caller must hold no
 * store's lock. */
void gxds_lingering_given_up(const gxds_locality_load *l);
/* Ends l, which may be freed, if it lingers and all its RPCs have ended. The caller must hold no
 * store's lock. */
void gxds_lingering_settle(const gxds_locality_load *l);

/* For tests: how many list entries were visited so far. */
uint64_t gxds_lingering_looked_at(void);

#ifdef __cplusplus
}
#endif

#endif
