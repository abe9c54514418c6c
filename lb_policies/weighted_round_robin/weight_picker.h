/* A picker by weight (A58), and the objects that it shares with its policy, which is
 * weighted_round_robin, or round_robin with slow start. */
#ifndef GRPC_XDS_LB_POLICIES_WEIGHTED_ROUND_ROBIN_WEIGHT_PICKER_H_
#define GRPC_XDS_LB_POLICIES_WEIGHTED_ROUND_ROBIN_WEIGHT_PICKER_H_

#include "host/channel.h"
#include "lb_policies/weighted_round_robin/endpoint_weight.h"
#include "lb_policies/weighted_round_robin/report_weight.h"
#include "lb_policies/weighted_round_robin/stride.h"

/* The rating of the policy's current config. It applies to each report when the report arrives.
 * Counted by reference; any thread. */
typedef struct gxds_current_rating {
  gxds_ref refs;
  _Atomic(const gxds_rating *) now;
  /* The current rating and the former ones, which other threads may still use for a report. */
  struct gxds_rating_kept *kept;
} gxds_current_rating;

/* Starts without a rating. The caller owns the returned reference. */
gxds_current_rating *gxds_current_rating_create(void);
void gxds_current_rating_unref(gxds_current_rating *c); /* NULL is allowed */
/* Sets the rating: before the first report, and under the channel's serializer. Takes its own
 * reference. */
void gxds_current_rating_set(gxds_current_rating *c, gxds_rating *rating);

/* Computes an endpoint's weight from the reports of one subchannel, which come out of band or with
 * responses. Counted by reference as a gxds_load_listener is. */
typedef struct gxds_rater {
  gxds_load_listener base;
  gxds_endpoint_weight *weight; /* this and the next two are references */
  gxds_current_rating *rating;
  gxds_lb_channel *channel; /* the channel, for its clock */
} gxds_rater;

/* Takes its own references. The caller owns the returned reference. */
gxds_rater *gxds_rater_create(gxds_endpoint_weight *weight, gxds_current_rating *rating,
                              gxds_lb_channel *channel);

/* The endpoints of one picker. Their shares may change while the picker is used. Counted by
 * reference. */
typedef struct gxds_weighted_members {
  gxds_ref refs;
  gxds_stride *stride;
  size_t count;
  gxds_subchannel **subchannels; /* an array of references */
  gxds_rater **raters;           /* each may be NULL if reports are not used */
} gxds_weighted_members;

/* Makes room for count members, which the caller fills in. The caller owns the returned reference.
 */
gxds_weighted_members *gxds_weighted_members_create(size_t count);
void gxds_weighted_members_unref(gxds_weighted_members *m); /* NULL is allowed */

/* takes_reports: use the reports that come with responses. The caller owns the returned reference.
 */
gxds_picker *gxds_weight_picker_create(gxds_weighted_members *members, gxds_turns *turns,
                                       bool takes_reports);

#endif
