/* gxds_cds: the state of a cds policy (A74, A75): its cluster, and the configuration of its child.
 * An update goes in; the next step comes out, and the owner carries it out. The only object that it
 * calls is the mailbox, which only stores messages: it subscribes to a dynamic cluster at the first
 * update, and unsubscribes when the policy ends. Only under the owner's serializer. */
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
  GXDS_CDS_NOTHING,   /* the child is not touched */
  GXDS_CDS_FAIL,      /* end the child and report TRANSIENT_FAILURE */
  GXDS_CDS_LEAF,      /* update the child, which is cluster_impl over priority. If RPCs may have
                         sessions, override_host is between the two. If the cluster has, or has
                         had, outlier detection, that is above all of them (A75) */
  GXDS_CDS_AGGREGATE, /* update the child, which is priority over one cds for each leaf cluster */
} gxds_cds_step_kind;

/* All of it is borrowed: valid until the next call. */
typedef struct gxds_cds_step {
  gxds_cds_step_kind kind;
  gxds_status error;               /* FAIL: what to report; owned by the machine */
  bool drop;                       /* FAIL: fail wait-for-ready RPCs too (A31) */
  const gxds_cluster_entry *entry; /* LEAF, AGGREGATE: the cluster's entry, which has the resolution
                                      note and the leaf clusters */
  bool same_children; /* LEAF, AGGREGATE: names, order and policies have not changed since the last
                         update, so the child's config can stay */
  const gxds_child_numbers *numbers; /* LEAF: the children of priority */
  gxds_str policy_json;     /* LEAF: the policy below each child of priority, as a JSON list for the
                               registry */
  bool policy_changed;      /* LEAF: policy_json differs from that of the last update */
  bool has_sessions;        /* LEAF: RPCs may have a session (A55) */
  bool ignore_reresolution; /* LEAF: requests of children for new addresses are ignored, since EDS
                               pushes them */
  /* LEAF: NULL if the cluster has no outlier detection, or if it would never eject an endpoint
   * (A50). */
  const gxds_outlier_detection *outlier_detection;
} gxds_cds_step;

/* Takes an update and returns the next step. mailbox may be NULL. The step is GXDS_CDS_NOTHING if
 * config is NULL, or if the entry is the same pointer as before (for an aggregate, also the entries
 * of its leaves) and RPCs may have sessions if and only if they could before. A snapshot without a
 * dynamic cluster is ignored, because the cluster comes in a later snapshot. */
const gxds_cds_step *gxds_cds_on_update(gxds_cds *c, const gxds_config *config,
                                        gxds_mailbox *mailbox, gxds_str cluster, bool is_dynamic);
/* Forgets the last step. Call this if the step could not be carried out, because the host does not
 * know a policy. The next update then starts from the beginning. */
void gxds_cds_forget(gxds_cds *c);

#ifdef __cplusplus
}
#endif

#endif
