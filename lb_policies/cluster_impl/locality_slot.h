/* gxds_locality_slot: the counters that currently count the RPCs to the backends of one locality.
 *
 * Each subchannel of a cluster is wrapped once, and uses the slot of its locality, also while load
 * reporting is off. When the cluster's LRS server is added, removed or changed, the slot gets other
 * counters, and the subchannels stay. With its last use the slot loses its counters, so that the
 * locality is not reported any more.
 *
 * Counted by reference. Only under the owner's serializer, except for gxds_locality_slot_load(). */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_LOCALITY_SLOT_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_LOCALITY_SLOT_H_

#include "lrs/load_store.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_locality_slot gxds_locality_slot;

/* Makes a slot without counters. Strings are copied. The caller owns the returned reference. */
gxds_locality_slot *gxds_locality_slot_create(gxds_str region, gxds_str zone, gxds_str sub_zone);
void gxds_locality_slot_unref(gxds_locality_slot *s); /* NULL is allowed */
/* Adds a use, which has a reference, and returns s. */
gxds_locality_slot *gxds_locality_slot_use(gxds_locality_slot *s);
void gxds_locality_slot_end_use(gxds_locality_slot *s);
/* Whether it has no use. */
bool gxds_locality_slot_is_unused(const gxds_locality_slot *s);
bool gxds_locality_slot_is_of(const gxds_locality_slot *s, gxds_str region, gxds_str zone,
                              gxds_str sub_zone);

/* From now on RPCs are counted by the counters of that cluster and EDS service; if server is NULL,
 * they are not counted. The former counters stay in memory until the last use ends, since a pick
 * may be about to use them, but they don't keep the reports to their server going. */
void gxds_locality_slot_set(gxds_locality_slot *s, gxds_load_store *store,
                            const gxds_bootstrap_server *server, gxds_str cluster,
                            gxds_str eds_service);
/* Borrowed: valid until the caller's use ends. NULL: not counted. Any thread, lock-free. */
gxds_locality_load *gxds_locality_slot_load(const gxds_locality_slot *s);

#ifdef __cplusplus
}
#endif

#endif
