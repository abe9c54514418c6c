/* gxds_cluster_impl: the state of a cluster_impl policy: the cluster's current configuration, what
 * an update changes of it, and the state that the policy reports. It never calls out; the owner
 * carries out what it returns. Only under the owner's serializer, but its pickers and slots are for
 * any thread. */
#ifndef GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CLUSTER_IMPL_H_
#define GRPC_XDS_LB_POLICIES_CLUSTER_IMPL_CLUSTER_IMPL_H_

#include <grpc/impl/codegen/connectivity_state.h>

#include "lb_policies/cluster_impl/drop_picker.h"
#include "xds_resolver/cluster_map.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_cluster_impl gxds_cluster_impl;

/* seed: for the random numbers that decide on drops. */
gxds_cluster_impl *gxds_cluster_impl_create(uint64_t seed);
void gxds_cluster_impl_destroy(gxds_cluster_impl *c); /* NULL is allowed */

/* What a change of the cluster's TLS configuration does to its connections (A29). */
typedef enum gxds_tls_change {
  GXDS_TLS_KEEP,   /* nothing */
  GXDS_TLS_NONE,   /* the cluster no longer has TLS: new connections with the fallback
                      credentials */
  GXDS_TLS_UPDATE, /* connections stay; later ones use the new configuration */
  GXDS_TLS_RENEW,  /* new connections */
} gxds_tls_change;

/* The operations of the owner, in this order. */
typedef struct gxds_cluster_impl_todo {
  bool fail; /* report TRANSIENT_FAILURE, because neither this snapshot nor an earlier one has that
                leaf cluster */
  bool publish;               /* report a new picker: see below */
  bool update_child;          /* pass the update on to the child */
  gxds_tls_change tls_change; /* do this before the other operations: see gxds_tls_change */
  /* UPDATE, RENEW: the new TLS configuration. Borrowed: valid until the next update. */
  const gxds_tls *tls;
} gxds_cluster_impl_todo;

/* Takes an update: the cluster's entry in the snapshot (NULL if it has none), the store where load
 * is counted, and the child's config, which is compared by its pointer. Takes references. If the
 * entry is not a leaf cluster, nothing changes: the policy keeps the last one. The child is not
 * updated as long as both the entry and its config stay the same. xds_credentials: whether the
 * channel's credentials are the host's XdsCredentials (A29), or contain them; other credentials
 * ignore a cluster's TLS. */
gxds_cluster_impl_todo gxds_cluster_impl_on_update(gxds_cluster_impl *c,
                                                   const gxds_cluster_entry *entry,
                                                   gxds_load_store *store, const void *child_config,
                                                   bool xds_credentials);
/* Call this if the TLS configuration of the last update could not be applied: the owner reported
 * TRANSIENT_FAILURE instead, and there is no child. The next update then starts from the beginning,
 * and the last child's state is forgotten. */
void gxds_cluster_impl_forget_tls(gxds_cluster_impl *c);
/* The child reported a state and a picker. Returns whether to publish. While every RPC is dropped
 * this is false, because the child's picker is not used then. */
bool gxds_cluster_impl_on_child_state(gxds_cluster_impl *c, grpc_connectivity_state state);

/* The state to report: the child's, or READY while every RPC is dropped. CONNECTING before the
 * child reported anything. */
grpc_connectivity_state gxds_cluster_impl_state(const gxds_cluster_impl *c);
/* Whether that state, and its status, are the child's. */
bool gxds_cluster_impl_state_is_childs(const gxds_cluster_impl *c);
/* The picker that decides on drops. Borrowed: valid until the next update. NULL before the first
 * update with a leaf cluster. */
gxds_drop_picker *gxds_cluster_impl_picker(const gxds_cluster_impl *c);
/* The entry that explains failed picks (gxds_cluster_entry_explain()). Borrowed: valid until the
 * next update. NULL before the first update with a leaf cluster. */
const gxds_cluster_entry *gxds_cluster_impl_entry(const gxds_cluster_impl *c);

/* The current TLS configuration. Borrowed: valid until the next update. NULL if there is none. */
const gxds_tls *gxds_cluster_impl_tls(const gxds_cluster_impl *c);

/* The slot of a locality, for a new subchannel. The caller owns the returned use. */
gxds_locality_slot *gxds_cluster_impl_slot(gxds_cluster_impl *c, gxds_str region, gxds_str zone,
                                           gxds_str sub_zone);

#ifdef __cplusplus
}
#endif

#endif
