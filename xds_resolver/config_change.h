/* Describes what changed between two snapshots, for GRPC_TRACE=xds_resolver, and what is wrong, for
 * channelz. Pure functions. */
#ifndef GRPC_XDS_XDS_RESOLVER_CONFIG_CHANGE_H_
#define GRPC_XDS_XDS_RESOLVER_CONFIG_CHANGE_H_

#include "base/text.h"
#include "xds_resolver/config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most clusters that are listed by name; the rest is only counted. */
#define GXDS_CHANGED_CLUSTERS_TOLD_MAX 100

/* Adds to out "listener changed, routes unchanged, clusters: +a ~b -c (3 in all)", where + is new,
 * ~ changed and - gone; an entry that is an error is followed by it in brackets. before: NULL:
 * none. Costs what differs. */
void gxds_config_describe_change(const gxds_config *before, const gxds_config *after,
                                 gxds_text *out);

/* The most bytes of an event. Channelz keeps 4 kB of events for a channel, so a long one would push
 * out all others. */
#define GXDS_FAULTS_BYTES_MAX 1000
#define GXDS_FAULTY_CLUSTERS_TOLD_MAX 10
/* How many bytes of the text fit into max bytes without cutting a character. */
size_t gxds_fault_size(gxds_str words, size_t max);

/* From good to bad. */
typedef enum gxds_fault {
  GXDS_FAULT_NONE,    /* nothing to tell */
  GXDS_FAULT_OVER,    /* a fault is over, and there is no new one */
  GXDS_FAULT_AMBIENT, /* a resource has an error, but the last good one stays in use (A88) */
  GXDS_FAULT_UNUSABLE /* RPCs to a cluster fail */
} gxds_fault;

/* Adds to out what is wrong with clusters, in the words of RPCs' statuses, and was not (or
 * otherwise) before, and what is well again: "cluster a: CDS resource a: does not exist (xDS server
 * S) (node ID:N); cluster b: well again". Faults of listener and routes are told with each cluster.
 * At most GXDS_FAULTS_BYTES_MAX; nothing for GXDS_FAULT_NONE. Returns the worst. before: NULL:
 * none. Costs what differs. */
gxds_fault gxds_config_describe_faults(const gxds_config *before, const gxds_config *after,
                                       gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
