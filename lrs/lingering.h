/* Counters of localities that nobody holds any more while RPCs that they count are still in flight.
 * Private to lrs/.
 *
 * An RPC takes no reference on its counters, for all threads would write the line of such a count:
 * that it started and has not ended keeps them. So who ends an RPC must learn whether somebody
 * waits for that, without looking at the counters again, which may be gone. It looks at the
 * generation before and after: whoever gives counters up raises it, and then looks at the counts.
 * So at least one of the two sees the other.
 *
 * One list for the process; any thread. */
#ifndef GRPC_XDS_LRS_LINGERING_H_
#define GRPC_XDS_LRS_LINGERING_H_

#include <stdatomic.h>

#include "lrs/load_store.h"

/* Raised whenever counters are given up. Sequentially consistent, as the counters are. */
extern _Atomic uint32_t gxds_lingering_generation;

/* Adds to the list. Under the lock of the locality's store, of which the list takes a reference
 * that the caller has; to be followed by gxds_lingering_given_up() without the lock. */
void gxds_lingering_add(gxds_locality_load *take_l);
/* Counters were given up: raises the generation, then settles. No store's lock is held. */
void gxds_lingering_given_up(void);
/* Ends those whose RPCs are all over. No store's lock is held. */
void gxds_lingering_settle(void);

#endif
