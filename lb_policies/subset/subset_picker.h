/* The picker of a cluster with subsets: an RPC's match (E5) is looked up, and a picker of its
 * subset picks. A match that is not known yet waits until the policy has been told of it. Private
 * to subset. */
#ifndef GRPC_XDS_LB_POLICIES_SUBSET_SUBSET_PICKER_H_
#define GRPC_XDS_LB_POLICIES_SUBSET_SUBSET_PICKER_H_

#include "host/policy.h"
#include "resources/lb_metadata.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_subset_pick_kind {
  GXDS_SUBSET_PICK_WAIT, /* its endpoints are not there yet */
  GXDS_SUBSET_PICK_FAIL, /* no endpoints are for it */
  GXDS_SUBSET_PICK_BY,   /* by picker */
} gxds_subset_pick_kind;

typedef struct gxds_subset_pick {
  gxds_subset_pick_kind kind;
  gxds_picker *picker; /* BY: borrowed, valid during the call that is given it */
} gxds_subset_pick;

typedef struct gxds_subset_picker gxds_subset_picker;

/* For at most count matches. otherwise: of RPCs without one. poker: poked with the text of a match
 * that is not known. Strings are copied. The caller owns the returned reference. */
gxds_subset_picker *gxds_subset_picker_create(gxds_str cluster, const gxds_subset_pick *otherwise,
                                              size_t count, gxds_poker *poker);
/* Before it is published. No match twice. */
void gxds_subset_picker_add(gxds_subset_picker *p, const gxds_metadata_match *match,
                            const gxds_subset_pick *pick);
gxds_picker *gxds_subset_picker_base(gxds_subset_picker *p);

#ifdef __cplusplus
}
#endif

#endif
