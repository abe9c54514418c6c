/* A picker by weight (A58), and what it shares with its policy: weighted_round_robin, and
 * round_robin with slow start. */
#ifndef GRPC_XDS_LB_POLICIES_WEIGHTED_ROUND_ROBIN_WEIGHT_PICKER_H_
#define GRPC_XDS_LB_POLICIES_WEIGHTED_ROUND_ROBIN_WEIGHT_PICKER_H_

#include "host/channel.h"
#include "lb_policies/weighted_round_robin/endpoint_weight.h"
#include "lb_policies/weighted_round_robin/report_weight.h"
#include "lb_policies/weighted_round_robin/stride.h"

/* The rating of the policy's config as it is now, for reports that come in. Counted by reference;
 * any thread. */
typedef struct gxds_current_rating {
  gxds_ref refs;
  _Atomic(const gxds_rating *) now;
  struct gxds_rating_kept *kept; /* now, and those before: a report may be at work with one */
} gxds_current_rating;

/* Without a rating. The caller owns the returned reference. */
gxds_current_rating *gxds_current_rating_create(void);
void gxds_current_rating_unref(gxds_current_rating *c); /* NULL is allowed */
/* Before the first report, and under the channel's serializer. Takes a reference of its own. */
void gxds_current_rating_set(gxds_current_rating *c, gxds_rating *rating);

/* What the reports of one subchannel make of its endpoint's weight: out of band, and with answers.
 * Counted as a listener is. */
typedef struct gxds_rater {
  gxds_load_listener base;
  gxds_endpoint_weight *weight; /* a reference, as the next two */
  gxds_current_rating *rating;
  gxds_lb_channel *channel; /* for its clock */
} gxds_rater;

/* Takes references of its own. The caller owns the returned reference. */
gxds_rater *gxds_rater_create(gxds_endpoint_weight *weight, gxds_current_rating *rating,
                              gxds_lb_channel *channel);

/* The endpoints of one picker. Their shares may change while it is used. Counted by reference. */
typedef struct gxds_weighted_members {
  gxds_ref refs;
  gxds_stride *stride;
  size_t count;
  gxds_subchannel **subchannels; /* references, all of them */
  gxds_rater **raters;           /* each may be NULL where no reports are taken */
} gxds_weighted_members;

/* Of count members, to be filled by the caller. The caller owns the returned reference. */
gxds_weighted_members *gxds_weighted_members_create(size_t count);
void gxds_weighted_members_unref(gxds_weighted_members *m); /* NULL is allowed */

/* takes_reports: with answers. The caller owns the returned reference. */
gxds_picker *gxds_weight_picker_create(gxds_weighted_members *members, gxds_turns *turns,
                                       bool takes_reports);

#endif
