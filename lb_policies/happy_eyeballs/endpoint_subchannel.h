/* A subchannel of an endpoint that has several addresses (A61): to the policies that have it, it is
 * one like others. It connects as race.h has it, and an RPC goes to the address that is connected.
 *
 * Counted by reference; all but the references, and gxds_endpoint_subchannel_connected(), is
 * confined to the channel's serializer. */
#ifndef GRPC_XDS_LB_POLICIES_HAPPY_EYEBALLS_ENDPOINT_SUBCHANNEL_H_
#define GRPC_XDS_LB_POLICIES_HAPPY_EYEBALLS_ENDPOINT_SUBCHANNEL_H_

#include "host/channel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Who makes subchannels to single addresses, for as long as it can. */
typedef struct gxds_subchannel_maker {
  gxds_ref refs;
  void *of; /* NULL: it can't any more */
  gxds_subchannel *(*make)(void *of, const gxds_lb_address *address, const gxds_args *args);
} gxds_subchannel_maker;

/* The caller owns the returned reference. */
gxds_subchannel_maker *gxds_subchannel_maker_create(
    void *of,
    gxds_subchannel *(*make)(void *of, const gxds_lb_address *address, const gxds_args *args));
/* Ends what it is of, and gives the caller's reference up. */
void gxds_subchannel_maker_end(gxds_subchannel_maker *m);

/* Of an address that has more than one; copied. The caller owns the returned reference; the last
 * may be given up on any thread. */
gxds_subchannel *gxds_endpoint_subchannel_create(gxds_lb_channel *channel, gxds_subchannel_maker *m,
                                                 const gxds_lb_address *address,
                                                 const gxds_args *args);
/* That of the address that is connected, as the maker made it; NULL: none is. The caller owns the
 * returned reference. Any thread, without a lock. s: one of these. */
gxds_subchannel *gxds_endpoint_subchannel_connected(gxds_subchannel *s);

#ifdef __cplusplus
}
#endif

#endif
