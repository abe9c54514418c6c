/* gxds_cds: the state of a cds policy (A74, A75): which cluster it stands for, and what an update
 * makes of its child.
 *
 * Confined: the owner's serializer. An update goes in, what is to be done comes out. It speaks to
 * nobody but the mailbox, which only takes messages: the subscription to a dynamic cluster is made
 * at the first update and ended when the policy ends. */
#ifndef GRPC_XDS_LB_POLICIES_CDS_CDS_H_
#define GRPC_XDS_LB_POLICIES_CDS_CDS_H_

#include "lb_policies/cds/child_numbers.h"
#include "xds_resolver/config.h"
#include "xds_resolver/mailbox.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_cds gxds_cds;

gxds_cds *gxds_cds_create(void);
void gxds_cds_destroy(gxds_cds *c); /* NULL is allowed */

typedef enum gxds_cds_step_kind {
  GXDS_CDS_NOTHING, /* the child is not touched */
  GXDS_CDS_FAIL,    /* end the child and report TRANSIENT_FAILURE */
  GXDS_CDS_LEAF,    /* give the child its update: cluster_impl over override_host, if RPCs may have
                       sessions, over priority, and outlier_detection above them when there is
                       any (A75) */
  GXDS_CDS_AGGREGATE, /* give the child its update: priority over one cds for each leaf cluster */
} gxds_cds_step_kind;

/* All of it is borrowed: valid until the next call. */
typedef struct gxds_cds_step {
  gxds_cds_step_kind kind;
  gxds_status error;                 /* FAIL: what to report; owned by the machine */
  bool drop;                         /* FAIL: also RPCs that wait for ready (A31) */
  const gxds_cluster_entry *entry;   /* LEAF, AGGREGATE: the cluster's, with the resolution note and
                                        the leaf clusters */
  bool same_children;                /* LEAF, AGGREGATE: names, order and policies are as in the
                                        update before: so can be the child's config */
  const gxds_child_numbers *numbers; /* LEAF: the children of priority */
  gxds_str policy_json;              /* LEAF: what is below each, a JSON list for the registry */
  bool policy_changed;               /* LEAF: it is not what it was in the update before */
  bool has_sessions;                 /* LEAF: RPCs may have a session (A55) */
  bool ignore_reresolution;          /* LEAF: children ask in vain, since EDS pushes */
  const gxds_outlier_detection *outlier_detection; /* LEAF: NULL: none, or one that does nothing
                                                      (A50) */
} gxds_cds_step;

/* An update. config: NULL changes nothing. mailbox: NULL when there is none. An entry that is the
 * same pointer as before changes nothing (of an aggregate: when those of its leaves are too),
 * unless RPCs may have sessions now and could not before, or the other way round. A
 * snapshot without the cluster is ignored: that of a dynamic cluster comes later. */
const gxds_cds_step *gxds_cds_on_update(gxds_cds *c, const gxds_config *config,
                                        gxds_mailbox *mailbox, gxds_str cluster, bool is_dynamic);
/* The step could not be carried out (a policy that the host does not take): the next update starts
 * anew. */
void gxds_cds_forget(gxds_cds *c);

#ifdef __cplusplus
}
#endif

#endif
