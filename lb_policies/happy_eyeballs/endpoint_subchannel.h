/* The subchannel of an endpoint that has several addresses (A61). Policies use it like any other.
 * It connects as race.h describes, and RPCs go to the connected address. Counted by reference. Call
 * the functions under the channel's serializer, except those that count references, and
 * gxds_endpoint_subchannel_connected(). */
#ifndef GRPC_XDS_LB_POLICIES_HAPPY_EYEBALLS_ENDPOINT_SUBCHANNEL_H_
#define GRPC_XDS_LB_POLICIES_HAPPY_EYEBALLS_ENDPOINT_SUBCHANNEL_H_

#include "host/channel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes subchannels to single addresses until its owner ends it. */
typedef struct gxds_subchannel_maker {
  gxds_ref refs;
  void *of; /* the owner; NULL: the owner has ended the maker */
  gxds_subchannel *(*make)(void *of, const gxds_lb_address *address, const gxds_args *args);
} gxds_subchannel_maker;

/* The caller owns the returned reference. */
gxds_subchannel_maker *gxds_subchannel_maker_create(
    void *of,
    gxds_subchannel *(*make)(void *of, const gxds_lb_address *address, const gxds_args *args));
/* Ends the maker: it makes no more subchannels. Releases the caller's reference. */
void gxds_subchannel_maker_end(gxds_subchannel_maker *m);

/* Makes the subchannel for an endpoint with several addresses, which are copied. The caller owns
 * the returned reference. The last reference may be released on any thread. */
gxds_subchannel *gxds_endpoint_subchannel_create(gxds_lb_channel *channel, gxds_subchannel_maker *m,
                                                 const gxds_lb_address *address,
                                                 const gxds_args *args);
/* The subchannel of the connected address, as the maker made it; NULL if none is connected. s must
 * come from gxds_endpoint_subchannel_create(). The caller owns the returned reference. Any thread,
 * without a lock. */
gxds_subchannel *gxds_endpoint_subchannel_connected(gxds_subchannel *s);

#ifdef __cplusplus
}
#endif

#endif
