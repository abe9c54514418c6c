/* Holds on clusters (A31): as long as an RPC may still be sent to a cluster it stays in the
 * snapshot, whether or not a route names it. So does the child of a cluster specifier plugin, which
 * is held by its name like a cluster.
 *
 *     gxds_cluster_refs      one per channel, confined to the reactor: which clusters are held
 *     gxds_cluster_set       a hold on each cluster of a set of routes; immutable, counted by
 *                            reference: any thread. A ConfigSelector has one.
 *     gxds_cluster_ref       one cluster and its count: any thread, lock-free. An RPC has one hold
 *                            from when it is routed until it is committed.
 *
 * When the last hold on a cluster ends a mail is posted and nothing else: that may be under the
 * host's locks. By the time it is read, a newer set may hold the cluster again; only the reactor
 * makes the first hold, so it can tell. */
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

/* The ends of holds are posted to mailbox. Takes a reference of its own. */
gxds_cluster_refs *gxds_cluster_refs_create(gxds_mailbox *mailbox);
/* Holds of others stay valid, but their ends are not posted any more. */
void gxds_cluster_refs_destroy(gxds_cluster_refs *r);
/* Makes a hold on each of the names. Takes a reference of its own on names. Calls on_new for each
 * name that was not held before. The caller owns the returned reference. */
const gxds_cluster_set *gxds_cluster_refs_hold(gxds_cluster_refs *r, const gxds_names *names,
                                               void (*on_new)(void *arg, gxds_str name), void *arg);
/* Call it for each GXDS_MAIL_CLUSTER_UNUSED. If still nobody holds the cluster, forgets it and
 * returns true. */
bool gxds_cluster_refs_forget_unused(gxds_cluster_refs *r, gxds_str name);

const gxds_cluster_set *gxds_cluster_set_ref(const gxds_cluster_set *s);
void gxds_cluster_set_unref(const gxds_cluster_set *s); /* NULL is allowed */
/* Borrowed: valid as long as s. */
const gxds_names *gxds_cluster_set_names(const gxds_cluster_set *s);

/* Makes a hold on the set's cluster with that index among its names. End it with
 * gxds_cluster_ref_release(). */
gxds_cluster_ref *gxds_cluster_set_hold(const gxds_cluster_set *s, size_t index);
void gxds_cluster_ref_release(gxds_cluster_ref *c);
/* Zero-terminated. Borrowed: valid as long as the hold. */
gxds_str gxds_cluster_ref_name(const gxds_cluster_ref *c);
/* A number for the cluster that the process uses for no other, as a short form of its name. Never
 * 0. */
uint64_t gxds_cluster_ref_id(const gxds_cluster_ref *c);

#ifdef __cplusplus
}
#endif

#endif
