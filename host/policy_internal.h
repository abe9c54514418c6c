/* Declarations of policies that the files of host/ share. Private. */
#ifndef GRPC_XDS_HOST_POLICY_INTERNAL_H_
#define GRPC_XDS_HOST_POLICY_INTERNAL_H_

#include "host/channel.h"

struct gxds_policy {
  const gxds_policy_type *type;
  void *self;
  gxds_lb_parent *parent; /* borrowed: valid until the end */
  gxds_lb_root *root;     /* borrowed: valid until the end */
  gxds_lb_channel *channel;
  gxds_poker *poker;
  bool ended;

  gxds_time deadline;
  /* The number of the current timer. A timer with another number fires too late, and is ignored. */
  uint64_t timer_number;
  struct gxds_policy_timer *timer; /* NULL: none is set */
};

/* Makes a policy below that parent, which may be the slot of a child. One owner. */
gxds_policy *gxds_policy_create_below(const gxds_policy_type *type, gxds_lb_parent *parent,
                                      gxds_lb_root *root, const gxds_args *args);

/* The caller owns the returned reference. */
gxds_poker *gxds_poker_create(gxds_policy *p);
/* From now on pokes have no effect. Under the serializer. */
void gxds_poker_close(gxds_poker *k);
/* The poker's policy; NULL if it has ended. Under the serializer. */
gxds_policy *gxds_poker_policy(const gxds_poker *k);
/* Asks the policy to exit idle. Any thread, under any locks. */
void gxds_poker_exit_idle(gxds_poker *k);

/* A picker that makes RPCs wait. The first RPC that waits asks the policy of k to exit idle. */
gxds_picker *gxds_picker_queue(gxds_poker *k);

#endif
