/* gxds_cluster_impl: the state of a cluster_impl policy: what of its cluster is in force, what an
 * update changes of it, and what state it reports.
 *
 * Confined: the owner's serializer. It calls nobody; the owner carries out what it answers. Its
 * pickers and slots are for any thread. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CLUSTER_IMPL_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CLUSTER_IMPL_H_

#include <grpc/impl/codegen/connectivity_state.h>

#include "lb_policies/cluster_impl/drop_picker.h"
#include "lb_policies/cluster_impl/tls_change.h"
#include "xds_resolver/cluster_map.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_cluster_impl gxds_cluster_impl;

/* seed: of the random numbers that drops are drawn with. */
gxds_cluster_impl *gxds_cluster_impl_create(uint64_t seed);
void gxds_cluster_impl_destroy(gxds_cluster_impl *c); /* NULL is allowed */

/* What is to be done, in this order. */
typedef struct gxds_cluster_impl_todo {
  bool fail;         /* report TRANSIENT_FAILURE: the snapshot has no such leaf, and never had */
  bool publish;      /* report a new picker: see below */
  bool update_child; /* pass the update on to the child */
  gxds_tls_change tls_change; /* before any of these: see there */
  const gxds_tls *tls; /* UPDATE, RENEW: to this one. Borrowed: valid until the next update */
} gxds_cluster_impl_todo;

/* An update: the cluster's entry in the snapshot (NULL: it has none), where load is counted, and
 * the identity of the child's config. Takes references. An entry that is no leaf changes nothing:
 * the policy goes on with what it has. The child is not touched while neither the entry nor its
 * config is another one.
 * xds_credentials: the channel's are the host's XdsCredentials (A29), or made with them; others
 * ignore a cluster's TLS. */
gxds_cluster_impl_todo gxds_cluster_impl_on_update(gxds_cluster_impl *c,
                                                   const gxds_cluster_entry *entry,
                                                   gxds_load_store *store, const void *child_config,
                                                   bool xds_credentials);
/* The TLS of the last update could not be carried out, and there is no child: the next update
 * begins anew. */
void gxds_cluster_impl_forget_tls(gxds_cluster_impl *c);
/* The child has a new picker, in that state. Whether to publish: not while everything is dropped,
 * for then the child's picker is never asked. */
bool gxds_cluster_impl_on_child_state(gxds_cluster_impl *c, grpc_connectivity_state state);

/* What to report: the child's state, or READY while everything is dropped, whatever the child is
 * in; CONNECTING before the child reported anything. */
grpc_connectivity_state gxds_cluster_impl_state(const gxds_cluster_impl *c);
/* Whether that state is the child's, and so is the status that goes with it. */
bool gxds_cluster_impl_state_is_childs(const gxds_cluster_impl *c);
/* What to drop. Borrowed: valid until the next update. NULL before the first update with a leaf. */
gxds_drop_picker *gxds_cluster_impl_picker(const gxds_cluster_impl *c);
/* What explains failed picks (gxds_cluster_entry_explain()). Borrowed: valid until the next update.
 * NULL before the first update with a leaf. */
const gxds_cluster_entry *gxds_cluster_impl_entry(const gxds_cluster_impl *c);

/* The TLS in force. Borrowed: valid until the next update. NULL: none. */
const gxds_tls *gxds_cluster_impl_tls(const gxds_cluster_impl *c);

/* The slot of a locality, for a new subchannel. The caller owns the returned reference. */
gxds_locality_slot *gxds_cluster_impl_slot(gxds_cluster_impl *c, gxds_str region, gxds_str zone,
                                           gxds_str sub_zone);

#ifdef __cplusplus
}
#endif

#endif
