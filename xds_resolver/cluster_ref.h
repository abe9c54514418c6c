/* Holds on clusters (A31). A cluster stays in the snapshot as long as an RPC may still be sent to
 * it, whether or not a route names it. The same is true for the child of a cluster specifier
 * plugin, which is held by its name like a cluster.
 *
 *     gxds_cluster_refs      which clusters are held: one per channel, confined to the reactor
 *     gxds_cluster_set       a hold on each cluster of a set of routes. Immutable, counted by
 *                            reference: any thread. Each ConfigSelector has one.
 *     gxds_cluster_ref       one cluster and the count of its holds: any thread, lock-free. An RPC
 *                            has one hold from when it is routed until it is committed.
 *
 * The end of the last hold on a cluster only posts a mail, because it may happen under the host's
 * locks. When the mail is read, a newer set may hold the cluster again. The reactor notices that,
 * because only the reactor makes the first hold on a cluster. */
#ifndef GRPC_XDS_XDS_RESOLVER_CLUSTER_REF_H_
#define GRPC_XDS_XDS_RESOLVER_CLUSTER_REF_H_

#include "xds_resolver/config.h"
#include "xds_resolver/mailbox.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_cluster_ref gxds_cluster_ref;
typedef struct gxds_cluster_refs gxds_cluster_refs;
typedef struct gxds_cluster_set gxds_cluster_set;

/* mailbox receives a mail when the last hold on a cluster ends. Takes its own reference. */
gxds_cluster_refs *gxds_cluster_refs_create(gxds_mailbox *mailbox);
/* Holds that still exist stay valid, and end without a mail. */
void gxds_cluster_refs_destroy(gxds_cluster_refs *r);
/* Makes a set that holds each of the names. Takes its own reference to names. Calls on_new for each
 * name that r did not have before. The caller owns the returned reference. */
const gxds_cluster_set *gxds_cluster_refs_hold(gxds_cluster_refs *r, const gxds_names *names,
                                               void (*on_new)(void *arg, gxds_str name), void *arg);
/* Call this for each GXDS_MAIL_CLUSTER_UNUSED. If the cluster has no hold any more, forgets it and
 * returns true. */
bool gxds_cluster_refs_forget_unused(gxds_cluster_refs *r, gxds_str name);

const gxds_cluster_set *gxds_cluster_set_ref(const gxds_cluster_set *s);
void gxds_cluster_set_unref(const gxds_cluster_set *s); /* s may be NULL */
/* The names of the set. Borrowed: valid as long as s. */
const gxds_names *gxds_cluster_set_names(const gxds_cluster_set *s);

/* Adds a hold on one cluster of the set; index is the cluster's index in the set's names. The
 * caller ends the hold with gxds_cluster_ref_release(). */
gxds_cluster_ref *gxds_cluster_set_hold(const gxds_cluster_set *s, size_t index);
void gxds_cluster_ref_release(gxds_cluster_ref *c);
/* The cluster's name, zero-terminated. Borrowed: valid as long as the hold. */
gxds_str gxds_cluster_ref_name(const gxds_cluster_ref *c);
/* A number that identifies the cluster_ref, unique in the process and never reused; never 0.
 * Cheaper to compare than the name. */
uint64_t gxds_cluster_ref_id(const gxds_cluster_ref *c);

#ifdef __cplusplus
}
#endif

#endif
