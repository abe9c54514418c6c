/* Describes in text what changed between two snapshots: all changes for GRPC_TRACE=xds_resolver,
 * and new faults for channelz. Pure functions. */
#ifndef GRPC_XDS_XDS_RESOLVER_CONFIG_CHANGE_H_
#define GRPC_XDS_XDS_RESOLVER_CONFIG_CHANGE_H_

#include "base/text.h"
#include "xds_resolver/config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most changed clusters that are listed by name; the rest is only counted. */
#define GXDS_CHANGED_CLUSTERS_LISTED_MAX 100

/* Adds to out "listener changed, routes unchanged, clusters: +a ~b -c (3 in all)". + is a new
 * cluster, ~ a changed one, and - a removed one; an entry that is an error is followed by the error
 * in brackets. before is NULL if there was no snapshot. The cost grows with the changes. */
void gxds_config_describe_change(const gxds_config *before, const gxds_config *after,
                                 gxds_text *out);

/* The most bytes of one description: channelz keeps 4 kB of events per channel, and a longer one
 * would push out the others. */
#define GXDS_FAULTS_BYTES_MAX 1000
#define GXDS_FAULTY_CLUSTERS_LISTED_MAX 10
/* The number of bytes of text that fit into max bytes, without part of a UTF-8 character at the
 * end. */
size_t gxds_fault_size(gxds_str text, size_t max);

/* In order, from good to bad. */
typedef enum gxds_fault {
  GXDS_FAULT_NONE,    /* nothing to report */
  GXDS_FAULT_OVER,    /* an earlier fault is over, and there is no new one */
  GXDS_FAULT_AMBIENT, /* something is wrong with a resource that stays in use (A88) */
  GXDS_FAULT_UNUSABLE /* RPCs to some cluster fail */
} gxds_fault;

/* Adds to out the faults of clusters that are new or different since before, in the text of RPCs'
 * statuses, and the clusters whose faults are over: "cluster a: CDS resource a: does not exist (xDS
 * server S) (node ID:N); cluster b: well again". A fault of the listener or the routes is reported
 * with each cluster. Adds at most GXDS_FAULTS_BYTES_MAX, and nothing for GXDS_FAULT_NONE. Returns
 * the worst fault. before is NULL if there was no snapshot. The cost grows with the changes. */
gxds_fault gxds_config_describe_faults(const gxds_config *before, const gxds_config *after,
                                       gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
