/* The picker of a cluster with subsets. It looks up the RPC's match (E5), and calls the picker of
 * that subset. An RPC whose match is not known yet waits until the policy has found the subset for
 * it. Private to subset. */
#ifndef GRPC_XDS_LB_POLICIES_SUBSET_SUBSET_PICKER_H_
#define GRPC_XDS_LB_POLICIES_SUBSET_SUBSET_PICKER_H_

#include "host/policy.h"
#include "resources/lb_metadata.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_subset_pick_kind {
  GXDS_SUBSET_PICK_WAIT, /* the subset has no picker yet */
  GXDS_SUBSET_PICK_FAIL, /* no endpoints may serve the match: the RPC fails */
  GXDS_SUBSET_PICK_BY,   /* call picker */
} gxds_subset_pick_kind;

typedef struct gxds_subset_pick {
  gxds_subset_pick_kind kind;
  gxds_picker *picker; /* BY: borrowed, valid during the call that gets it */
} gxds_subset_pick;

typedef struct gxds_subset_picker gxds_subset_picker;

/* Makes a picker for at most count matches. `otherwise` is for RPCs without a match. For an unknown
 * match, the picker pokes poker with the match's text. Strings are copied. The caller owns the
 * returned reference. */
gxds_subset_picker *gxds_subset_picker_create(gxds_str cluster, const gxds_subset_pick *otherwise,
                                              size_t count, gxds_poker *poker);
/* Adds a match. Only before the picker is published, and each match once. */
void gxds_subset_picker_add(gxds_subset_picker *p, const gxds_metadata_match *match,
                            const gxds_subset_pick *pick);
gxds_picker *gxds_subset_picker_base(gxds_subset_picker *p);

#ifdef __cplusplus
}
#endif

#endif
