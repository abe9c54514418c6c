/* The subchannels below an outlier_detection policy. Each reports TRANSIENT_FAILURE while its
 * address is ejected (A50). Private to outlier_detection. */
#ifndef GRPC_XDS_LB_POLICIES_OUTLIER_DETECTION_EJECTABLE_H_
#define GRPC_XDS_LB_POLICIES_OUTLIER_DETECTION_EJECTABLE_H_

#include "host/channel.h"
#include "lb_policies/outlier_detection/outliers.h"

/* What a policy shares with its subchannels: the state of the addresses, and the list of
 * subchannels. Pickers may hold subchannels longer than the policy lives. Counted by reference on
 * any thread; everything else is under the serializer. */
typedef struct gxds_ejectables {
  gxds_ref refs;
  gxds_outliers *machine;
  gxds_lb_channel *channel;         /* a reference */
  struct ejectable_address *places; /* private: the subchannels that exist, by address */
} gxds_ejectables;

/* The caller owns the returned reference. */
gxds_ejectables *gxds_ejectables_create(gxds_lb_channel *channel, uint64_t seed);
void gxds_ejectables_unref(gxds_ejectables *all); /* NULL is allowed */

/* Wraps a subchannel to that address. The caller owns the returned reference. The last reference
 * may be released on any thread; the rest is done under the serializer. */
gxds_subchannel *gxds_ejectable_create(gxds_ejectables *all, gxds_subchannel *take_subchannel,
                                       uint64_t address);
/* The counters for the RPCs to s. s must come from gxds_ejectable_create(). Borrowed: valid as long
 * as s. */
gxds_call_results *gxds_ejectable_results(const gxds_subchannel *s);

/* Ejects the subchannels to that address, or ends their ejection. They notify their watchers, which
 * may call any function. */
void gxds_ejectables_set_ejected(gxds_ejectables *all, uint64_t address, bool ejected);

#endif
