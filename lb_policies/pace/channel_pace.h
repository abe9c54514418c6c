/* gxds_channel_pace carries out the pace (pace.h) of one channel: it lets the leaf policies begin
 * their connections. It lets few begin at a time, so that other work of the channel can run in
 * between. It also has the number of endpoints that the channel connects to before RPCs need them
 * (eager.h). It exists from when the channel's first leaf policy joins until the last one has left.
 * Only under the channel's serializer. */
#ifndef GRPC_XDS_LB_POLICIES_PACE_CHANNEL_PACE_H_
#define GRPC_XDS_LB_POLICIES_PACE_CHANNEL_PACE_H_

#include "host/channel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A leaf policy that uses the pace. Part of the policy's own object, which must exist until
 * gxds_channel_pace_leave(). */
typedef struct gxds_pace_user {
  /* The policy may begin one attempt now. It calls gxds_channel_pace_settle() when the attempt
   * needs its place no longer, or at once if it has nothing to begin. */
  void (*start)(struct gxds_pace_user *u, uint64_t start);
  uint32_t number; /* private; so is the next field */
  uint32_t eager;  /* the policy's share of the endpoints that connect before RPCs need them */
} gxds_pace_user;

void gxds_channel_pace_join(gxds_lb_channel *c, gxds_pace_user *u);
/* u gets no more calls. */
void gxds_channel_pace_leave(gxds_lb_channel *c, gxds_pace_user *u);
/* Sets how many attempts u wants to begin from now on, and whether an RPC waits for them. start()
 * is called when it is u's turn, and never from within this call. For this function and those
 * below, u must have joined. */
void gxds_channel_pace_want(gxds_lb_channel *c, const gxds_pace_user *u, uint32_t count,
                            bool hurries);
/* Reports how many endpoints u has now. Returns how many of them connect before RPCs need them. */
uint32_t gxds_channel_pace_eager(gxds_lb_channel *c, gxds_pace_user *u, uint32_t count);
/* The window of the channel's limits (limits.h). */
uint32_t gxds_channel_pace_window(const gxds_lb_channel *c);
/* 0 is ignored. */
void gxds_channel_pace_settle(gxds_lb_channel *c, uint64_t start);

#ifdef __cplusplus
}
#endif

#endif
