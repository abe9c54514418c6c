/* The subchannels below an outlier_detection policy: each is shown as failed while its address is
 * ejected (A50). Private to outlier_detection. */
#ifndef GRPC_XDS_LB_POLICIES_OUTLIER_DETECTION_EJECTABLE_H_
#define GRPC_XDS_LB_POLICIES_OUTLIER_DETECTION_EJECTABLE_H_

#include "host/channel.h"
#include "lb_policies/outlier_detection/outliers.h"

/* What a policy shares with its subchannels, which outlive it in pickers: the machine that knows
 * the addresses, and which subchannels there are. Counted by reference, any thread; all else under
 * the serializer. */
typedef struct gxds_ejectables {
  gxds_ref refs;
  gxds_outliers *machine;
  gxds_lb_channel *channel;         /* a reference */
  struct ejectable_address *places; /* private: the living ones, by address */
} gxds_ejectables;

/* The caller owns the returned reference. */
gxds_ejectables *gxds_ejectables_create(gxds_lb_channel *channel, uint64_t seed);
void gxds_ejectables_unref(gxds_ejectables *all); /* NULL is allowed */

/* Around a subchannel to that address. The caller owns the returned reference; the last may be
 * given up on any thread: what follows is done under the serializer. */
gxds_subchannel *gxds_ejectable_create(gxds_ejectables *all, gxds_subchannel *take_subchannel,
                                       uint64_t address);
/* Where RPCs to it are counted. Borrowed: valid as long as s, which is one of those. */
gxds_call_results *gxds_ejectable_results(const gxds_subchannel *s);

/* Tells those to that address whether they are ejected. What they tell on may do anything. */
void gxds_ejectables_set_ejected(gxds_ejectables *all, uint64_t address, bool ejected);

#endif
