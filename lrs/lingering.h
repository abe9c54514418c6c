/* Counters of localities that nobody holds any more while RPCs that they count are still in flight.
 * Private to lrs/.
 *
 * An RPC takes no reference on its counters, for all threads would write the line of such a count:
 * that it started and has not ended keeps them. So who ends an RPC must learn whether somebody
 * waits for that, without looking at the counters again, which may be gone. It looks at the
 * generation before and after: whoever gives counters up raises it, and then looks at the counts.
 * So at least one of the two sees the other.
 *
 * Lists of the process, and a generation for each, chosen by the address of the counters, which is
 * all that is needed of those that may be gone: many that linger at once cost the RPCs of one
 * little. Any thread. */
#ifndef GRPC_XDS_LRS_LINGERING_H_
#define GRPC_XDS_LRS_LINGERING_H_

#include "lrs/load_store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the generation of l is, which may be gone: raised whenever l or others of its list are
 * given up. Any time, by __atomic_load_n() in sequential consistency, as the counters are read. */
const uint32_t *gxds_lingering_generation(const gxds_locality_load *l);

/* Adds to the list. Under the lock of the locality's store, of which the list takes a reference
 * that the caller has; to be followed by gxds_lingering_given_up() without the lock. */
void gxds_lingering_add(gxds_locality_load *take_l);
/* l was given up, and may be gone: raises the generation, then settles. No store's lock is held. */
void gxds_lingering_given_up(const gxds_locality_load *l);
/* Ends l, which may be gone, if it lingers and its RPCs are all over. No store's lock is held. */
void gxds_lingering_settle(const gxds_locality_load *l);

/* How many entries of lists all that took so far, for tests. */
uint64_t gxds_lingering_looked_at(void);

#ifdef __cplusplus
}
#endif

#endif
