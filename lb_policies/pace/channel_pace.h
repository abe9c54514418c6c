/* gxds_channel_pace: the pace (pace.h) of one channel, carried out: it tells leaf policies when to
 * begin to connect. Few at a time, so that what the channel hears meanwhile comes between.
 *
 * It is there from when the first leaf policy of the channel joins until the last has left.
 * Confined: the channel's serializer. */
#ifndef GRPC_XDS_LB_POLICIES_PACE_CHANNEL_PACE_H_
#define GRPC_XDS_LB_POLICIES_PACE_CHANNEL_PACE_H_

#include "host/channel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A leaf policy: in its own object, which outlives its membership. */
typedef struct gxds_pace_user {
  /* May begin one attempt now, and says by gxds_channel_pace_settle() when it needs its place no
   * longer: at once, if there is nothing to begin. */
  void (*start)(struct gxds_pace_user *u, uint64_t start);
  uint32_t number; /* private */
} gxds_pace_user;

void gxds_channel_pace_join(gxds_lb_channel *c, gxds_pace_user *u);
/* u is told nothing more. */
void gxds_channel_pace_leave(gxds_lb_channel *c, gxds_pace_user *u);
/* How many attempts u would like to begin from now on, and whether an RPC waits for them. start()
 * is called when it is its turn, never from here. u is a member, here and below. */
void gxds_channel_pace_want(gxds_lb_channel *c, const gxds_pace_user *u, uint32_t count,
                            bool hurries);
/* 0 is ignored. */
void gxds_channel_pace_settle(gxds_lb_channel *c, uint64_t start);

#ifdef __cplusplus
}
#endif

#endif
